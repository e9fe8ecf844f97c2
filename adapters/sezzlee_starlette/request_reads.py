"""Inputs that a handler reads by a literal name, where nobody documents them: query, JSON body.

Whatever is found is optional.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.body_reads import body_fields_read
from sezzlee_py.catalog.function_source import (
    FunctionSource,
    constant_text,
    names_used,
    source_of_function,
)
from sezzlee_py.catalog.handlers import is_function, speaker
from sezzlee_py.catalog.key_reads import TEXT, TEXTS, UNKNOWN, agreed, key_read, numbers_read
from sezzlee_py.catalog.method_branches import for_method
from sezzlee_py.model import JSONObject
from sezzlee_py.openapi.read_inputs import (
    has_query,
    is_body_open,
    with_fields_read,
    with_query_read,
)
from sezzlee_starlette.request_names import is_of_request, request_names
from sezzlee_starlette.routes import Settings

_QUERY: Final = "query_params"
_JSON: Final = "json"
# By the method that asks; `[...]` and `in` are none.
_READS: Final[Mapping[str | None, JSONObject]] = {None: TEXT, "get": TEXT, "getlist": TEXTS}


def with_reads(operation: DiscoveredOperation, settings: Settings) -> DiscoveredOperation:
    """Return an operation with the query arguments and body fields that its handler reads."""
    endpoint, method = operation.endpoint, operation.descriptor.method
    if not has_query(operation):
        operation = with_query_read(
            operation,
            names_read(endpoint, method),
            carriers=settings.carriers,
            cookies=settings.cookies,
        )
    if not is_body_open(operation):
        return operation
    return with_fields_read(operation, fields_read(endpoint, method))


def names_read(endpoint: object, method: str) -> Mapping[str, JSONObject]:
    """Return the query arguments that a function certainly reads, with their schemas.

    Args:
        endpoint: a handler.
        method: of the request; what never runs for it does not count.
    """
    source = _source_of(endpoint, _QUERY, method)
    if source is None:
        return {}
    return agreed(_reads(source))


def fields_read(endpoint: object, method: str) -> Collection[str]:
    """Return the fields that a function certainly reads of its JSON body.

    Args:
        endpoint: a handler.
        method: of the request; what never runs for it does not count.
    """
    source = _source_of(endpoint, _JSON, method)
    if source is None:
        return ()
    requests = _requests(source)
    return body_fields_read(source, lambda node: _is_json(node, requests))


def _source_of(endpoint: object, word: str, method: str) -> FunctionSource | None:
    function = speaker(endpoint)
    if not is_function(function) or word not in names_used(function.__code__):
        return None
    source = source_of_function(function)
    if source is None:
        return None
    requests = _requests(source)
    return for_method(source, method, lambda node: is_of_request(node, "method", requests))


def _requests(source: FunctionSource) -> Collection[str]:
    """Return the parameters that are the request all the way through.

    `self` may have anything under the names of a request's attributes.
    """
    names = (name for name in request_names(source.function) if name != "self")
    return frozenset(source.bound_once(names))


def _reads(source: FunctionSource) -> Iterator[tuple[str, JSONObject]]:
    """Yield each name that the query is asked for, with the schema of its value."""
    requests = _requests(source)
    names, numbers = _names_of_query(source, requests), numbers_read(source)
    for node in source.nodes:
        asked = key_read(node)
        text = None if asked is None else constant_text(asked.key)
        if asked is None or text is None or asked.method not in _READS:
            continue
        mapping = asked.mapping
        if is_of_request(mapping, _QUERY, requests) or _is_one_of(mapping, names):
            schema = UNKNOWN if asked.is_test else _READS[asked.method]
            yield text, numbers.get(node, schema) if schema is TEXT else schema


def _names_of_query(source: FunctionSource, requests: Collection[str]) -> Collection[str]:
    """Return the local names of the query, and those of copies that nothing is put into."""
    assigned = source.assigned_once()
    return {
        name
        for name, value in assigned.items()
        if is_of_request(value, _QUERY, requests)
        or (_is_copy(source, value, requests) and source.is_only_read(name))
    }


def _is_copy(source: FunctionSource, node: ast.AST, requests: Collection[str]) -> bool:
    """Whether an expression is `dict(request.query_params)`."""
    match node:
        case ast.Call(func=function, args=[given], keywords=[]):
            is_dict = source.is_builtin(function, ("dict",))
            return is_dict and is_of_request(given, _QUERY, requests)
    return False


def _is_one_of(node: ast.AST, names: Collection[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_json(node: ast.AST, requests: Collection[str]) -> bool:
    """Whether an expression is `await request.json()`."""
    if not isinstance(node, ast.Await) or not isinstance(node.value, ast.Call):
        return False
    return is_of_request(node.value.func, _JSON, requests)
