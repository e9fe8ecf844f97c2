"""What is put under load: 100 tools, one of them trivial, and the bare routes beside it."""

from fastapi import FastAPI
from flask import Flask

import benchmarks.endpoint
import benchmarks.flask
import sezzlee_fastapi
import sezzlee_flask
from sezzlee_py import Options, mcp_tool

TOOLS = 100


def options() -> Options:
    return Options(
        selection={"default": "include"},
        # As a host that knows its callers: what is known of each is remembered.
        visibility={"identity": lambda caller: "present"},
        # The bare route says nothing about its body, and need not.
        diagnostics={"silence": ["undeclared_body", "optional_body_argument"]},
    )


def fastapi_app() -> FastAPI:
    app = benchmarks.endpoint.big_app(TOOLS)

    @app.get("/ping/{number}")
    @mcp_tool(name="ping")
    async def ping(number: str) -> dict[str, str]:
        """Answer at once."""
        return {"pong": number}

    sezzlee_fastapi.mount_mcp(app, options=options())
    return app


def flask_app() -> Flask:
    app = benchmarks.flask.big_app(TOOLS)

    @app.get("/ping/<number>")
    @mcp_tool(name="ping")
    def ping(number: str) -> dict[str, str]:
        """Answer at once."""
        return {"pong": number}

    sezzlee_flask.mount_mcp(app, options=options()).build()
    return app
