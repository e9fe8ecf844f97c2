"""Puts the explorer into a Starlette application."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.applications import Starlette
from starlette.routing import Route

from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER
from sezzlee_py.errors import OptionsError
from sezzlee_py.explorer import Explorer, ExplorerASGIApp
from sezzlee_py.toolkit.applications import check_application
from sezzlee_starlette.mount import known_installation

DEFAULT_PATH = "/explorer"


def mount_explorer(
    app: Starlette, path: str = DEFAULT_PATH, *, allowed_hosts: Iterable[str] | None = None
) -> None:
    """Serve the explorer of `app` at `path`, to this machine alone unless told otherwise.

    It shows every tool, whoever may call it, and calls tools as whatever caller it is told: put
    the application's own login before it where others can reach it.

    Args:
        app: the application, after `mount_mcp`.
        path: where the page is.
        allowed_hosts: the host names, such as `["shop.example.com"]`, under which everybody who
            reaches the application may use the explorer.

    Raises:
        OptionsError: the application has no endpoint, `path` is malformed, or an entry is no host.
        TypeError: `app` is no application.
    """
    shell = explorer_of(app, path, allowed_hosts)
    # First, so that no catch-all of the host stands before it.
    app.router.routes[:0] = [
        Route(place, endpoint=shell, include_in_schema=False) for place in places(path)
    ]


def explorer_of(app: Starlette, path: str, allowed_hosts: Iterable[str] | None) -> ExplorerASGIApp:
    """Return the explorer as an application, which no catalog takes for a tool.

    Raises:
        OptionsError: see `mount_explorer`.
        TypeError: see `mount_explorer`.
    """
    check_application("mount_explorer", app, Starlette)
    installation = known_installation(app)
    if installation is None:
        raise OptionsError("mount_explorer: call mount_mcp(app) before it; there is no endpoint")
    if not path.strip("/"):
        raise OptionsError(f"mount_explorer: the explorer needs a path of its own, not {path!r}")
    shell = ExplorerASGIApp(Explorer(installation.engine, path, allowed_hosts=allowed_hosts))
    setattr(shell, OWN_ROUTE_MARKER, True)
    return shell


def places(path: str) -> tuple[str, str]:
    """Return the paths of the routes that lead to the explorer."""
    return path, f"{path}/{{file:path}}"
