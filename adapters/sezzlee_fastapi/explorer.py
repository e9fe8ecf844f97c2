"""Puts the explorer into a FastAPI application."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fastapi import FastAPI
from fastapi.params import Depends as DependsParam

from sezzlee_fastapi.mount import guarded_route
from sezzlee_py.toolkit.applications import check_application
from sezzlee_starlette.explorer import DEFAULT_PATH, explorer_of, places
from sezzlee_starlette.explorer import mount_explorer as mount_unguarded


def mount_explorer(
    app: FastAPI,
    path: str = DEFAULT_PATH,
    *,
    allowed_hosts: Iterable[str] | None = None,
    dependencies: Sequence[DependsParam] = (),
) -> None:
    """Serve the explorer of `app` at `path`, to this machine alone unless told otherwise.

    It shows every tool, whoever may call it, and calls tools as whatever caller it is told: put
    the application's own login before it where others can reach it.

    Args:
        app: the application, after `mount_mcp`.
        path: where the page is.
        allowed_hosts: the host names, such as `["shop.example.com"]`, under which everybody who
            reaches the application may use the explorer.
        dependencies: FastAPI dependencies that guard the explorer, such as
            `[Depends(require_admin)]`; those of the application guard it too.

    Raises:
        OptionsError: the application has no endpoint, `path` is malformed, or an entry is no host.
        TypeError: `app` is no application.
    """
    check_application("mount_explorer", app, FastAPI)
    if not (dependencies or app.router.dependencies):
        mount_unguarded(app, path, allowed_hosts=allowed_hosts)
        return
    shell = explorer_of(app, path, allowed_hosts)
    routes = app.router.routes
    for place in places(path):
        # First, so that no catch-all of the host stands before it.
        routes.insert(0, guarded_route(app, place, shell, dependencies))
