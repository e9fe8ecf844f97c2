"""One handler behind different guards: only what a caller meets alike is one tool."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Security
from flask import Blueprint, Flask, abort, g
from flask.views import MethodView
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import mcp_tool
from sezzlee_py.testing import AgentClient

PREFIXES = ("/public", "/v2/public", "/staff")


def refuse(request: Request) -> None:
    raise HTTPException(403, "Staff only.")


def fastapi_app(tool: Callable[..., Any]) -> Any:
    app, router = FastAPI(), APIRouter()

    @router.get("/items")
    @tool
    def items() -> str:
        return "items"

    app.include_router(router, prefix="/public")
    app.include_router(router, prefix="/v2/public")
    app.include_router(router, prefix="/staff", dependencies=[Security(refuse, scopes=["staff"])])
    return app, sezzlee_fastapi.mount_mcp(app)


class Refusing:
    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("Staff only.", 403)(scope, receive, send)


def starlette_app(tool: Callable[..., Any]) -> Any:
    @tool
    async def items(request: Any) -> Any:
        return PlainTextResponse("items")

    routes = [Route("/items", items)]
    mounts = [Mount(prefix, routes=routes) for prefix in PREFIXES[:2]]
    staff = Mount("/staff", routes=routes, middleware=[Middleware(Refusing)])
    app = Starlette(routes=[*mounts, staff])
    return app, sezzlee_starlette.mount_mcp(app)


def flask_app(tool: Callable[..., Any]) -> Any:
    class Items(MethodView):
        @tool
        def get(self) -> str:
            return "items"

    app = Flask("shop")
    for prefix in PREFIXES:
        part = Blueprint(prefix.replace("/", "_"), __name__)
        part.add_url_rule("/items", view_func=Items.as_view("items"))
        if prefix == "/staff":
            part.before_request(lambda: abort(403))
        app.register_blueprint(part, url_prefix=prefix)
    return app, sezzlee_flask.mount_mcp(app)


MAKERS = [fastapi_app, starlette_app, flask_app]


@pytest.mark.parametrize("make", MAKERS)
def test_places_with_other_guards_are_tools_of_their_own_and_others_are_one(make: Any) -> None:
    app, sezzlee = make(mcp_tool)
    tools = {tool.route: tool for tool in sezzlee.build().tools}
    assert {route: tool.name for route, tool in tools.items()} == {
        "/public/items": "get_public_items",
        "/staff/items": "get_staff_items",
    }
    assert tools["/public/items"].alternate_routes == ("/v2/public/items",)
    with AgentClient(app) as agent:
        assert agent.invoke("get_public_items")["body"] == "items"
        assert agent.invoke("get_staff_items")["status"] == 403


@pytest.mark.parametrize("make", MAKERS)
def test_a_handler_with_a_name_of_its_own_stays_one_tool(make: Any) -> None:
    _, sezzlee = make(mcp_tool(name="items"))
    (tool,) = sezzlee.build().tools
    assert (tool.name, tool.route) == ("items", "/staff/items")


def test_an_include_that_depends_on_the_same_is_no_difference() -> None:
    app, router = FastAPI(), APIRouter()

    @router.get("/items")
    @mcp_tool
    def items() -> str:
        return "items"

    for prefix in ("/a", "/long"):
        app.include_router(router, prefix=prefix, dependencies=[Depends(refuse)])
    (tool,) = sezzlee_fastapi.mount_mcp(app).build().tools
    assert tool.alternate_routes == ("/long/items",)


def test_a_blueprint_that_says_who_may_call_it_and_one_that_serves_other_data_are_two() -> None:
    class Items(MethodView):
        @mcp_tool
        def get(self) -> str:
            return str(g.store)

    app = Flask("shop")
    for name in ("live", "old"):
        part = Blueprint(name, __name__)
        part.add_url_rule("/items", view_func=Items.as_view("items"))
        part.before_request(lambda name=name: setattr(g, "store", name))
        app.register_blueprint(part, url_prefix=f"/{name}")
    said = Blueprint("said", __name__)
    said.__mcp_auth__ = {"anonymous": "no"}  # type: ignore[attr-defined]
    said.add_url_rule("/items", view_func=Items.as_view("items"))
    app.register_blueprint(said, url_prefix="/said")
    sezzlee = sezzlee_flask.mount_mcp(app)
    assert [tool.route for tool in sezzlee.build().tools] == [
        "/live/items",
        "/old/items",
        "/said/items",
    ]
    assert [sezzlee.invoke(f"get_{name}_items")["body"] for name in ("live", "old")] == [
        "live",
        "old",
    ]
