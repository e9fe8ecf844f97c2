"""Which operation of an application a method and a path mean, and the tools made from it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final

from sezzlee_py.catalog.adapter import Adapter, DiscoveredOperation, Discovery
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.model import ToolDefinition
from sezzlee_py.model.routes import normalize_route
from sezzlee_py.options import Options

_NEAR: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """An application as its build saw it."""

    discovery: Discovery
    catalog: Catalog
    options: Options
    adapter: Adapter


def find_operation(walked: Walked, method: str, path: str) -> DiscoveredOperation | None:
    """Return the operation of a template, by its shape, or of a request's path, by the router."""
    operations = walked.discovery.operations
    own = [op for op in operations if op.descriptor.method.upper() == method]
    template = normalize_route(path if path.startswith("/") else f"/{path}").template
    for operation in own:
        if operation.descriptor.route == template:
            return operation
    for operation in own:
        if _shape(operation.descriptor.route) == _shape(template):
            return operation
    key = walked.adapter.resolve(method, template.partition("?")[0])
    served = [op for op in own if key is not None and op.descriptor.endpoint_key == key]
    # One function may have several routes: the one that looks like the path is meant.
    served.sort(key=lambda op: _likeness(op.descriptor.route, template), reverse=True)
    return served[0] if served else None


def _shape(route: str) -> str:
    """A route with its placeholders bare, so that their names tell nothing apart."""
    return "/".join("{}" if piece.startswith("{") else piece for piece in route.split("/"))


def _likeness(route: str, path: str) -> tuple[bool, int]:
    pieces, parts = route.split("/"), path.split("/")
    return len(pieces) == len(parts), sum(a == b for a, b in zip(pieces, parts, strict=False))


def near_routes(walked: Walked, path: str) -> list[str]:
    """Return the routes of the application that look most like `path`."""
    shapes: dict[str, str] = {}
    for operation in walked.discovery.operations:
        shapes.setdefault(_shape(operation.descriptor.route), operation.descriptor.route)
    return [shapes[shape] for shape in difflib.get_close_matches(_shape(path), shapes, n=_NEAR)]


def tools_of(catalog: Catalog, found: DiscoveredOperation) -> tuple[ToolDefinition, ...]:
    """Return the tools that were made from an operation, or from one it was folded into."""
    known = found.descriptor
    return tuple(
        tool
        for tool in catalog
        if tool.method == known.method and known.route in (tool.route, *tool.alternate_routes)
        if tool.endpoint_key == known.endpoint_key
    )
