"""The keywords of JSON Schema 2020-12: which hold schemas, and what the others may hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.catalog.schema.references import references_in

ANNOTATIONS: Final = frozenset(
    {"description", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)
# What each of these demands of a value depends on no other keyword of the schema.
SELF_CONTAINED: Final = frozenset(
    {"format", "pattern", "minLength", "maxLength", "enum", "const", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"minItems", "maxItems", "uniqueItems", "contentEncoding", "contentMediaType"}
)
# pydantic writes a title per field, and a default invites sending the value.
NOISE: Final = frozenset({"title", "default"})
# References are resolved when a schema is read, so what only serves to find a schema goes.
IDENTIFIERS: Final = frozenset(
    {"$id", "id", "$schema", "$anchor", "$vocabulary", "$defs", "definitions"}
    | {"$dynamicAnchor", "$recursiveAnchor"}
)
DROPPED: Final = NOISE | IDENTIFIERS | {"example", "nullable"}
UNRESOLVABLE: Final = frozenset({"$dynamicRef", "$recursiveRef"})
OPENAPI_ANNOTATIONS: Final = frozenset({"discriminator", "xml", "externalDocs"})
SCHEMA: Final = frozenset(
    {"items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"}
    | {"unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems"}
)
SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
SCHEMA_MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
OLD_SPELLINGS: Final = frozenset({"exclusiveMinimum", "exclusiveMaximum"})
OCTET_STREAM: Final = "application/octet-stream"
_ENCODINGS: Final = {"byte": "base64", "base64": "base64", "base64url": "base64url"}
# pydantic's pattern for the text of a Decimal begins so; older releases write it, newer do not.
_DECIMAL_PATTERN: Final = "^(?!^[-+.]*$)[+-]?0*"
_SHAPES: Final = SCHEMA_MAPS | SCHEMA_LISTS | {"additionalProperties", "unevaluatedProperties"}
TYPES: Final = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def is_number(value: Any) -> bool:
    """Whether `value` is a JSON number, which is finite."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def is_text_list(value: Any) -> bool:
    """Whether `value` is a list of distinct strings."""
    return (
        isinstance(value, list)
        and all(isinstance(entry, str) for entry in value)
        and len(set(value)) == len(value)
    )


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return is_text_list(value) and bool(value) and TYPES.issuperset(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return is_number(value) and value > 0


def _is_dependency_map(value: Any) -> bool:
    return isinstance(value, Mapping) and all(is_text_list(entry) for entry in value.values())


def is_data(value: Any) -> bool:
    """Whether `value` can be published as it is: JSON text holds no infinity and no object."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _is_data_list(value: Any) -> bool:
    return isinstance(value, list) and is_data(value)


def is_plain(value: Any) -> bool:
    """Whether the value of an unknown keyword is data: references in it lead nowhere later."""
    return is_data(value) and next(references_in(value), None) is None


def _fits(rule: Callable[[Any], bool], *keywords: str) -> dict[str, Callable[[Any], bool]]:
    return dict.fromkeys(keywords, rule)


VALUE_RULES: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        **_fits(_is_type, "type"),
        **_fits(is_data, "const"),
        **_fits(_is_data_list, "enum", "examples"),
        **_fits(is_text_list, "required"),
        **_fits(_is_positive, "multipleOf"),
        **_fits(is_number, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        **_fits(_is_count, "minLength", "maxLength", "minItems", "maxItems"),
        **_fits(_is_count, "minProperties", "maxProperties", "minContains", "maxContains"),
        **_fits(_is_flag, "uniqueItems", "deprecated", "readOnly", "writeOnly"),
        **_fits(_is_text, "description", "format", "pattern", "$comment"),
        **_fits(_is_text, "contentEncoding", "contentMediaType"),
        **_fits(_is_dependency_map, "dependentRequired"),
    }
)


def is_object_schema(schema: Any) -> bool:
    """Whether `schema` describes an object with a shape of its own."""
    if not isinstance(schema, Mapping):
        return False
    kind = schema.get("type")
    if kind is not None:
        return bool(kind == "object" or (isinstance(kind, list) and "object" in kind))
    if "properties" in schema or "patternProperties" in schema:
        return True
    members = schema.get("allOf")
    return isinstance(members, list) and any(
        is_object_schema(member) or (isinstance(member, Mapping) and "$ref" in member)
        for member in members
    )


def is_decimal_text(schema: Any) -> bool:
    """Whether `schema` is the text half of pydantic's `Decimal`, as far as a document shows it."""
    if not isinstance(schema, Mapping) or schema.get("type") != "string":
        return False
    pattern = schema.get("pattern")
    return isinstance(pattern, str) and pattern.startswith(_DECIMAL_PATTERN)


def settle_required(out: dict[str, Any], hidden: set[str]) -> None:
    """Take the names of removed properties out of `required`, and an empty `required` away."""
    if "required" in out:
        out["required"] = [name for name in out["required"] if name not in hidden]
        if not out["required"]:
            del out["required"]


def settle_example(node: Mapping[Any, Any], out: dict[str, Any]) -> None:
    """Carry OpenAPI's single `example` as `examples`."""
    if "example" in node and "examples" not in out and is_data(node["example"]):
        out["examples"] = [node["example"]]


def settle_bounds(node: Mapping[Any, Any], out: dict[str, Any]) -> None:
    """Turn OpenAPI 3.0's boolean `exclusiveMinimum` into the bound itself."""
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if node.get(flag) is True and bound in out:
            out[flag] = out.pop(bound)


def settle_type(out: dict[str, Any], *, null_travels: bool) -> None:
    """Write a list of one type as that type; where nothing carries `null`, it goes."""
    kinds = out.get("type")
    if isinstance(kinds, list):
        kept = [kind for kind in kinds if null_travels or kind != "null"] or kinds
        out["type"] = kept[0] if len(kept) == 1 else kept


def settle_encoding(out: dict[str, Any], *, part: bool) -> None:
    """Say how bytes travel in the words of JSON Schema.

    Args:
        part: whether the schema stands in a multipart body, where `format: binary` is a file.
            Elsewhere it is pydantic's `bytes`, which reads the text itself.
    """
    shape = out.get("format")
    if shape in _ENCODINGS:
        del out["format"]
        out.setdefault("contentEncoding", _ENCODINGS[shape])
    elif shape == "binary":
        del out["format"]
        if part:
            out.setdefault("contentMediaType", OCTET_STREAM)
    if not part and out.get("contentMediaType") == OCTET_STREAM and "contentEncoding" not in out:
        del out["contentMediaType"]


def settle_pydantic(out: dict[str, Any]) -> None:
    """Level what pydantic's releases write differently about one type."""
    if out.get("format") == "time" and out.get("type") == "string":
        # The format demands an offset, which Python's `time` does not.
        del out["format"]
    if "const" in out and out.get("enum") == [out["const"]]:
        del out["enum"]
    if out.get("type") == "object" and _SHAPES.isdisjoint(out):
        out["additionalProperties"] = True
