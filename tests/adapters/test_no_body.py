"""`body=False`: an operation that reads no body, in every framework, however it is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI, Request
from flask import Flask, request
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import declare, mcp_tool
from sezzlee_py.testing import AgentClient

Offer = Callable[[Any], Any]


def decorated(view: Any) -> Any:
    return mcp_tool("close_ticket", body=False)(view)


def declared(view: Any) -> Any:
    declare(view, name="close_ticket", body=False)
    return view


def flask_app(offer: Offer) -> Any:
    app = Flask("desk")

    def close(number: int) -> dict[str, Any]:
        return {
            "number": number,
            "type": request.content_type,
            "body": request.get_data(as_text=True),
        }

    app.add_url_rule("/tickets/<int:number>/close", view_func=offer(close), methods=["POST"])
    return app, sezzlee_flask.mount_mcp(app)


def starlette_app(offer: Offer) -> Any:
    async def close(request: Request) -> JSONResponse:
        return JSONResponse(await told(request, request.path_params["number"]))

    app = Starlette(routes=[Route("/tickets/{number:int}/close", offer(close), methods=["POST"])])
    return app, sezzlee_starlette.mount_mcp(app)


def fastapi_app(offer: Offer) -> Any:
    async def close(number: int, request: Request) -> dict[str, Any]:
        return await told(request, number)

    app = FastAPI()
    app.post("/tickets/{number}/close")(offer(close))
    return app, sezzlee_fastapi.mount_mcp(app)


async def told(request: Request, number: int) -> dict[str, Any]:
    content_type = request.headers.get("content-type")
    return {"number": number, "type": content_type, "body": (await request.body()).decode()}


@pytest.mark.parametrize("make", [flask_app, starlette_app, fastapi_app])
@pytest.mark.parametrize("offer", [decorated, declared])
def test_an_operation_without_a_body_is_published_and_sent_without(
    make: Callable[[Offer], Any], offer: Offer
) -> None:
    app, sezzlee = make(offer)
    with AgentClient(app) as agent:
        schema = agent.load("close_ticket")["inputSchema"]
        assert (list(schema["properties"]), schema["additionalProperties"]) == (["number"], False)
        assert sezzlee.catalog.diagnostics == ()
        answer = agent.invoke("close_ticket", {"number": 7})
        assert answer["body"] == {"number": 7, "type": None, "body": ""}
        refused = agent.invoke("close_ticket", {"number": 7, "body": {}})
        assert refused["error"] == "unknown_argument"
