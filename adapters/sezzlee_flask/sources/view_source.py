"""The source of a handler as a syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
import sys
import types
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import flask

from sezzlee_flask.sources.traces import closure_of
from sezzlee_py.catalog.function_source import body_nodes, parameter_names


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSource:
    """A function and its syntax tree.

    Attributes:
        function: as it runs.
        nodes: of its body, without those of functions and classes inside, in the order written.
        imported: what names stand for that nothing but one import in the body binds.
    """

    function: types.FunctionType
    nodes: tuple[ast.AST, ...]
    imported: Mapping[str, object]

    def value_of(self, name: str) -> Any:
        """Return what a name from outside the function stands for, `None` for its own names."""
        code = self.function.__code__
        if name in code.co_varnames or name in code.co_cellvars:
            return self.imported.get(name)
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
        values: dict[str, ast.expr] = {}
        for node in self.nodes:
            values.update(_assigned(node))
        return {name: values[name] for name in self.bound_once(values)}

    def bound_once(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that are local, parameters too, and bound at one place only."""
        return _bound_once(self.function, self.nodes, names)


def source_of_view(endpoint: object, words: Collection[str]) -> ViewSource | None:
    """Return the source of a function, `None` where it cannot be read for certain.

    Args:
        endpoint: the innermost function of a handler.
        words: attributes; a function that uses none of them is not looked at.
    """
    if not isinstance(endpoint, types.FunctionType) or not uses(endpoint.__code__, words):
        return None
    nodes = body_nodes(endpoint)
    if nodes is None:
        return None
    found = {name: value for part in nodes for name, value in _imported(part)}
    once = _bound_once(endpoint, nodes, found)
    return ViewSource(function=endpoint, nodes=nodes, imported={name: found[name] for name in once})


def constant_text(node: ast.AST | None) -> str | None:
    """Return the text that is written literally, `None` for anything else."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text and node.value else None  # type: ignore[union-attr]


def uses(code: types.CodeType, words: Collection[str]) -> bool:
    """Whether some code, or code inside it, uses one of these names that are not local."""
    if not set(words).isdisjoint(code.co_names):
        return True
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return any(uses(c, words) for c in inner)


def _bound_once(
    function: types.FunctionType, nodes: Iterable[ast.AST], names: Iterable[str]
) -> list[str]:
    """Return those of the names that are local and bound at one place only."""
    code = function.__code__
    bound = Counter(parameter_names(code))
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound[node.id] += 1
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound.update(map(_bound_by, node.names))
    # What a function inside rebinds is a cell, and what is declared global no local name.
    is_local = set(code.co_varnames).__contains__
    return [name for name in names if bound[name] == 1 and is_local(name)]


def _imported(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield what an import binds, of modules that are there already; none is imported for it."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = _bound_by(alias)
            yield name, sys.modules.get(alias.name if alias.asname else name)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        module = sys.modules.get(str(node.module))
        members = {} if module is None else vars(module)
        for alias in node.names:
            yield _bound_by(alias), members.get(alias.name)


def _bound_by(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


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
