"""Discovered routes enriched by a document about them (spec: openapi 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.schema.findings import Finding, to_diagnostics
from sezzlee_py.model import Anonymous, Auth, Diagnostic, Parameter, ParameterLocation
from sezzlee_py.openapi.document import FindingList
from sezzlee_py.openapi.ingest import open_document
from sezzlee_py.openapi.operation import LoweredOperation
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
    reader, findings = open_document(
        document, drop_read_only=drop_read_only, carriers=carriers, cookies=cookies
    )
    if reader is None:
        return tuple(operations), to_diagnostics(findings.items)
    routes = {_key(operation): operation for operation in operations}
    base = _server_path(reader.api.root, prefix)
    found: dict[tuple[str, str], LoweredOperation] = {}
    for documented in reader.documented(findings):
        key = _match(documented, base, routes)
        if key is None:
            _report_unmatched(documented, findings)
            continue
        own = FindingList()
        lowered = reader.lowered(documented, own)
        subject = routes[key].descriptor
        extra = to_diagnostics(own.items, operation=subject.operation, route=subject.route)
        found[key] = replace(lowered, diagnostics=(*lowered.diagnostics, *extra))
    joined = tuple(_joined(operation, found.get(_key(operation))) for operation in operations)
    return joined, to_diagnostics(findings.items)


def _key(operation: DiscoveredOperation) -> tuple[str, str]:
    return operation.descriptor.method, operation.descriptor.route


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


def _match(
    documented: DocumentedOperation,
    base: str,
    routes: Mapping[tuple[str, str], DiscoveredOperation],
) -> tuple[str, str] | None:
    for route in (base + documented.route, documented.route):
        if (documented.method, route) in routes:
            return documented.method, route
    return None


def _report_unmatched(documented: DocumentedOperation, findings: FindingList) -> None:
    findings.add(
        "document_route_unmatched",
        f"{documented.method} {documented.path} is documented, but the application has no such "
        "route; make method, path and the names of its parameters agree",
        about=f"{documented.method} {documented.path}",
        pointer=documented.operation.pointer,
    )


def _joined(
    operation: DiscoveredOperation, lowered: LoweredOperation | None
) -> DiscoveredOperation:
    descriptor = operation.descriptor
    if lowered is None:
        unmatched = Finding(
            code="document_route_unmatched",
            message="the document does not describe this route",
        )
        told = to_diagnostics([unmatched], operation=descriptor.operation, route=descriptor.route)
        return replace(operation, diagnostics=(*operation.diagnostics, *told))
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
        accepts=lowered.accepts or (),
        diagnostics=(*operation.diagnostics, *lowered.diagnostics),
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
