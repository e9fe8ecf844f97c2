"""Fields of a JSON body that a view reads by a literal name.

Only what is certain counts: the body itself, or a local name that is bound once to it and that
nothing in the view could have put a field into.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import Final

from sezzlee_flask.sources.view_source import ViewSource, constant_text, source_of_view

_OF_JSON: Final = ("get_json", "json")
_READING: Final = ("get", "pop")
_HARMLESS: Final = (*_READING, "copy", "items", "keys", "values")
# Functions that leave what they are given as it is.
_LOOKING: Final = ("bool", "dict", "isinstance", "len", "list", "print", "repr", "set", "sorted")


def json_fields_read(endpoint: object) -> Collection[str]:
    """Return the fields that a function certainly reads of a JSON object, in their order.

    Args:
        endpoint: the innermost function of a handler.
    """
    source = source_of_view(endpoint, _OF_JSON)
    if source is None:
        return ()
    bodies = _names_of_body(source)
    found = (_field_of(node, lambda part: _is_body(source, part, bodies)) for node in source.nodes)
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _names_of_body(source: ViewSource) -> Collection[str]:
    """Return the local names that are bound once to the body, and only read."""
    values = source.assigned_once()
    return {
        name
        for name, value in values.items()
        if _is_body(source, value, ()) and _is_only_read(source, name)
    }


def _is_body(source: ViewSource, node: ast.AST, names: Collection[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        # `request.json or {}`
        body, *rest = node.values
        are_empty = all(isinstance(part, ast.Dict) and not part.keys for part in rest)
        return are_empty and _is_body(source, body, names)
    is_call = isinstance(node, ast.Call)
    found = node.func if isinstance(node, ast.Call) else node
    if not isinstance(found, ast.Attribute) or not source.is_request(found.value):
        return False
    return found.attr == ("get_json" if is_call else "json")


def _field_of(node: ast.AST, is_body: Callable[[ast.AST], bool]) -> str | None:
    """Return the field that a node reads, `None` where it reads none."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return constant_text(node.slice) if is_body(node.value) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        is_read = node.func.attr in _READING and is_body(node.func.value)
        return constant_text(node.args[0]) if is_read else None
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return constant_text(node.left) if is_body(node.comparators[0]) else None
    return None


def _is_only_read(source: ViewSource, name: str) -> bool:
    uses = sum(isinstance(node, ast.Name) and node.id == name for node in source.nodes)
    harmless = sum(
        isinstance(part, ast.Name) and part.id == name
        for node in source.nodes
        for part in _looked_at(source, node)
    )
    # One of the uses is the assignment.
    return uses == harmless + 1


def _looked_at(source: ViewSource, node: ast.AST) -> Iterator[ast.AST | None]:
    """Yield the parts of a node that it uses without changing them."""
    match node:
        case ast.Attribute() if node.attr in _HARMLESS:
            yield node.value
        case ast.Subscript(ctx=ast.Load()):
            yield node.value
        case ast.Compare():
            yield from (node.left, *node.comparators)
        case ast.BoolOp():
            yield from node.values
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
            yield node.test
        case ast.For() | ast.comprehension():
            yield node.iter
        case ast.keyword(arg=None):
            yield node.value
        case ast.Call() if source.is_builtin(node.func, _LOOKING):
            yield from node.args
