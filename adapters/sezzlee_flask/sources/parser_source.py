"""Request parsers that a view, or its class, puts together argument by argument."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_flask.sources.view_source import ViewSource, constant_text
from sezzlee_py.catalog.handlers import attribute

# Where an argument is read that names no place.
ANYWHERE: Final = ("json", "values")
_USES: Final = ("add_argument", "parse_args")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenParser:
    """A parser as the source puts it together."""

    args: tuple[WrittenArgument, ...]


def written_parser(source: ViewSource, target: str) -> WrittenParser | None:
    """Return the parser that a function builds under a name, `None` where not all is certain.

    Args:
        source: of the function.
        target: as it is written: `parser`, `self.parser`.
    """
    made = [node for node in source.nodes if _binds(node, target)]
    if len(made) != 1 or not _makes_parser(made[0], source):
        return None
    uses = [node for node in source.nodes if _is_target(node, target)]
    asked = [
        node
        for node in source.nodes
        if isinstance(node, ast.Attribute) and node.attr in _USES and _is_target(node.value, target)
    ]
    if len(uses) != len(asked) + 1:
        # It is handed on, copied or taken apart.
        return None
    arguments = [_argument(call, source) for call in _calls(source, target)]
    known = tuple(argument for argument in arguments if argument is not None)
    return WrittenParser(args=known) if len(known) == len(arguments) else None


def _is_target(node: ast.AST, target: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == target
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and f"{node.value.id}.{node.attr}" == target
    )


def _binds(node: ast.AST, target: str) -> bool:
    return _is_target(node, target) and not isinstance(
        node.ctx,  # type: ignore[attr-defined]
        ast.Load,
    )


def _makes_parser(bound: ast.AST, source: ViewSource) -> bool:
    for node in source.nodes:
        if isinstance(node, ast.Assign) and node.targets == [bound]:
            call = node.value
            made = resolved(call.func, source) if isinstance(call, ast.Call) else None
            return is_parser_type(made)
    return False


def is_parser_type(found: object) -> bool:
    """Whether an object is the class of the parsers of flask-restful or flask-restx."""
    module = attribute(found, "__module__")
    return isinstance(found, type) and isinstance(module, str) and module.endswith(".reqparse")


def _calls(source: ViewSource, target: str) -> Iterator[ast.Call]:
    for node in source.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "add_argument" and _is_target(node.func.value, target):
            yield node


def _argument(call: ast.Call, source: ViewSource) -> WrittenArgument | None:
    name = constant_text(call.args[0]) if len(call.args) == 1 else None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name is None or None in given:
        return None
    location = _literal(given["location"]) if "location" in given else ANYWHERE
    action = _literal(given["action"]) if "action" in given else "store"
    if location is None or action is None:
        return None
    return WrittenArgument(
        name=name,
        location=location,
        type=_type(given["type"], source) if "type" in given else str,
        choices=_literal(given.get("choices")),
        action=action,
        help=_literal(given.get("help")),
    )


def _literal(node: ast.expr | None) -> Any:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _type(node: ast.expr, source: ViewSource) -> Any:
    for kind in (int, float, str, bool, dict, list):
        if source.is_builtin(node, (kind.__name__,)):
            return kind
    return resolved(node, source)


def resolved(node: ast.AST, source: ViewSource) -> Any:
    """Return what a dotted name from outside a function stands for, `None` where it is unknown."""
    if isinstance(node, ast.Name):
        return source.value_of(node.id)
    if isinstance(node, ast.Attribute):
        holder = resolved(node.value, source)
        # Of modules only: an attribute of another object may run code.
        return vars(holder).get(node.attr) if isinstance(holder, types.ModuleType) else None
    return None
