"""Expressions that ask a mapping for a key, and what kind of text they take its value for."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sezzlee_py.catalog.function_source import FunctionSource
from sezzlee_py.model import JSONObject

TEXT: Final[JSONObject] = {"type": "string"}
TEXTS: Final[JSONObject] = {"type": "array", "items": TEXT}
# Of a key that is only looked for.
UNKNOWN: Final[JSONObject] = {}

# What a text becomes by Python's own functions.
NUMBERS: Final[Mapping[str, JSONObject]] = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRead:
    """What is asked for what.

    Attributes:
        mapping: the expression that is asked.
        key: the expression that it is asked for.
        call: of the method that asks (`m.get("a")`), `None` for `m["a"]` and `"a" in m`.
        is_test: whether no more is asked than whether the key is there.
    """

    mapping: ast.expr
    key: ast.expr
    call: ast.Call | None = None
    is_test: bool = False

    @property
    def method(self) -> str | None:
        """The name of the method that asks; which of them read is known by the mapping."""
        function = None if self.call is None else self.call.func
        return function.attr if isinstance(function, ast.Attribute) else None


def key_read(node: ast.AST) -> KeyRead | None:
    """Return what a node itself asks for a key, `None` where it asks nothing."""
    match node:
        case ast.Call(func=ast.Attribute(value=mapping), args=[key, *_]):
            return KeyRead(mapping=mapping, key=key, call=node)
        case ast.Subscript(value=mapping, slice=key, ctx=ast.Load()):
            return KeyRead(mapping=mapping, key=key)
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[mapping]):
            return KeyRead(mapping=mapping, key=key, is_test=True)
    return None


def numbers_read(source: FunctionSource) -> Mapping[ast.AST, JSONObject]:
    """Return the expressions whose value is made a number at once, `int(m["a"])`, with its schema.

    There a text that is no number is of no use.
    """
    return dict(_numbers_read(source))


def _numbers_read(source: FunctionSource) -> Iterator[tuple[ast.AST, JSONObject]]:
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Name(id=name) as function, args=[given], keywords=[]):
                if isinstance(given, ast.BoolOp) and isinstance(given.op, ast.Or):
                    # `int(m.get("a") or 1)`
                    given = given.values[0]
                if source.is_builtin(function, NUMBERS):
                    yield given, NUMBERS[name]


def agreed(reads: Iterable[tuple[str, JSONObject]]) -> Mapping[str, JSONObject]:
    """Return the names of some reads, each with what all reads of it have in common."""
    found: dict[str, JSONObject] = {}
    for name, schema in reads:
        known = found.setdefault(name, schema)
        found[name] = known if known == schema else _agreed(known, schema)
    return {name: schema or TEXT for name, schema in found.items()}


def _agreed(first: JSONObject, second: JSONObject) -> JSONObject:
    """Return what two reads of one name have in common."""
    if not first or not second:
        return first or second
    kinds = {str(first.get("type")), str(second.get("type"))}
    return TEXTS if "array" in kinds else TEXT
