"""Fields of a JSON body that a view reads by a literal name."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Final

from sezzlee_flask.sources.view_source import ViewSource, source_of_view
from sezzlee_py.catalog.body_reads import body_fields_read

_OF_JSON: Final = ("get_json", "json")


def json_fields_read(endpoint: object) -> Collection[str]:
    """Return the fields that a function certainly reads of a JSON object, in their order.

    Args:
        endpoint: the innermost function of a handler.
    """
    source = source_of_view(endpoint, _OF_JSON)
    if source is None:
        return ()
    return body_fields_read(source, lambda node: _is_json(source, node))


def _is_json(source: ViewSource, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call)
    found = node.func if isinstance(node, ast.Call) else node
    if not isinstance(found, ast.Attribute) or not source.is_request(found.value):
        return False
    return found.attr == ("get_json" if is_call else "json")
