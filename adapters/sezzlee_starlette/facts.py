"""What a plain Starlette route tells: its verbs, its path parameters, its handler's docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starlette.convertors import CONVERTOR_TYPES
from starlette.endpoints import HTTPEndpoint
from starlette.routing import BaseRoute, Router

from sezzlee_py.catalog.adapter import METHODS, DiscoveredOperation
from sezzlee_py.catalog.auth_marker import view_auth
from sezzlee_py.catalog.containers import (
    Container,
    bound_class,
    class_container,
    module_container,
)
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.handlers import (
    attribute,
    docstring_of,
    first_paragraph,
    is_marked_deprecated,
    source_of,
)
from sezzlee_py.catalog.schema.converters import converter_schema
from sezzlee_py.model import (
    Diagnostic,
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
)
from sezzlee_py.model.routes import normalize_route, placeholder_names
from sezzlee_starlette.cut import cut_route
from sezzlee_starlette.docstrings import Docstrings
from sezzlee_starlette.request_reads import with_reads
from sezzlee_starlette.routes import Leaf, Node, Settings
from sezzlee_starlette.wrapped import guards_of, handler_behind


class _Querying(HTTPEndpoint):
    def query(self) -> None: ...


def _serves_query() -> bool:
    # Which verbs a class serves is kept in a private attribute, set per request; where it is not
    # there, the QUERY method (the one that came late) counts as not served.
    async def unused(*_: Any) -> Any: ...

    probe = _Querying({"type": "http"}, unused, unused)
    return "QUERY" in getattr(probe, "_allowed_methods", ())


# What an ASGI application in the place of a handler takes, where its route lists no methods.
ANY_METHOD: Final = "*"

_CLASS_METHODS = METHODS if _serves_query() else METHODS[:-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One method of a route and what handles it; `cls` is the class-based view it belongs to."""

    method: str
    endpoint: object
    cls: type | None = None


