"""Swagger 2.0 operations in the shape of OpenAPI 3 (spec: openapi 3).

The document's own sections stay where they are, so references and pointers lead into the original;
what moves carries a note of where it stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sezzlee_py.catalog.media_choice import bare_media_type
from sezzlee_py.catalog.media_types import JSON, MULTIPART, URLENCODED
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.openapi.document import ORIGIN, ApiDocument, FindingList, Located

_FLOWS: Final = {"application": "clientCredentials", "accessCode": "authorizationCode"}
_DELIMITED: Final = {"ssv": "spaceDelimited", "pipes": "pipeDelimited"}
_SIMPLE: Final = ("path", "header")
_FILE: Final = {"type": "string", "format": "binary"}
# What describes the parameter; all else in it describes the value.
_NOT_SCHEMA: Final = frozenset(
    {"name", "in", "required", "description", "collectionFormat", "allowEmptyValue", ORIGIN}
)


def upgrade_root(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with its security schemes where OpenAPI 3 keeps them."""
    definitions = document.get("securityDefinitions")
    schemes = {
        name: _scheme(scheme, pointer_to("/securityDefinitions", name))
        for name, scheme in (definitions.items() if isinstance(definitions, Mapping) else ())
    }
    return {**document, "openapi": "2.0", "components": {"securitySchemes": schemes}}


def _scheme(scheme: Any, pointer: str) -> Any:
    if not isinstance(scheme, Mapping):
        return scheme
    if scheme.get("type") == "basic":
        return {"type": "http", "scheme": "basic", ORIGIN: pointer}
    if scheme.get("type") == "oauth2":
        flow = scheme.get("flow")
        return {
            "type": "oauth2",
            "flows": {_FLOWS.get(str(flow), str(flow)): scheme},
            ORIGIN: pointer,
        }
    return {**scheme, ORIGIN: pointer}


def upgrade_operation(
    document: ApiDocument,
    operation: Located,
    parameters: tuple[Located, ...],
    findings: FindingList,
) -> dict[str, Any]:
    """Return a 2.0 operation in the shape of OpenAPI 3.

    Args:
        document: the document, for references to responses.
        operation: the operation object.
        parameters: its parameters, those of the path item among them, resolved.
    """
    kept: list[dict[str, Any]] = []
    bodies: list[Located] = []
    fields: list[Located] = []
    for parameter in parameters:
        place = parameter.node.get("in")
        if place == "body":
            bodies.append(parameter)
        elif place == "formData":
            fields.append(parameter)
        else:
            kept.append(_parameter(parameter, findings))
    upgraded = {key: value for key, value in operation.node.items() if key != "responses"}
    upgraded["parameters"] = kept
    body = _body(document, operation, bodies, fields, findings)
    if body is not None:
        upgraded["requestBody"] = body
    upgraded["responses"] = _responses(document, operation, findings)
    return upgraded


# -- parameters --------------------------------------------------------------------------------


def _parameter(parameter: Located, findings: FindingList) -> dict[str, Any]:
    node = parameter.node
    kept = {key: node[key] for key in _NOT_SCHEMA & node.keys() if key != "collectionFormat"}
    return {
        **kept,
        "schema": _value_schema(node),
        **_style(parameter, findings),
        ORIGIN: parameter.pointer,
    }


def _value_schema(node: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _item_schema(value) if key == "items" else value
        for key, value in node.items()
        if key not in _NOT_SCHEMA
    }


def _item_schema(items: Any) -> Any:
    if not isinstance(items, Mapping):
        return items
    inner = {key: value for key, value in items.items() if key != "collectionFormat"}
    return {**inner, "items": _item_schema(inner["items"])} if "items" in inner else inner


def _style(parameter: Located, findings: FindingList) -> dict[str, Any]:
    node, place = parameter.node, str(parameter.node.get("in"))
    if node.get("type") != "array":
        return {}
    declared = str(node.get("collectionFormat", "csv"))
    if declared == "csv":
        return {"style": "simple" if place in _SIMPLE else "form", "explode": False}
    if declared == "multi" and place == "query":
        return {"style": "form", "explode": True}
    if declared in ("ssv", "pipes") and place == "query":
        return {
            "style": "spaceDelimited" if declared == "ssv" else "pipeDelimited",
            "explode": False,
        }
    _refuse_format(parameter, declared, findings)
    return {}


