"""One shop in each framework that tells which trace a call came with."""

from typing import Any

from fastapi import FastAPI, HTTPException, Request
from flask import Flask
from flask import request as flask_request
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options, mcp_tool

SECRET = "s3cret-value"


def _no_prefix(container: str) -> str:
    return ""


def options(**given: Any) -> Options:
    return Options(naming={"prefix": _no_prefix}, **given)


def make_fastapi(**given: Any) -> FastAPI:
    app = FastAPI()

    @app.get("/traces/{word}")
    @mcp_tool
    def show_trace(word: str, request: Request) -> dict[str, str]:
        """Show the trace of the call."""
        if word == "missing":
            raise HTTPException(404, "no such trace")
        return dict(request.headers)

    sezzlee_fastapi.mount_mcp(app, options=options(**given))
    return app


def make_starlette(**given: Any) -> Starlette:
    @mcp_tool
    async def show_trace(request: StarletteRequest) -> JSONResponse:
        """Show the trace of the call."""
        status = 404 if request.path_params["word"] == "missing" else 200
        return JSONResponse(dict(request.headers), status)

    app = Starlette(routes=[Route("/traces/{word}", show_trace)])
    sezzlee_starlette.mount_mcp(app, options=options(**given))
    return app


def make_flask(**given: Any) -> Flask:
    app = Flask("shop")

    @app.get("/traces/<word>")
    @mcp_tool
    def show_trace(word: str) -> Any:
        """Show the trace of the call."""
        sent = {name.lower(): value for name, value in flask_request.headers}
        return sent, 404 if word == "missing" else 200

    sezzlee_flask.mount_mcp(app, options=options(**given))
    return app


MAKERS = {"fastapi": make_fastapi, "starlette": make_starlette, "flask": make_flask}
