"""What stands behind a mount: the application under its wrappers, and whose adapter reads it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount

from sezzlee_py.catalog.adapter import Adapter
from sezzlee_py.catalog.handlers import attribute

# Where wrappers keep what they wrap. Starlette's own middleware says `app`; the others are the
# names that common ASGI and WSGI-in-ASGI wrappers use.
_WRAPPED = (
    *("app", "_base_app", "_app", "asgi_app", "other_asgi_app"),
    *("application", "wsgi_application"),
)
_MAX_WRAPPERS = 30

# Framework -> the module of its adapter. An application of a framework that nobody imported
# cannot be mounted, so nothing is imported for it.
_NEIGHBOURS = {"fastapi": "sezzlee_fastapi.discovery", "flask": "sezzlee_flask.discovery"}


def neighbour(framework: str) -> ModuleType | None:
    """Return the discovery module of another framework's adapter, `None` where it is not in use.

    The module may offer `dialect(settings)` (an extension of this walk, see `routes.Dialect`) and
    `mounted_adapter(app)` (an `Adapter` of its own for an application it recognises, or `None`).
    """
    if framework not in sys.modules:
        return None
    try:
        return importlib.import_module(_NEIGHBOURS[framework])
    except ImportError:
        return None


def foreign_adapter(app: object) -> tuple[Adapter, object] | None:
    """Return the adapter of another framework and the application at or below `app` it knows."""
    module = neighbour("flask")
    recognise = getattr(module, "mounted_adapter", None)
    if recognise is None:
        return None
    for layer in layers_of(app):
        adapter: Adapter | None = recognise(layer)
        if adapter is not None:
            return adapter, layer
    return None


def routed(app: object) -> object | None:
    """Return the first application or router at or below `app` that has a route table."""
    return next((layer for layer in layers_of(app) if routes_of(layer) is not None), None)


def routes_of(app: object) -> Sequence[BaseRoute] | None:
    """Return the route table of an application or router, `None` when it has none."""
    routes = attribute(app, "routes")
    if not isinstance(routes, list | tuple):
        return None
    if isinstance(app, Starlette) or not routes:
        return routes
    return routes if any(isinstance(route, BaseRoute) for route in routes) else None


def mounted_app(mount: Mount) -> object:
    """Return what a mount serves.

    `_base_app` is the application before `Mount(middleware=...)` went around it; where a version
    has no such attribute, the wrappers are followed instead.
    """
    return attribute(mount, "_base_app") or mount.app


def layers_of(app: object) -> Sequence[object]:
    """Return `app` and what its wrappers lead to, outermost first."""
    found = [app]
    while len(found) < _MAX_WRAPPERS:
        inner = _below(found[-1])
        if inner is None or any(inner is seen for seen in found):
            break
        found.append(inner)
    return found


def _below(wrapper: object) -> object | None:
    for name in _WRAPPED:
        wrapped = attribute(wrapper, name)
        if wrapped is not None and callable(wrapped):
            return wrapped
    return None
