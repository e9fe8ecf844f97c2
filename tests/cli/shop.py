"""One small shop in each framework, as the commands load it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer, OAuth2PasswordBearer
from flask import Flask
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options, SelectionRule, declare, mcp_ignore, mcp_tool, mcp_variant

TOKEN = "Bearer s3cret-token"

bearer = HTTPBearer()


def _plain(container: str) -> str:
    return ""


def options() -> Options:
    made = Options(naming={"prefix": _plain})
    made.selection.rules = [SelectionRule(route="/ruled", decision="include")]
    return made


def bare_fastapi() -> FastAPI:
    """Routes and declarations, nothing mounted."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        print("the shop opens")
        os.system("echo the shop prints from a process")  # noqa: ASYNC221
        yield {"greeting": "hello"}

    app = FastAPI(lifespan=lifespan)

    @app.get("/orders/{order_id}", tags=["orders"])
    @mcp_tool
    def get_order(order_id: int, verbose: bool = False) -> dict[str, Any]:
        """Fetch one order."""
        if order_id == 0:
            raise HTTPException(404, "no such order")
        return {"id": order_id, "verbose": verbose}

    @app.post("/orders/{order_id}/cancel", tags=["orders"])
    @mcp_tool(search_terms=["refund"])
    def cancel_order(order_id: int, token: Annotated[Any, Security(bearer)]) -> dict[str, Any]:
        """Cancel an order that was not shipped."""
        return {"cancelled": order_id}

    @app.get("/greeting", tags=["misc"])
    @mcp_tool(name="greet")
    def greeting(request: Request) -> str:
        """Say hello."""
        return str(request.state.greeting)

    @app.get("/hidden")
    @mcp_ignore
    def hidden() -> None: ...

    @app.get("/ruled")
    def ruled() -> None:
        """Count the stock."""

    @app.get("/unspoken")
    def unspoken() -> None: ...

    return app


def make_fastapi() -> FastAPI:
    app = bare_fastapi()
    sezzlee_fastapi.mount_mcp(app, options=options())
    return app


def make_starlette() -> Starlette:
    @mcp_tool(name="get_order")
    async def get_order(request: StarletteRequest) -> JSONResponse:
        """Fetch one order."""
        return JSONResponse({"id": request.path_params["order_id"]})

    app = Starlette(routes=[Route("/orders/{order_id:int}", get_order)])
    sezzlee_starlette.mount_mcp(app)
    return app


def bare_flask() -> Flask:
    app = Flask("shop")

    @app.get("/orders/<int:order_id>")
    @mcp_tool(name="get_order")
    def get_order(order_id: int) -> dict[str, Any]:
        """Fetch one order."""
        return {"id": order_id}

    return app


def make_flask() -> Flask:
    app = bare_flask()
    sezzlee_flask.mount_mcp(app)
    return app


def make_fatal() -> FastAPI:
    """Two tools with one declared name."""
    app = FastAPI()

    @app.get("/a")
    @mcp_tool(name="export")
    def first() -> None: ...

    @app.get("/b")
    @mcp_tool(name="export")
    def second() -> None: ...

    @app.get("/fine")
    @mcp_tool(name="fine")
    def fine() -> None: ...

    sezzlee_fastapi.mount_mcp(app)
    return app


def make_warned() -> FastAPI:
    """Two derived names that coincide: a warning."""
    app = FastAPI()

    def export() -> None: ...

    app.get("/a")(mcp_tool(export))

    def second() -> None: ...

    second.__name__ = "export"
    app.get("/b")(mcp_tool(second))
    declare(app)
    sezzlee_fastapi.mount_mcp(app, options=options())
    return app


def make_folded() -> FastAPI:
    """One function on two routes."""
    app = FastAPI()

    def list_things() -> list[str]:
        return []

    handler = mcp_tool(list_things)
    app.get("/things")(handler)
    app.get("/v1/things")(handler)
    sezzlee_fastapi.mount_mcp(app)
    return app


def make_guarded() -> FastAPI:
    """A route that asks for a scope."""
    app = FastAPI()
    oauth = OAuth2PasswordBearer(tokenUrl="token", scopes={"admin": "All of it."})

    @app.get("/scoped", tags=["guarded"])
    @mcp_tool
    def scoped(token: Annotated[str, Security(oauth, scopes=["admin"])]) -> None: ...

    sezzlee_fastapi.mount_mcp(app)
    return app


class Klass:
    def look(self) -> None: ...


def make_contained() -> FastAPI:
    """A declared router, a class kept from agents, and a route that answers any path."""
    router = APIRouter()
    declare(router)
    klass = mcp_ignore(Klass)()

    @router.get("/inside")
    def inside() -> None: ...

    app = FastAPI()
    app.include_router(router)
    app.get("/klass")(klass.look)

    @app.get("/{rest:path}")
    def any_path(rest: str) -> None: ...

    sezzlee_fastapi.mount_mcp(app)
    return app


