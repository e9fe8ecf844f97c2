"""The source of a Python function as a syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
import linecache
import types
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias, cast

from sezzlee_py.catalog.handlers import Identity

_FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

# What may be asked of a mapping; `pop` takes out what it reads.
_HARMLESS: Final = ("copy", "get", "getlist", "items", "keys", "pop", "values")
# Functions that leave what they are given as it is.
_LOOKING: Final = ("bool", "dict", "isinstance", "len", "list", "print", "repr", "set", "sorted")

# Readers of expressions go into them, and Python bounds how far; people write nothing so deep.
_MAX_DEPTH: Final = 200


@dataclass(frozen=True, kw_only=True)
class FunctionSource:
    """A function and its syntax tree.

    Attributes:
        function: as it runs.
        nodes: of its body, without those of functions and classes inside, in the order written.
    """

    function: types.FunctionType
    nodes: tuple[ast.AST, ...]

    @property
    def module(self) -> Mapping[str, Any]:
        """What the names of the function's module stand for."""
        return self.function.__globals__

    def is_builtin(self, node: ast.AST | None, names: Collection[str]) -> bool:
        """Whether a node is one of these names, and Python's own meaning of it."""
        if not isinstance(node, ast.Name) or node.id not in names:
            return False
        is_taken = self.binds(node.id) or node.id in self.function.__code__.co_freevars
        return not is_taken and node.id not in self.module

    def binds(self, name: str) -> bool:
        """Whether a name is bound in the function, be it in a comprehension only."""
        # Before Python 3.12 the names of a comprehension are not among those of the function.
        code = self.function.__code__
        return name in code.co_varnames or name in code.co_cellvars or name in self._bound

    def assigned_once(self) -> dict[str, ast.expr]:
        """Return the local names that are bound at one place only, by plain assignment."""
        values: dict[str, ast.expr] = {}
        for node in self.nodes:
            values.update(_assigned(node))
        return {name: values[name] for name in self.bound_once(values)}

    def bound_once(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that are local, parameters too, and bound at one place only."""
        code = self.function.__code__
        # A function inside may change what it captures, a comprehension only looks; both make a
        # cell. What is declared global is no local name.
        cells = set(code.co_cellvars)
        local = {*code.co_varnames, *(cells - self._captured if cells else ())}
        return [name for name in names if self._bound[name] == 1 and name in local]

    @cached_property
    def _bound(self) -> Counter[str]:
        """How many places bind each name."""
        bound = Counter(parameter_names(self.function.__code__))
        for node in self.nodes:
            bound.update(_names_bound(node))
        return bound

    @cached_property
    def _captured(self) -> frozenset[str]:
        """The names that stand in functions and classes inside."""
        scopes = (node for node in self.nodes if isinstance(node, _SCOPES))
        parts = (part for scope in scopes for part in ast.walk(scope))
        return frozenset(part.id for part in parts if isinstance(part, ast.Name))

    def is_only_read(self, name: str) -> bool:
        """Whether nothing in the function can have changed the mapping that a local name is.

        The name is bound at one place.
        """
        # One of the uses is the assignment.
        return self._uses[name] == 1

    @cached_property
    def _uses(self) -> Counter[str]:
        """How many places bind each name, or may change what it is, or hand it on."""
        looks = {id(part) for node in self.nodes for part in self._looked_at(node)}
        names = (node for node in self.nodes if isinstance(node, ast.Name))
        return Counter(node.id for node in names if id(node) not in looks)

    def _looked_at(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parts of a node that it uses without changing them or handing them on."""
        match node:
            case ast.Attribute() if node.attr in _HARMLESS:
                yield from _operands(node.value)
            case ast.Subscript(ctx=ast.Load()):
                yield from _operands(node.value)
            case ast.Compare():
                yield from (node.left, *node.comparators)
            case ast.BoolOp(op=ast.And()):
                # All but the last are handed on where they hold nothing only.
                yield from node.values[:-1]
            case ast.UnaryOp(op=ast.Not()):
                yield from _operands(node.operand)
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
                yield from _operands(node.test)
            case ast.For() | ast.comprehension():
                yield from _operands(node.iter)
            case ast.keyword(arg=None):
                yield from _operands(node.value)
            case ast.Call() if self.is_builtin(node.func, _LOOKING):
                yield from node.args


def source_of_function(function: types.FunctionType) -> FunctionSource | None:
    """Return the source of a function, `None` where it cannot be read for certain."""
    nodes = body_nodes(function)
    return None if nodes is None else FunctionSource(function=function, nodes=nodes)


def body_nodes(function: types.FunctionType) -> tuple[ast.AST, ...] | None:
    """Return the nodes of a function's body, `None` where they cannot be read for certain.

    They stand in the order written, without those of functions and classes inside.
    """
    code = function.__code__
    # A loader of the host's own may raise anything, and a name of no file whatever a path may.
    try:
        linecache.checkcache(code.co_filename)
        lines = linecache.getlines(code.co_filename, function.__globals__)
    except Exception:
        return None
    if not lines:
        return None
    # The file may have changed since it was imported.
    end = _ends(Identity(lines)).get((code.co_firstlineno, code.co_name))
    return None if end is None else _body("".join(lines[code.co_firstlineno - 1 : end]))


# Of each file, which is parsed as a whole but once. Trees of whole files would be large to keep.
@lru_cache(maxsize=256)
def _ends(file: Identity) -> Mapping[tuple[int, str], int]:
    """The last lines of a file's functions, by the line of their first decorator and their name."""
    lines = cast("list[str]", file.target)
    tree = _parsed("".join(lines))
    found = (node for node in ast.walk(tree) if isinstance(node, _FunctionNode))
    return {(_first_line(node), node.name): node.end_lineno or node.lineno for node in found}


def _parsed(text: str) -> ast.Module:
    """Return a text as a tree, an empty one where it is no Python or nested too deep."""
    try:
        # What the compiler warns of was said when the host was imported.
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def _first_line(node: _FunctionNode) -> int:
    return min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)


