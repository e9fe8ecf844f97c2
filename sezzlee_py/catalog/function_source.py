"""The source of a Python function as a syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

_FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def body_nodes(function: types.FunctionType) -> tuple[ast.AST, ...] | None:
    """Return the nodes of a function's body, `None` where they cannot be read for certain.

    They stand in the order written, without those of functions and classes inside.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    # The file may have changed since it was imported.
    node = _functions("".join(lines)).get((code.co_firstlineno, code.co_name))
    return None if node is None else _body(node)


# The views of one file follow each other, and each is asked for several times.
@lru_cache(maxsize=2)
def _functions(text: str) -> Mapping[tuple[int, str], _FunctionNode]:
    """The functions of a file by the line of their first decorator and their name."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = (node for node in ast.walk(tree) if isinstance(node, _FunctionNode))
    return {(_first_line(node), node.name): node for node in found}


def _first_line(node: _FunctionNode) -> int:
    return min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)


def parameter_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the parameters of a function that have a name of their own, in their order."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


@lru_cache(maxsize=2)
def _body(node: _FunctionNode) -> tuple[ast.AST, ...]:
    return tuple(_flat(node))


def _flat(node: _FunctionNode) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(reversed(node.body))
    while pending:
        found = pending.pop()
        yield found
        if not isinstance(found, _SCOPES):
            pending.extend(reversed(list(ast.iter_child_nodes(found))))
