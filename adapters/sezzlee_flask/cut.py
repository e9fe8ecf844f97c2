"""The cut before a Flask view, where a probe ends (spec: visibility 4)."""

from __future__ import annotations

import functools
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, current_app, request
from flask.views import MethodView, View

from sezzlee_flask.views import view_class
from sezzlee_py.catalog.adapter import METHODS
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.handlers import (
    attribute,
    is_made_plainly,
    method_stands_alone,
    stands_alone,
)
from sezzlee_py.invoke.probing import reach_cut

_ATTRIBUTE = "_sezzlee_cut"


class _Cut:
    """What a cut stands before, and the operations it answers a probe for."""

    def __init__(self, view: Any) -> None:
        self.view = view
        self.keys: set[CutKey] = set()


def original(view: Any) -> Any:
    """Return the view that the host registered, whether or not it is cut."""
    cut = attribute(view, _ATTRIBUTE)
    return cut.view if isinstance(cut, _Cut) else view


def cut_views(app: Flask, operations: Iterable[tuple[str, CutKey]]) -> frozenset[CutKey]:
    """Cut the views of an application; the operations for which that is proven to be the last step.

    Args:
        app: whose table of view functions is changed.
        operations: endpoint names and the operations behind them.
    """
    by_endpoint: defaultdict[str, set[CutKey]] = defaultdict(set)
    for endpoint, key in operations:
        by_endpoint[endpoint].add(key)
    proven: set[CutKey] = set()
    left: set[CutKey] = set()
    for endpoint, keys in by_endpoint.items():
        view = app.view_functions[endpoint]
        if _is_the_last_step(original(view)):
            cut = attribute(view, _ATTRIBUTE)
            if not isinstance(cut, _Cut):
                cut = _Cut(view)
                app.view_functions[endpoint] = _before(cut)
            cut.keys |= keys
            proven |= keys
        else:
            # An operation has the views of all its routes, and each of them may be asked.
            left |= keys
    return frozenset(proven - left)


def _before(cut: _Cut) -> Callable[..., Any]:
    @functools.wraps(cut.view)
    def answer(*given: Any, **values: Any) -> Any:
        if reach_cut(cut.keys, request.environ):
            return "", 204
        # An application that dispatches by itself may hand its views more than Flask does.
        return current_app.ensure_sync(cut.view)(*given, **values)

    # To whoever looks at the table it is the view itself and not a guard around it.
    del answer.__wrapped__
    setattr(answer, _ATTRIBUTE, cut)
    return answer


def _is_the_last_step(view: Any) -> bool:
    """Whether no guard of the host's can stand between the table's entry and the handler."""
    if not stands_alone(view) or _generates(view):
        return False
    cls = view_class(view)
    return cls is None or _is_plain_class(cls)


def _is_plain_class(cls: type) -> bool:
    if not issubclass(cls, View) or cls.decorators or cls.__init__ is not object.__init__:
        return False
    if not is_made_plainly(cls):
        return False
    if not issubclass(cls, MethodView):
        return method_stands_alone(cls, "dispatch_request")
    return cls.dispatch_request is MethodView.dispatch_request and all(
        method_stands_alone(cls, method.lower()) for method in METHODS
    )


def _generates(function: Any) -> bool:
    # Calling it does not run it.
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
