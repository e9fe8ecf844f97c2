"""What the root of a body becomes when it is bound (spec: schema 2 and 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sezzlee_py.catalog.schema.keywords import ANNOTATIONS
from sezzlee_py.catalog.schema.slots import admits_null_only, join_siblings

BOUNDARY: Final[Mapping[str, Any]] = {"type": "object", "additionalProperties": True}


def settle_body_root(
    schema: Mapping[str, Any], *, open_root: bool = True
) -> tuple[dict[str, Any], bool]:
    """Return a body's root without its `null` alternative, and whether it had one.

    Args:
        schema: the root, dereferenced.
        open_root: whether a root that says nothing becomes an open object.
    """
    root, admits_null = without_null(schema)
    if open_root and (ANNOTATIONS | {"$defs"}).issuperset(root):
        root = {**BOUNDARY, **root}
    return root, admits_null


def without_null(schema: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return `schema` without the alternative `null`, and whether it had one."""
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds and len(kinds) > 1:
        rest = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}, True
    for word in ("anyOf", "oneOf"):
        members = schema.get(word)
        if isinstance(members, list) and any(map(admits_null_only, members)):
            return _without_member(schema, word, members), True
    return dict(schema), False


def _without_member(schema: Mapping[str, Any], word: str, members: list[Any]) -> dict[str, Any]:
    rest = [member for member in members if not admits_null_only(member)]
    siblings = {key: value for key, value in schema.items() if key != word}
    bag = siblings.pop("$defs", None)
    if len(rest) != 1:
        joined: Any = {word: rest, **siblings} if rest else siblings
    else:
        joined = join_siblings(rest[0], siblings)[0]
    root = dict(joined) if isinstance(joined, Mapping) else {}
    return root if bag is None else {**root, "$defs": bag}
