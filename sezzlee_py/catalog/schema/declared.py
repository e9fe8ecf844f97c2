"""What a decorator declares about input and output, put in place of what a framework knows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.declared_body import DeclaredBody, bind_body
from sezzlee_py.catalog.schema.declared_query import Grouping, bind_query, regroup
from sezzlee_py.catalog.schema.findings import Finding, to_diagnostics
from sezzlee_py.model import Diagnostic, EndpointDescriptor, JSONObject, Response

_GROUPINGS = ("flat", "group")


def apply_declared(
    descriptor: EndpointDescriptor,
    *,
    body: Any = None,
    query: Any = None,
    responses: Mapping[str, Any] | None = None,
    consumes: str | None = None,
    files: Collection[str] | None = None,
    accepts: Collection[str] | None = None,
    described: bool = True,
    query_grouping: str = "flat",
    parses: str | None = None,
    query_models: Mapping[str, Collection[str]] | None = None,
    body_fields: Mapping[str, JSONObject] | None = None,
    binding: Binding | None = None,
) -> tuple[EndpointDescriptor, tuple[Diagnostic, ...]]:
    """Return `descriptor` with the declared body, query and responses, and what was found.

    Args:
        descriptor: what the framework or its document tells.
        body: a type or a JSON Schema, `False` for none at all; `None` keeps the framework's body.
        query: a type or schema whose fields are the query parameters; `"group"` or `"flat"`
            decides for this operation how a framework's query model is published.
        responses: status (as text) to a type or schema, `None` for one without content.
        consumes: the media type to write.
        files: names of multipart file fields.
        accepts: media types the backend is known to accept, `None` when nothing is known.
        described: whether the framework or a document tells of query and body at all.
        query_grouping: `options.query.grouping`.
        parses: `options.query.parses`, the notation of grouped keys that the backend reads.
        query_models: the framework's query models, parameter name to the wire names of fields.
        body_fields: names that are known of a body nobody tells of, with their schemas.
        binding: how types are read.

    Example:
        >>> plain = EndpointDescriptor(method="GET", route="/orders")
        >>> filtered, _ = apply_declared(plain, query={"properties": {"q": {"type": "string"}}})
        >>> [parameter.name for parameter in filtered.parameters]
        ['q']
    """
    binding = binding or Binding()
    findings: list[Finding] = []
    if isinstance(query, str) and query in _GROUPINGS:
        query, query_grouping = None, query
    grouping = Grouping(is_grouped=query_grouping == "group", parses=parses)
    changed = descriptor
    if query is not None:
        changed = bind_query(changed, query, grouping, binding, findings)
    elif query_models:
        changed = regroup(changed, query_models, grouping, findings)
    declared = DeclaredBody(
        body=body,
        consumes=consumes,
        files=tuple(files or ()),
        accepts=accepts,
        described=described,
        fields=body_fields or {},
    )
    changed = bind_body(changed, declared, binding, findings)
    if responses is not None:
        changed = replace(changed, responses=_bind_responses(responses, binding, findings))
    return changed, to_diagnostics(
        findings,
        operation=descriptor.operation,
        route=descriptor.route,
        source=descriptor.source,
        line=descriptor.line,
    )


def _bind_responses(
    responses: Mapping[str, Any], binding: Binding, findings: list[Finding]
) -> Mapping[str, Response]:
    bound: dict[str, Response] = {}
    for status, source in responses.items():
        if source is None or source is type(None):
            bound[str(status)] = Response()
            continue
        result = binding.bind(source, "serialization")
        findings.extend(result.findings)
        bound[str(status)] = Response(schema=result.schema or None)
    return MappingProxyType(bound)
