"""Stand-ins for the objects of extensions, so that a document can be made without a trace."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Collection
from typing import Any


def shadow(target: Any, *, without: Collection[str] = (), **changed: Any) -> Any:
    """Return an object that acts like `target` and keeps to itself what is set on it.

    Made by hand, because objects that forward unknown attributes cannot be copied by `copy`.

    Args:
        target: an object that keeps its state in its dictionary.
        without: attributes that are not taken over, such as what was computed before.
        changed: attributes with another value; one of the class is replaced too.
    """
    cls = type(target)
    fixed = {name: changed[name] for name in changed if isinstance(_of_class(cls, name), property)}
    made: Any = object.__new__(type(cls.__name__, (cls,), fixed) if fixed else cls)
    kept = {name: value for name, value in vars(target).items() if name not in without}
    vars(made).update({**kept, **{n: v for n, v in changed.items() if n not in fixed}})
    return made


def _of_class(cls: type, name: str) -> object:
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def copied(value: Any) -> Any:
    """Return a copy of plain data; whatever else stands in it stays the same object."""
    if isinstance(value, dict):
        made = copy.copy(value)
        made.update({key: copied(item) for key, item in value.items()})
        return made
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def stand_in(view: Any) -> Any:
    """Return a function like `view` whose attributes can be set without touching `view`."""
    if not isinstance(view, types.FunctionType):
        return view
    made = types.FunctionType(
        view.__code__, view.__globals__, view.__name__, view.__defaults__, view.__closure__
    )
    functools.update_wrapper(made, view)
    made.__kwdefaults__ = view.__kwdefaults__
    vars(made).clear()
    vars(made).update({name: copied(value) for name, value in vars(view).items()})
    return made
