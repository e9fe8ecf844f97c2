"""One small catalog in each framework, and rankers that put its tools in an order."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options, RankRequest, mcp_tool
from sezzlee_py.testing import AgentClient

NAMES = ("cancel_order", "list_orders", "refund_order")
HIDDEN = "delete_order"
# Every name as one built-in ranker finds it, and as no built-in ranker would order them.
QUERY = "order"
BUILT_IN = ["cancel_order", "list_orders", "refund_order"]
BACKWARDS = ["refund_order", "list_orders", "cancel_order"]


class Backwards:
    """Ranks by name, the last one first."""

    async def rank(self, request: RankRequest) -> list[str]:
        return sorted((d.name for d in request.catalog.documents), reverse=True)


class PlainBackwards:
    """The same as a plain function."""

    def rank(self, request: RankRequest) -> list[str]:
        return sorted((d.name for d in request.catalog.documents), reverse=True)


def options(restricted: str = "hide", by_option: Any = None, **search: Any) -> Options:
    return Options(
        search={"ranker": by_option, **search},
        naming={"prefix": lambda container: ""},
        visibility={
            "restricted": restricted,
            "identity": lambda caller: "present",
            "evaluate_policy": lambda policy, caller: "deny",
        },
    )


def _tool(name: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    if name == HIDDEN:
        handler.__mcp_auth__ = {"policies": ["nobody"]}  # type: ignore[attr-defined]  # the marker
    return mcp_tool(name=name, description=f"{name.replace('_', ' ').capitalize()}.")(handler)


def fastapi_shop(ranker: Any = None, **settings: Any) -> FastAPI:
    app = FastAPI()
    for name in (*NAMES, HIDDEN):
        app.add_api_route(f"/{name}", _tool(name, lambda: {"done": True}), methods=["GET"])
    sezzlee_fastapi.mount_mcp(app, options=options(**settings), ranker=ranker)
    return app


def starlette_shop(ranker: Any = None, **settings: Any) -> Starlette:
    def route(name: str) -> Route:
        return Route(f"/{name}", _tool(name, lambda request: JSONResponse({})), methods=["GET"])

    app = Starlette(routes=[route(name) for name in (*NAMES, HIDDEN)])
    sezzlee_starlette.mount_mcp(app, options=options(**settings), ranker=ranker)
    return app


def flask_shop(ranker: Any = None, **settings: Any) -> Flask:
    app = Flask("shop")
    for name in (*NAMES, HIDDEN):
        app.add_url_rule(f"/{name}", name, _tool(name, lambda: {"done": True}), methods=["GET"])
    sezzlee_flask.mount_mcp(app, options=options(**settings), ranker=ranker)
    return app


SHOPS = (fastapi_shop, starlette_shop, flask_shop)


def names(answer: dict[str, Any]) -> list[str]:
    assert "results" in answer, answer
    return [card["name"] for card in answer["results"]]


def found(app: Any, query: str = QUERY, **more: Any) -> list[str]:
    with AgentClient(app) as agent:
        return names(agent.search(query, **more))
