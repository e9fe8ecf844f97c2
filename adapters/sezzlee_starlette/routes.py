"""The walk: every route of an application with the place it stands in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Host, Mount, Route

from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER, Adapter, DiscoveredOperation
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.handlers import Identity, attribute, function_key
from sezzlee_starlette.mounted import foreign_adapter, mounted_app, routed, routes_of
from sezzlee_starlette.wrapped import handler_behind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """One entry of a route table as its router sees it.

    Attributes:
        route: the route as it was registered.
        view: what answers for it: the route itself, or its effective form below an included
            router. It has the route's attributes and its `matches`.
        routers: included routers around it, innermost first.
    """

    route: BaseRoute
    view: Any
    routers: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of the host that decide what a parameter is.

    Attributes:
        carriers: `options.identity.carriers`.
        cookies: `options.identity.cookies`.
        drop_read_only: `options.schema.drop_read_only`.
        type_shape: `options.schema.type_shape`.
        type_name: `options.schema.type_name`.
    """

    carriers: tuple[str, ...] = ("authorization",)
    cookies: tuple[str, ...] = ()
    drop_read_only: bool = True
    type_shape: Callable[[Any], Mapping[str, Any] | None] | None = None
    type_name: Callable[[Any], str | None] | None = None


class Dialect(Protocol):
    """How Starlette, or a framework built on it, keeps and describes its routes."""

    def nodes(self, routes: Sequence[BaseRoute]) -> Iterator[Node]:
        """Yield every entry of a route table in matching order, nested nodes expanded."""

    def hides(self, node: Node, app: object) -> bool:
        """Whether an entry of the table of `app` is a page the framework added by itself."""

    def falls_through(self, app: object) -> bool:
        """Whether the host set what answers where no entry of the table matches."""

    def describe(self, leaves: Sequence[Leaf]) -> Mapping[Leaf, tuple[DiscoveredOperation, ...]]:
        """Return the operations of every leaf, before it is judged which of them are reached."""

    def guards(self, leaf: Leaf) -> Hashable:
        """Return what a call passes before the handler, as far as places of it may differ in it."""

    def cut(self, leaf: Leaf, keys: Collection[CutKey]) -> bool:
        """Cut a route right before its endpoint; whether that is proven to be the last step."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Place:
    """Where a route table stands in the outermost application.

    Attributes:
        prefix: the paths of the mounts above, converters included.
        hosts: the patterns of the `Host` routes above.
        containers: objects around the table, innermost first.
        apps: the mounted applications above, part of an endpoint's identity: one function in
            two applications acts on two states. A bare router holds none.
        wrappers: what wraps the mounted routers and applications above, such as middleware.
    """

    prefix: str = ""
    hosts: tuple[str, ...] = ()
    containers: tuple[object, ...] = ()
    apps: tuple[Identity, ...] = ()
    wrappers: tuple[Identity, ...] = ()

    def key(self, endpoint: object) -> Hashable:
        """Return the endpoint key of a handler in this place."""
        return (function_key(endpoint), *self.apps)

    def foreign_key(self, key: Hashable) -> Hashable:
        """Return the endpoint key for `key` of another framework's adapter in this place."""
        return (key, *self.apps)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaf:
    """A route that may be an operation, and the place of the table it stands in."""

    node: Node
    place: Place

    @property
    def path(self) -> str:
        """The full path as it is matched, converters included."""
        return f"{self.place.prefix}{self.node.view.path}"

    def key(self, handler: object) -> Hashable:
        """Return the endpoint key of a handler of the route."""
        key, endpoint = self.place.key(handler), self.node.view.endpoint
        # One function behind two wrappers may be two things.
        return key if handler_behind(endpoint) is endpoint else (key, Identity(endpoint))

    @property
    def containers(self) -> tuple[object, ...]:
        """Routers, applications and mounts around the route, innermost first."""
        return (*self.node.routers, *self.place.containers)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Foreign:
    """A mounted application that another framework's adapter reads."""

    adapter: Adapter
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """One entry of a table: its node and what a match leads to; `None` leads to nothing known."""

    node: Node
    target: Leaf | Table | Foreign | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """The route table of one application or router, in matching order.

    `falls_through`: see `Dialect`.
    """

    entries: tuple[Entry, ...]
    falls_through: bool = False


