"""Members of objects that are written as several keys (spec: arguments 1, bodies 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sezzlee_py.catalog.schema_shapes import ValueShape, read_shape
from sezzlee_py.model import JSONObject, JSONValue, Member

_STRUCTURE: Final = frozenset("[].")


class MemberError(ValueError):
    """A member has no spelling as a key and a scalar; the message says why."""


def object_members(schema: JSONObject, defs: JSONObject) -> tuple[Member, ...]:
    """Return the members of an object that is written one level deep.

    Raises:
        MemberError: when the object is open, declares no member, or has one without a spelling.
    """
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        raise MemberError("an object without declared members cannot be written")
    return tuple([flat_member(name, value, defs) for name, value in properties.items()])


def flat_member(name: str, schema: JSONValue, defs: JSONObject) -> Member:
    """Return the member `name`, a scalar or a list of scalars.

    Raises:
        MemberError: when it is neither, or its name would be read as structure.
    """
    refuse_structural_name(name)
    return scalar_member(name, read_shape(schema, defs))


def scalar_member(name: str, shape: ValueShape) -> Member:
    """Return the member `name` with a scalar or list shape.

    Raises:
        MemberError: when the shape is an object or holds one.
    """
    if shape.is_object or shape.nested:
        raise MemberError(f"'{name}' is nested too deep")
    return Member(name=name, kinds=shape.kinds, array=shape.array)


def is_open(schema: JSONObject) -> bool:
    """Whether an object takes keys that it does not declare."""
    additional = schema.get("additionalProperties", False)
    return additional is True or isinstance(additional, Mapping)


def refuse_structural_name(name: str) -> None:
    """Check that `name` reads back as one member.

    Raises:
        MemberError: when a bracket or dot notation would read it as structure or an index.
    """
    if not name or _STRUCTURE.intersection(name) or (name.isascii() and name.isdigit()):
        raise MemberError(f"the member name '{name}' would be read as structure")
