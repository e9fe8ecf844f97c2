"""Discovery of a Flask application, and of what its dispatchers mount (spec: selection 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from flask import Flask
from werkzeug.routing import Rule

from sezzlee_flask.aliases import Reached, told_apart, united
from sezzlee_flask.annotations import path_parameters
from sezzlee_flask.antiforgery import is_checked
from sezzlee_flask.cut import original
from sezzlee_flask.matching import Matcher, picked
from sezzlee_flask.mounted import Mount, mounts_of
from sezzlee_flask.rules import RulePath, domain_of, read_path
from sezzlee_flask.sources import SchemaSource, schema_source_for
from sezzlee_flask.views import (
    Verb,
    blueprints_of,
    container_of,
    guards_of,
    is_guarded,
    is_made_alike,
    is_static,
    owner_of,
    self_dispatching,
    served_verbs,
)
from sezzlee_py import Options
from sezzlee_py.catalog.adapter import (
    METHODS,
    OWN_ROUTE_MARKER,
    Adapter,
    DiscoveredOperation,
    Discovery,
)
from sezzlee_py.catalog.auth_marker import view_auth
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.handlers import (
    Identity,
    attribute,
    docstring_of,
    first_paragraph,
    is_marked_deprecated,
    source_of,
)
from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.model import Diagnostic, EndpointDescriptor
from sezzlee_py.model.routes import placeholder_names


class FlaskAdapter:
    """A Flask application seen as operations.

    Args:
        app: the application. What a dispatcher around its `wsgi_app` mounts belongs to it.
        options: the host's options, read at each walk.
        outermost: where calls enter, if not at `app`; what its dispatchers mount is no operation.
    """

    def __init__(
        self, app: Flask, options: Options | None = None, *, outermost: object | None = None
    ) -> None:
        self._app = app
        self._outermost = app if outermost is None else outermost
        self._around: tuple[Mount, ...] = ()
        self._options = options or Options()
        self._matcher: Matcher | None = None

    def discover(self) -> Discovery:
        """Walk the application as it is now."""
        # What is mounted at no prefix is where everything else goes, the application included.
        self._around = tuple(mount for mount in mounts_of(self._outermost) if mount.prefix)
        discovery, self._matcher = _walk(self._app, self._options, above=())
        return discovery

    def resolve(self, method: str, path: str, *, host: str | None = None) -> Hashable | None:
        """Return the `endpoint_key` that the application's router picks for a request.

        Args:
            method: upper-case.
            path: decoded, without the root path.
            host: value of the request's host header; it decides where the application matches
                hosts or subdomains. Without one a rule counts as matched on any of them.
        """
        if self._matcher is None:
            self.discover()
        assert self._matcher is not None
        for mount in self._around:
            if mount.covers(path):
                return Identity(mount)
        return self._matcher.find(method, path, host)

    def reads(
        self, method: str, path: str, written: Mapping[str, str], *, host: str | None = None
    ) -> bool:
        """Whether the router reads the values of a path as they were written into it."""
        if self._matcher is None:
            self.discover()
        assert self._matcher is not None
        return self._matcher.reads(method, path, written, host)

    def cut(self) -> frozenset[CutKey]:
        """Cut every view right where it is called; see `catalog.cuts.CuttingAdapter`."""
        self.discover()
        assert self._matcher is not None
        return self._matcher.cut()


def mounted_adapter(app: object) -> Adapter | None:
    """Return the adapter of an application that another framework mounts, if it is Flask's."""
    return FlaskAdapter(app) if isinstance(app, Flask) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One operation with what decides whether a request reaches it."""

    operation: DiscoveredOperation
    rule: Rule
    handler: Hashable
    domain: str
    shape: tuple[str, ...]


def _walk(app: Flask, options: Options, *, above: tuple[Flask, ...]) -> tuple[Discovery, Matcher]:
    mounts = mounts_of(app.wsgi_app)
    rules = _Rules(app, options)
    candidates = _told_apart(app, tuple(rules.read()))
    findings = list(rules.findings())
    operations = list(_judged(app, mounts, candidates))
    matcher = Matcher(app, ((found.rule, found.operation) for found in candidates))
    for mount in mounts:
        # An application mounted inside itself has no end.
        if mount.app is None or mount.app in (app, *above):
            matcher.add_mount(mount, None)
            continue
        discovery, inner = _walk(mount.app, options, above=(*above, app))
        matcher.add_mount(mount, inner)
        operations += (_moved(found, mount, mount.app) for found in discovery.operations)
        findings += discovery.diagnostics
    return Discovery(operations=tuple(operations), diagnostics=tuple(findings)), matcher


def _moved(operation: DiscoveredOperation, mount: Mount, app: Flask) -> DiscoveredOperation:
    descriptor = operation.descriptor
    return replace(
        operation,
        descriptor=replace(
            descriptor,
            route=f"{mount.prefix}{descriptor.route}",
            endpoint_key=(descriptor.endpoint_key, Identity(app)),
        ),
        diagnostics=tuple(_moved_finding(finding, mount) for finding in operation.diagnostics),
    )


def _moved_finding(finding: Diagnostic, mount: Mount) -> Diagnostic:
    if finding.route is None:
        return finding
    method = (finding.operation or "").partition(" ")[0]
    route = f"{mount.prefix}{finding.route}"
    return replace(finding, route=route, operation=f"{method} {route}")


class _Rules:
    """Reads the rules of one application."""

    def __init__(self, app: Flask, options: Options) -> None:
        self._app = app
        self._source = schema_source_for(app, options)
        self._without_verbs = self_dispatching(app)
        schema = options.schema
        self._binding = Binding(type_shape=schema.type_shape, type_name=schema.type_name)

    def read(self) -> Iterator[_Found]:
        """Yield the operations of every rule in the order of registration."""
        for rule in self._app.url_map.iter_rules():
            view = original(self._app.view_functions.get(rule.endpoint))
            if view is not None and not self._is_skipped(rule, view):
                yield from self._operations(rule, view)

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return what was found about no operation, once all are read."""
        return () if self._source is None else self._source.findings()

    def _is_skipped(self, rule: Rule, view: object) -> bool:
        return (
            rule.websocket
            or rule.build_only
            # The router answers these by itself.
            or rule.redirect_to is not None
            or rule.alias
            or attribute(view, OWN_ROUTE_MARKER) is True
            or is_static(rule, view)
            or (self._source is not None and self._source.hides(rule))
        )

    def _operations(self, rule: Rule, view: object) -> Iterator[_Found]:
        path = read_path(rule)
        for verb in served_verbs(rule, view, self._without_verbs):
            operation = self._operation(rule, view, path, verb)
            yield _Found(
                operation=_described(self._source, operation, rule, view),
                rule=rule,
                handler=verb.key,
                domain=domain_of(rule),
                shape=path.shape,
            )

    def _operation(
        self, rule: Rule, view: object, path: RulePath, verb: Verb
    ) -> DiscoveredOperation:
        blueprints = blueprints_of(self._app, rule.endpoint)
        owner = owner_of(verb)
        container = container_of(owner, blueprints[0][0] if blueprints else None)
        owners = () if owner is None else (owner,)
        around = tuple(blueprint for _, blueprint in blueprints)
        handler = verb.endpoint if verb.inner is None else verb.inner
        source, line = source_of(handler)
        descriptor = EndpointDescriptor(
            method=verb.method,
            route=path.template,
            auth=view_auth(
                *(verb.endpoint, verb.inner, view, *owners, *around, self._app),
                decorated=is_guarded(view, verb.cls),
            ),
            container=container and container.name,
            container_key=container and container.key,
            description=first_paragraph(docstring_of(verb.endpoint) or docstring_of(handler)),
            deprecated=is_marked_deprecated(verb.endpoint) or is_marked_deprecated(handler),
            parameters=path_parameters(rule, path, handler, self._binding),
            endpoint_key=verb.key,
            source=source,
            line=line,
        )
        return DiscoveredOperation(
            descriptor=descriptor,
            endpoint=verb.endpoint,
            inner=verb.inner,
            containers=(*owners, *around, self._app),
            class_view=verb.has_method,
            antiforgery=is_checked(self._app, rule.endpoint, view, verb.method),
            diagnostics=tuple(_findings(descriptor, path)),
        )


