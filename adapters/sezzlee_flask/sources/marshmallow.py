"""marshmallow schemas as JSON Schema, as far as fields and validators of its own say."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Set
from typing import Any, Final, TypeGuard

from sezzlee_flask.sources.documents import mapping_of
from sezzlee_py.catalog.handlers import attribute, is_class
from sezzlee_py.model import JSONObject

# Whose classes mean what they are called.
_PACKAGES: Final = frozenset({"marshmallow", "webargs", "flask_marshmallow", "apiflask"})
_TYPES: Final[Mapping[str, JSONObject]] = {
    "AwareDateTime": {"type": "string", "format": "date-time"},
    "Boolean": {"type": "boolean"},
    "Date": {"type": "string", "format": "date"},
    "DateTime": {"type": "string", "format": "date-time"},
    "Decimal": {"type": "number"},
    "Dict": {"type": "object"},
    "Email": {"type": "string", "format": "email"},
    "Float": {"type": "number"},
    "IP": {"type": "string"},
    "Integer": {"type": "integer"},
    "Mapping": {"type": "object"},
    "NaiveDateTime": {"type": "string", "format": "date-time"},
    "Number": {"type": "number"},
    "String": {"type": "string"},
    "Time": {"type": "string"},
    "TimeDelta": {"type": "integer"},
    "UUID": {"type": "string", "format": "uuid"},
    "Url": {"type": "string", "format": "uri"},
}


class SchemaReader:
    """Reads schemas; what they nest is kept once each, so that a cycle ends.

    Args:
        home: where a document keeps schemas by name.

    Attributes:
        components: the nested schemas by name, as a document keeps them.
    """

    def __init__(self, home: str = "#/components/schemas/") -> None:
        self.components: dict[str, Any] = {}
        self._home = home
        self._names: dict[Hashable, str] = {}
        self._open: set[Hashable] = set()

    def schema_of(self, argmap: Any) -> Any | None:
        """Return the schema that a map of arguments is, `None` where a request makes it."""
        if is_class(argmap) and attribute(argmap, "_declared_fields") is not None:
            # Made as the extension makes it for each request; the class is the host's.
            try:
                argmap = argmap()
            except Exception:
                return None
        return argmap if isinstance(attribute(argmap, "fields"), Mapping) else None

    def inputs(self, schema: Any) -> Iterator[tuple[str, Any]]:
        """Yield the fields that a request fills, by the names they have on the wire."""
        for name, field in mapping_of(attribute(schema, "fields")).items():
            if attribute(field, "dump_only") is not True:
                key = attribute(field, "data_key")
                yield (key if isinstance(key, str) else name), field

    def parameters(self, schema: Any, place: str) -> Iterator[JSONObject]:
        """Yield the parameters that hold the fields, as a document has them.

        Args:
            schema: whose fields they hold.
            place: `path`, `query`, `header` or `cookie`.
        """
        for name, field in self.inputs(schema):
            is_list = self.is_delimited(field)
            shape = self.field_schema(field)
            if place != "query" and shape.get("type") == "array":
                # Only a query writes a name twice, so one value of a list can be.
                shape = shape["items"]
            yield {
                "name": name,
                "in": place,
                "required": place == "path" or attribute(field, "required") is True,
                "schema": shape,
                **({"style": "form", "explode": False} if is_list and place == "query" else {}),
            }

    def object_schema(self, schema: Any) -> JSONObject:
        """Return the schema of what a request holds, a list of objects where it says so."""
        shape = self.plain_object(schema)
        return {"type": "array", "items": shape} if attribute(schema, "many") is True else shape

    def plain_object(self, schema: Any) -> JSONObject:
        """Return the schema of one object."""
        fields = dict(self.inputs(schema))
        made: dict[str, Any] = {
            "type": "object",
            "properties": {name: self.field_schema(field) for name, field in fields.items()},
        }
        required = [n for n, field in fields.items() if attribute(field, "required") is True]
        if required:
            made["required"] = required
        if attribute(schema, "unknown") == "include":
            made["additionalProperties"] = True
        return made

    def field_schema(self, field: Any) -> JSONObject:
        """Return the schema of a field; of one that only its own code knows, any value."""
        schema = self._by_kind(field)
        for validator in attribute(field, "validators") or ():  # type: ignore[attr-defined]
            schema = {**schema, **_constraints(validator, schema.get("type"))}
        description = mapping_of(attribute(field, "metadata")).get("description")
        if isinstance(description, str):
            schema = {**schema, "description": description}
        if attribute(field, "allow_none") is True and isinstance(schema.get("type"), str):
            schema = {**schema, "type": [schema["type"], "null"]}
        return schema

    def is_delimited(self, field: Any) -> bool:
        """Whether a list is written as one text with commas."""
        return "DelimitedFieldMixin" in _kinds(field) and attribute(field, "delimiter") == ","

    def _by_kind(self, field: Any) -> JSONObject:
        kinds = _kinds(field)
        kind = next((k for k in kinds if k in _TYPES or k in _STRUCTURES), None)
        if kind in ("List", "Tuple"):
            inner = attribute(field, "inner")
            return {"type": "array", "items": {} if inner is None else self.field_schema(inner)}
        if kind in ("Nested", "Pluck"):
            return self._nested(field) if kind == "Nested" else {}
        if kind == "Enum":
            return _enum(field)
        if kind in ("Dict", "Mapping"):
            inner = attribute(field, "value_field")
            more = {} if inner is None else self.field_schema(inner)
            return {"type": "object", "additionalProperties": more or True}
        schema = dict(_TYPES.get(kind or "", {}))
        if "format" in schema and attribute(field, "format") not in (None, "iso", "iso8601"):
            # A pattern of the host's own is no standard format.
            schema.pop("format")
        return schema

    def _nested(self, field: Any) -> JSONObject:
        schema = attribute(field, "schema")
        if schema is None:
            return {}
        key = (type(schema), *(_names_in(attribute(schema, part)) for part in ("only", "exclude")))
        is_whole = not any(key[1:])
        # One that nests itself without some of its fields has no end either.
        if is_whole or key in self._open:
            shape = self._reference(schema, key)
        else:
            self._open.add(key)
            shape = self.plain_object(schema)
            self._open.discard(key)
        is_many = attribute(field, "many") is True or attribute(schema, "many") is True
        return {"type": "array", "items": shape} if is_many else shape

    def _reference(self, schema: Any, key: Hashable) -> JSONObject:
        if key not in self._names:
            cls = type(schema)
            name = cls.__name__.removesuffix("Schema") or cls.__name__
            taken = sum(1 for known in self._names.values() if known.rstrip("0123456789") == name)
            self._names[key] = f"{name}{taken + 1}" if taken else name
            self.components[self._names[key]] = self.plain_object(schema)
        return {"$ref": f"{self._home}{self._names[key]}"}


def is_of_package(cls: type, package: str) -> bool:
    """Whether a package defines a class."""
    return cls.__module__.partition(".")[0] == package


def _names_in(given: object) -> frozenset[str]:
    names = given if isinstance(given, list | tuple | Set) else ()
    return frozenset(name for name in names if isinstance(name, str))


_STRUCTURES: Final = ("List", "Tuple", "Nested", "Pluck", "Enum")


def _kinds(field: object) -> list[str]:
    bases = type(field).__mro__
    return [base.__name__ for base in bases if base.__module__.partition(".")[0] in _PACKAGES]


def _enum(field: Any) -> JSONObject:
    members = attribute(field, "enum")
    if attribute(field, "by_value") or not isinstance(members, type):
        return {}
    return {"type": "string", "enum": [member.name for member in members]}  # type: ignore[attr-defined]


def _constraints(validator: object, kind: object) -> JSONObject:
    if type(validator).__module__.partition(".")[0] not in _PACKAGES:
        return {}
    name = type(validator).__name__
    if name == "OneOf":
        choices = attribute(validator, "choices")
        return {"enum": list(choices)} if is_plain(choices) else {}
    if name == "Range":
        return _bounds(validator)
    if name == "Length":
        return _lengths(validator, "Items" if kind == "array" else "Length")
    if name == "Regexp":
        pattern = attribute(attribute(validator, "regex"), "pattern")
        return {"pattern": pattern} if isinstance(pattern, str) else {}
    return {}


def is_plain(choices: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether choices are texts and numbers that JSON has."""
    return isinstance(choices, list | tuple) and all(
        isinstance(choice, str) or _is_number(choice) for choice in choices
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _bounds(validator: object) -> JSONObject:
    found: dict[str, Any] = {}
    for side, word in (("min", "inimum"), ("max", "aximum")):
        bound = attribute(validator, side)
        if _is_number(bound):
            is_open = attribute(validator, f"{side}_inclusive") is False
            found[f"exclusive{side[0].upper()}{word}" if is_open else f"{side[0]}{word}"] = bound
    return found


def _lengths(validator: object, what: str) -> JSONObject:
    equal = attribute(validator, "equal")
    sides = {
        f"min{what}": attribute(validator, "min") if equal is None else equal,
        f"max{what}": attribute(validator, "max") if equal is None else equal,
    }
    return {name: bound for name, bound in sides.items() if isinstance(bound, int)}
