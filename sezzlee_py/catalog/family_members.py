"""Family members as variants: the lowered form that tools are built from (spec: families 1, 6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sezzlee_py.catalog.curation import records_of
from sezzlee_py.catalog.families import self_containment_fault
from sezzlee_py.catalog.faults import Finding
from sezzlee_py.catalog.json_equality import scalar_identity
from sezzlee_py.catalog.name_parts import is_legal_name
from sezzlee_py.declaration_record import Member
from sezzlee_py.model import (
    AnnotationHints,
    Arg,
    ArgumentCuration,
    Constant,
    JSONObject,
    RequestBody,
    Variant,
)

BodyBinder: TypeAlias = Callable[[Any], JSONObject]
"""Turns a member's `body`, a type or a JSON Schema, into its schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiftedMembers:
    """The members of host data that can be lowered, in their order, and why others cannot."""

    members: tuple[Member, ...]
    findings: tuple[Finding, ...] = ()


def lower_members(
    parameter: str, members: Iterable[Member], *, bind: BodyBinder
) -> tuple[Variant, ...]:
    """Return one variant per member, its key a hidden constant on the dispatch parameter.

    Args:
        parameter: wire name of the dispatch parameter; a member that curates it itself keeps its
            own record.
        members: in their order.
        bind: makes the schema of a member's body.
    """
    return tuple([_lower(parameter, member, bind) for member in members])


def sift_members(members: Iterable[Any], *, bind: BodyBinder) -> SiftedMembers:
    """Return the members of host data that are well-formed and differ from those before them.

    One bad row must not take the others offline.

    Args:
        members: what a member source returned.
        bind: makes the schema of a member's body.
    """
    sifter = _Sifter(bind)
    for at, member in enumerate(members):
        sifter.take(at, member)
    return SiftedMembers(members=tuple(sifter.kept), findings=tuple(sifter.findings))


class _Sifter:
    """Keeps what is well-formed and new by name and key."""

    def __init__(self, bind: BodyBinder) -> None:
        self._bind = bind
        self._names: set[str] = set()
        self._names_by_key: dict[Hashable, str] = {}
        self.kept: list[Member] = []
        self.findings: list[Finding] = []

    def take(self, at: int, member: Any) -> None:
        fault = _fault(member, self._bind) or self._repeats(member)
        if fault is None:
            self._names.add(member.name)
            self._names_by_key[scalar_identity(member.key)] = member.name
            self.kept.append(member)
            return
        name = getattr(member, "name", None)
        subject = f"member {name!r}" if isinstance(name, str) else f"entry {at}"
        self.findings.append(("family_member_rejected", f"{subject} is left out: {fault}"))

    def _repeats(self, member: Member) -> str | None:
        if member.name in self._names:
            return "an earlier member has its name"
        twin = self._names_by_key.get(scalar_identity(member.key))
        return None if twin is None else f"'{twin}' has its key"


def _lower(parameter: str, member: Member, bind: BodyBinder) -> Variant:
    records = records_of(member.arguments)
    if parameter not in (member.arguments or {}):
        records += (ArgumentCuration(name=parameter, hidden=Constant(member.key)),)
    return Variant(
        name=member.name,
        description=member.description,
        arguments=records,
        annotations=AnnotationHints(
            read_only=member.read_only,
            destructive=member.destructive,
            idempotent=member.idempotent,
        ),
        request_body=_body(member, bind),
    )


def _body(member: Member, bind: BodyBinder) -> RequestBody | None:
    if member.body is None:
        return None
    return RequestBody(
        schema=bind(member.body),
        required=member.body_required,
        description=member.body_description,
    )


def _fault(member: Any, bind: BodyBinder) -> str | None:
    if not isinstance(member, Member):
        return f"expected a Member, got {type(member).__name__}"
    return _text_fault(member) or _value_fault(member) or _body_fault(member, bind)


# Host data may hold anything, whatever the types of a Member's fields say.
def _text_fault(member: Any) -> str | None:
    if not isinstance(member.name, str) or not is_legal_name(member.name):
        return "its name does not match ^[a-z][a-z0-9_]{0,255}$"
    if not isinstance(member.description, str) or not member.description.strip():
        return "it has no description"
    return None


def _value_fault(member: Any) -> str | None:
    if not isinstance(member.key, str | int | float):
        return "its key is not a text, number or boolean"
    if not _are_arguments(member.arguments):
        return "its arguments are not a mapping of wire names to Arg"
    return None


def _are_arguments(arguments: Any) -> bool:
    return arguments is None or (
        isinstance(arguments, Mapping)
        and all(isinstance(n, str) and isinstance(a, Arg) for n, a in arguments.items())
    )


def _body_fault(member: Member, bind: BodyBinder) -> str | None:
    try:
        body = _body(member, bind)
        return None if body is None else self_containment_fault(body.schema)
    # What pydantic raises for a type it cannot read is one of these.
    except (TypeError, ValueError, RuntimeError) as fault:
        return f"its body cannot be read: {fault}"
