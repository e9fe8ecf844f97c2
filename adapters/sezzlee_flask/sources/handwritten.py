"""What people write into documents by hand, in the words of JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.model import Parameter, ParameterLocation

# Python's names, which flasgger shows as they are written.
_TYPES: Final = {
    "bool": "boolean",
    "dict": "object",
    "float": "number",
    "int": "integer",
    "list": "array",
    "str": "string",
    "text": "string",
}
_IN_SCHEMA: Final = frozenset({"query", "path", "header", "cookie"})
_OF_VERSION_3: Final = frozenset({"schema", "style", "explode"})
_NOT_SCHEMAS: Final = frozenset({"example", "examples", "default", "enum", "const"})


def repaired(node: Any) -> Any:
    """Return a part of a document with types that have names.

    An `id` in a schema is where flasgger files it, and no keyword of the schema.
    """
    if isinstance(node, list):
        return [repaired(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    made = {
        key: value if key in _NOT_SCHEMAS else repaired(value)
        for key, value in node.items()
        if not (key == "schema" and value is None)
    }
    if _is_blank(made.get("schema")):
        made["schema"] = {}
    if isinstance(made.get("type"), str):
        made["type"] = _TYPES.get(made["type"], made["type"])
    return made


def _is_blank(schema: Any) -> bool:
    """Whether a schema is a placeholder that somebody meant to fill in: `{schema_class}`."""
    return isinstance(schema, Mapping) and all(value is None for value in schema.values())


def lifted(node: Any) -> Any:
    """Return a part of a Swagger 2.0 document with parameters as that version spells them.

    There what describes a value stands in the parameter, and people write it below `schema`.
    """
    if isinstance(node, list):
        return [lifted(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    if node.get("in") in _IN_SCHEMA and isinstance(node.get("schema"), Mapping):
        own = {key: value for key, value in node.items() if key not in _OF_VERSION_3}
        return {**node["schema"], **own}
    return {key: lifted(value) for key, value in node.items()}


def without_free_forms(operation: DiscoveredOperation) -> DiscoveredOperation:
    """Return an operation without optional parameters that stand for any names at all.

    People describe "whatever the query holds" as an object; the route works without.
    """
    descriptor = operation.descriptor
    free = [p for p in descriptor.parameters if _is_free_form(p)]
    if not free:
        return operation
    subject = subject_of(descriptor)
    findings = tuple(
        subject.diagnostic(
            "unbound_query_object",
            f"the {p.location} '{p.name}' is an object without a way to write it and is left out",
        )
        for p in free
    )
    kept = tuple(p for p in descriptor.parameters if p not in free)
    return replace(
        operation,
        descriptor=replace(descriptor, parameters=kept),
        diagnostics=(*operation.diagnostics, *findings),
    )


def _is_free_form(parameter: Parameter) -> bool:
    return (
        parameter.location is not ParameterLocation.PATH
        and not parameter.required
        and parameter.content_type is None
        and parameter.style != "deepObject"
        and parameter.schema.get("type") == "object"
    )
