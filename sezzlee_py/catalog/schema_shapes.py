"""What a JSON Schema says about the values that fit it, as far as a request can write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from sezzlee_py.model import JSONObject, JSONValue, ScalarKind

_SCALARS: Final[Mapping[str, ScalarKind]] = {str(kind): kind for kind in ScalarKind}
_NO_DEFINITIONS: Final[JSONObject] = {}
# Deeper nesting decides nothing that could be written, and ends a reference cycle.
_MAX_DEPTH: Final = 8
_MAX_VISITS: Final = 200
# Beyond any document; a mapping that holds itself has no end.
_MAX_SUBSCHEMAS: Final = 200_000

ONE_SCHEMA: Final = frozenset(
    {
        "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if",
        "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
LIST_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
MAP_OF_SCHEMAS: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)
_HOLDS_SCHEMAS: Final = ONE_SCHEMA | LIST_OF_SCHEMAS | MAP_OF_SCHEMAS


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueShape:
    """The values a schema admits: scalars, lists of them, or an object.

    Attributes:
        kinds: accepted scalar types in order (of the elements, for an array); empty accepts any.
        array: whether a list is expected.
        nested: whether the elements are lists or objects themselves.
        object_schema: the object's resolved schema, `None` for anything else.
    """

    kinds: tuple[ScalarKind, ...] = ()
    array: bool = False
    nested: bool = False
    object_schema: JSONObject | None = None

    @property
    def is_object(self) -> bool:
        """Whether an object is expected."""
        return self.object_schema is not None


ANY_SCALAR: Final = ValueShape()
_NOTHING_BUT_NULL: Final = ValueShape()


def definitions(schema: JSONValue) -> JSONObject:
    """Return the `$defs` at the root of `schema`, empty when there are none."""
    bag = schema.get("$defs") if isinstance(schema, Mapping) else None
    return bag if isinstance(bag, Mapping) else _NO_DEFINITIONS


def resolve(schema: JSONValue, defs: JSONObject) -> JSONValue:
    """Return `schema` with a local reference at its root replaced by what it names.

    Keywords beside the reference stay and win. What cannot be resolved is left without its type.
    """
    seen: set[str] = set()
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        reference = schema["$ref"]
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        target = None if reference in seen else _lookup(reference, defs)
        if not isinstance(target, Mapping):
            return siblings
        seen.add(reference)
        schema = {**target, **siblings}
    return schema


def resolves(reference: JSONValue, defs: JSONObject) -> bool:
    """Whether `reference` names an entry of `defs`, or something inside one."""
    return isinstance(reference, str) and _lookup(reference, defs) is not None


def _lookup(reference: str, defs: JSONObject) -> JSONValue:
    if not reference.startswith("#/$defs/"):
        return None
    found: Any = defs
    for step in unquote(reference[len("#/$defs/") :]).split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found.get(key)
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found if isinstance(found, Mapping | bool) else None


def read_shape(schema: JSONValue, defs: JSONObject) -> ValueShape:
    """Return the shape of the values that fit `schema`, references resolved against `defs`.

    `null` is never part of a shape: no slot but a JSON body carries it.
    """
    return _Reader(defs).read(schema, 0)


class _Reader:
    """One reading; it visits a bounded number of schemas, however they refer to each other."""

    __slots__ = ("_defs", "_left")

    def __init__(self, defs: JSONObject) -> None:
        self._defs = defs
        self._left = _MAX_VISITS

    def read(self, schema: JSONValue, depth: int) -> ValueShape:
        self._left -= 1
        schema = resolve(schema, self._defs)
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH or self._left < 0:
            return ANY_SCALAR
        types = _types(schema)
        if "object" in types:
            return ValueShape(object_schema=schema)
        if "array" in types:
            return self._array(schema, depth)
        if types:
            kinds = tuple(_SCALARS[name] for name in types if name in _SCALARS)
            return ValueShape(kinds=kinds) if kinds else _NOTHING_BUT_NULL
        return self._union(schema, depth)

    def _array(self, schema: JSONObject, depth: int) -> ValueShape:
        item = self.read(schema.get("items", True), depth + 1)
        return ValueShape(
            kinds=item.kinds, array=True, nested=item.array or item.nested or item.is_object
        )

    def _union(self, schema: JSONObject, depth: int) -> ValueShape:
        for keyword in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list) and branches:
                shapes = [self.read(branch, depth + 1) for branch in branches]
                return _meet(shapes) if keyword == "allOf" else _join(shapes)
        return ANY_SCALAR


def _types(schema: JSONObject) -> tuple[str, ...]:
    declared = schema.get("type")
    if isinstance(declared, str):
        return (declared,)
    if isinstance(declared, list):
        return tuple(name for name in declared if isinstance(name, str))
    if "properties" in schema or "additionalProperties" in schema:
        return ("object",)
    return ("array",) if "items" in schema or "prefixItems" in schema else ()


def _meet(shapes: list[ValueShape]) -> ValueShape:
    return next((shape for shape in shapes if shape != ANY_SCALAR), ANY_SCALAR)


def _join(shapes: list[ValueShape]) -> ValueShape:
    shapes = [shape for shape in shapes if shape is not _NOTHING_BUT_NULL]
    found = next((shape for shape in shapes if shape.is_object), None)
    if found is not None:
        return found
    arrays = [shape for shape in shapes if shape.array]
    if arrays:
        nested = any(shape.nested for shape in arrays)
        return ValueShape(kinds=_kinds(arrays), array=True, nested=nested)
    return ValueShape(kinds=_kinds(shapes))


def _kinds(shapes: list[ValueShape]) -> tuple[ScalarKind, ...]:
    if any(not shape.kinds for shape in shapes):
        return ()
    return tuple(dict.fromkeys(kind for shape in shapes for kind in shape.kinds))


def subschemas(schema: JSONValue) -> Iterator[JSONObject]:
    """Yield `schema` and every schema inside it; names and data that look like one are passed.

    Raises:
        RecursionError: when there is no end to them.
    """
    stack, left = [schema], _MAX_SUBSCHEMAS
    while stack:
        schema = stack.pop()
        left -= 1
        if left < 0:
            raise RecursionError("a schema without end")
        if not isinstance(schema, Mapping):
            continue
        yield schema
        for keyword, value in schema.items():
            if keyword not in _HOLDS_SCHEMAS:
                continue
            if keyword in MAP_OF_SCHEMAS and isinstance(value, Mapping):
                stack.extend(value.values())
            elif keyword in LIST_OF_SCHEMAS and isinstance(value, list):
                stack.extend(value)
            elif keyword in ONE_SCHEMA:
                stack.append(value)
