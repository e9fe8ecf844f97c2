"""Fields of a JSON body that a view reads by a literal name."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection
from typing import Final

import flask

from sezzlee_flask.sources.view_source import ViewSource, source_of_view
from sezzlee_py.catalog.body_reads import body_fields_read

_OF_JSON: Final = ("data", "get_data", "get_json", "json")


def json_fields_read(endpoint: object, method: str | None = None) -> Collection[str]:
    """Return the fields that a function certainly reads of a JSON object, in their order.

    Args:
        endpoint: the innermost function of a handler.
        method: of the request; what never runs for it does not count.
    """
    source = source_of_view(endpoint, _OF_JSON, method)
    if source is None:
        return ()
    return body_fields_read(source, lambda node: _is_json(source, node))


def _is_json(source: ViewSource, node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and len(node.args) == 1 and _is_loads(source, node.func):
        return _is_of_request(source, node.args[0], "data", "get_data")
    return _is_of_request(source, node, "json", "get_json")


def _is_loads(source: ViewSource, node: ast.AST) -> bool:
    """Whether an expression is `json.loads`, of Python's own module or of Flask's."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return node.attr == "loads" and source.value_of(node.value.id) in (json, flask.json)


def _is_of_request(source: ViewSource, node: ast.AST, attribute: str, method: str) -> bool:
    found = node.func if isinstance(node, ast.Call) else node
    if not isinstance(found, ast.Attribute) or not source.is_request(found.value):
        return False
    return found.attr == (method if isinstance(node, ast.Call) else attribute)
