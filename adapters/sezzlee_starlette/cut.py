"""The cut before a Starlette endpoint, where a probe ends (spec: visibility 4)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection, Hashable
from typing import Any

from starlette.endpoints import HTTPEndpoint

from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.handlers import (
    is_decorated,
    is_made_plainly,
    layers,
    method_stands_alone,
    stands_alone,
    unwrapped,
)
from sezzlee_py.invoke.asgi import ASGIApp, Receive, Scope, Send
from sezzlee_py.invoke.probing import reach_cut
from sezzlee_starlette.wrapped import FRAMEWORKS, is_request_response

_MAX_WRAPPERS = 30
_VERBS = ("get", "head", "post", "put", "patch", "delete", "options", "query")


class Cut:
    """Stands right before an endpoint and lets everything but a probe through."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.keys: set[Hashable] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a probe, hand on anything else."""
        if reach_cut(self.keys, scope):
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self.app(scope, receive, send)


def cut_route(view: Any, keys: Collection[CutKey]) -> bool:
    """Cut a plain route right before its endpoint; whether that is proven to be the last step.

    Args:
        view: the route as its router sees it.
        keys: the operations it answers for.
    """
    if not _is_the_last_step(view.endpoint):
        return False
    owner: Any = view
    for _ in range(_MAX_WRAPPERS):
        inner = getattr(owner, "app", None)
        if isinstance(inner, Cut):
            inner.keys.update(keys)
            return True
        if inner is None:
            return False
        if inner is view.endpoint or is_request_response(inner):
            owner.app = cut = Cut(inner)
            cut.keys.update(keys)
            return True
        # Middleware of the route. What a host's own class does with its `app` is not known.
        if not type(inner).__module__.startswith(FRAMEWORKS):
            return False
        owner = inner
    return False


def _is_the_last_step(endpoint: Any) -> bool:
    if inspect.isclass(endpoint):
        return _is_plain_view(endpoint)
    target = unwrapped(endpoint)
    if is_decorated(endpoint) or any(map(_binds_callable, layers(endpoint))):
        return False
    return stands_alone(target) and not generates(target)


def _binds_callable(layer: object) -> bool:
    """Whether a `partial` gives its function something to call: `partial(guard, handler)`."""
    if not isinstance(layer, functools.partial):
        return False
    return any(map(callable, (*layer.args, *layer.keywords.values())))


def generates(function: Any) -> bool:
    """Whether a function yields its answer, so that calling it does not run it."""
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _is_plain_view(cls: type) -> bool:
    """Whether a class-based view has no guard of its own around its handlers."""
    if not issubclass(cls, HTTPEndpoint):
        return False
    overridden = [
        name
        for name in ("__init__", "__await__", "dispatch")
        if getattr(cls, name) is not getattr(HTTPEndpoint, name)
    ]
    return (
        is_made_plainly(cls)
        and not overridden
        and all(method_stands_alone(cls, name) for name in _VERBS)
    )