def _described(
    source: SchemaSource | None, operation: DiscoveredOperation, rule: Rule, view: object
) -> DiscoveredOperation:
    return operation if source is None else source.describe(operation, rule, view)


def _findings(descriptor: EndpointDescriptor, path: RulePath) -> Iterator[Diagnostic]:
    subject = subject_of(descriptor)
    if descriptor.method not in METHODS:
        yield subject.diagnostic(
            "unsupported_method",
            f"a tool has no counterpart for {descriptor.method}; serve it under one of "
            f"{', '.join(METHODS)} to offer it",
        )
    if not path.is_expressible:
        yield subject.diagnostic(
            "template_rejected",
            "the literal text of the rule reads like a placeholder in braces; spell it otherwise",
        )


def _told_apart(app: Flask, candidates: tuple[_Found, ...]) -> tuple[_Found, ...]:
    """Return the candidates, each that is no alias of another with a key of its own."""
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, found in enumerate(candidates):
        descriptor = found.operation.descriptor
        names = frozenset(placeholder_names(descriptor.route))
        groups[found.handler, descriptor.container_key, descriptor.method, names].append(at)
    told = list(candidates)
    for group in groups.values():
        marks = told_apart([_reached(app, candidates[at]) for at in group])
        for at, mark in zip(group, marks, strict=True):
            if mark is not None:
                told[at] = _with_key(candidates[at], (candidates[at].handler, mark))
    keys = united([found.operation for found in told])
    return tuple(map(_with_key, told, keys))


