"""What of a function runs for one method of the request, where it branches by the method."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sezzlee_py.catalog.function_source import FunctionSource, literal, names_used

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)

_Source = TypeVar("_Source", bound=FunctionSource)


def for_method(source: _Source, method: str, is_method: Callable[[ast.AST], bool]) -> _Source:
    """Return a source without what never runs for a method: `if request.method == "POST":`.

    Args:
        source: of a function.
        method: of the request, upper-case.
        is_method: whether an expression is the method of the request.
    """
    if "method" not in names_used(source.function.__code__):
        return source
    branches = _Branches(method=method, is_method=is_method)
    dead: set[int] = set()
    for part in _parts(source.nodes):
        # What stands in a part that is dead already is dead too.
        if not (isinstance(part, Sequence) and id(part[0]) in dead):
            dead.update(id(inner) for found in branches.dead(part) for inner in ast.walk(found))
    nodes = tuple(node for node in source.nodes if id(node) not in dead)
    return replace(source, nodes=nodes) if dead else source


def _parts(nodes: Sequence[ast.AST]) -> Iterator[Sequence[ast.stmt] | ast.IfExp]:
    """Yield the blocks of statements, outer ones first, and the expressions that choose."""
    inner = {id(child) for node in nodes for child in ast.iter_child_nodes(node)}
    yield [node for node in nodes if isinstance(node, ast.stmt) and id(node) not in inner]
    for node in nodes:
        if isinstance(node, ast.IfExp):
            yield node
            continue
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


@dataclass(frozen=True, slots=True, kw_only=True)
class _Branches:
    """Which branches are taken for a method."""

    method: str
    is_method: Callable[[ast.AST], bool]

    def dead(self, part: Sequence[ast.stmt] | ast.IfExp) -> Iterator[ast.AST]:
        """Yield what never runs of a block, or of an expression, that runs itself."""
        if isinstance(part, ast.IfExp):
            taken = self._taken(part.test)
            if taken is not None:
                yield part.orelse if taken else part.body
            return
        for at, statement in enumerate(part):
            if isinstance(statement, ast.If):
                taken = self._taken(statement.test)
                if taken is not None:
                    yield from statement.orelse if taken else statement.body
            if self._ends(statement):
                yield from part[at + 1 :]
                return

    def _ends(self, statement: ast.stmt) -> bool:
        """Whether nothing that follows a statement runs."""
        if not isinstance(statement, ast.If):
            return isinstance(statement, _ENDS)
        taken = self._taken(statement.test)
        blocks = {True: [statement.body], False: [statement.orelse]}.get(
            taken,  # type: ignore[arg-type]  # `None` is no key
            [statement.body, statement.orelse],
        )
        return all(block and self._ends(block[-1]) for block in blocks)

    def _taken(self, test: ast.expr) -> bool | None:
        """Return what a test is for the method, `None` where it hangs on more than that."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                taken = self._taken(operand)
                return None if taken is None else not taken
            case ast.BoolOp(op=op, values=values):
                found = {self._taken(value) for value in values}
                decisive = isinstance(op, ast.Or)
                if decisive in found:
                    return decisive
                return None if None in found else not decisive
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(left, op, right)
        return None

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
        if not self.is_method(left):
            left, right = right, left
            if not self.is_method(left) or not isinstance(op, ast.Eq | ast.NotEq):
                return None
        told = literal(right)
        if isinstance(op, ast.Eq | ast.NotEq) and isinstance(told, str):
            return (told == self.method) is isinstance(op, ast.Eq)
        if isinstance(op, ast.In | ast.NotIn) and isinstance(told, tuple | list | set):
            return (self.method in told) is isinstance(op, ast.In)
        return None
