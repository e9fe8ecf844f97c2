"""The version of a tool: equal shapes have equal versions in every process (spec: 9)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from sezzlee_py.model import JSONObject, JSONValue, canonical_json

_DIGITS: Final = 16


def shape_version(shape: JSONObject) -> str:
    """Return the version of a loaded shape, given without `authUncertain` and `version`.

    Raises:
        RecursionError: when the shape holds itself.
    """
    return hashlib.sha256(_canonical(shape).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _canonical(shape: JSONObject) -> str:
    try:
        return canonical_json(shape)
    except (TypeError, ValueError):
        return _lenient(shape)


def _lenient(shape: JSONObject) -> str:
    # A schema may hold what JSON does not: a bound of infinity, a mapping of another type.
    try:
        return json.dumps(
            shape, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain
        )
    except ValueError:
        raise RecursionError("a schema that holds itself") from None


def _plain(value: object) -> JSONValue:
    return dict(value) if isinstance(value, Mapping) else repr(type(value))
