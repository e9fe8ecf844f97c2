"""Discovery of a Starlette application, and of what is mounted in it (spec: selection 4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from starlette.routing import BaseRoute

from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery, ReadingAdapter
from sezzlee_py.catalog.collector import collector_held
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.handlers import Identity
from sezzlee_py.model import Diagnostic
from sezzlee_py.model.routes import normalize_route
from sezzlee_starlette.aliases import LeafKeys, endpoint_keys
from sezzlee_starlette.around import Around
from sezzlee_starlette.facts import StarletteDialect, captured_parameters
from sezzlee_starlette.matching import PLACEHOLDER, Passed, Router, captured, request_scope
from sezzlee_starlette.mounted import neighbour
from sezzlee_starlette.routes import (
    Dialect,
    Foreign,
    Leaf,
    Settings,
    Table,
    Walker,
    leaves_of,
)
from sezzlee_starlette.shadows import is_same_registration, shadowed, taken_by


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One walk: the tables to ask, and what each leaf answers for."""

    table: Table
    router: Router
    around: Around
    keys: LeafKeys


class StarletteAdapter:
    """A Starlette application, or anything built on its router, seen as operations.

    Args:
        app: the application or router; wrappers around it are followed.
        own_routes: routes of the SDK itself. They are never operations, and neither is anything
            marked with `OWN_ROUTE_MARKER`.
        settings: gives the host's options that discovery reads, anew for each walk.
        outermost: where calls enter, if not at `app`; what its routers give to others than `app`
            is no operation.
    """

    def __init__(
        self,
        app: object,
        *,
        own_routes: Iterable[BaseRoute] = (),
        settings: Callable[[], Settings] = Settings,
        outermost: object | None = None,
    ) -> None:
        self._app = app
        self._outermost = app if outermost is None else outermost
        self._own_routes = own_routes
        self._settings = settings
        self._found: _Found | None = None

    @collector_held()
    def discover(self) -> Discovery:
        """Walk the application as it is now."""
        dialect = self._dialect()
        table = Walker(dialect, self._own_routes).walk(self._app)
        targets = tuple(leaves_of(table))
        leaves = [leaf for leaf in targets if isinstance(leaf, Leaf)]
        keys = endpoint_keys(leaves, dialect.guards)
        described = _with_keys(dialect.describe(leaves), keys)
        router = Router(table)
        self._found = _Found(
            table=table,
            router=router,
            around=Around(self._outermost, self._app, dialect.nodes),
            keys=keys,
        )
        return _assemble(router, targets, described)

    def resolve(self, method: str, path: str, *, host: str | None = None) -> Hashable | None:
        """Return the `endpoint_key` that the application's router picks for a request.

        What is no operation, such as a file, a page of the framework's or an application that
        nothing is known of, has a key of its own.

        Args:
            method: upper-case.
            path: decoded, without the root path.
            host: value of the request's host header. Without one a `Host` route counts as
                matched where something behind it matches.
        """
        if self._found is None:
            self.discover()
        found = self._found
        assert found is not None
        # Converters and routes of the host's own may raise; for the caller that is no match.
        try:
            if found.around.takes(method, path, host):
                return Identity(found.around)
            hit = found.router.find(request_scope(method, path, host), path)
        except Exception:
            return None
        target = found.table if hit is None else hit.entry.target
        if isinstance(target, Leaf):
            return found.keys[target].get(method) or Identity(target)
        if isinstance(target, Table):
            # The framework answers that there is nothing, unless the host said what does.
            return Identity(target) if target.falls_through else None
        if hit is None or target is None:
            return Identity(hit)
        key = target.adapter.resolve(method, hit.path, host=host)
        return None if key is None else target.place.foreign_key(key)

    def reads(
        self, method: str, path: str, written: Mapping[str, str], *, host: str | None = None
    ) -> bool:
        """Whether the router reads the values of a path as they were written into it."""
        if self._found is None:
            self.discover()
        assert self._found is not None
        trail: list[Passed] = []
        # As in `resolve`: what the host's own code raises tells nothing.
        try:
            hit = self._found.router.find(request_scope(method, path, host), path, trail)
        except Exception:
            return True
        values = captured(trail)
        if hit is None or values is None:
            return True
        foreign = hit.entry.target.adapter if isinstance(hit.entry.target, Foreign) else None
        own = written if foreign is None else {n: t for n, t in written.items() if n in values}
        if any(values.get(name) != text for name, text in own.items()):
            return False
        rest = {name: text for name, text in written.items() if name not in own}
        return not isinstance(foreign, ReadingAdapter) or foreign.reads(
            method, hit.path, rest, host=host
        )

    def spells_out(self, method: str, path: str) -> bool:
        """Whether a route of the host spells out where `path` is, rather than catching anything."""
        if self._found is None:
            self.discover()
        assert self._found is not None
        try:
            hit = self._found.router.find(request_scope(method, path, None), path)
        # As in `resolve`: what a host's own route raises is no match.
        except Exception:
            return False
        if hit is None:
            return False
        target = hit.entry.target
        spelled = target.path if isinstance(target, Leaf) else path.removesuffix(hit.path)
        return bool(PLACEHOLDER.split(spelled)[0].strip("/"))

    def cut(self) -> frozenset[CutKey]:
        """Cut every endpoint as the application is now, and return those that are proven.

        What another framework serves is not proven: what marks a probe may be lost on the way.
        """
        dialect = self._dialect()
        cut: set[CutKey] = set()
        left: set[CutKey] = set()
        targets = leaves_of(Walker(dialect, self._own_routes).walk(self._app))
        leaves = [target for target in targets if isinstance(target, Leaf)]
        for leaf, found in endpoint_keys(leaves, dialect.guards).items():
            keys = frozenset((key, method) for method, key in found.items())
            (cut if dialect.cut(leaf, keys) else left).update(keys)
        return frozenset(cut - left)

    def _dialect(self) -> Dialect:
        # Where FastAPI is in use at all, its routes may stand anywhere below.
        module = neighbour("fastapi")
        offered = getattr(module, "dialect", StarletteDialect)
        dialect: Dialect = offered(self._settings())
        return dialect


