"""The schemas of one document, each normalised once per direction and slot kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.keywords import is_object_schema
from sezzlee_py.catalog.schema.names import simple_name
from sezzlee_py.catalog.schema.normalise import normalise
from sezzlee_py.catalog.schema.references import (
    ReferenceGraph,
    follow_pointer,
    unescape_token,
)
from sezzlee_py.catalog.schema.slots import (
    MAX_INLINE_WEIGHT,
    Direction,
    NormalisedSchema,
    Reading,
    SlotKind,
    Target,
)


@dataclass(slots=True)
class _Memo:
    """What one way of reading has made of the components so far."""

    schemas: dict[str, NormalisedSchema] = field(default_factory=dict)
    reading_now: str | None = None


class SchemaComponents:
    """Resolves the references of one document and remembers every component it has normalised.

    A reference is any JSON Pointer into the document (`#/components/schemas/Item`). Reading a
    document of a thousand operations normalises each component a handful of times at most.
    `written` is where `hoist` remembers components with their references replaced.

    Args:
        document: the whole document; only looked into, never changed.
        names: what to call the target of a reference in `$defs`, where it is not the last step.
        dialect: how schemas of this document are spelt; direction and kind are set per slot.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        dialect: Reading | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._document = document
        self._dialect = dialect or Reading()
        self._names = names or {}
        self._graph = ReferenceGraph(self._raw)
        self._memos: dict[Reading, _Memo] = {}
        self._readings: dict[tuple[Direction, SlotKind], Reading] = {}
        self._simple_names: dict[str, str] = {}
        self.written: dict[Any, Any] = {}
        self._found: dict[str, Any] = {}

    def reading(
        self, direction: Direction = Direction.REQUEST, kind: SlotKind = SlotKind.JSON
    ) -> Reading:
        """Return the document's one way of reading slots of a direction and kind."""
        known = self._readings.get((direction, kind))
        if known is None:
            known = replace(self._dialect, direction=direction, kind=kind)
            self._readings[direction, kind] = known
        return known

    def normalise(self, schema: Any, reading: Reading, pointer: str = "") -> NormalisedSchema:
        """Return `schema` normalised for one slot; see `normalise.normalise`."""
        return normalise(schema, reading, lambda ref: self._target(ref, reading), pointer)

    def is_cyclic(self, reference: str) -> bool:
        """Whether the component refers to itself, directly or through others."""
        return self._graph.is_cyclic(reference)

    def name_of(self, reference: str) -> str:
        """The components key that `reference` ends with, or the name it was given."""
        given = self._names.get(reference)
        return given if given is not None else unescape_token(reference.rpartition("/")[2])

    def simple_name_of(self, reference: str) -> str:
        """The name that the target of `reference` has in `$defs`, if no other type has it."""
        known = self._simple_names.get(reference)
        if known is None:
            given = self._names.get(reference)
            known = given if given is not None else simple_name(self.name_of(reference))
            self._simple_names[reference] = known
        return known

    def component(self, reference: str, reading: Reading) -> NormalisedSchema:
        """Return the normalised schema that a kept `reference` stands for."""
        memo = self._memo(reading)
        known = memo.schemas.get(reference)
        if known is None:
            # Uses come last, so no schema waits for another and the stack stays flat.
            for needed in self._graph.dependencies_first(reference, memo.schemas):
                self._read(needed, reading, memo)
            known = memo.schemas[reference]
        return known

    def _memo(self, reading: Reading) -> _Memo:
        memo = self._memos.get(reading)
        if memo is None:
            memo = self._memos[reading] = _Memo()
        return memo

    def _read(self, reference: str, reading: Reading, memo: _Memo) -> None:
        memo.reading_now = reference
        memo.schemas[reference] = self.normalise(self._raw(reference), reading, reference[1:])
        memo.reading_now = None

    def _target(self, reference: str, reading: Reading) -> Target | Finding:
        if not reference.startswith("#"):
            return Finding(
                code="external_ref_blocked",
                message=f"$ref {reference!r} leaves the document; give a loader that admits it",
                about=reference,
            )
        if self._raw(reference) is _MISSING:
            return Finding(
                code="openapi_document_invalid",
                message=f"$ref {reference!r} leads nowhere",
                about=reference,
            )
        memo = self._memo(reading)
        asking = memo.reading_now
        if (
            asking is not None
            and self._graph.is_cyclic(reference)
            and self._graph.part_of(asking) == self._graph.part_of(reference)
        ):
            return Target(None)
        schema = self.component(reference, reading)
        return Target(schema, inline=self._is_inlined(reference, schema))

    def _is_inlined(self, reference: str, schema: NormalisedSchema) -> bool:
        return not (
            is_object_schema(schema.schema)
            or self._graph.is_cyclic(reference)
            or schema.weight > MAX_INLINE_WEIGHT
        )

    def _raw(self, reference: str) -> Any:
        if reference not in self._found:
            try:
                self._found[reference] = follow_pointer(self._document, reference)
            except (LookupError, ValueError):
                self._found[reference] = _MISSING
        return self._found[reference]


_MISSING = object()
