"""The handler of a route whose endpoint is wrapped as an ASGI application."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Sequence
from typing import TypeGuard

from starlette.concurrency import run_in_threadpool
from starlette.endpoints import HTTPEndpoint
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.base import BaseHTTPMiddleware

from sezzlee_py.catalog.handlers import is_class, is_function, is_routine
from sezzlee_py.declaration_record import read_record
from sezzlee_starlette.mounted import layers_of

FRAMEWORKS = ("starlette.", "fastapi.")


def handler_behind(endpoint: object) -> object:
    """Return the function or class-based view that ASGI wrappers lead to.

    An endpoint that is no wrapper, that leads to anything else or that is declared itself is its
    own handler.
    """
    # Starlette calls functions with a request, so they wrap nothing.
    if is_routine(endpoint) or inspect.isclass(endpoint):
        return endpoint
    if isinstance(endpoint, functools.partial) or read_record(endpoint) is not None:
        return endpoint
    innermost = layers_of(endpoint)[-1]
    if is_class(innermost) and issubclass(innermost, HTTPEndpoint):
        return innermost
    return _function_of(innermost) if is_request_response(innermost) else endpoint


def guards_of(endpoint: object) -> Sequence[object]:
    """Return the wrappers with code of the host's before a handler, which may refuse a call."""
    if handler_behind(endpoint) is endpoint:
        return ()
    return [found for found in layers_of(endpoint)[:-1] if _runs_code_of_the_host(type(found))]


def _runs_code_of_the_host(wrapper: type) -> bool:
    # These two of the framework's ask a function, or a backend, that the host gave them.
    return not wrapper.__module__.startswith(FRAMEWORKS) or issubclass(
        wrapper, BaseHTTPMiddleware | AuthenticationMiddleware
    )


def is_request_response(app: object) -> TypeGuard[types.FunctionType]:
    """Whether an ASGI application is what the framework makes of a function."""
    # It has no public name; where it changes, nothing is found behind it.
    if not is_function(app) or app.__qualname__ != "request_response.<locals>.app":
        return False
    return str(app.__module__).startswith(FRAMEWORKS)


def _function_of(app: types.FunctionType) -> object:
    """Return the function below `request_response`, the application itself where it is hidden."""
    enclosed = inspect.getclosurevars(app).nonlocals
    # Older versions enclose the function itself, newer ones what awaits it.
    function = next((enclosed[name] for name in ("f", "func") if name in enclosed), app)
    if isinstance(function, functools.partial) and function.func is run_in_threadpool:
        return function.args[0]
    return function
