"""Equality of JSON values, which is not Python's: `true` is not `1`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sezzlee_py.model import JSONValue


def same_json(left: JSONValue, right: JSONValue) -> bool:
    """Whether two JSON values are equal: numbers by value, objects whatever their key order."""
    if left is right:
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(
            same_json(value, right[key]) for key, value in left.items()
        )
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)


def scalar_identity(value: str | float | bool) -> Hashable:
    """Return a key that two scalars share exactly when they are equal as JSON."""
    return isinstance(value, bool), value
