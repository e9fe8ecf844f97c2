"""Schemas that YAML calls by the name of a marshmallow class, as apispec finds them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sezzlee_flask.sources.documents import mapping_of
from sezzlee_flask.sources.marshmallow import SchemaReader
from sezzlee_py.catalog.handlers import attribute
from sezzlee_py.model import JSONObject

# Where marshmallow keeps every class under its name.
_REGISTRY: Final = "marshmallow.class_registry"
_PLACES: Final = frozenset({"path", "query", "header", "cookie"})
_TYPES: Final = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_VALUES: Final = frozenset({"default", "enum", "example", "examples"})
# Below these a text is the name of a schema.
_ONE: Final = frozenset({"schema", "items", "not"})
_SEVERAL: Final = frozenset({"allOf", "anyOf", "oneOf"})


def with_named_schemas(told: Mapping[str, Any], reader: SchemaReader) -> dict[str, Any]:
    """Return an operation object with the schemas that it names; under an unknown name, any value.

    A schema says what is read. Of an answer it would be something else, so that stays open. A
    parameter without a name of its own stands for the fields of its schema.

    Args:
        told: the operation object.
        reader: reads the schemas, and keeps what they nest.
    """
    made = {
        key: _resolved(part, None if key == "responses" else reader) for key, part in told.items()
    }
    listed = told.get("parameters")
    if isinstance(listed, list):
        made["parameters"] = [part for given in listed for part in _parameters(given, reader)]
    return made


def _parameters(given: Any, reader: SchemaReader) -> Iterator[Any]:
    name = given.get("schema") if isinstance(given, Mapping) and "name" not in given else None
    schema = reader.schema_of(_class_of(name)) if isinstance(name, str) else None
    place = mapping_of(given).get("in")
    if schema is None or not isinstance(place, str) or place not in _PLACES:
        yield _resolved(given, reader)
    else:
        yield from reader.parameters(schema, place)


def _resolved(node: Any, reader: SchemaReader | None) -> Any:
    if isinstance(node, list):
        return [_resolved(item, reader) for item in node]
    if not isinstance(node, Mapping):
        return node
    return {key: _part(key, value, reader) for key, value in node.items()}


def _part(key: Any, value: Any, reader: SchemaReader | None) -> Any:
    if key in _VALUES:
        return value
    if key in _ONE:
        return _schema(value, reader)
    if key in _SEVERAL and isinstance(value, list):
        return [_schema(item, reader) for item in value]
    if key == "properties" and isinstance(value, Mapping):
        return {name: _schema(item, reader) for name, item in value.items()}
    return _resolved(value, reader)


def _schema(node: Any, reader: SchemaReader | None) -> Any:
    return _named(node, reader) if isinstance(node, str) else _resolved(node, reader)


def _named(name: str, reader: SchemaReader | None) -> JSONObject:
    if name in _TYPES:
        return {"type": name}
    schema = None if reader is None else reader.schema_of(_class_of(name))
    return {} if schema is None or reader is None else reader.object_schema(schema)


def _class_of(name: str) -> object:
    """Return the one marshmallow class of a name, `None` where there is none or more than one."""
    look_up = attribute(sys.modules.get(_REGISTRY), "get_class")
    if not callable(look_up):
        return None
    try:
        return look_up(name)
    except NameError:
        # What the registry raises for a name that it does not know, or knows twice.
        return None