def make_contradicted() -> FastAPI:
    app = FastAPI()
    rules: Any = [SelectionRule(route="/both", decision=d) for d in ("include", "exclude")]

    @app.get("/both")
    @mcp_tool
    def both() -> None: ...

    mcp_ignore(both)
    sezzlee_fastapi.mount_mcp(app, options=Options(selection={"rules": rules}))
    return app


def make_named() -> FastAPI:
    """Names from everywhere they may come from."""
    router = APIRouter(tags=["router"])
    declare(router)

    @router.get("/greeting")
    @mcp_tool(name="greet")
    def greeting() -> None: ...

    @router.get("/inside")
    def inside() -> None: ...

    @router.get("/by-id", operation_id="chosen")
    def by_id() -> None: ...

    @router.get("/export/a")
    def export() -> None: ...

    def again() -> None: ...

    again.__name__ = "export"
    router.get("/export/b")(again)
    router.get("/lambda")(lambda: None)

    @router.get("/variants")
    @mcp_variant("one_way", description="One way.")
    @mcp_variant("other_way", description="Another way.")
    def variants(way: str = "x") -> None: ...

    app = FastAPI()
    app.include_router(router)
    sezzlee_fastapi.mount_mcp(app)
    return app


def make_prefixed() -> Starlette:
    """Prefixes from everywhere they may come from."""

    async def get(request: StarletteRequest) -> JSONResponse:
        return JSONResponse(None)

    @mcp_tool(prefix="own")
    async def put(request: StarletteRequest) -> JSONResponse:
        return JSONResponse(None)

    async def list_tickets(request: StarletteRequest) -> JSONResponse:
        return JSONResponse(None)

    class Desk(HTTPEndpoint):
        @mcp_tool
        async def get(self, request: StarletteRequest) -> JSONResponse:
            return JSONResponse(None)

    class Till(HTTPEndpoint):
        @mcp_tool
        async def get(self, request: StarletteRequest) -> JSONResponse:
            return JSONResponse(None)

    routes = [Route("/", get), Route("/own", put), Route("/all", list_tickets)]
    tickets = Mount("/tickets", routes=routes)
    declare(tickets, prefix="ticket")
    app = Starlette(routes=[tickets, Route("/desk", Desk), Route("/till", Till)])
    naming = {"prefix": {"Till": "cash"}.get}
    sezzlee_starlette.mount_mcp(app, options=Options(naming=naming))
    return app


def make_dropped() -> Starlette:
    """An endpoint whose body nothing can write, beside one that is fine."""

    @mcp_tool(body=dict[str, str], consumes="application/xml")
    async def close_order(request: StarletteRequest) -> JSONResponse:
        return JSONResponse(None)

    @mcp_tool(name="get_order")
    async def get_order(request: StarletteRequest) -> JSONResponse:
        return JSONResponse(None)

    app = Starlette(
        routes=[
            Route("/orders/{order_id}", get_order),
            Route("/orders/{order_id}/close", close_order, methods=["POST"]),
        ]
    )
    sezzlee_starlette.mount_mcp(app)
    return app


def make_shadowed() -> FastAPI:
    """A route that stands behind one which answers first."""
    app = FastAPI()

    @app.get("/things/{name}")
    @mcp_tool
    def one(name: str) -> None: ...

    @app.get("/things/new")
    @mcp_tool
    def never() -> None: ...

    sezzlee_fastapi.mount_mcp(app)
    return app


def _connect() -> None:
    raise ConnectionError("the database is away")


def make_closed() -> FastAPI:
    """An application whose startup fails."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        _connect()
        yield

    return FastAPI(lifespan=lifespan)


class Wrapped:
    """Middleware around an application, as servers are given one."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


def broken_factory() -> FastAPI:
    raise KeyError("SHOP_DATABASE")


async def async_factory() -> FastAPI:
    return make_fastapi()


app = make_fastapi()
starlette_app = make_starlette()
flask_app = make_flask()
wrapped_app = Wrapped(make_fastapi())
nothing = 7


async def foreign_app(scope: Any, receive: Any, send: Any) -> None: ...


class Space:
    inner = app


def make_keyed() -> FastAPI:
    keyed = FastAPI()

    @keyed.get("/statistics")
    @mcp_tool
    def statistics(key: Annotated[str, Depends(APIKeyHeader(name="X-Partner-Key"))]) -> str:
        return key

    sezzlee_fastapi.mount_mcp(keyed)
    return keyed


def make_worded() -> FastAPI:
    worded = FastAPI()

    @worded.get("/pets")
    @mcp_tool
    def list_pets() -> None:
        """List only this species of the branch: clinics, Clinic."""

    sezzlee_fastapi.mount_mcp(worded)
    return worded
