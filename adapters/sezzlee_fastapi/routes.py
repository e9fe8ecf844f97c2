"""FastAPI's route tables as flat lists, whichever shape this version keeps them in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, routing
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from sezzlee_py.catalog.handlers import Identity, attribute
from sezzlee_starlette.routes import Leaf, Node

# The module whose functions serve the documentation pages, and the attributes of an application
# that say where they are.
_FRAMEWORK = "fastapi.applications"
_PLACES = ("openapi_url", "docs_url", "redoc_url", "swagger_ui_oauth2_redirect_url")


def nodes(routes: Sequence[BaseRoute]) -> Iterator[Node]:
    """Yield every entry of a route table, included routers opened, in matching order."""
    for route in routes:
        router = _included(route)
        if router is None:
            yield Node(route=route, view=route)
        else:
            yield from _opened(route)


def _opened(node: BaseRoute) -> Iterator[Node]:
    chains = _chains(node, ())
    for original, view in _contexts(node):
        yield Node(route=original, view=view, routers=_routers(original, chains))


def _contexts(node: BaseRoute) -> Iterator[tuple[BaseRoute, Any]]:
    """Yield each route below an included router with its effective form."""
    if hasattr(routing, "iter_route_contexts"):
        for context in routing.iter_route_contexts([node]):
            # A context passes every attribute on; this one leads to what stands behind it.
            yield context.original_route, _plain(context.matches.__self__)
        return
    # 0.137 alone keeps included routers and has no public way to open them.
    for original, effective in routing._iter_routes_with_context([node]):
        yield original, _plain(effective or original)


def _plain(effective: Any) -> Any:
    # The first versions leave the effective form of a plain route one step further down.
    return getattr(effective, "starlette_route", None) or effective


def _included(node: object) -> APIRouter | None:
    # Private class with a public attribute: `include_router` leaves such a node in the table since
    # 0.137. Where the attribute is not there, routers were copied and nothing needs opening.
    router = getattr(node, "original_router", None)
    return router if isinstance(router, APIRouter) else None


def _chains(
    node: BaseRoute, outer: tuple[object, ...]
) -> Iterator[tuple[BaseRoute, tuple[object, ...]]]:
    """Yield each route below an included router with its routers, innermost first."""
    router = _included(node)
    if router is None:
        yield node, outer
        return
    for route in router.routes:
        yield from _chains(route, (router, *outer))


def _routers(
    original: BaseRoute, chains: Iterator[tuple[BaseRoute, tuple[object, ...]]]
) -> tuple[object, ...]:
    # Both walks go depth first; the framework's leaves out what it cannot serve.
    for route, routers in chains:
        if route is original:
            return routers
    return ()


def is_documentation(node: Node, app: object) -> bool:
    """Whether a plain route serves the document of `app` or a page that shows it.

    FastAPI adds such routes by itself; a subclass may serve them from functions of its own.
    """
    if isinstance(node.route, APIRoute):
        return False
    endpoint = getattr(node.route, "endpoint", None)
    if getattr(endpoint, "__module__", "") == _FRAMEWORK:
        return True
    return any(node.view.path == attribute(app, place) for place in _PLACES)


def has_last_resort(app: object) -> bool:
    """Whether an application or router serves something, a frontend, where no route matches."""
    # Frontends have a private table of their own; versions without it have none.
    router = attribute(app, "router") or app
    entries = attribute(router, "_iter_low_priority_routes")
    return callable(entries) and next(iter(entries()), None) is not None


class DeclaredRouters:
    """Finds the declared routers of a route where the framework copied it away from them.

    Args:
        declared: objects that were declared; those that are no routers are passed over.
    """

    def __init__(self, declared: Iterable[object]) -> None:
        self._paths: dict[Identity, list[tuple[str, APIRouter]]] = {}
        for router in declared:
            if not isinstance(router, APIRouter):
                continue
            for route in router.routes:
                if isinstance(route, APIRoute):
                    self._paths.setdefault(Identity(route.endpoint), []).append(
                        (route.path, router)
                    )

    def of(self, leaf: Leaf) -> tuple[object, ...]:
        """Return the routers that the route was declared on, innermost first."""
        view = leaf.node.view
        found = [
            (path, router)
            for path, router in self._paths.get(Identity(view.endpoint), ())
            if view.path.endswith(path) and not any(router is known for known in leaf.containers)
        ]
        # An outer router has put its prefix before the path of the inner one, and has its routes
        # besides its own.
        found.sort(key=lambda known: (len(known[0]), len(known[1].routes)))
        return tuple(router for _, router in found)


def effective(leaf: Leaf) -> Mapping[str, Any]:
    """Return the attributes of a route as the routers around it have settled them."""
    return {**vars(leaf.node.route), **vars(leaf.node.view)}
