"""Discovered routes enriched by a document about them (spec: openapi 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.schema.findings import Finding, to_diagnostics
from sezzlee_py.model import (
    Anonymous,
    Auth,
    Diagnostic,
    EndpointDescriptor,
    JSONObject,
    Parameter,
    ParameterLocation,
    Severity,
)
from sezzlee_py.openapi.document import FindingList
from sezzlee_py.openapi.ingest import open_document
from sezzlee_py.openapi.operation import LoweredOperation
from sezzlee_py.openapi.parse import DocumentParseError
from sezzlee_py.openapi.paths import DocumentedOperation

_PATH = ParameterLocation.PATH


def join_document(
    operations: Sequence[DiscoveredOperation],
    document: str | bytes | Mapping[str, Any],
    *,
    prefix: str = "",
    drop_read_only: bool = True,
    carriers: Collection[str] = ("authorization",),
    cookies: Collection[str] = (),
) -> tuple[tuple[DiscoveredOperation, ...], tuple[Diagnostic, ...]]:
    """Return the operations with what a document says about them, and the document's findings.

    The route table decides which operations exist. A documented operation belongs to the route
    with its method and path, the names of the parameters included.

    Args:
        operations: what the framework found.
        document: the document that an extension or the host keeps.
        prefix: the application's own prefix, which servers of the document may repeat.
        drop_read_only: `options.schema.drop_read_only`.
        carriers: `options.identity.carriers`.
        cookies: `options.identity.cookies`.
    """
    routes = RouteDocument(
        document, prefix=prefix, drop_read_only=drop_read_only, carriers=carriers, cookies=cookies
    )
    joined = tuple(routes.describe(operation) for operation in operations)
    return joined, (*routes.diagnostics, *routes.unmatched())


def describe_alone(
    operation: DiscoveredOperation,
    told: JSONObject,
    root: JSONObject,
    *,
    drop_read_only: bool = True,
    carriers: Collection[str] = ("authorization",),
    cookies: Collection[str] = (),
) -> DiscoveredOperation:
    """Return an operation with what one operation object says about it.

    Args:
        operation: as found.
        told: the operation object.
        root: the document around it: its version, and what references lead to.
        drop_read_only: `options.schema.drop_read_only`.
        carriers: `options.identity.carriers`.
        cookies: `options.identity.cookies`.
    """
    descriptor = operation.descriptor
    paths = {descriptor.route: {descriptor.method.lower(): told}}
    document = RouteDocument(
        {**root, "paths": paths}, drop_read_only=drop_read_only, carriers=carriers, cookies=cookies
    )
    described = document.describe(operation)
    # Nobody can look into a document of one operation, and a broken one costs only itself.
    found = tuple(replace(softened(d), pointer=None) for d in document.diagnostics)
    about = subject_of(descriptor)
    named = tuple(
        replace(d, operation=about.operation, route=about.route) for d in _placed(found, descriptor)
    )
    added = described.diagnostics[len(operation.diagnostics) :]
    own = tuple(replace(d, pointer=None) for d in added)
    return replace(described, diagnostics=(*operation.diagnostics, *own, *named))


def with_broken_docstring(
    operation: DiscoveredOperation, fault: DocumentParseError
) -> DiscoveredOperation:
    """Return an operation with a finding that says why its docstring's YAML tells nothing."""
    finding = subject_of(operation.descriptor).diagnostic(
        "openapi_document_invalid",
        f"the YAML in the docstring cannot be read, so it counts as not there: {fault}",
    )
    return replace(operation, diagnostics=(*operation.diagnostics, finding))


def softened(found: Diagnostic) -> Diagnostic:
    """Return a finding as no more than a warning where it would be fatal.

    A document is one source among several: without it the routes stay as they are.
    """
    is_fatal = found.severity is Severity.FATAL
    return replace(found, severity=Severity.WARNING) if is_fatal else found


