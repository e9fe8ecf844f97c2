"""The source of a handler as a syntax tree; nothing of it is executed."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import flask

from sezzlee_flask.sources.traces import closure_of
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.function_source import (
    FunctionSource,
    body_nodes,
    constant_text,
    names_used,
    parameter_names,
)
from sezzlee_py.catalog.handlers import attribute, is_function, speaker, unwrapped
from sezzlee_py.catalog.local_imports import imported_in, members_of
from sezzlee_py.catalog.method_branches import for_method

# Views that only call another are followed so far; no application goes on for long.
_MAX_STEPS: Final = 4


@dataclass(frozen=True, kw_only=True)
class ViewSource(FunctionSource):
    """A function of a Flask application, which knows the request.

    Attributes:
        imported: what names stand for that nothing but one import in the body binds.
    """

    imported: Mapping[str, object]

    def value_of(self, name: str) -> Any:
        """Return what a name from outside the function stands for, `None` for its own names."""
        if self.binds(name):
            return self.imported.get(name)
        enclosed = closure_of(self.function)
        return enclosed[name] if name in enclosed else self.module.get(name)

    def resolved(self, node: ast.AST) -> Any:
        """Return what an expression of names from outside the function stands for.

        `None` where it is unknown. It is a name, a name in a module, or a literal key of a `dict`.
        """
        if isinstance(node, ast.Name):
            return self.value_of(node.id)
        if isinstance(node, ast.Attribute):
            holder = self.resolved(node.value)
            # Of modules only: an attribute of another object may run code.
            return members_of(holder).get(node.attr)
        if isinstance(node, ast.Subscript):
            holder, key = self.resolved(node.value), constant_text(node.slice)
            return holder.get(key) if type(holder) is dict and key is not None else None
        return None

    def is_request(self, node: ast.AST) -> bool:
        """Whether an expression is Flask's request."""
        if isinstance(node, ast.Name):
            return self.value_of(node.id) is flask.request
        return (
            isinstance(node, ast.Attribute)
            and node.attr == "request"
            and isinstance(node.value, ast.Name)
            and self.value_of(node.value.id) is flask
        )

    def is_method(self, node: ast.AST) -> bool:
        """Whether an expression is the method of Flask's request."""
        is_asked = isinstance(node, ast.Attribute) and node.attr == "method"
        return is_asked and self.is_request(node.value)  # type: ignore[attr-defined]

    def asked_of_request(self, attributes: Collection[str]) -> Iterator[str]:
        """Yield those of the attributes that the function itself asks the request for."""
        for node in self.nodes:
            match node:
                case ast.Attribute(value=value, attr=name) if name in attributes:
                    if self.is_request(value):
                        yield name


def source_of_view(
    endpoint: object, words: Collection[str] | None = None, method: str | None = None
) -> ViewSource | None:
    """Return the source of a function, `None` where it cannot be read for certain.

    Args:
        endpoint: the innermost function of a handler.
        words: attributes; a function that uses none of them is not looked at.
        method: of the request; what never runs for it is left out.
    """
    if not is_function(endpoint):
        return None
    if words is not None and not uses(endpoint.__code__, words):
        return None
    nodes = body_nodes(endpoint)
    if nodes is None:
        return None
    imported = imported_in(FunctionSource(function=endpoint, nodes=nodes))
    source = ViewSource(function=endpoint, nodes=nodes, imported=imported)
    return source if method is None else for_method(source, method, source.is_method)


def sources_of(operation: DiscoveredOperation, words: Collection[str]) -> Iterator[ViewSource]:
    """Yield the sources of a view and of the methods of its class that it calls.

    Args:
        operation: whose handler it is.
        words: attributes; a function that uses none of them is left out.
    """
    view = function_of(operation)
    own = source_of_view(view, words, operation.descriptor.method)
    if own is not None:
        yield own
    yield from sources_of_methods(view, class_of(operation), words)


def function_of(operation: DiscoveredOperation) -> object:
    """Return the innermost function of a handler."""
    inner = operation.inner
    return speaker(operation.endpoint if inner is None else inner)


