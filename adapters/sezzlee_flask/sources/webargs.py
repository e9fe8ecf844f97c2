"""webargs: the schemas that `use_args` around a view, or the view, reads requests with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sezzlee_flask.sources.documents import Reading
from sezzlee_flask.sources.marshmallow import SchemaReader
from sezzlee_flask.sources.traces import around, closure_of
from sezzlee_flask.sources.webargs_parsed import schemas_parsed
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.media_types import JSON, MULTIPART, URLENCODED
from sezzlee_py.model import JSONObject

_PACKAGE: Final = "webargs"
_ENCLOSED: Final = frozenset({"argmap", "location"})
_PLACES: Final = {
    "query": "query",
    "querystring": "query",
    "headers": "header",
    "cookies": "cookie",
}
_BODIES: Final = {
    "json": (JSON,),
    "json_or_form": (JSON, URLENCODED),
    "form": (URLENCODED, MULTIPART),
    "files": (MULTIPART,),
}
_JSON: Final = ("json", "json_or_form")
_IN_PATH: Final = ("path", "view_args")


def described(
    operation: DiscoveredOperation, view: object, reading: Reading
) -> DiscoveredOperation | None:
    """Return an operation with the schemas of webargs, `None` where they cannot be known."""
    reader = SchemaReader()
    enclosed = [c for c in map(_enclosed, around(operation, view)) if c.keys() >= _ENCLOSED]
    if enclosed:
        told = [(c["location"], reader.schema_of(c["argmap"])) for c in enclosed]
    else:
        told = _of_one_body(operation, schemas_parsed(operation, reader) or [])
    # A schema made for each request, or a place of the host's own.
    if not told or not all(schema is not None and _is_known(place) for place, schema in told):
        return None
    parameters = [
        parameter
        for location, schema in told
        if location in _PLACES
        for parameter in reader.parameters(schema, _PLACES[location])
    ]
    body = _body(told, reader)
    node = {"parameters": parameters, **({} if body is None else {"requestBody": body})}
    root = {"openapi": "3.1.0", "components": {"schemas": reader.components}}
    described = reading.described(operation, node, root)
    is_whole = bool(enclosed) or body is not None
    # A parser of the query says nothing about a body that the view reads in another way.
    return described if is_whole else replace(described, accepts=operation.accepts)


def _is_known(location: str) -> bool:
    return location in _PLACES or location in _BODIES or location in _IN_PATH


def _of_one_body(
    operation: DiscoveredOperation, told: list[tuple[str, Any]]
) -> list[tuple[str, Any]]:
    """Return what a view parses, with one of the bodies that it takes, or nothing.

    It asks for JSON or a form by what was sent.
    """
    bodies = [(location, schema) for location, schema in told if location in _BODIES]
    rest = [part for part in told if part not in bodies]
    if operation.descriptor.method == "GET":
        return rest
    chosen = [part for part in bodies if part[0] in _JSON] or bodies
    is_one = len(chosen) < 2 or {place for place, _ in chosen} == {"files", "form"}
    return [*rest, *chosen] if is_one else []


def _enclosed(layer: object) -> Mapping[str, Any]:
    return closure_of(layer, _PACKAGE)


def _body(told: list[tuple[str, Any]], reader: SchemaReader) -> JSONObject | None:
    """Return the body that all schemas about it ask for together."""
    parts = [(location, schema) for location, schema in told if location in _BODIES]
    if not parts:
        return None
    if len(parts) == 1 and parts[0][0] != "files":
        (location, schema) = parts[0]
        types, shape = _BODIES[location], reader.object_schema(schema)
    else:
        types, shape = (MULTIPART,), _merged(parts, reader)
    return {"required": True, "content": {name: {"schema": shape} for name in types}}


def _merged(parts: list[tuple[str, Any]], reader: SchemaReader) -> JSONObject:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for location, schema in parts:
        shape = reader.plain_object(schema)
        for name, field in shape["properties"].items():
            properties[name] = _file(field) if location == "files" else field
        required += shape.get("required", [])
    return {"type": "object", "properties": properties, "required": required}


def _file(field: Mapping[str, Any]) -> JSONObject:
    binary = {"type": "string", "format": "binary"}
    kept = {"description": field["description"]} if "description" in field else {}
    if field.get("type") == "array":
        return {"type": "array", "items": binary, **kept}
    return {**binary, **kept}
