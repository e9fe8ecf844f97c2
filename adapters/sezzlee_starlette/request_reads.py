"""Inputs that a handler reads by a literal name, where nobody documents them: query, JSON body.

Whatever is found is optional.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.body_reads import body_fields_read
from sezzlee_py.catalog.function_source import (
    FunctionSource,
    constant_text,
    names_used,
    source_of_function,
)
from sezzlee_py.catalog.handlers import unwrapped
from sezzlee_py.model import JSONObject, ParameterLocation
from sezzlee_py.openapi.join import describe_alone
from sezzlee_starlette.request_names import request_names
from sezzlee_starlette.routes import Settings

_QUERY: Final = "query_params"
_JSON: Final = "json"
_TEXT: Final[JSONObject] = {"type": "string"}
_TEXTS: Final[JSONObject] = {"type": "array", "items": _TEXT}
_READS: Final[Mapping[str, JSONObject]] = {"get": _TEXT, "getlist": _TEXTS}
_VERSION: Final = {"openapi": "3.1.0"}


def with_reads(operation: DiscoveredOperation, settings: Settings) -> DiscoveredOperation:
    """Return an operation with the query arguments and body fields that its handler reads."""
    return _with_body(_with_query(operation, settings))


def _with_query(operation: DiscoveredOperation, settings: Settings) -> DiscoveredOperation:
    descriptor = operation.descriptor
    # One that has query arguments already has all of them.
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


def _with_body(operation: DiscoveredOperation) -> DiscoveredOperation:
    descriptor = operation.descriptor
    if operation.accepts is not None or descriptor.request_body is not None:
        return operation
    # Nothing is known of their values.
    return replace(operation, body_fields={name: {} for name in fields_read(operation.endpoint)})


def names_read(endpoint: object) -> Mapping[str, JSONObject]:
    """Return the query arguments that a function certainly reads, with their schemas."""
    source = _source_of(endpoint, _QUERY)
    if source is None:
        return {}
    requests = frozenset(request_names(source.function))
    names = {
        name for name, value in source.assigned_once().items() if _is_query(value, requests, ())
    }
    found: dict[str, JSONObject] = {}
    for name, schema in _reads(source.nodes, requests, names):
        if schema is _TEXTS or name not in found:
            found[name] = schema
    return found


def fields_read(endpoint: object) -> Collection[str]:
    """Return the fields that a function certainly reads of its JSON body."""
    source = _source_of(endpoint, _JSON)
    if source is None:
        return ()
    requests = frozenset(request_names(source.function))
    return body_fields_read(source, lambda node: _is_json(node, requests))


def _source_of(endpoint: object, word: str) -> FunctionSource | None:
    function = unwrapped(endpoint)
    if not isinstance(function, types.FunctionType) or word not in names_used(function.__code__):
        return None
    return source_of_function(function)


def _reads(
    nodes: Collection[ast.AST], requests: Collection[str], names: Collection[str]
) -> Iterator[tuple[str, JSONObject]]:
    """Yield each name that the query is asked for, with the schema of its value."""
    for node in nodes:
        for mapping, name, schema in _asked(node):
            text = constant_text(name)
            if text is not None and _is_query(mapping, requests, names):
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
    return _is_of_request(node, _QUERY, requests)


def _is_json(node: ast.AST, requests: Collection[str]) -> bool:
    """Whether an expression is `await request.json()`."""
    if not isinstance(node, ast.Await) or not isinstance(node.value, ast.Call):
        return False
    return _is_of_request(node.value.func, _JSON, requests)


def _is_of_request(node: ast.AST, name: str, requests: Collection[str]) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id in requests
    )
