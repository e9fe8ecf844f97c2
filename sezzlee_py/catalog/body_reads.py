"""Fields of a JSON body that a handler reads by a literal name.

Only what is certain counts: the body itself, or a local name that is bound once to it and that
nothing in the handler could have put a field into.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Final

from sezzlee_py.catalog.function_source import FunctionSource, constant_text
from sezzlee_py.catalog.key_reads import key_read

_READING: Final = (None, "get", "pop")


def body_fields_read(source: FunctionSource, is_body: Callable[[ast.AST], bool]) -> Collection[str]:
    """Return the fields that a function certainly reads of a JSON object, in their order.

    Args:
        source: of the function.
        is_body: whether an expression is the body, as the framework gives it.
    """
    names = {
        name
        for name, value in source.assigned_once().items()
        if _is_body(value, is_body) and source.is_only_read(name)
    }

    def is_known(node: ast.AST) -> bool:
        return node.id in names if isinstance(node, ast.Name) else is_body(node)

    found = (_field_of(node, is_known) for node in source.nodes)
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _is_body(node: ast.AST, is_body: Callable[[ast.AST], bool]) -> bool:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        # `request.json or {}`
        node, *rest = node.values
        if not all(isinstance(part, ast.Dict) and not part.keys for part in rest):
            return False
    return is_body(node)


def _field_of(node: ast.AST, is_body: Callable[[ast.AST], bool]) -> str | None:
    """Return the field that a node reads, `None` where it reads none."""
    asked = key_read(node)
    if asked is None or asked.method not in _READING or not _is_body(asked.mapping, is_body):
        return None
    return constant_text(asked.key)
