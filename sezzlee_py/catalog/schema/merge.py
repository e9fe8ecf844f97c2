"""Several object schemas that must all hold, written as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sezzlee_py.catalog.schema.keywords import ANNOTATIONS, is_object_schema

# A closed or typed remainder speaks about its own schema's properties only.
_OPEN: Final[tuple[Any, ...]] = (True, {})
_BLOCKING: Final = frozenset({"$ref", "unevaluatedProperties", "patternProperties"})


def merge_objects(members: Sequence[Any], siblings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the members of an `allOf` and the keywords beside it as one object schema.

    Returns:
        The object, or `None` where one schema cannot say the same: a member is no object, two
        members differ about a property or a keyword, or one is closed.
    """
    if not all(is_object_schema(member) for member in members):
        return None
    if siblings.get("type", "object") != "object":
        return None
    merged: dict[str, Any] = {"type": "object"}
    for member in (*members, siblings):
        own = {key: value for key, value in member.items() if key != "examples"}
        if not _add(merged, siblings if member is siblings else own):
            return None
    merged.update({key: siblings[key] for key in ANNOTATIONS if key in siblings})
    return merged


def _add(merged: dict[str, Any], member: Mapping[str, Any]) -> bool:
    if not _BLOCKING.isdisjoint(member) or member.get("additionalProperties", True) not in _OPEN:
        return False
    for key, value in member.items():
        if key == "properties":
            if not _add_properties(merged, value):
                return False
        elif key == "required":
            known = merged.get(key, [])
            merged[key] = known + [name for name in value if name not in known]
        elif key in ANNOTATIONS:
            merged.setdefault(key, value)
        elif merged.setdefault(key, value) != value:
            return False
    return True


def _add_properties(merged: dict[str, Any], properties: Mapping[str, Any]) -> bool:
    known = dict(merged.get("properties", {}))
    for name, schema in properties.items():
        if known.setdefault(name, schema) != schema:
            return False
    merged["properties"] = known
    return True