def _refuse_format(parameter: Located, declared: Any, findings: FindingList) -> None:
    name, place = parameter.node.get("name"), parameter.node.get("in")
    findings.add(
        "unsupported_collection_format",
        f"the {place} '{name}' has the collection format {declared!r}, which nothing writes there",
        about=f"{place} {name}",
        pointer=pointer_to(parameter.pointer, "collectionFormat"),
    )


# -- bodies ------------------------------------------------------------------------------------


def _body(
    document: ApiDocument,
    operation: Located,
    bodies: list[Located],
    fields: list[Located],
    findings: FindingList,
) -> dict[str, Any] | None:
    if len(bodies) + bool(fields) > 1:
        findings.add(
            "multiple_body_bindings",
            "an operation has one body: one parameter in body, or fields in formData",
            pointer=pointer_to(operation.pointer, "parameters"),
        )
        return None
    consumes = _types(document, operation, "consumes")
    if bodies:
        return _whole_body(bodies[0], consumes or (JSON,))
    return _form(fields, consumes, findings) if fields else None


def _types(document: ApiDocument, operation: Located, key: str) -> tuple[str, ...]:
    declared = operation.node.get(key, document.root.get(key))
    if not isinstance(declared, list):
        return ()
    return tuple(entry for entry in declared if isinstance(entry, str))


def _whole_body(body: Located, consumes: tuple[str, ...]) -> dict[str, Any]:
    entry = {
        "schema": body.node.get("schema", {}),
        ORIGIN: pointer_to(body.pointer, "schema"),
    }
    kept = {key: body.node[key] for key in ("description", "required") if key in body.node}
    return {**kept, "content": dict.fromkeys(consumes, entry), ORIGIN: body.pointer}


def _form(
    fields: list[Located], consumes: tuple[str, ...], findings: FindingList
) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for field in fields:
        name = str(field.node.get("name"))
        properties[name] = _field_schema(field, findings)
        if field.node.get("required") is True:
            required.append(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    has_file = any(holds_file(field.node) for field in fields)
    offered = {bare_media_type(entry) for entry in consumes}
    media_type = MULTIPART if has_file or MULTIPART in offered else URLENCODED
    entry = {"schema": schema, ORIGIN: fields[0].pointer}
    # 2.0 speaks of fields only: a form is always sent.
    return {"required": True, "content": {media_type: entry}, ORIGIN: fields[0].pointer}


def _field_schema(field: Located, findings: FindingList) -> dict[str, Any]:
    node, declared = field.node, field.node.get("collectionFormat", "csv")
    if node.get("type") == "array" and declared != "multi" and not holds_file(node):
        # A form repeats the key of a list; files are parts of their own in any case.
        _refuse_format(field, declared, findings)
    return form_field(node)


def form_field(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a field of a form, which 2.0 describes as a parameter."""
    described = {key: node[key] for key in ("description",) if key in node}
    if _is_file(node):
        return {**_FILE, **described}
    items = {"items": _FILE} if _is_file(node.get("items")) else {}
    return {**_value_schema(node), **items, **described}


def holds_file(node: Mapping[str, Any]) -> bool:
    """Whether a field of a form is a file, or several."""
    return _is_file(node) or _is_file(node.get("items"))


def _is_file(node: Any) -> bool:
    return isinstance(node, Mapping) and node.get("type") == "file"


# -- responses ---------------------------------------------------------------------------------


def _responses(document: ApiDocument, operation: Located, findings: FindingList) -> Any:
    declared = operation.node.get("responses", {})
    if not isinstance(declared, Mapping):
        return declared
    produces = _types(document, operation, "produces") or (JSON,)
    place = pointer_to(operation.pointer, "responses")
    upgraded: dict[str, Any] = {}
    for status, node in declared.items():
        if str(status).startswith("x-"):
            continue
        response = document.resolve(node, pointer_to(place, status), findings)
        if response is not None:
            upgraded[status] = _response(response, produces)
    return upgraded


def _response(response: Located, produces: tuple[str, ...]) -> dict[str, Any]:
    schema = response.node.get("schema")
    kept = {key: response.node[key] for key in ("description",) if key in response.node}
    upgraded: dict[str, Any] = {**kept, ORIGIN: response.pointer}
    if isinstance(schema, Mapping) and not _is_file(schema):
        entry = {"schema": schema, ORIGIN: pointer_to(response.pointer, "schema")}
        upgraded["content"] = dict.fromkeys(produces, entry)
    return upgraded