class Walker:
    """Reads an application into tables, each mounted application once per place."""

    def __init__(self, dialect: Dialect, own_routes: Iterable[BaseRoute]) -> None:
        self._dialect = dialect
        self._own = {id(route) for route in own_routes}

    def walk(self, app: object) -> Table:
        """Return the table of `app`, tables of mounted applications inside."""
        found = routed(app)
        if found is None:
            return Table(entries=())
        return self._table(found, Place(containers=_with_router(found)), above=(app,))

    def _table(self, app: object, place: Place, above: tuple[object, ...]) -> Table:
        seen = (*above, app)
        return Table(
            entries=tuple(
                Entry(node=node, target=self._target(node, place, seen))
                for node in self._dialect.nodes(routes_of(app) or ())
            ),
            falls_through=self._dialect.falls_through(app),
        )

    def _target(
        self, node: Node, place: Place, seen: tuple[object, ...]
    ) -> Leaf | Table | Foreign | None:
        if self._is_own(node):
            return None
        if isinstance(node.route, Mount):
            return self._mounted(node, place, seen)
        if isinstance(node.route, Host):
            inner = replace(
                place,
                hosts=(*place.hosts, node.view.host),
                containers=(node.route, *node.routers, *place.containers),
            )
            return self._behind(node.view.app, inner, seen)
        if isinstance(node.route, Route) and not self._dialect.hides(node, seen[-1]):
            return Leaf(node=node, place=place)
        return None

    def _mounted(
        self, node: Node, place: Place, seen: tuple[object, ...]
    ) -> Table | Foreign | None:
        inner = replace(
            place,
            prefix=f"{place.prefix}{node.view.path}",
            containers=(node.route, *node.routers, *place.containers),
        )
        served = mounted_app(node.view)
        outer = attribute(node.view, "app")
        if outer is not served:
            inner = replace(inner, wrappers=(*inner.wrappers, Identity(outer)))
        return self._behind(served, inner, seen)

    def _behind(
        self, app: object, place: Place, seen: tuple[object, ...]
    ) -> Table | Foreign | None:
        if _is_marked(app):
            return None
        found = routed(app)
        if found is not app:
            place = replace(place, wrappers=(*place.wrappers, Identity(app)))
        if found is not None:
            # An application mounted inside itself has no end.
            if any(found is above for above in seen):
                return None
            return self._table(found, _entered(place, found), seen)
        foreign = foreign_adapter(app)
        if foreign is None:
            return None
        adapter, known = foreign
        return Foreign(adapter=adapter, place=replace(place, apps=(*place.apps, Identity(known))))

    def _is_own(self, node: Node) -> bool:
        return (
            id(node.route) in self._own
            or _is_marked(node.route)
            or _is_marked(getattr(node.route, "endpoint", None))
        )


def _is_marked(target: object) -> bool:
    return attribute(target, OWN_ROUTE_MARKER) is True


def _with_router(app: object) -> tuple[object, ...]:
    router = attribute(app, "router")
    return (app,) if router is None else (router, app)


def _entered(place: Place, app: object) -> Place:
    apps = (*place.apps, Identity(app)) if isinstance(app, Starlette) else place.apps
    return replace(place, apps=apps, containers=(*_with_router(app), *place.containers))


def leaves_of(table: Table) -> Iterator[Leaf | Foreign]:
    """Yield the leaves of a table in matching order, those of mounted applications in place."""
    for entry in table.entries:
        if isinstance(entry.target, Table):
            yield from leaves_of(entry.target)
        elif entry.target is not None:
            yield entry.target
