"""`mount_mcp` on Starlette and FastAPI: where, when, how often."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from sezzlee_fastapi import mount_mcp
from sezzlee_py import CatalogError, Options, mcp_tool
from sezzlee_py.errors import OptionsError
from sezzlee_py.testing import AgentClient, AgentError
from sezzlee_starlette import mount_mcp as mount_on_starlette

META_TOOLS = ["search_tools", "load_tool", "invoke_tool"]


@mcp_tool(name="ping")
def ping() -> dict[str, str]:
    """Answer."""
    return {"pong": "yes"}


def names(agent: AgentClient) -> list[str]:
    return [card["name"] for card in agent.search()["results"]]


def test_a_mount_before_the_routes_sees_them() -> None:
    app = FastAPI()
    mount_mcp(app)
    app.get("/ping")(ping)
    with AgentClient(app) as agent:
        assert names(agent) == ["ping"]


def test_a_mount_in_an_app_factory_serves_each_app_its_own_catalog() -> None:
    def create(name: str) -> FastAPI:
        app = FastAPI()

        @app.get("/only")
        @mcp_tool(name=name)
        def only() -> str:
            return name

        mount_mcp(app)
        return app

    with AgentClient(create("first")) as first, AgentClient(create("second")) as second:
        assert (names(first), names(second)) == (["first"], ["second"])


def test_a_second_path_serves_the_same_catalog() -> None:
    app = FastAPI()
    app.get("/ping")(ping)
    assert mount_mcp(app) is mount_mcp(app, "/agents")
    with AgentClient(app, "/agents") as agent:
        assert names(agent) == ["ping"]


def test_a_second_mount_on_one_path_is_refused() -> None:
    app = FastAPI()
    mount_mcp(app)
    with pytest.raises(OptionsError, match="'/mcp' already has an endpoint"):
        mount_mcp(app)


def test_later_mounts_bring_no_options_of_their_own() -> None:
    app = FastAPI()
    mount_mcp(app)
    with pytest.raises(OptionsError, match="belong to the first call"):
        mount_mcp(app, "/agents", Options())


@pytest.mark.parametrize("path", ["mcp", "/mcp/", ""])
def test_a_malformed_path_is_refused(path: str) -> None:
    with pytest.raises(OptionsError):
        mount_mcp(FastAPI(), path)


def test_the_path_of_the_options_counts_where_none_is_given() -> None:
    app = FastAPI()
    mount_mcp(app, options=Options(transport={"path": "/agents"}))
    with AgentClient(app, "/agents") as agent:
        assert [tool["name"] for tool in agent.tools()] == META_TOOLS


def test_the_endpoint_stands_before_a_catch_all() -> None:
    app = FastAPI()

    @app.api_route("/{rest:path}", methods=["GET", "POST"])
    def page(rest: str) -> str:
        return rest

    mount_mcp(app)
    with AgentClient(app) as agent:
        assert [tool["name"] for tool in agent.tools()] == META_TOOLS


def test_a_mount_on_an_app_that_already_serves_works() -> None:
    app = FastAPI()
    app.get("/ping")(ping)
    with AgentClient(app, "/none") as early:
        with pytest.raises(AgentError):
            early.tools()
        mount_mcp(app)
    with AgentClient(app) as agent:
        assert names(agent) == ["ping"]


def test_the_catalog_is_built_after_every_router_s_startup_with_its_state() -> None:
    order: list[str] = []

    @asynccontextmanager
    async def outer(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        order.append("app starts")
        yield {"database": "open"}
        order.append("app stops")

    @asynccontextmanager
    async def inner(app: FastAPI) -> AsyncIterator[None]:
        order.append("router starts")
        yield

    app = FastAPI(lifespan=outer)
    sezzlee = mount_mcp(app)
    router = APIRouter(lifespan=inner)

    @router.get("/state")
    @mcp_tool(name="state")
    def state(request: Request) -> dict[str, str]:
        return {"database": request.state.database}

    app.include_router(router)
    with AgentClient(app) as agent:
        assert order == ["app starts", "router starts"]
        assert sezzlee.catalog.generation == 1
        assert agent.invoke("state")["body"] == {"database": "open"}
    assert order[-1] == "app stops"


def test_a_fatal_catalog_fails_the_startup_with_a_readable_message() -> None:
    stopped: list[bool] = []

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        stopped.append(True)

    app = FastAPI(lifespan=lifespan)
    app.get("/a")(mcp_tool(name="twin")(lambda: "a"))
    app.get("/b")(mcp_tool(name="twin")(lambda: "b"))
    mount_mcp(app)
    with pytest.raises(RuntimeError, match="name_collision"), AgentClient(app):
        pass
    # The server sends no shutdown after a failed startup; the application is closed all the same.
    assert stopped == [True]


def test_a_mounted_application_without_a_lifespan_of_its_own_is_served() -> None:
    inner = FastAPI()
    inner.get("/ping")(ping)
    mount_mcp(inner)
    outer = Starlette(routes=[Mount("/api", app=inner)])
    with AgentClient(outer, "/api/mcp") as agent:
        assert names(agent) == ["ping"]
        assert agent.invoke("ping")["body"] == {"pong": "yes"}


def test_a_guarded_endpoint_of_a_mounted_application_is_nobody_s_tool() -> None:
    inner = FastAPI()
    inner.get("/ping")(ping)
    mount_mcp(inner, dependencies=[Depends(lambda: None)])
    outer = FastAPI()
    outer.mount("/s", inner)
    sezzlee = mount_mcp(outer, options=Options(selection={"default": "include"}))
    assert [tool.route for tool in sezzlee.catalog] == ["/s/ping"]


def test_dependencies_guard_the_endpoint_itself() -> None:
    def guard(request: Request) -> None:
        if request.headers.get("authorization") != "Bearer t":
            raise HTTPException(401, "who are you?", {"WWW-Authenticate": "Bearer"})

    app = FastAPI()
    app.get("/ping")(ping)
    mount_mcp(app, dependencies=[Depends(guard)])
    with AgentClient(app) as stranger:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        assert stranger.post(message).status == 401
    with AgentClient(app, headers={"authorization": "Bearer t"}) as agent:
        assert names(agent) == ["ping"]
        assert agent.invoke("ping")["body"] == {"pong": "yes"}


def test_dependencies_of_the_application_guard_the_endpoint_too() -> None:
    def refuse() -> None:
        raise HTTPException(403, "no")

    app = FastAPI(dependencies=[Depends(refuse)])
    mount_mcp(app)
    with AgentClient(app) as agent:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        assert agent.post(message).status == 403


def test_calls_enter_at_the_application_that_is_really_served() -> None:
    app = FastAPI()

    @app.get("/trail")
    @mcp_tool(name="trail")
    def trail(request: Request) -> dict[str, Any]:
        return {"marked": request.scope.get("marked", False)}

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, "marked": True}, receive, send)

    mount_mcp(app, dispatch_app=wrapped)
    with AgentClient(app) as agent:
        assert agent.invoke("trail")["body"] == {"marked": True}


def test_starlette_is_served_alike() -> None:
    async def pong(request: Any) -> JSONResponse:
        """Answer."""
        return JSONResponse({"pong": "yes"})

    app = Starlette(routes=[Route("/ping", mcp_tool(name="ping")(pong))])
    sezzlee = mount_on_starlette(app)
    with AgentClient(app) as agent:
        assert names(agent) == ["ping"]
        assert agent.invoke("ping") == {"status": 200, "body": {"pong": "yes"}}
    assert asyncio.run(sezzlee.invoke("ping")) == {"status": 200, "body": {"pong": "yes"}}


def test_a_lazy_fatal_catalog_raises_at_build() -> None:
    app = FastAPI()
    app.get("/a")(mcp_tool(name="Not Legal")(lambda: "a"))
    with pytest.raises(CatalogError, match="invalid_name"):
        mount_mcp(app).build()
