"""What people write into documents by hand, in the words of JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.media_types import JSON, MULTIPART, URLENCODED
from sezzlee_py.model import Parameter, ParameterLocation
from sezzlee_py.openapi.upgrade import form_field, holds_file

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
# What somebody meant to fill in: `{tag_name}`.
_PLACEHOLDER: Final = re.compile(r"\{\w*\}")
_IN_SCHEMA: Final = frozenset({"query", "path", "header", "cookie"})
# How a value can be written in each place; people copy styles from one place to another.
_STYLES: Final = {
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "path": ("simple", "label", "matrix"),
    "header": ("simple",),
    "cookie": ("form",),
}
_OF_VERSION_3: Final = frozenset({"schema", "style", "explode"})
# What version 3 keeps in a parameter beside the schema of its value.
_OF_PARAMETER: Final = frozenset(
    {
        *("name", "in", "required", "description", "deprecated", "allowEmptyValue"),
        *("style", "explode", "allowReserved", "examples", "collectionFormat"),
    }
)
_NOT_SCHEMAS: Final = frozenset({"example", "examples", "default", "enum", "const"})


def repaired(node: Any) -> Any:
    """Return a part of a document with types of JSON Schema, without what nobody filled in."""
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
    if isinstance(made.get("tags"), list):
        made["tags"] = [tag for tag in made["tags"] if not _PLACEHOLDER.fullmatch(str(tag))]
    if isinstance(made.get("type"), str):
        made["type"] = _TYPES.get(made["type"], made["type"])
    if _place(made) == "formData" and made.get("type") == "array":
        # Version 2 would join the values by commas, and no form is read like that.
        made.setdefault("collectionFormat", "multi")
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
    if _place(node) in _IN_SCHEMA and isinstance(node.get("schema"), Mapping):
        return _lifted_parameter(node)
    return {key: lifted(value) for key, value in node.items()}


def _lifted_parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    schema = parameter.get("schema")
    own = {key: value for key, value in parameter.items() if key not in _OF_VERSION_3}
    return {**(schema if isinstance(schema, Mapping) else {}), **own}


def sunk(operation: Any) -> Any:
    """Return an operation object of an OpenAPI 3 document in the words of that version.

    People go on writing what describes a value into the parameter, and bodies as parameters.
    """
    parameters = operation.get("parameters") if isinstance(operation, Mapping) else None
    if not isinstance(parameters, list):
        return operation
    bodies = [p for p in parameters if _place(p) in ("body", "formData")]
    kept = [_sunk_parameter(p) for p in parameters if p not in bodies]
    made = {**operation, "parameters": kept}
    if bodies and "requestBody" not in operation:
        made["requestBody"] = _sunk_body(bodies, operation.get("consumes"))
    return made


def _place(parameter: Any) -> str | None:
    place = parameter.get("in") if isinstance(parameter, Mapping) else None
    # A schema may have a property of that name.
    return place if isinstance(place, str) else None


def _sunk_parameter(parameter: Any) -> Any:
    if _place(parameter) not in _IN_SCHEMA:
        return parameter
    if parameter.get("style") not in _STYLES[parameter["in"]]:
        parameter = {key: value for key, value in parameter.items() if key != "style"}
    if not {"schema", "content"}.isdisjoint(parameter):
        return parameter
    made = {key: value for key, value in parameter.items() if key in _OF_PARAMETER}
    declared = made.pop("collectionFormat", None)
    if declared in ("csv", "multi") and parameter["in"] == "query":
        made |= {"style": "form", "explode": declared == "multi"}
    schema = {key: value for key, value in parameter.items() if key not in _OF_PARAMETER}
    return {**made, "schema": schema}


def _sunk_body(bodies: list[Any], consumes: Any) -> Mapping[str, Any]:
    offered = [entry for entry in consumes if entry] if isinstance(consumes, list) else []
    whole = next((body for body in bodies if body["in"] == "body"), None)
    if whole is not None:
        entry = {"schema": whole.get("schema", {})}
        content = dict.fromkeys(offered or (JSON,), entry)
        return {"required": whole.get("required") is True, "content": content}
    fields = {str(body.get("name")): _lifted_parameter(body) for body in bodies}
    is_parted = MULTIPART in offered or any(map(holds_file, fields.values()))
    schema = {
        "type": "object",
        "properties": {name: form_field(field) for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.get("required") is True],
    }
    # A form is always sent, whichever fields it has.
    content = {MULTIPART if is_parted else URLENCODED: {"schema": schema}}
    return {"required": True, "content": content}


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
