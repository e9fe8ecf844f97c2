"""Request parsers that a view, or its class, puts together argument by argument."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sezzlee_flask.sources.view_source import ViewSource, source_of_view
from sezzlee_py.catalog.function_source import constant_text, literal
from sezzlee_py.catalog.handlers import attribute, is_class

# Where an argument is read that names no place.
ANYWHERE: Final = ("json", "values")
_CHANGES: Final = ("add_argument", "replace_argument", "remove_argument")
_USES: Final = (*_CHANGES, "parse_args")

Arguments: TypeAlias = tuple[Any, ...]
"""What a parser reads: arguments of its own, or `WrittenArgument`s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenArgument:
    """One `add_argument` call, as an argument of a parser; never required, for it is only read."""

    name: str
    location: Any
    type: Any
    choices: Any
    action: Any
    help: Any
    required: bool = False


def arguments_asked(node: ast.expr, source: ViewSource, owner: object) -> Arguments | None:
    """Return the arguments of the parser that an expression is, `None` where not all is certain.

    The parser is one of the module or the class, a copy of such a one, or one that the function or
    the class's `__init__` makes; what the function adds, replaces and removes counts.

    Args:
        node: the expression, in the function.
        source: of the function.
        owner: the class that the function is a method of, if any.
    """
    root = _root(node)
    target = _target(root)
    if target is None:
        made = _made(root, source)
        return None if made is None else _changed(made, _chain(node), source)
    if any(_binds(part, target) for part in source.nodes):
        return _put_together(source, target)
    outside = _outside(root, source)
    if outside is None and target.startswith("self.") and isinstance(owner, type):
        outside = _of_instance(owner, target) if _is_kept(source, target, bound=0) else None
    return None if outside is None else _changed(outside, _calls(source, target), source)


def _put_together(source: ViewSource, target: str) -> Arguments | None:
    """Return the arguments of a parser that a function binds to a name or an attribute."""
    bound = [node for node in source.nodes if _binds(node, target)]
    if len(bound) != 1 or not _is_kept(source, target, bound=1):
        return None
    value = next(
        (n.value for n in source.nodes if isinstance(n, ast.Assign) and n.targets == bound), None
    )
    made = None if value is None else _made(_root(value), source)
    if value is None or made is None:
        return None
    return _changed(made, (*_chain(value), *_calls(source, target)), source)


def _of_instance(owner: type, target: str) -> Arguments | None:
    name = target.partition(".")[2]
    known = _known(attribute(owner, name))
    if known is not None:
        return known
    for cls in owner.__mro__:
        source = source_of_view(vars(cls).get("__init__"), (name,))
        if source is not None and any(_binds(node, target) for node in source.nodes):
            return _put_together(source, target)
    return None


def _outside(node: ast.expr, source: ViewSource) -> Arguments | None:
    if isinstance(node, ast.Name):
        return _known(source.value_of(node.id))
    return _known(source.resolved(node))


def _known(found: Any) -> Arguments | None:
    """Return the arguments of a parser that is there already, `None` for anything else."""
    held = attribute(found, "args") if is_parser_type(type(found)) else None
    return tuple(held) if isinstance(held, list) else None


def _made(node: ast.expr, source: ViewSource) -> Arguments | None:
    """Return what a new parser starts with: nothing, or what the parser has that it copies."""
    if not isinstance(node, ast.Call):
        return _outside(node, source)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
        copied = _outside(node.func.value, source)
        if copied is not None:
            return copied
    return () if is_parser_type(source.resolved(node.func)) else None


def is_parser_type(found: object) -> bool:
    """Whether an object is the class of the parsers of flask-restful or flask-restx."""
    module = attribute(found, "__module__")
    return is_class(found) and isinstance(module, str) and module.endswith(".reqparse")


# -- uses of a parser --------------------------------------------------------------------------


def _root(node: ast.expr) -> ast.expr:
    """Return what a chain of calls that each return the parser begins with."""
    for call in _chain(node):
        node = call.func.value  # type: ignore[attr-defined]
    return node


def _chain(node: ast.expr) -> Iterator[ast.Call]:
    while isinstance(node, ast.Call) and _is_use(node.func, _CHANGES):
        yield node
        node = node.func.value  # type: ignore[attr-defined]


def _is_use(node: ast.AST, names: Iterable[str]) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in names


def _target(node: ast.AST) -> str | None:
    """Return a name, or an attribute of one, as it is written: `parser`, `self.parser`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return None


def _binds(node: ast.AST, target: str) -> bool:
    return _target(node) == target and not isinstance(
        node.ctx,  # type: ignore[attr-defined]
        ast.Load,
    )


def _is_kept(source: ViewSource, target: str, *, bound: int) -> bool:
    """Whether a parser is neither handed on nor copied nor taken apart."""
    uses = [node for node in source.nodes if _target(node) == target]
    asked = [n for n in source.nodes if _is_use(n, _USES) and _target(n.value) == target]  # type: ignore[attr-defined]
    return len(uses) == len(asked) + bound


def _calls(source: ViewSource, target: str) -> Iterator[ast.Call]:
    """Yield the calls that change a parser, also those on what such a call returns."""
    for node in source.nodes:
        is_change = isinstance(node, ast.Call) and _is_use(node.func, _CHANGES)
        if is_change and _target(_root(node)) == target:  # type: ignore[arg-type]
            yield node  # type: ignore[misc]


def _changed(
    arguments: Arguments, calls: Iterable[ast.Call], source: ViewSource
) -> Arguments | None:
    """Return the arguments after some calls, `None` where one of them is not certain."""
    for call in calls:
        change = call.func.attr  # type: ignore[attr-defined]
        added = None if change == "remove_argument" else _argument(call, source)
        name = _name(call) if added is None else added.name
        if name is None or (added is None and change != "remove_argument"):
            return None
        if change != "add_argument":
            arguments = tuple(a for a in arguments if attribute(a, "name") != name)
        arguments = arguments if added is None else (*arguments, added)
    return arguments


def _name(call: ast.Call) -> str | None:
    return constant_text(call.args[0]) if len(call.args) == 1 else None


def _argument(call: ast.Call, source: ViewSource) -> WrittenArgument | None:
    name = _name(call)
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name is None or None in given:
        return None
    location = literal(given["location"]) if "location" in given else ANYWHERE
    action = literal(given["action"]) if "action" in given else "store"
    if location is None or action is None:
        return None
    return WrittenArgument(
        name=name,
        location=location,
        type=_type(given["type"], source) if "type" in given else str,
        choices=literal(given.get("choices")),
        action=action,
        help=literal(given.get("help")),
    )


def _type(node: ast.expr, source: ViewSource) -> Any:
    for kind in (int, float, str, bool, dict, list):
        if source.is_builtin(node, (kind.__name__,)):
            return kind
    return source.resolved(node)
