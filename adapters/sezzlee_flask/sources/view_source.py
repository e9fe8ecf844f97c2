"""The source of a handler as a syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import flask

from sezzlee_flask.sources.traces import closure_of

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSource:
    """A function and its syntax tree.

    Attributes:
        function: as it runs.
        nodes: of its body, without those of functions and classes inside, in the order written.
    """

    function: types.FunctionType
    nodes: tuple[ast.AST, ...]

    def value_of(self, name: str) -> Any:
        """Return what a name from outside the function stands for, `None` for its own names."""
        code = self.function.__code__
        if name in code.co_varnames or name in code.co_cellvars:
            return None
        enclosed = closure_of(self.function)
        return enclosed[name] if name in enclosed else self.function.__globals__.get(name)

    def is_builtin(self, node: ast.AST | None, names: Collection[str]) -> bool:
        """Whether a node is one of these names, and Python's own meaning of it."""
        if not isinstance(node, ast.Name) or node.id not in names:
            return False
        code = self.function.__code__
        taken = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
        return node.id not in taken and node.id not in self.function.__globals__

    def is_request(self, node: ast.AST) -> bool:
        """Whether an expression is Flask's request."""
        if isinstance(node, ast.Name):
            return self.value_of(node.id) is flask.request
        return (
            isinstance(node, ast.Attribute)
            and node.attr == "request"
            and isinstance(node.value, ast.Name)
            and self.value_of(node.value.id) is flask
        )

    def assigned_once(self) -> dict[str, ast.expr]:
        """Return the local names that are bound at one place only, by plain assignment."""
        code = self.function.__code__
        stores: dict[str, int] = dict.fromkeys(_parameters(code), 1)
        values: dict[str, ast.expr] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                stores[node.id] = stores.get(node.id, 0) + 1
            values.update(_assigned(node))
        # What a function inside rebinds is a cell, and what is declared global no local name.
        is_local = set(code.co_varnames).__contains__
        return {n: value for n, value in values.items() if stores.get(n) == 1 and is_local(n)}


def source_of_view(endpoint: object, words: Collection[str]) -> ViewSource | None:
    """Return the source of a function, `None` where it cannot be read for certain.

    Args:
        endpoint: the innermost function of a handler.
        words: attributes; a function that uses none of them is not looked at.
    """
    if not isinstance(endpoint, types.FunctionType) or not _uses(endpoint.__code__, words):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(endpoint)))
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return None
    node = tree.body[0] if tree.body else None
    # The file may have changed since it was imported.
    if not isinstance(node, FunctionNode) or node.name != endpoint.__code__.co_name:
        return None
    return ViewSource(function=endpoint, nodes=tuple(_flat(node)))


def constant_text(node: ast.AST | None) -> str | None:
    """Return the text that is written literally, `None` for anything else."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text and node.value else None  # type: ignore[union-attr]


def _uses(code: types.CodeType, words: Collection[str]) -> bool:
    if not set(words).isdisjoint(code.co_names):
        return True
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return any(_uses(c, words) for c in inner)


def _flat(node: FunctionNode) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(reversed(node.body))
    while pending:
        found = pending.pop()
        yield found
        if not isinstance(found, _SCOPES):
            pending.extend(reversed(list(ast.iter_child_nodes(found))))


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target: ast.expr = node.targets[0]
        value: ast.expr | None = node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        target, value = node.target, node.value
    else:
        return
    if isinstance(target, ast.Name) and value is not None:
        yield target.id, value
