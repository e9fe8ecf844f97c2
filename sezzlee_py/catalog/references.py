"""References that keep their target when a schema moves inside another."""

from __future__ import annotations

from collections.abc import Mapping

from sezzlee_py.catalog.schema_shapes import (
    LIST_OF_SCHEMAS,
    MAP_OF_SCHEMAS,
    ONE_SCHEMA,
    subschemas,
)
from sezzlee_py.model import JSONObject, JSONValue


def points_at_its_root(schema: JSONValue) -> bool:
    """Whether `schema` refers to itself or to a part of itself that is not in its `$defs`.

    Definitions move to the root of the tool's schema under the same pointer; anything else is
    found under another one once the schema is a property.
    """
    if not isinstance(schema, Mapping) or "$id" in schema:
        return False
    return any(_moves(inner.get("$ref")) for inner in subschemas(schema))


def relocate(schema: JSONValue, pointer: str) -> JSONValue:
    """Return `schema` as it reads under `pointer`, its references to its own root rewritten."""
    if not isinstance(schema, Mapping) or "$id" in schema:
        return schema
    return {key: _relocate_keyword(key, value, pointer) for key, value in schema.items()}


def property_pointer(name: str) -> str:
    """Return the reference to property `name` of the root schema."""
    return "#/properties/" + name.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _moves(reference: JSONValue) -> bool:
    return isinstance(reference, str) and (
        reference == "#" or (reference.startswith("#/") and not reference.startswith("#/$defs/"))
    )


def _relocate_keyword(keyword: str, value: JSONValue, pointer: str) -> JSONValue:
    if keyword == "$ref":
        return pointer + value[1:] if _moves(value) else value
    if keyword in MAP_OF_SCHEMAS and isinstance(value, Mapping):
        return _relocate_each(value, pointer)
    if keyword in LIST_OF_SCHEMAS and isinstance(value, list):
        return [relocate(item, pointer) for item in value]
    return relocate(value, pointer) if keyword in ONE_SCHEMA else value


def _relocate_each(schemas: JSONObject, pointer: str) -> JSONObject:
    return {name: relocate(schema, pointer) for name, schema in schemas.items()}
