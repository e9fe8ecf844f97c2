"""Every adapter owes the same."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_fastapi import FastAPIAdapter
from sezzlee_flask import FlaskAdapter
from sezzlee_py import Options, Sezzlee
from sezzlee_py.catalog.adapter import Adapter
from sezzlee_py.testing import AdapterContract, Journal
from sezzlee_starlette import StarletteAdapter
from tests.adapters.apps import fastapi_app, flask_app, starlette_app


class TestFastAPI(AdapterContract):
    def make_app(self, journal: Journal) -> FastAPI:
        return fastapi_app.make_app(journal)

    def mount(self, app: Any, options: Options) -> Sezzlee:
        return sezzlee_fastapi.mount_mcp(app, options=options)

    def adapter(self, app: Any) -> Adapter:
        return FastAPIAdapter(app)

    def add_route(self, app: Any, path: str, handler: Callable[[], Any]) -> None:
        app.get(path)(handler)


class TestStarlette(AdapterContract):
    def make_app(self, journal: Journal) -> Starlette:
        return starlette_app.make_app(journal)

    def mount(self, app: Any, options: Options) -> Sezzlee:
        return sezzlee_starlette.mount_mcp(app, options=options)

    def adapter(self, app: Any) -> Adapter:
        return StarletteAdapter(app)

    def add_route(self, app: Any, path: str, handler: Callable[[], Any]) -> None:
        async def endpoint(request: Request) -> Response:
            return JSONResponse(handler())

        # The mount at the empty path takes whatever comes after it.
        app.router.routes.insert(0, Route(path, endpoint))


class TestFlask(AdapterContract):
    def make_app(self, journal: Journal) -> Flask:
        return flask_app.make_app(journal)

    def mount(self, app: Any, options: Options) -> sezzlee_flask.Sezzlee:
        return sezzlee_flask.mount_mcp(app, options=options)

    def adapter(self, app: Any) -> Adapter:
        return FlaskAdapter(app)

    def add_route(self, app: Any, path: str, handler: Callable[[], Any]) -> None:
        app.get(path)(handler)