def _with_keys(
    described: Mapping[Leaf, tuple[DiscoveredOperation, ...]], keys: LeafKeys
) -> Mapping[Leaf, tuple[DiscoveredOperation, ...]]:
    return {
        leaf: tuple(_with_key(found, keys[leaf][found.descriptor.method]) for found in operations)
        for leaf, operations in described.items()
    }


def _with_key(found: DiscoveredOperation, key: Hashable) -> DiscoveredOperation:
    if found.descriptor.endpoint_key == key:
        return found
    return replace(found, descriptor=replace(found.descriptor, endpoint_key=key))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """An operation before shadowing is judged, with the path its table spells."""

    target: Leaf | Foreign
    path: str
    operation: DiscoveredOperation


def _assemble(
    router: Router,
    targets: Sequence[Leaf | Foreign],
    described: Mapping[Leaf, tuple[DiscoveredOperation, ...]],
) -> Discovery:
    """Put operations together in matching order and mark those that no call reaches."""
    candidates: list[_Candidate] = []
    diagnostics: list[Diagnostic] = []
    for target in targets:
        if isinstance(target, Leaf):
            candidates += (
                _Candidate(target=target, path=target.path, operation=operation)
                for operation in described[target]
            )
        else:
            diagnostics += _foreign(target, candidates)
    judged = (_judged(router, candidate) for candidate in _without_twins(candidates))
    return Discovery(
        operations=tuple(operation for operation in judged if operation is not None),
        diagnostics=tuple(diagnostics),
    )


def _judged(router: Router, candidate: _Candidate) -> DiscoveredOperation | None:
    operation, target = candidate.operation, candidate.target
    taker = taken_by(router, target, candidate.path, operation.descriptor.method)
    if taker is None or not operation.reachable:
        return operation
    return None if is_same_registration(taker, target) else shadowed(operation, taker)


def _foreign(target: Foreign, candidates: list[_Candidate]) -> Iterator[Diagnostic]:
    """Add the operations of another framework's application; return what belongs to none."""
    discovery = target.adapter.discover()
    prefix = normalize_route(target.place.prefix).template
    for operation in discovery.operations:
        moved = _moved(operation, target, prefix)
        candidates.append(_Candidate(target=target, path=moved.descriptor.route, operation=moved))
    return (_moved_finding(found, prefix) for found in discovery.diagnostics)


def _moved(operation: DiscoveredOperation, target: Foreign, prefix: str) -> DiscoveredOperation:
    descriptor = operation.descriptor
    return replace(
        operation,
        descriptor=replace(
            descriptor,
            route=f"{prefix}{descriptor.route}",
            parameters=(*captured_parameters(target.place.prefix), *descriptor.parameters),
            endpoint_key=target.place.foreign_key(descriptor.endpoint_key),
        ),
        containers=(*operation.containers, *target.place.containers),
        diagnostics=tuple(_moved_finding(found, prefix) for found in operation.diagnostics),
    )


def _moved_finding(found: Diagnostic, prefix: str) -> Diagnostic:
    if found.route is None:
        return found
    method = (found.operation or "").partition(" ")[0]
    route = f"{prefix}{found.route}"
    return replace(found, route=route, operation=found.operation and f"{method} {route}")


def _without_twins(candidates: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """Leave out HEAD and OPTIONS of a path that another method serves too."""
    served = {_shape(found) for found in candidates if not _is_companion(found)}
    return (
        found for found in candidates if not _is_companion(found) or _shape(found) not in served
    )


def _is_companion(found: _Candidate) -> bool:
    return found.operation.descriptor.method in ("HEAD", "OPTIONS")


def _shape(found: _Candidate) -> tuple[object, ...]:
    return (*found.target.place.hosts, PLACEHOLDER.sub("{}", found.path))
