"""Query models as parameters: one per field, or one group (spec: arguments 6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.references import references_in, unescape_token
from sezzlee_py.catalog.schema.slots import SlotKind
from sezzlee_py.catalog.schema_shapes import definitions, read_shape
from sezzlee_py.model import EndpointDescriptor, Parameter, ParameterLocation

_QUERY: Final = ParameterLocation.QUERY
_WHOLE: Final = (ParameterLocation.QUERY, ParameterLocation.QUERYSTRING)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """Whether a query model is one argument, and the notation that the backend reads then."""

    is_grouped: bool = False
    parses: str | None = None


def bind_query(
    descriptor: EndpointDescriptor,
    source: Any,
    grouping: Grouping,
    binding: Binding,
    findings: list[Finding],
) -> EndpointDescriptor:
    """Return `descriptor` with the fields of `source` in place of its query parameters."""
    bound = binding.bind(source, "validation", SlotKind.PARAMETER)
    findings.extend(bound.findings)
    others = tuple(p for p in descriptor.parameters if p.location not in _WHOLE)
    taken = set() if grouping.is_grouped else {p.name for p in others}
    read = _read_fields(bound.schema, taken, findings)
    if not read:
        findings.append(
            Finding(
                code="unresolved_query_shape",
                message=f"no field of {_name_of(source)} can be read as a query parameter; "
                "declare fields that are scalars or lists of them",
            )
        )
    if grouping.is_grouped and read:
        read = (_group(_group_name(source), read, grouping, findings),)
    return replace(descriptor, parameters=_inserted(others, read))


def regroup(
    descriptor: EndpointDescriptor,
    models: Mapping[str, Collection[str]],
    grouping: Grouping,
    findings: list[Finding],
) -> EndpointDescriptor:
    """Return `descriptor` with each of a framework's query models as one argument, if grouped."""
    if not grouping.is_grouped:
        return descriptor
    parameters = descriptor.parameters
    for name, fields in models.items():
        members = tuple(p for p in parameters if p.location is _QUERY and p.name in fields)
        if members:
            group = _group(name, members, grouping, findings)
            rest = tuple(p for p in parameters if p not in members)
            parameters = _inserted(rest, (group,))
    return replace(descriptor, parameters=parameters)


def _read_fields(
    schema: Mapping[str, Any], taken: Collection[str], findings: list[Finding]
) -> tuple[Parameter, ...]:
    fields = schema.get("properties")
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    bag = definitions(schema)
    read: list[Parameter] = []
    for name, field in fields.items() if isinstance(fields, Mapping) else ():
        code = _why_left_out(name, field, taken, bag)
        if code is not None:
            findings.append(Finding(code=code, message=_MESSAGES[code].format(name), about=name))
            continue
        read.append(
            Parameter(
                name=name,
                location=_QUERY,
                schema=_own(field, bag),
                required=name in names,
            )
        )
    return tuple(read)


_MESSAGES: Final = {
    "query_member_shadowed": "the field '{}' is left out: another parameter has its name",
    "unbound_query_object": "the field '{}' is left out: an object has no form in the query",
}


def _why_left_out(
    name: str, field: Any, taken: Collection[str], bag: Mapping[str, Any]
) -> str | None:
    if name in taken:
        return "query_member_shadowed"
    shape = read_shape(field, bag)
    return "unbound_query_object" if shape.is_object or shape.nested else None


def _own(field: Any, bag: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field as a schema of its own, with the definitions that it reaches."""
    schema = dict(field) if isinstance(field, Mapping) else {}
    reached: dict[str, Any] = {}
    pending = [schema]
    while pending:
        for reference in references_in(pending.pop()):
            key = unescape_token(reference.removeprefix("#/$defs/").partition("/")[0])
            if key in bag and key not in reached:
                reached[key] = bag[key]
                pending.append(bag[key])
    return {**schema, "$defs": dict(sorted(reached.items()))} if reached else schema


def _group(
    name: str, members: Collection[Parameter], grouping: Grouping, findings: list[Finding]
) -> Parameter:
    if grouping.parses is None:
        findings.append(
            Finding(
                code="query_notation_unparsed",
                message=f"the query is grouped as '{name}', but no parser of the backend reads "
                f"{name}[...]; set options.query.parses or publish the fields flat",
            )
        )
    required = [member.name for member in members if member.required]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {member.name: member.schema for member in members},
    }
    if required:
        schema["required"] = required
    return Parameter(
        name=name,
        location=_QUERY,
        schema=schema,
        required=bool(required),
        style="deepObject",
        explode=True,
        object_notation=grouping.parses,
    )


def _inserted(others: tuple[Parameter, ...], query: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Path parameters first, then the query, as every source writes them."""
    path = tuple(p for p in others if p.location is ParameterLocation.PATH)
    own = tuple(p for p in others if p.location in _WHOLE)
    rest = tuple(p for p in others if p not in path and p not in own)
    return (*path, *own, *query, *rest)


def _name_of(source: Any) -> str:
    return str(getattr(source, "__name__", None) or "the query schema")


def _group_name(source: Any) -> str:
    title = source.get("title") if isinstance(source, Mapping) else _name_of(source)
    words = _WORD.findall(title if isinstance(title, str) else "")
    return "_".join(words).lower() or "filter"
