"""Expressions that ask a mapping for a key."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRead:
    """What is asked for what.

    Attributes:
        mapping: the expression that is asked.
        key: the expression that it is asked for.
        call: of the method that asks (`m.get("a")`), `None` for `m["a"]` and `"a" in m`.
    """

    mapping: ast.expr
    key: ast.expr
    call: ast.Call | None = None

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
            return KeyRead(mapping=mapping, key=key)
    return None
