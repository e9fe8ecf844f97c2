"""One shop in each framework, with an endpoint and an explorer."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import httpx
from fastapi import Depends, FastAPI, Header, HTTPException
from flask import Flask
from flask import request as flask_request
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options, declare, mcp_tool

PAGE = {"content-type": "application/json", "x-sezzlee-explorer": "1"}
TOKEN = "Bearer s3cret-token"
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"

Ask = Callable[..., httpx.Response]


def _no_prefix(container: str) -> str:
    return ""


def options() -> Options:
    made = Options(naming={"prefix": _no_prefix})
    made.visibility.identity = lambda caller: "present" if caller.headers else "absent"
    return made


def make_fastapi(**explorer: Any) -> FastAPI:
    app = FastAPI()

    def user(authorization: Annotated[str, Header()] = "") -> str:
        if authorization != TOKEN:
            raise HTTPException(401, "who are you?")
        return "ada"

    user.__mcp_auth__ = {"anonymous": "no"}  # type: ignore[attr-defined]  # no field of a function

    @app.get("/orders/{order_id}", tags=["orders"])
    @mcp_tool
    def get_order(order_id: int) -> dict[str, Any]:
        """Fetch one order."""
        return {"id": order_id}

    @app.get("/orders", tags=["orders"])
    @mcp_tool
    def list_orders(
        state: Literal["open", "shipped"] = "open", limit: int = 5, mine: bool = True
    ) -> list[int]:
        """List the orders of one state."""
        return [1, 2, 3][:limit]

    @app.post("/orders/{order_id}/cancel", tags=["orders"])
    @mcp_tool(search_terms=["refund"])
    def cancel_order(order_id: int, who: Annotated[str, Depends(user)]) -> dict[str, Any]:
        """Cancel an order that was not shipped."""
        return {"cancelled": order_id, "by": who}

    @app.get("/markup", tags=[MARKUP])
    @mcp_tool(name="show_markup", description=f"Show {MARKUP} as it is.")
    def show_markup(text: str = "") -> dict[str, Any]:
        return {"text": text, MARKUP: MARKUP}

    sezzlee_fastapi.mount_mcp(app, options=options())
    sezzlee_fastapi.mount_explorer(app, **explorer)
    return app


def make_starlette(**explorer: Any) -> Starlette:
    @mcp_tool(tags=["orders"])
    async def get_order(request: Request) -> JSONResponse:
        """Fetch one order."""
        return JSONResponse({"id": int(request.path_params["order_id"])})

    @mcp_tool(tags=["orders"])
    async def cancel_order(request: Request) -> JSONResponse:
        """Cancel an order that was not shipped."""
        if request.headers.get("authorization") != TOKEN:
            return JSONResponse({"detail": "who are you?"}, 401)
        return JSONResponse({"cancelled": int(request.path_params["order_id"]), "by": "ada"})

    declare(cancel_order, search_terms=["refund"])
    cancel_order.__mcp_auth__ = {"anonymous": "no"}  # type: ignore[attr-defined]
    app = Starlette(
        routes=[
            Route("/orders/{order_id:int}", get_order),
            Route("/orders/{order_id:int}/cancel", cancel_order, methods=["POST"]),
        ]
    )
    sezzlee_starlette.mount_mcp(app, options=options())
    sezzlee_starlette.mount_explorer(app, **explorer)
    return app


def make_flask(**explorer: Any) -> Flask:
    app = Flask("shop")

    @app.get("/orders/<int:order_id>")
    @mcp_tool(tags=["orders"])
    def get_order(order_id: int) -> dict[str, Any]:
        """Fetch one order."""
        return {"id": order_id}

    @app.post("/orders/<int:order_id>/cancel")
    @mcp_tool(tags=["orders"], search_terms=["refund"])
    def cancel_order(order_id: int) -> Any:
        """Cancel an order that was not shipped."""
        if flask_request.headers.get("Authorization") != TOKEN:
            return {"detail": "who are you?"}, 401
        return {"cancelled": order_id, "by": "ada"}

    cancel_order.__mcp_auth__ = {"anonymous": "no"}  # type: ignore[attr-defined]
    sezzlee_flask.mount_mcp(app, options=options())
    sezzlee_flask.mount_explorer(app, **explorer)
    return app


MAKERS: dict[str, Callable[..., Any]] = {
    "fastapi": make_fastapi,
    "starlette": make_starlette,
    "flask": make_flask,
}


async def send(
    app: Any,
    method: str,
    path: str,
    *,
    headers: dict[str, str] | None = None,
    json: Any = None,
    content: bytes | None = None,
    peer: str = "127.0.0.1",
    base: str = "http://localhost:8000",
) -> httpx.Response:
    """Return the application's answer to one request from `peer`."""
    sent = {"headers": headers or {}, "json": json, "content": content}
    if isinstance(app, Flask):
        return _send_wsgi(app, method, path, base, peer, sent)
    asgi = httpx.ASGITransport(app=app, client=(peer, 5000))
    async with httpx.AsyncClient(transport=asgi, base_url=base) as aclient:
        return await aclient.request(method, path, **sent)


def _send_wsgi(
    app: Flask, method: str, path: str, base: str, peer: str, sent: dict[str, Any]
) -> httpx.Response:
    wsgi = httpx.WSGITransport(app=app, remote_addr=peer)
    with httpx.Client(transport=wsgi, base_url=base) as client:
        return client.request(method, path, **sent)


async def ask(app: Any, kind: str, body: Any = None, **more: Any) -> Any:
    """Return the document that the page gets."""
    headers = {**PAGE, **more.pop("headers", {})}
    answer = await send(
        app, "POST", f"/explorer/api/{kind}", headers=headers, json=body or {}, **more
    )
    assert answer.headers["content-type"] == "application/json", answer.text
    return answer.json()
