"""Definitions of several slots in one root `$defs` (spec: schema 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sezzlee_py.catalog.faults import OperationError
from sezzlee_py.catalog.json_equality import same_json
from sezzlee_py.model import JSONObject


def merge_defs(bags: Iterable[JSONObject]) -> JSONObject:
    """Return all definitions under one root, keys in order; equal ones stand once.

    The bags themselves are never changed: a second tool is built from the same descriptor.

    Raises:
        OperationError: when one key names two different schemas.
    """
    filled = [bag for bag in bags if bag]
    if len(filled) == 1:
        return filled[0]
    merged: dict[str, Any] = {}
    for bag in filled:
        for key, schema in bag.items():
            if key in merged and not same_json(merged[key], schema):
                raise OperationError(
                    "schema_def_conflict",
                    f"two slots define '$defs/{key}' differently; rename one of the two",
                )
            merged.setdefault(key, schema)
    return {key: merged[key] for key in sorted(merged)}
