"""What extensions leave behind: on view functions, in their closures, in their modules."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, is_function, speakers

# A handler that one of these packages defines is a page of it.
_PACKAGES: Final = frozenset(
    {
        "apiflask",
        "flasgger",
        "flask_apispec",
        "flask_openapi3",
        "flask_restplus",
        "flask_restx",
        "flask_smorest",
        "spectree",
    }
)
# Of a package that defines handlers of the host's too, the module with its pages.
_MODULES: Final = frozenset({"flask_appbuilder.api.manager"})
# Pages that a plug-in of flask-openapi3 adds, one package each.
_PLUGINS: Final = "flask_openapi3_"


def is_page(view: object) -> bool:
    """Whether an extension itself, and no code of the host, handles the rule of a view."""
    cls = attribute(view, "view_class")
    module = attribute(view if cls is None else cls, "__module__")
    if not isinstance(module, str):
        return False
    package = module.partition(".")[0]
    return package in _PACKAGES or module in _MODULES or package.startswith(_PLUGINS)


def around(operation: DiscoveredOperation, view: object) -> Iterator[object]:
    """Yield the functions around a handler, outermost first, each once."""
    seen: set[int] = set()
    for layer in (*speakers(view), *speakers(operation.endpoint)):
        if id(layer) not in seen:
            seen.add(id(layer))
            yield layer


def closure_of(function: object, package: str | None = None) -> Mapping[str, Any]:
    """Return the variables that a function encloses.

    Args:
        function: any object; what is no Python function encloses nothing.
        package: the package that has to define the function, else it counts as enclosing nothing.
    """
    if not is_function(function):
        return {}
    module = function.__globals__.get("__name__")
    if package is not None and str(module).partition(".")[0] != package:
        return {}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - a cell tells only by raising
    except ValueError:
        return False
    return True
