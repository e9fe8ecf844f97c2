"""The parameters of a handler that hold its request, and what is asked of them."""

from __future__ import annotations

import ast
import types
from collections.abc import Collection, Iterator

from starlette.requests import HTTPConnection

from sezzlee_py.catalog.function_source import parameter_names
from sezzlee_py.catalog.handlers import is_class
from sezzlee_py.catalog.signatures import annotations_of


def request_names(function: types.FunctionType) -> Iterator[str]:
    """Yield the parameters that may be the request: what is annotated as one, or not at all.

    `self` of a class-based view is among them; it has the request's scope.
    """
    annotations = annotations_of(function)
    for name in parameter_names(function.__code__):
        told = annotations.get(name, HTTPConnection)
        if isinstance(told, str):
            told = HTTPConnection if told.endswith(("Request", "Connection")) else None
        if is_class(told) and issubclass(told, HTTPConnection):
            yield name


def is_of_request(node: ast.AST, name: str, requests: Collection[str]) -> bool:
    """Whether an expression is an attribute, of this name, of one of these parameters."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id in requests
    )
