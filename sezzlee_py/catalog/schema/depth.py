"""Schemas cut where a host wants them to end (spec: schema 4, `max_depth`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sezzlee_py.catalog.schema import keywords
from sezzlee_py.catalog.schema.body_root import BOUNDARY
from sezzlee_py.catalog.schema.references import unescape_token

_POINTER: Final = "#/$defs/"
# A level is a step into a value; unions and other ways to say more about one value are none.
_STEPS: Final = frozenset({"items", "additionalProperties", "contains", "unevaluatedItems"})


def truncate(schema: Mapping[str, Any], max_depth: int) -> tuple[dict[str, Any], bool]:
    """Return `schema` with every branch deeper than `max_depth` levels open, and whether any was.

    The root is level 0, its properties and items are level 1. A definition is cut as seen from the
    place nearest to the root that refers to it.
    """
    return _Truncation(schema, max_depth).run()


class _Truncation:
    def __init__(self, schema: Mapping[str, Any], max_depth: int) -> None:
        self._schema = schema
        self._left = max_depth
        self._bag: Mapping[str, Any] = schema.get("$defs", {})
        # By what is left of the limit where they are referred to; a step only lowers it.
        self._waiting: list[list[str]] = [[] for _ in range(max_depth + 1)]
        self._cut = False

    def run(self) -> tuple[dict[str, Any], bool]:
        root = {key: value for key, value in self._schema.items() if key != "$defs"}
        result = self._node(root, self._left)
        bag: dict[str, Any] = {}
        for left in range(self._left, -1, -1):
            # Nearest first; a definition met again deeper down keeps its first form.
            while self._waiting[left]:
                key = self._waiting[left].pop()
                if key not in bag and key in self._bag:
                    bag[key] = self._node(self._bag[key], left)
        return ({**result, "$defs": dict(sorted(bag.items()))} if bag else result), self._cut

    def _node(self, node: Any, left: int) -> Any:
        if not isinstance(node, Mapping):
            return node
        if left < 0:
            self._cut = self._cut or _is_deep(node)
            return dict(BOUNDARY) if _is_deep(node) else node
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(_POINTER):
            self._waiting[left].append(unescape_token(reference[len(_POINTER) :]))
        return {key: self._keyword(key, value, left) for key, value in node.items()}

    def _keyword(self, key: str, value: Any, left: int) -> Any:
        below = left - 1 if key in _STEPS or key in keywords.SCHEMA_MAPS else left
        if key == "prefixItems":
            below = left - 1
        if key in keywords.SCHEMA_MAPS and isinstance(value, Mapping):
            return {name: self._node(member, below) for name, member in value.items()}
        if key in keywords.SCHEMA_LISTS and isinstance(value, list):
            return [self._node(member, below) for member in value]
        return self._node(value, below) if key in keywords.SCHEMA else value


def _is_deep(node: Mapping[str, Any]) -> bool:
    """Whether a schema has parts that a cut takes away; a scalar is never cut."""
    return "$ref" in node or any(
        key in node
        for key in (*keywords.SCHEMA_MAPS, *keywords.SCHEMA_LISTS, *_STEPS, "propertyNames")
    )
