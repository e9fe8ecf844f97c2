"""The source of a Python function as a syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator
from typing import TypeAlias

_FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def body_nodes(function: types.FunctionType) -> tuple[ast.AST, ...] | None:
    """Return the nodes of a function's body, `None` where they cannot be read for certain.

    They stand in the order written, without those of functions and classes inside.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return None
    node = tree.body[0] if tree.body else None
    # The file may have changed since it was imported.
    if not isinstance(node, _FunctionNode) or node.name != function.__code__.co_name:
        return None
    return tuple(_flat(node))


def parameter_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the parameters of a function that have a name of their own, in their order."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _flat(node: _FunctionNode) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(reversed(node.body))
    while pending:
        found = pending.pop()
        yield found
        if not isinstance(found, _SCOPES):
            pending.extend(reversed(list(ast.iter_child_nodes(found))))
