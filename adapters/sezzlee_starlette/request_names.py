"""The parameters of a handler that hold its request."""

from __future__ import annotations

import types
from collections.abc import Iterator

from starlette.requests import HTTPConnection

from sezzlee_py.catalog.function_source import parameter_names
from sezzlee_py.catalog.handlers import attribute


def request_names(function: types.FunctionType) -> Iterator[str]:
    """Yield the parameters that may be the request: what is annotated as one, or not at all.

    `self` of a class-based view is among them; it has the request's scope.
    """
    annotations = attribute(function, "__annotations__") or {}
    assert isinstance(annotations, dict)
    for name in parameter_names(function.__code__):
        told = annotations.get(name, HTTPConnection)
        if isinstance(told, str):
            told = HTTPConnection if told.endswith(("Request", "Connection")) else None
        if isinstance(told, type) and issubclass(told, HTTPConnection):
            yield name
