"""Values drawn from a published schema, and values that break it, for the real handler to judge."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from hypothesis import strategies as st

TEXTS: Final = {
    "uuid": st.uuids().map(str),
    "date": st.dates().map(str),
    "date-time": st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    "time": st.times().map(str),
    "duration": st.sampled_from(["P3D", "PT5M"]),
    "email": st.just("a@example.com"),
    "uri": st.just("https://example.com/a"),
}
# Words of any kind that no number or boolean is read from, and that travel in any slot.
WORDS: Final = st.text("abcxyz", min_size=1, max_size=8)
SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
WRONG: Final[Mapping[str, Any]] = {
    "integer": "abc",
    "number": "abc",
    "boolean": "abc",
    "string": {"abc": 1},
    "array": 7.5,
    "object": "abc",
}


def values_of(schema: Any, root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for values that fit `schema`, whose references point into `root`."""
    if not isinstance(schema, Mapping):
        return WORDS
    if "$ref" in schema:
        target = root["$defs"][schema["$ref"].rpartition("/")[2]]
        return st.deferred(lambda: values_of(target, root))
    for union in ("anyOf", "oneOf"):
        if union in schema and "properties" not in schema:
            return st.one_of([values_of(member, root) for member in schema[union]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return _of_kind(schema, root)


def _of_kind(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    kinds = schema.get("type", "string")
    made: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
        "integer": lambda: st.integers(schema.get("minimum", 0), schema.get("maximum", 10**6)),
        "number": lambda: st.integers(schema.get("minimum", 0), schema.get("maximum", 999)),
        "boolean": st.booleans,
        "null": st.none,
        "string": lambda: _texts(schema),
        "array": lambda: _arrays(schema, root),
        "object": lambda: _objects(schema, root),
    }
    listed = kinds if isinstance(kinds, list) else [kinds]
    return st.one_of([made[kind]() for kind in listed])


def _texts(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if schema.get("contentEncoding") == "base64":
        return st.binary(max_size=8).map(lambda raw: base64.b64encode(raw).decode())
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    if schema.get("format") in TEXTS:
        return TEXTS[schema["format"]]
    low, high = schema.get("minLength", 1), schema.get("maxLength", 12)
    return st.text("abcxyz", min_size=max(low, 1), max_size=high)


def _arrays(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[list[Any]]:
    if "prefixItems" in schema:
        return st.tuples(*(values_of(item, root) for item in schema["prefixItems"])).map(list)
    return st.lists(
        values_of(schema.get("items"), root),
        min_size=schema.get("minItems", 1),
        max_size=schema.get("maxItems", 3),
        unique_by=repr if schema.get("uniqueItems") else None,
    )


def _objects(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    known = {name: values_of(inner, root) for name, inner in schema.get("properties", {}).items()}
    required = set(schema.get("required", ()))
    if {"text", "base64"} <= known.keys():
        # A file is told by exactly one of the two.
        one = st.sampled_from(["text", "base64"])
        return one.flatmap(lambda source: st.fixed_dictionaries({source: known[source]}))
    own = st.fixed_dictionaries(
        {name: values for name, values in known.items() if name in required},
        optional={name: values for name, values in known.items() if name not in required},
    )
    extra = schema.get("additionalProperties")
    if known or not isinstance(extra, Mapping):
        return own
    keys = schema.get("propertyNames", {"type": "string"})
    return st.dictionaries(values_of(keys, root), values_of(extra, root), max_size=2)


def broken(schema: Any, root: Mapping[str, Any]) -> Any | None:
    """Return a value of another kind than `schema` admits, `None` when it admits every kind."""
    if not isinstance(schema, Mapping):
        return None
    if "$ref" in schema:
        return broken(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            kinds = {str(member.get("type")) for member in schema[union]}
            return (
                {"abc": 1} if kinds <= {"string", "integer", "number", "boolean", "null"} else 7.5
            )
    if "const" in schema or "enum" in schema:
        return {"abc": 1}
    kind = schema.get("type")
    kind = next((k for k in kind if k != "null"), None) if isinstance(kind, list) else kind
    return None if kind is None else WRONG[kind]