class RouteDocument:
    """A document about routes that are found elsewhere, asked for one operation at a time.

    The arguments are those of `join_document`.

    Attributes:
        diagnostics: what was found about the document as a whole.
    """

    def __init__(
        self,
        document: str | bytes | Mapping[str, Any],
        *,
        prefix: str = "",
        drop_read_only: bool = True,
        carriers: Collection[str] = ("authorization",),
        cookies: Collection[str] = (),
    ) -> None:
        self._reader, findings = open_document(
            document, drop_read_only=drop_read_only, carriers=carriers, cookies=cookies
        )
        self._documented: dict[tuple[str, str], DocumentedOperation] = {}
        self._base = ""
        self._matched: set[tuple[str, str]] = set()
        if self._reader is not None:
            self._base = _server_path(self._reader.api.root, prefix)
            for documented in self._reader.documented(findings):
                self._documented.setdefault((documented.method, documented.route), documented)
        self.diagnostics = to_diagnostics(findings.items)

    def describe(self, operation: DiscoveredOperation) -> DiscoveredOperation:
        """Return an operation with what the document says about it.

        Where it says nothing, that is a finding about the operation; an unreadable document says
        nothing about anything, and has been reported.
        """
        if self._reader is None:
            return operation
        documented = self._find(operation.descriptor)
        if documented is None:
            return _undocumented(operation)
        own = FindingList()
        lowered = self._reader.lowered(documented, own)
        subject = operation.descriptor
        extra = to_diagnostics(own.items, operation=subject.operation, route=subject.route)
        return _joined(operation, replace(lowered, diagnostics=(*lowered.diagnostics, *extra)))

    def covers(self, descriptor: EndpointDescriptor) -> bool:
        """Whether the document says anything about an operation."""
        return self._find(descriptor) is not None

    def unmatched(self) -> tuple[Diagnostic, ...]:
        """Return a finding for each documented operation that nothing was asked about."""
        findings = FindingList()
        for key, documented in self._documented.items():
            if key not in self._matched:
                _report_unmatched(documented, findings)
        return to_diagnostics(findings.items)

    def _find(self, descriptor: EndpointDescriptor) -> DocumentedOperation | None:
        route = descriptor.route
        below = route.removeprefix(self._base) if route.startswith(f"{self._base}/") else route
        for key in ((descriptor.method, below), (descriptor.method, route)):
            if key in self._documented:
                self._matched.add(key)
                return self._documented[key]
        return None


def _server_path(root: Mapping[str, Any], prefix: str) -> str:
    """Return the path part of the document's first server, less the application's prefix."""
    servers = root.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = first.get("url") if isinstance(first, Mapping) else None
    declared = url if isinstance(url, str) else root.get("basePath")
    try:
        path = urlsplit(declared).path if isinstance(declared, str) else ""
    except ValueError:
        path = ""
    return path.rstrip("/").removeprefix(prefix.rstrip("/"))


def _report_unmatched(documented: DocumentedOperation, findings: FindingList) -> None:
    findings.add(
        "document_route_unmatched",
        f"{documented.method} {documented.path} is documented, but the application has no such "
        "route; make method, path and the names of its parameters agree",
        about=f"{documented.method} {documented.path}",
        pointer=documented.operation.pointer,
    )


def _undocumented(operation: DiscoveredOperation) -> DiscoveredOperation:
    descriptor = operation.descriptor
    unmatched = Finding(
        code="document_route_unmatched",
        message="the document does not describe this route; make method, path and the names of "
        "its parameters agree",
    )
    told = to_diagnostics([unmatched], operation=descriptor.operation, route=descriptor.route)
    placed = _placed(told, descriptor)
    return replace(operation, diagnostics=(*operation.diagnostics, *placed))


def _placed(found: Iterable[Diagnostic], descriptor: EndpointDescriptor) -> tuple[Diagnostic, ...]:
    """Return findings of a document with the handler they are about."""
    return tuple(replace(d, source=descriptor.source, line=descriptor.line) for d in found)


def _joined(operation: DiscoveredOperation, lowered: LoweredOperation) -> DiscoveredOperation:
    descriptor = operation.descriptor
    return replace(
        operation,
        descriptor=replace(
            descriptor,
            parameters=_parameters(descriptor.parameters, lowered.parameters),
            request_body=lowered.request_body,
            responses=lowered.responses,
            description=lowered.description or lowered.summary or descriptor.description,
            deprecated=descriptor.deprecated or lowered.deprecated,
            tags=lowered.tags or descriptor.tags,
            auth=_auth(descriptor.auth, lowered),
        ),
        # A body that is documented somewhere else is there, whatever it holds.
        accepts=operation.accepts if lowered.is_body_unread else lowered.accepts or (),
        diagnostics=(*operation.diagnostics, *_placed(lowered.diagnostics, descriptor)),
    )


def _parameters(own: Sequence[Parameter], documented: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """The route says which path parameters there are and what they span, the document the rest."""
    by_name = {p.name: p for p in documented if p.location is _PATH}
    path = [_refined(p, by_name.get(p.name)) for p in own if p.location is _PATH]
    return (*path, *(p for p in documented if p.location is not _PATH))


def _refined(own: Parameter, documented: Parameter | None) -> Parameter:
    if documented is None:
        return own
    return replace(
        documented,
        schema=documented.schema or own.schema,
        spans_segments=own.spans_segments,
        fractional=own.fractional,
    )


def _auth(own: Auth, lowered: LoweredOperation) -> Auth:
    anonymous = own.anonymous
    if anonymous is Anonymous.UNKNOWN and not own.policies:
        anonymous = lowered.anonymous
    carriers = tuple(dict.fromkeys((*own.carriers, *lowered.carriers)))
    return replace(own, anonymous=anonymous, carriers=carriers)
