"""What the host put around the application: the routers that a call passes on its way in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from starlette.routing import BaseRoute, Host, Match, Mount

from sezzlee_starlette.matching import request_scope
from sezzlee_starlette.mounted import mounted_app, routed, routes_of
from sezzlee_starlette.routes import Node

_Nodes = Callable[[Sequence[BaseRoute]], Iterator[Node]]
_MAX_DEPTH = 30


class Around:
    """The routers between `dispatch_app` and the application, as they are when this is made.

    Args:
        outermost: where calls enter.
        app: the application that the tools are of.
        nodes: opens a route table, see `routes.Dialect`.
    """

    def __init__(self, outermost: object, app: object, nodes: _Nodes) -> None:
        self._app = routed(app)
        self._nodes = nodes
        router = routed(outermost)
        # Where the application is not found behind them, nobody knows what leads to it.
        self._router = router if self._leads_in(router, _MAX_DEPTH) else None

    def takes(self, method: str, path: str, host: str | None) -> bool:
        """Whether a request goes to anything but the application, or there by another path."""
        router = self._router
        if router is None or router is self._app:
            return False
        return self._away(router, request_scope(method, path, host), _MAX_DEPTH) is True

    def _leads_in(self, router: object, depth: int) -> bool:
        if router is None or router is self._app or not depth:
            return router is self._app
        return any(self._leads_in(routed(below), depth - 1) for _, below in self._entries(router))

    def _away(self, router: object, scope: dict[str, Any], depth: int) -> bool | None:
        """Whether what matches leads away from the application; `None` where nothing matches."""
        for node, below in self._entries(router):
            match, child = node.view.matches(scope)
            if match is not Match.FULL:
                continue
            inner = routed(below)
            if inner is self._app:
                return bool(child.get("root_path", scope["root_path"]))
            if inner is None or not depth:
                return True
            return self._away(inner, {**scope, **child}, depth - 1) is not False
        return None

    def _entries(self, router: object) -> Iterator[tuple[Node, object]]:
        for node in self._nodes(routes_of(router) or ()):
            if isinstance(node.route, Mount):
                yield node, mounted_app(node.view)
            else:
                yield node, node.view.app if isinstance(node.route, Host) else None
