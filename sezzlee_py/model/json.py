"""JSON values and their canonical bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

# JSON is read by shape, value by value; a recursive alias would only add casts.
JSONValue: TypeAlias = Any
JSONObject: TypeAlias = Mapping[str, Any]


def canonical_json(value: JSONValue) -> str:
    """Return `value` with keys sorted at every level, no white space, non-ASCII as is."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
