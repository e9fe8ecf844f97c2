"""The cut before a FastAPI endpoint: behind every dependency, where a probe ends (visibility 4)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Hashable
from typing import Any, Final

from fastapi import Response
from fastapi.dependencies.models import Dependant
from starlette.requests import Request

from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.handlers import is_decorated, stands_alone
from sezzlee_py.invoke.probing import reach_cut
from sezzlee_starlette.cut import generates

# FastAPI hands a dependant's function the request under a name of the function's choosing; a
# function that did not ask for it never sees this one.
REQUEST_PARAMETER: Final = "_sezzlee_request"

_KEYS: Final = "_sezzlee_cut_keys"


def cut_dependant(view: Any, keys: Collection[CutKey]) -> bool:
    """Cut a route right before its function; whether that is proven to be the last step.

    Args:
        view: the route as its routers have settled it.
        keys: the operations it answers for.
    """
    dependant: Dependant = view.dependant
    call = dependant.call
    known: set[Hashable] | None = getattr(call, _KEYS, None)
    if known is not None:
        known.update(keys)
        return True
    if call is None or not _is_the_last_step(call) or is_decorated(view.endpoint):
        return False
    # In this order: the cut does without the request, the function does not bear it.
    dependant.call = _cut(call, set(keys), dependant.request_param_name)
    if dependant.request_param_name is None:
        dependant.request_param_name = REQUEST_PARAMETER
    return True


def _is_the_last_step(call: Any) -> bool:
    return stands_alone(call) and not generates(call)


def _cut(call: Callable[..., Any], keys: set[Hashable], own: str | None) -> Callable[..., Any]:
    def stops(values: dict[str, Any]) -> bool:
        request = values.pop(REQUEST_PARAMETER, None) if own is None else values.get(own)
        return reach_cut(keys, request.scope if isinstance(request, Request) else None)

    @functools.wraps(call)
    def plain(**values: Any) -> Any:
        return Response(status_code=204) if stops(values) else call(**values)

    @functools.wraps(call)
    async def asynchronous(**values: Any) -> Any:
        return Response(status_code=204) if stops(values) else await call(**values)

    cut = asynchronous if inspect.iscoroutinefunction(call) else plain
    setattr(cut, _KEYS, keys)
    return cut
