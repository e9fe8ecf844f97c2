"""Optional inputs that only the source of a handler tells of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.model import JSONObject, ParameterLocation
from sezzlee_py.openapi.join import describe_alone

_QUERY: Final = ParameterLocation.QUERY
_VERSION: Final = {"openapi": "3.1.0"}


def has_query(operation: DiscoveredOperation) -> bool:
    """Whether query arguments of an operation are known; what knows one knows all."""
    return any(p.location is _QUERY for p in operation.descriptor.parameters)


def with_query_read(
    operation: DiscoveredOperation,
    found: Mapping[str, JSONObject],
    *,
    carriers: Collection[str],
    cookies: Collection[str],
) -> DiscoveredOperation:
    """Return an operation with query arguments, as a document would describe them.

    Args:
        operation: as known so far.
        found: names that its handler reads of the query, with the schemas of their values.
        carriers: `options.identity.carriers`.
        cookies: `options.identity.cookies`.
    """
    if not found:
        return operation
    told = describe_alone(
        replace(operation, diagnostics=()),
        {"parameters": [{"name": n, "in": "query", "schema": s} for n, s in found.items()]},
        _VERSION,
        carriers=carriers,
        cookies=cookies,
    )
    descriptor = operation.descriptor
    query = (p for p in told.descriptor.parameters if p.location is _QUERY)
    return replace(
        operation,
        descriptor=replace(descriptor, parameters=(*descriptor.parameters, *query)),
        diagnostics=(*operation.diagnostics, *told.diagnostics),
    )


def is_body_open(operation: DiscoveredOperation) -> bool:
    """Whether nothing is known of the body of an operation, not even that it has none."""
    return operation.accepts is None and operation.descriptor.request_body is None


def with_fields_read(
    operation: DiscoveredOperation, fields: Collection[str]
) -> DiscoveredOperation:
    """Return an operation whose body stays open with the fields that its handler reads of it."""
    # Nothing is known of their values.
    return replace(operation, body_fields={name: {} for name in fields})
