"""What a slot's schema is while it is read, and the small steps that reading it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from sezzlee_py.catalog.schema import keywords
from sezzlee_py.catalog.schema.findings import Finding

Path: TypeAlias = tuple[str | int, ...]

# An alias larger than this stays a reference, or nested aliases would multiply.
MAX_INLINE_WEIGHT: Final = 400


class Direction(StrEnum):
    """Which way a schema's values travel."""

    REQUEST = "request"
    RESPONSE = "response"


class SlotKind(StrEnum):
    """What carries the values: a parameter or form field has no way to write `null`."""

    JSON = "json"
    PARAMETER = "parameter"
    FORM = "form"
    MULTIPART = "multipart"


@dataclass(frozen=True, slots=True)
class ReferenceSite:
    """Where a normalised schema refers to a component; `nullable` when `null` is an alternative.

    The node at `path` is `{"$ref": ...}` or `{"anyOf": [{"$ref": ...}, {"type": "null"}]}`,
    perhaps with siblings.
    """

    path: Path
    reference: str
    nullable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalisedSchema:
    """A schema after section 2 of the spec, its sites deepest first; never changed afterwards."""

    schema: Any
    sites: tuple[ReferenceSite, ...] = ()
    findings: tuple[Finding, ...] = ()
    height: int = 0
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference leads to.

    `schema` is absent while it is being read (a cycle); `inline` says that it takes the place of
    the reference.
    """

    schema: NormalisedSchema | None
    inline: bool = False


Lookup: TypeAlias = Callable[[str], Target | Finding]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """How a slot is read; compared by identity, see `SchemaComponents.reading`.

    `siblings_apply` is false where keywords beside a reference have no meaning; `pydantic` marks
    schemas that pydantic wrote just now, whose spellings are known.
    """

    direction: Direction = Direction.REQUEST
    kind: SlotKind = SlotKind.JSON
    drop_read_only: bool = True
    siblings_apply: bool = True
    pydantic: bool = False


def admits_null_only(schema: Any) -> bool:
    """Whether `schema` is the `null` member of a union."""
    return (
        isinstance(schema, Mapping)
        and schema.get("type") == "null"
        and keywords.NOISE.union({"type", "description"}).issuperset(schema)
    )


def fold_null(schema: Any) -> dict[str, Any] | None:
    """Return `schema` with `null` in its `type`, or `None` where only a union can say so."""
    if not isinstance(schema, Mapping) or "enum" in schema or "const" in schema:
        return None
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        return dict(schema)
    if not isinstance(kind, str) or "$ref" in schema:
        return None
    return {**schema, "type": [kind, "null"] if kind != "null" else kind}


def join_siblings(schema: Any, siblings: Mapping[str, Any]) -> tuple[Any, Path]:
    """Return `schema` with `siblings` beside it, and the step that leads to `schema` inside.

    Annotations replace those of `schema`; a sibling that constrains must hold as well, so where
    that cannot be said beside it, `schema` becomes the one member of `allOf`.
    """
    if not siblings:
        return schema, ()
    if schema is True or schema == {}:
        return dict(siblings), ()
    constraints = siblings.keys() - keywords.ANNOTATIONS
    if (
        isinstance(schema, Mapping)
        and keywords.SELF_CONTAINED.issuperset(constraints)
        and constraints.isdisjoint(schema)
    ):
        return {**schema, **siblings}, ()
    return {"allOf": [schema], **siblings}, ("allOf", 0)
