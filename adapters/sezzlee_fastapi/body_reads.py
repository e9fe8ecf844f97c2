"""Whether a handler that declares no body may read one of the request it takes."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Collection, Iterator
from typing import Final

from fastapi.dependencies.models import Dependant

from sezzlee_fastapi.cut import REQUEST_PARAMETER
from sezzlee_py.catalog.adapter import WRITES
from sezzlee_py.catalog.function_source import FunctionSource, names_used, source_of_function
from sezzlee_py.catalog.handlers import attribute, is_function, unwrapped
from sezzlee_starlette.request_names import request_names
from sezzlee_starlette.wrapped import FRAMEWORKS

# Reading one of these from a request is reading its body.
_READERS: Final = frozenset({"body", "form", "json", "stream"})


def may_read_body(endpoint: object, dependant: Dependant, method: str) -> bool:
    """Whether a handler takes the request and reads a body from it, or lets others read it."""
    name = dependant.request_param_name
    function = unwrapped(endpoint)
    if name in (None, REQUEST_PARAMETER) or method not in WRITES or not is_function(function):
        return False
    assert name is not None
    return _reads(function, {name}, set())


def _reads(
    function: types.FunctionType, requests: Collection[str], seen: set[types.CodeType]
) -> bool:
    if function.__code__ in seen:
        return False
    seen.add(function.__code__)
    if not _READERS.isdisjoint(names_used(function.__code__)):
        return True
    source = source_of_function(function)
    if source is None:
        return False
    return any(_lets_read(source, call, seen) for call in _calls_given(source, requests))


def _calls_given(source: FunctionSource, requests: Collection[str]) -> Iterator[ast.Call]:
    """Yield the calls that are given the request as it is."""
    for node in source.nodes:
        if isinstance(node, ast.Call):
            given = (*node.args, *(keyword.value for keyword in node.keywords))
            if any(isinstance(value, ast.Name) and value.id in requests for value in given):
                yield node


def _lets_read(source: FunctionSource, call: ast.Call, seen: set[types.CodeType]) -> bool:
    """Whether what is called may read the body: so may whatever is not known."""
    if source.is_builtin(call.func, vars(builtins)):
        return False
    callee = unwrapped(_value_of(source, call.func))
    if is_function(callee):
        is_framework = str(callee.__module__).startswith(FRAMEWORKS)
        return not is_framework and _reads(callee, tuple(request_names(callee)), seen)
    return True


def _value_of(source: FunctionSource, node: ast.expr) -> object:
    """Return what a name of the function's module, or of one it imports, stands for."""
    if isinstance(node, ast.Attribute):
        owner = _value_of(source, node.value)
        return attribute(owner, node.attr) if isinstance(owner, types.ModuleType) else None
    if not isinstance(node, ast.Name) or source.binds(node.id):
        return None
    return source.module.get(node.id)
