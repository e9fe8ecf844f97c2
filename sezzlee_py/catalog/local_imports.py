"""What names stand for that a function imports itself; nothing is imported to find it out."""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Iterator, Mapping

from sezzlee_py.catalog.function_source import FunctionSource, bound_by


def imported_in(source: FunctionSource) -> Mapping[str, object]:
    """Return what names stand for that nothing but one import in a function's body binds."""
    package = str(source.module.get("__package__") or "")
    found = {name: value for node in source.nodes for name, value in _imported(node, package)}
    return {name: found[name] for name in source.bound_once(found)}


def members_of(module: object) -> Mapping[str, object]:
    """Return what is in a module, nothing of an object in the place of one."""
    if not issubclass(type(module), types.ModuleType):
        return {}
    # A module that is read when it is first used would be, by any other way to ask for its names.
    members: Mapping[str, object] = object.__getattribute__(module, "__dict__")
    return members


def _imported(node: ast.AST, package: str) -> Iterator[tuple[str, object]]:
    """Yield what an import binds, of modules that are there already."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = bound_by(alias)
            yield name, sys.modules.get(alias.name if alias.asname else name)
    elif isinstance(node, ast.ImportFrom):
        members = members_of(sys.modules.get(_module_name(node, package)))
        for alias in node.names:
            yield bound_by(alias), members.get(alias.name)


def _module_name(node: ast.ImportFrom, package: str) -> str:
    try:
        return importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    except ImportError:
        # Out of the package: such an import fails when it runs.
        return ""