def reader_of(operation: DiscoveredOperation) -> object:
    """Return the innermost function of a handler, or the one that it only calls.

    A view that does nothing but `return handlers.orders()` reads what that function reads.
    """
    view, method = function_of(operation), operation.descriptor.method
    for _ in range(_MAX_STEPS):
        target = _only_called(view, class_of(operation), method)
        if target is None:
            break
        view = target
    return view


def _only_called(view: object, owner: object | None, method: str) -> object | None:
    """Return the function whose answer is all that a view returns, `None` where it does more."""
    if not is_function(view) or _has_locals(view.__code__):
        return None
    source = source_of_view(view, method=method)
    call = None if source is None else _only_call(source)
    if source is None or call is None:
        return None
    found = source.resolved(call.func)
    if found is None and isinstance(call.func, ast.Attribute) and _is_self(call.func.value):
        found = None if owner is None else attribute(owner, call.func.attr)
    target = None if found is None else speaker(found)
    called = source_of_view(target, method=method)
    return None if called is None or _is_told_what_to_ask(called) else target


def _is_told_what_to_ask(source: ViewSource) -> bool:
    """Whether a function may choose by what it is given which of the request it reads."""
    given = set(parameter_names(source.function.__code__)) - {"self"}
    return any(
        any(isinstance(part, ast.Name) and part.id in given for part in ast.walk(test))
        and any(map(source.is_request, ast.walk(node)))
        for node in source.nodes
        for test in tests_of(node)
    )


def tests_of(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node chooses by."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield test
        case ast.BoolOp(values=values):
            yield from values[:-1]
        case ast.Match(subject=subject):
            yield subject


def _has_locals(code: types.CodeType) -> bool:
    """Whether code has names of its own beside its parameters."""
    stars = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    return code.co_nlocals > len(parameter_names(code)) + sum(
        bool(code.co_flags & star) for star in stars
    )


def _only_call(source: ViewSource) -> ast.Call | None:
    """Return the one call that a function returns, `None` where it does more for its method."""
    statements = [node for node in source.nodes if isinstance(node, ast.stmt)]
    match [node for node in statements if not isinstance(node, ast.If) and not _is_text(node)]:
        case [ast.Return(value=ast.Call() as call)]:
            pass
        case [ast.Return(value=ast.Await(value=ast.Call() as call))]:
            pass
        case _:
            return None
    # What a view asks the request for, or has a helper ask for, is read of the view itself.
    asked = sum(map(source.is_request, source.nodes))
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    is_bare = asked == sum(map(source.is_method, source.nodes))
    return call if is_bare and not any(map(constant_text, given)) else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def class_of(operation: DiscoveredOperation) -> object | None:
    """Return the class of a class-based view whose method handles an operation."""
    return operation.containers[0] if operation.class_view else None


def sources_of_methods(view: object, owner: object, words: Collection[str]) -> Iterator[ViewSource]:
    """Yield the sources of the methods that a view calls on itself and that use one of the words.

    Args:
        view: the innermost function of a handler.
        owner: the class that it is a method of, if any.
        words: attributes.
    """
    code = attribute(view, "__code__")
    is_known = isinstance(owner, type) and isinstance(code, types.CodeType)
    named = names_used(code) if is_known else ()  # type: ignore[arg-type]  # a code object, here
    methods = {
        name: source
        for name in named
        if (source := source_of_view(unwrapped(attribute(owner, name)), words))
    }
    calling = source_of_view(view, tuple(methods))
    for node in () if calling is None else calling.nodes:
        if is_call_of(node, methods) and _is_self(node.func.value):  # type: ignore[attr-defined]
            yield methods.pop(node.func.attr)  # type: ignore[attr-defined]


def is_call_of(node: ast.AST, names: Container[str]) -> bool:
    """Whether a node calls an attribute with one of these names."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method and node.func.attr in names  # type: ignore[attr-defined]


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def uses(code: types.CodeType, words: Collection[str]) -> bool:
    """Whether some code, or code inside it, uses one of these names that are not local."""
    return not set(words).isdisjoint(names_used(code))
