"""Typed values as ordered `(key, text)` entries: object queries, forms, multipart fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import TypeAlias

from sezzlee_py.invoke import faults
from sezzlee_py.invoke.encoding import Encode
from sezzlee_py.invoke.slots import array_texts, scalar_text
from sezzlee_py.model import JSONValue, Member, ObjectNotation

Entry: TypeAlias = tuple[str, str]
ToEntries: TypeAlias = Callable[[JSONValue], list[Entry]]


def member_entries(
    member: Member, *, argument: str, key: str, notation: ObjectNotation, spell: Encode
) -> ToEntries:
    """Return the writer of one member.

    Args:
        member: a scalar, an array of scalars, or an object of these.
        argument: how messages name it.
        key: its key, already spelt.
        notation: how members of an object are spelt; dots win when the member itself says so.
        spell: how names are written into keys.
    """
    if member.members:
        dotted = ObjectNotation.DOT in (member.notation, notation)
        return object_entries(
            member.members,
            argument=argument,
            notation=ObjectNotation.DOT if dotted else notation,
            spell=spell,
            group=key,
        )
    text = scalar_text(argument, member.kinds)
    if not member.array:
        return lambda value: [(key, text(value))]
    texts = array_texts(argument, text)
    return lambda value: [(key, item) for item in texts(value)]


def object_entries(
    members: tuple[Member, ...],
    *,
    argument: str,
    notation: ObjectNotation,
    spell: Encode,
    group: str | None = None,
) -> ToEntries:
    """Return the writer of a closed object: its members in template order, absent ones nowhere.

    `group` is the key the members stand under; `None` puts them at the top.
    """
    writers = {
        member.name: member_entries(
            member,
            argument=f"{argument}.{member.name}",
            key=member_key(group, spell(member.name), notation),
            notation=notation,
            spell=spell,
        )
        for member in members
    }

    def entries(value: JSONValue) -> list[Entry]:
        supplied = closed_object(value, argument, writers.keys())
        return [
            entry
            for name, write in writers.items()
            if name in supplied
            for entry in write(supplied[name])
        ]

    return entries


def member_key(group: str | None, name: str, notation: ObjectNotation) -> str:
    """Return the key of a member; the structural characters stay raw."""
    if group is None:
        return name
    return f"{group}.{name}" if notation is ObjectNotation.DOT else f"{group}[{name}]"


def closed_object(value: JSONValue, argument: str, names: Set[str]) -> Mapping[str, JSONValue]:
    """Return `value` as an object that holds none but `names`."""
    if value is None:
        raise faults.null_refused(argument)
    if not isinstance(value, Mapping):
        raise faults.wrong_type(argument, "object")
    if not value.keys() <= names:
        # An agent's own were refused before (arguments 2, step 1); this is a fill's.
        raise faults.unknown_arguments((), ())
    return value
