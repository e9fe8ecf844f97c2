"""Puts the MCP endpoint into a Flask application, as a view of it."""

from __future__ import annotations

from typing import Any

from flask import Flask

from sezzlee_flask.extension import Sezzlee
from sezzlee_flask.installation import install
from sezzlee_py import Options
from sezzlee_py.invoke.wsgi import WSGIApp
from sezzlee_py.toolkit.endpoint_paths import DEFAULT_PATH


def mount_mcp(
    app: Flask,
    path: str = DEFAULT_PATH,
    options: Options | None = None,
    *,
    ranker: Any = None,
    dispatch_app: WSGIApp | None = None,
) -> Sezzlee:
    """Serve the tools of `app` to agents at `path`; nothing is a tool until it is declared.

    May be called before or after the routes are declared: the catalog is built at the first
    request, or by `build()`. The endpoint is a view, so what guards every view guards it too.

    Args:
        app: the application.
        path: where the endpoint is; a second call with another path serves the same catalog there.
        options: the host's options, given by the first call.
        ranker: an object with `rank`, a class or factory of one, called once per process inside
            the application context, or a factory of an async context manager; it beats
            `options.search.ranker`.
        dispatch_app: the application as it is really served, where the host wrapped it from
            outside; calls enter there. A path value cannot reach what dispatchers in it, as far as
            they can be read, serve beside `app`.

    Raises:
        OptionsError: an option is wrong, or `path` already has an endpoint.
        TypeError: `app` is no application.
    """
    install(app, path, options, ranker=ranker, dispatch_app=dispatch_app)
    return Sezzlee.of(app)
