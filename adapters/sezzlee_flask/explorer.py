"""Puts the explorer into a Flask application, as a view of it."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from typing import Any

from flask import Flask

from sezzlee_flask.installation import Installation, domains_of, known_installation
from sezzlee_flask.view import endpoint_view
from sezzlee_py.errors import OptionsError
from sezzlee_py.explorer import Explorer, ExplorerWSGIApp
from sezzlee_py.invoke.settle import drive
from sezzlee_py.mcp.head import HTTPReply
from sezzlee_py.toolkit.applications import check_application

DEFAULT_PATH = "/explorer"


def mount_explorer(
    app: Flask, path: str = DEFAULT_PATH, *, allowed_hosts: Iterable[str] | None = None
) -> None:
    """Serve the explorer of `app` at `path`, to this machine alone unless told otherwise.

    It shows every tool, whoever may call it, and calls tools as whatever caller it is told: put
    the application's own login before it where others can reach it. It is a view, so what guards
    every view guards it too.

    Args:
        app: the application, after `mount_mcp`.
        path: where the page is.
        allowed_hosts: the host names, such as `["shop.example.com"]`, under which everybody who
            reaches the application may use the explorer.

    Raises:
        OptionsError: the application has no endpoint, `path` is malformed, or an entry is no host.
        TypeError: `app` is no application.
    """
    check_application("mount_explorer", app, Flask)
    installation = known_installation(app)
    if installation is None:
        raise OptionsError("mount_explorer: call mount_mcp(app) before it; there is no endpoint")
    if not path.strip("/"):
        raise OptionsError(f"mount_explorer: the explorer needs a path of its own, not {path!r}")
    explorer = Explorer(installation.engine, path, allowed_hosts=allowed_hosts)
    shell = ExplorerWSGIApp(explorer, _runner(installation))

    view = endpoint_view(shell)
    name = f"sezzlee_explorer{path}".replace("/", "_").replace(".", "_")
    for rule in (path, f"{path}/", f"{path}/<path:file>"):
        for domain in domains_of(app):
            app.add_url_rule(
                rule, name, view, methods=("GET", "POST"), strict_slashes=True, **domain
            )


def _runner(installation: Installation) -> Any:
    def run(work: Coroutine[Any, Any, HTTPReply]) -> HTTPReply:
        with installation.around():
            return drive(work)

    return run