def _reached(app: Flask, found: _Found) -> Reached:
    # A decorated view beside the plain one, such as one that warns of an old address, is an alias.
    auth = replace(found.operation.descriptor.auth, imperative=False)
    guards = guards_of(app, found.rule.endpoint), auth
    return Reached(rule=found.rule, operation=found.operation, guards=guards)


def _with_key(found: _Found, key: Hashable) -> _Found:
    descriptor = replace(found.operation.descriptor, endpoint_key=key)
    return replace(found, operation=replace(found.operation, descriptor=descriptor))


def _judged(
    app: Flask, mounts: tuple[Mount, ...], candidates: tuple[_Found, ...]
) -> Iterator[DiscoveredOperation]:
    """Yield every operation once, with whether a request reaches it."""
    rivals: defaultdict[object, list[_Found]] = defaultdict(list)
    for found in _widest(_without_twins(candidates)):
        rivals[found.domain, found.shape, found.operation.descriptor.method].append(found)
    for method_and_path in rivals.values():
        first = _first(method_and_path)
        for found in method_and_path:
            if found is not first and _is_same(app, first, found):
                continue
            taker = _unreached(app, mounts, found) or (None if found is first else _named(first))
            yield found.operation if taker is None else _shadowed(found.operation, taker)


def _without_twins(candidates: tuple[_Found, ...]) -> Iterator[_Found]:
    """Leave out HEAD and OPTIONS of a path that another method serves too."""
    served = {
        (found.domain, found.shape) for found in candidates if not _is_companion(found.operation)
    }
    for found in candidates:
        if not _is_companion(found.operation) or (found.domain, found.shape) not in served:
            yield found


def _widest(candidates: Iterable[_Found]) -> Iterator[_Found]:
    """Of rules of one handler that differ in what their variables take, yield those that take most.

    `/<int:order_id>` beside `/<order_id>` is one operation, and its argument is any text.
    """
    twins: defaultdict[object, list[_Found]] = defaultdict(list)
    for found in candidates:
        descriptor = found.operation.descriptor
        key = (found.domain, found.handler, descriptor.method, descriptor.route)
        twins[key].append(found)
    for group in twins.values():
        most = max(map(_open_inputs, group))
        yield from (found for found in group if _open_inputs(found) == most)


def _open_inputs(found: _Found) -> int:
    """Return how many inputs in the path take any text."""
    return sum(p.schema == {"type": "string"} for p in found.operation.descriptor.parameters)


def _first(rivals: list[_Found]) -> _Found:
    if len({found.operation.descriptor.endpoint_key for found in rivals}) == 1:
        return rivals[0]
    rule = picked([found.rule for found in rivals], rivals[0].operation.descriptor.method)
    return next(found for found in rivals if found.rule is rule)


def _shadowed(operation: DiscoveredOperation, taker: str) -> DiscoveredOperation:
    message = f"no call reaches it: {taker}; remove this route or give it another path"
    finding = subject_of(operation.descriptor).diagnostic("route_shadowed", message)
    return replace(operation, reachable=False, diagnostics=(finding,))


def _is_companion(operation: DiscoveredOperation) -> bool:
    return operation.descriptor.method in ("HEAD", "OPTIONS")


def _is_same(app: Flask, first: _Found, second: _Found) -> bool:
    if first.handler == second.handler:
        return True
    views = (original(app.view_functions[found.rule.endpoint]) for found in (first, second))
    return is_made_alike(*views)


def _unreached(app: Flask, mounts: tuple[Mount, ...], found: _Found) -> str | None:
    """Return what stands before the application's rules, or why a rule is out of reach."""
    start = found.shape[0]
    for mount in mounts:
        # Of a segment that goes on with a variable nobody knows where it leads.
        whole = start if len(found.shape) == 1 else start.rpartition("/")[0]
        if mount.covers(whole):
            return f"the mount '{mount.prefix}' takes every call"
    url_map = app.url_map
    if url_map.host_matching or app.subdomain_matching:
        return None
    if found.domain != (url_map.default_subdomain or ""):
        return f"the application does not match the subdomain '{found.domain}'"
    return None


def _named(found: _Found) -> str:
    descriptor = found.operation.descriptor
    return f"'{descriptor.route}' ({descriptor.source}) stands earlier and takes every one"
