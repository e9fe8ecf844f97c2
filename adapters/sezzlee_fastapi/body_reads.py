"""Whether a handler that declares no body may read one of the request it takes."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeAlias

from fastapi.dependencies.models import Dependant

from sezzlee_fastapi.cut import REQUEST_PARAMETER
from sezzlee_py.catalog.adapter import WRITES
from sezzlee_py.catalog.function_source import (
    FunctionSource,
    names_used,
    parameter_names,
    source_of_function,
)
from sezzlee_py.catalog.handlers import is_function, unwrapped
from sezzlee_py.catalog.local_imports import imported_in, members_of
from sezzlee_starlette.wrapped import FRAMEWORKS

# Reading one of these from a request is reading its body.
_READERS: Final = frozenset({"body", "form", "json", "stream"})

# A function, and those of its parameters that are the request.
_Given: TypeAlias = tuple[types.FunctionType, frozenset[str]]


def may_read_body(endpoint: object, dependant: Dependant, method: str) -> bool:
    """Whether a handler takes the request and reads a body from it, or lets others read it."""
    name = dependant.request_param_name
    function = unwrapped(endpoint)
    if name in (None, REQUEST_PARAMETER) or method not in WRITES or not is_function(function):
        return False
    assert name is not None
    return _reads((function, frozenset({name})))


def _reads(first: _Given) -> bool:
    """Whether a function may read the body of its request, or one that it hands it on to."""
    pending = [first]
    seen: set[tuple[types.CodeType, frozenset[str]]] = set()
    while pending:
        function, requests = pending.pop()
        if (function.__code__, requests) in seen:
            continue
        seen.add((function.__code__, requests))
        if not _READERS.isdisjoint(names_used(function.__code__)):
            return True
        for given in _handed_on(function, requests):
            # Whatever is not known may read it.
            if given is None:
                return True
            pending.append(given)
    return False


def _handed_on(function: types.FunctionType, requests: frozenset[str]) -> Iterator[_Given | None]:
    """Yield what a function gives its request to, `None` for what is no function to look into."""
    source = source_of_function(function)
    if source is None:
        return
    calls = tuple(_calls_given(source, requests))
    imported = imported_in(source) if calls else {}
    for call in calls:
        if source.is_builtin(call.func, vars(builtins)):
            continue
        callee = unwrapped(_value_of(call.func, source, imported))
        if not is_function(callee):
            yield None
        elif not str(callee.__module__).startswith(FRAMEWORKS):
            yield callee, _given_to(callee, call, requests)


def _calls_given(source: FunctionSource, requests: Collection[str]) -> Iterator[ast.Call]:
    """Yield the calls that are given the request as it is."""
    for node in source.nodes:
        if isinstance(node, ast.Call):
            given = (*node.args, *(keyword.value for keyword in node.keywords))
            if any(_is_request(value, requests) for value in given):
                yield node


def _is_request(node: ast.expr, requests: Collection[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in requests


def _given_to(
    callee: types.FunctionType, call: ast.Call, requests: Collection[str]
) -> frozenset[str]:
    """Return the parameters of a function that a call gives the request."""
    code = callee.__code__
    positional = code.co_varnames[: code.co_argcount]
    if any(isinstance(value, ast.Starred) for value in call.args):
        return frozenset(parameter_names(code))
    given = [*zip(positional, call.args, strict=False)]
    given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
    return frozenset(name for name, value in given if _is_request(value, requests))


def _value_of(node: ast.expr, source: FunctionSource, imported: Mapping[str, object]) -> object:
    """Return what a name that a function imports, or its module has, stands for."""
    if isinstance(node, ast.Attribute):
        return members_of(_value_of(node.value, source, imported)).get(node.attr)
    if not isinstance(node, ast.Name):
        return None
    return (imported if source.binds(node.id) else source.module).get(node.id)