def parameter_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the parameters of a function that have a name of their own, in their order."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def names_used(code: types.CodeType) -> Collection[str]:
    """Return the names that code uses and that are not local to it, those of code inside it too."""
    names: dict[str, None] = {}
    pending = [code]
    while pending:
        found = pending.pop()
        names.update(dict.fromkeys(found.co_names))
        # Before Python 3.12 a comprehension is code of its own.
        inner = (constant for constant in found.co_consts if isinstance(constant, types.CodeType))
        pending.extend(reversed(tuple(inner)))
    return tuple(names)


def literal(node: ast.AST | None) -> Any:
    """Return the value that is written literally, `None` for anything else."""
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def constant_text(node: ast.AST | None) -> str | None:
    """Return the text that is written literally, `None` for anything else."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text and node.value else None  # type: ignore[union-attr]


def bound_by(alias: ast.alias) -> str:
    """Return the name that one part of an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def _names_bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node itself binds."""
    match node:
        case ast.Name() if not isinstance(node.ctx, ast.Load):
            yield node.id
        case ast.Import() | ast.ImportFrom():
            yield from map(bound_by, node.names)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what an expression may be the value of: `data or {}` is one of two."""
    yield node
    for value in node.values if isinstance(node, ast.BoolOp) else ():
        yield from _operands(value)


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


# A view is asked for several times, and so are the helpers that many views share.
@lru_cache(maxsize=64)
def _body(text: str) -> tuple[ast.AST, ...] | None:
    """The nodes of the function that stands in lines, `None` where it is nested too deep."""
    # A function that stands inside something keeps its indentation.
    tree = _parsed(f"if True:\n{text}" if text[:1].isspace() else text)
    found = next((node for node in ast.walk(tree) if isinstance(node, _FunctionNode)), None)
    nodes = tuple(_flat(found)) if found else ()
    return tuple(node for node, _ in nodes) if all(d <= _MAX_DEPTH for _, d in nodes) else None


def _flat(node: _FunctionNode) -> Iterator[tuple[ast.AST, int]]:
    """Yield each node with how deep it stands in its statement."""
    pending: list[tuple[ast.AST, int]] = [(child, 0) for child in reversed(node.body)]
    while pending:
        found, depth = pending.pop()
        yield found, depth
        if not isinstance(found, _SCOPES):
            below = [
                (child, 0 if isinstance(child, ast.stmt) else depth + 1)
                for child in ast.iter_child_nodes(found)
            ]
            pending.extend(reversed(below))
