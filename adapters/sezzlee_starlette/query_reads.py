"""Query arguments that a handler reads by a literal name, where nobody documents any.

Whatever is found is optional.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.function_source import body_nodes
from sezzlee_py.catalog.handlers import unwrapped
from sezzlee_py.model import JSONObject, ParameterLocation
from sezzlee_py.openapi.join import describe_alone
from sezzlee_starlette.request_names import request_names
from sezzlee_starlette.routes import Settings

_QUERY: Final = "query_params"
_TEXT: Final[JSONObject] = {"type": "string"}
_TEXTS: Final[JSONObject] = {"type": "array", "items": _TEXT}
_READS: Final[Mapping[str, JSONObject]] = {"get": _TEXT, "getlist": _TEXTS}
_VERSION: Final = {"openapi": "3.1.0"}


def with_query_reads(operation: DiscoveredOperation, settings: Settings) -> DiscoveredOperation:
    """Return an operation with the query arguments that its handler certainly reads.

    One that has query arguments already has all of them.
    """
    descriptor = operation.descriptor
    if any(p.location is ParameterLocation.QUERY for p in descriptor.parameters):
        return operation
    found = names_read(operation.endpoint)
    if not found:
        return operation
    told = describe_alone(
        replace(operation, diagnostics=()),
        {"parameters": [{"name": n, "in": "query", "schema": s} for n, s in found.items()]},
        _VERSION,
        carriers=settings.carriers,
        cookies=settings.cookies,
    )
    query = (p for p in told.descriptor.parameters if p.location is ParameterLocation.QUERY)
    return replace(
        operation,
        descriptor=replace(descriptor, parameters=(*descriptor.parameters, *query)),
        diagnostics=(*operation.diagnostics, *told.diagnostics),
    )


def names_read(endpoint: object) -> Mapping[str, JSONObject]:
    """Return the query arguments that a function certainly reads, with their schemas."""
    function = unwrapped(endpoint)
    if not isinstance(function, types.FunctionType) or _QUERY not in function.__code__.co_names:
        return {}
    nodes = body_nodes(function) or ()
    requests = frozenset(request_names(function))
    names = frozenset(_names_of_query(nodes, requests))
    found: dict[str, JSONObject] = {}
    for name, schema in _reads(nodes, requests, names):
        if schema is _TEXTS or name not in found:
            found[name] = schema
    return found


def _names_of_query(nodes: Collection[ast.AST], requests: Collection[str]) -> Iterator[str]:
    """Yield the local names that are bound once, to the query and nothing else."""
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            name = target.id if isinstance(target, ast.Name) else ""
            if bound.count(name) == 1 and _is_query(node.value, requests, ()):
                yield name


def _reads(
    nodes: Collection[ast.AST], requests: Collection[str], names: Collection[str]
) -> Iterator[tuple[str, JSONObject]]:
    """Yield each name that the query is asked for, with the schema of its value."""
    for node in nodes:
        for mapping, name, schema in _asked(node):
            text = name.value if isinstance(name, ast.Constant) else None
            if isinstance(text, str) and text and _is_query(mapping, requests, names):
                yield text, schema


def _asked(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, JSONObject]]:
    """Yield the mapping, the key and the schema where a node asks a mapping for a key."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        schema = _READS.get(node.func.attr)
        if schema is not None:
            yield node.func.value, node.args[0], schema
    elif isinstance(node, ast.Subscript):
        yield node.value, node.slice, _TEXT
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        yield node.comparators[0], node.left, _TEXT


def _is_query(node: ast.AST, requests: Collection[str], names: Collection[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    return (
        isinstance(node, ast.Attribute)
        and node.attr == _QUERY
        and isinstance(node.value, ast.Name)
        and node.value.id in requests
    )
