"""The version of a tool: equal shapes have equal versions in every process (spec: 9)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from sezzlee_py.model import JSONObject, JSONValue, canonical_json

_DIGITS: Final = 16


def shape_version(shape: JSONObject) -> str:
    """Return the version of a loaded shape, given without `authUncertain` and `version`."""
    return hashlib.sha256(_canonical(shape).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _canonical(shape: JSONObject) -> str:
    try:
        return canonical_json(shape)
    except (TypeError, ValueError):
        # A schema may hold what JSON does not: a bound of infinity, a mapping of another type.
        return json.dumps(
            shape, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain
        )


def _plain(value: object) -> JSONValue:
    return dict(value) if isinstance(value, Mapping) else repr(type(value))
