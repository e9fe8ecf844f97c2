"""Puts the MCP endpoint into a FastAPI application."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.params import Depends as DependsParam
from starlette.routing import BaseRoute, Route

from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_fastapi.rankers import resolved
from sezzlee_py import Options, Sezzlee
from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER
from sezzlee_py.invoke.asgi import ASGIApp, Message, Receive, Scope, Send
from sezzlee_py.toolkit.applications import check_application
from sezzlee_py.toolkit.endpoint_paths import DEFAULT_PATH
from sezzlee_starlette.mount import installation_of

_METHODS = ["POST", "GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"]


def mount_mcp(
    app: FastAPI,
    path: str = DEFAULT_PATH,
    options: Options | None = None,
    *,
    ranker: Any = None,
    dispatch_app: ASGIApp | None = None,
    dependencies: Sequence[DependsParam] = (),
) -> Sezzlee:
    """Serve the tools of `app` to agents at `path`; nothing is a tool until it is declared.

    May be called before or after the routes are declared: the catalog is built when the
    application has started, or at the first request where no lifespan runs.

    Args:
        app: the application.
        path: where the endpoint is; a second call with another path serves the same catalog there.
        options: the host's options, given by the first call.
        ranker: an object with `rank`, a class or factory of one, or a factory of an async context
            manager, entered at startup; or `Depends(get_ranker)`, resolved for each search with
            the application's `dependency_overrides`; it beats `options.search.ranker`.
        dispatch_app: the application as it is really served, where the host wrapped it from
            outside; calls enter there. A path value cannot reach what routers in it, as far as
            they can be read, serve beside `app`.
        dependencies: FastAPI dependencies that guard the endpoint itself, such as
            `[Depends(require_token)]`; those of the application guard it too.

    Raises:
        OptionsError: an option is wrong, or `path` already has an endpoint.
        TypeError: `app` is no application.
    """
    check_application("mount_mcp", app, FastAPI)
    installation = installation_of(
        app,
        options,
        ranker=ranker,
        dispatch_app=dispatch_app,
        adapter=FastAPIAdapter,
        as_ranker=partial(resolved, app),
    )
    path = installation.claim(path)
    if dependencies or app.router.dependencies:
        installation.serve(path, guarded_route(app, path, installation.shell, dependencies))
    else:
        route = Route(path, endpoint=installation.shell, include_in_schema=False)
        installation.serve(path, route)
    return installation.sezzlee


def guarded_route(
    app: FastAPI, path: str, shell: ASGIApp, dependencies: Sequence[DependsParam]
) -> BaseRoute:
    """Return a route to `shell` behind FastAPI's own dependencies; a plain one walks past them."""

    async def endpoint(request: Request) -> Response:
        return _Handover(shell, request)

    # Another application's catalog may walk this one; the endpoint is nobody's tool.
    setattr(endpoint, OWN_ROUTE_MARKER, True)
    app.router.add_api_route(
        path,
        endpoint,
        methods=_METHODS,
        include_in_schema=False,
        dependencies=list(dependencies),
    )
    return app.router.routes.pop()


class _Handover(Response):
    """A response that lets the endpoint answer the connection itself."""

    def __init__(self, shell: ASGIApp, request: Request) -> None:
        super().__init__()
        self._shell = shell
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the endpoint."""
        await self._shell(scope, self._whole(receive), send)

    def _whole(self, receive: Receive) -> Receive:
        """Return what gives the body again where a dependency has read it, as for a signature."""
        # Private; a request that has read its body keeps it there. Without it the endpoint would
        # wait for a body that has gone by.
        body: bytes | None = getattr(self._request, "_body", None)
        if body is None:
            return receive
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return waiting.pop() if waiting else await receive()

        return again