class StarletteDialect:
    """Plain Starlette: nothing is nested in a table, nothing is added to it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def nodes(self, routes: Sequence[BaseRoute]) -> Iterator[Node]:
        """Yield every entry as it stands."""
        return (Node(route=route, view=route) for route in routes)

    def hides(self, node: Node, app: object) -> bool:
        """Starlette adds no pages."""
        return False

    def falls_through(self, app: object) -> bool:
        """Whether the host gave the router a default of its own."""
        default = attribute(attribute(app, "router") or app, "default")
        return callable(default) and attribute(default, "__func__") is not Router.not_found

    def describe(self, leaves: Sequence[Leaf]) -> Mapping[Leaf, tuple[DiscoveredOperation, ...]]:
        """Describe routes one by one, with what docstrings say in YAML and handlers read."""
        found = {leaf: describe_route(leaf) for leaf in leaves}
        endpoints = [operation.endpoint for own in found.values() for operation in own]
        docstrings = Docstrings(self._settings, endpoints)
        return {
            leaf: tuple(with_reads(docstrings.described(op), self._settings) for op in own)
            for leaf, own in found.items()
        }

    def guards(self, leaf: Leaf) -> Hashable:
        """Return what a call passes before the handler: what wraps the mounts above."""
        return leaf.place.wrappers

    def cut(self, leaf: Leaf, keys: Collection[CutKey]) -> bool:
        """Cut a route right before its endpoint."""
        return cut_route(leaf.node.view, keys)


def describe_route(leaf: Leaf) -> tuple[DiscoveredOperation, ...]:
    """Return the operations of a plain route."""
    return tuple(_operation(leaf, verb) for verb in served_verbs(leaf))


def served_verbs(leaf: Leaf) -> tuple[Verb, ...]:
    """Return the verbs that a route answers, those that no tool can have last."""
    endpoint, methods = handler_behind(leaf.node.view.endpoint), leaf.node.view.methods
    if inspect.isclass(endpoint) and issubclass(endpoint, HTTPEndpoint):
        return tuple(_class_verbs(endpoint, methods))
    listed = set(methods or (ANY_METHOD,))
    known = [method for method in METHODS if method in listed]
    return tuple(
        Verb(method=method, endpoint=endpoint)
        for method in (*known, *sorted(listed.difference(known)))
    )


def _class_verbs(cls: type[HTTPEndpoint], listed: Sequence[str] | None) -> Iterator[Verb]:
    handled = {
        method: handler
        for method in _CLASS_METHODS
        if (handler := getattr(cls, method.lower(), None)) is not None
    }
    if not handled and cls.dispatch is not HTTPEndpoint.dispatch:
        # A class that dispatches by itself serves what its route lists.
        handled = {method: cls.dispatch for method in METHODS if method in (listed or ())}
    for method, handler in handled.items():
        if listed is None or method in listed:
            yield Verb(method=method, endpoint=handler, cls=cls)


def method_findings(descriptor: EndpointDescriptor) -> tuple[Diagnostic, ...]:
    """Return the finding about a method that no tool can have, nothing for the others."""
    method = descriptor.method
    if method in METHODS:
        return ()
    told = (
        "the route lists no methods; name those it serves, as in Route(..., methods=['POST'])"
        if method == ANY_METHOD
        else f"a tool has no counterpart for {method}; serve it under one of {', '.join(METHODS)}"
    )
    return (subject_of(descriptor).diagnostic("unsupported_method", f"{told} to offer it"),)


def literal_brace_findings(descriptor: EndpointDescriptor) -> tuple[Diagnostic, ...]:
    """Return the finding about literal text that a template reads as a placeholder, or nothing.

    To Starlette `{order-id}` is such text: it captures identifiers only.
    """
    unread = [
        name
        for name in placeholder_names(descriptor.route)
        if not name.isascii() or not name.isidentifier()
    ]
    return tuple(
        subject_of(descriptor).diagnostic(
            "template_rejected",
            f"the framework fills no path parameter called {name!r}; name it with letters, digits "
            "and '_' alone",
        )
        for name in unread[:1]
    )


def _operation(leaf: Leaf, verb: Verb) -> DiscoveredOperation:
    owner = verb.cls or bound_class(verb.endpoint)
    container = container_of(owner, verb.endpoint)
    source, line = source_of(verb.endpoint)
    guards = guards_of(leaf.node.view.endpoint)
    descriptor = EndpointDescriptor(
        method=verb.method,
        route=normalize_route(leaf.path).template,
        auth=view_auth(
            verb.endpoint,
            *(() if owner is None else (owner,)),
            *guards,
            decorated=bool(guards),
        ),
        container=container and container.name,
        container_key=container and container.key,
        description=first_paragraph(docstring_of(verb.endpoint)),
        deprecated=is_marked_deprecated(verb.endpoint),
        parameters=captured_parameters(leaf.path),
        endpoint_key=leaf.key(verb.endpoint),
        source=source,
        line=line,
    )
    return DiscoveredOperation(
        descriptor=descriptor,
        endpoint=verb.endpoint,
        containers=(*(() if owner is None else (owner,)), *leaf.containers),
        class_view=verb.cls is not None,
        diagnostics=(*method_findings(descriptor), *literal_brace_findings(descriptor)),
    )


def container_of(owner: type | None, endpoint: object) -> Container | None:
    """Return the container of a handler: its class, else its module."""
    return module_container(endpoint) if owner is None else class_container(owner)


def captured_parameters(path: str) -> tuple[Parameter, ...]:
    """Return the parameters that a path captures, in its order."""
    found: dict[str, Parameter] = {}
    for placeholder in normalize_route(path).placeholders:
        found[placeholder.name] = path_parameter(placeholder.name, placeholder.converter)
    return tuple(found.values())


def path_parameter(name: str, converter: str | None) -> Parameter:
    """Return the parameter that a placeholder is."""
    return Parameter(
        name=name,
        location=ParameterLocation.PATH,
        schema=converter_schema(converter),
        required=True,
        spans_segments=spans_segments(converter),
    )


def spans_segments(converter: str | None) -> bool:
    """Whether what a converter accepts may hold a `/`; a host may have its own converters."""
    convertor = CONVERTOR_TYPES.get(converter or "str")
    return convertor is not None and re.fullmatch(convertor.regex, "a/b") is not None
