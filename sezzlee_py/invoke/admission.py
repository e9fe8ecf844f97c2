"""Which argument names a tool takes: the first step of every call (spec: arguments 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sezzlee_py.invoke import faults
from sezzlee_py.invoke.bodies import MediaFamily, media_family, member_of
from sezzlee_py.invoke.query import is_group
from sezzlee_py.model import BodySlot, JSONValue, Member, RequestTemplate

_Closed: TypeAlias = "Mapping[str, _Closed | None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The names an agent may use.

    Attributes:
        allowed: agent names in published order.
        denied: names that even a free-form body refuses: the wire names of curated arguments and
            the agent names of hidden ones.
        hidden_fields: wire names of the body's hidden fields, spelled as `_spelling` has them,
            because a backend's model may read a field under its alias and under its Python name
            (`isAdmin`, `is_admin`), and the hidden one could be sent under either.
        free_form: whether other names go into the body.
        closed: arguments whose members are declared, and those members.
    """

    allowed: Mapping[str, None]
    denied: frozenset[str]
    hidden_fields: frozenset[str]
    free_form: bool
    closed: Mapping[str, _Closed]

    def admit(self, arguments: JSONValue) -> list[str]:
        """Return the extra names that go into a free-form body, in received order.

        Raises:
            CompositionError: for names, members of objects among them, that are not allowed.
        """
        # A dict is told apart ten times faster than a mapping, and it is what JSON makes.
        if not isinstance(arguments, dict) and not isinstance(arguments, Mapping):
            raise faults.not_an_object(arguments)
        extras: list[str] = []
        if not arguments.keys() <= self.allowed.keys():
            extras = [name for name in arguments if name not in self.allowed]
        unknown = extras if not self.free_form else [n for n in extras if self._refuses(n)]
        if unknown or self.closed:
            self._refuse_unknown(arguments, unknown)
        return extras

    def _refuses(self, name: object) -> bool:
        if not isinstance(name, str) or name in self.denied:
            return True
        return bool(self.hidden_fields) and _spelling(name) in self.hidden_fields

    def _refuse_unknown(self, arguments: Mapping[str, JSONValue], unknown: list[str]) -> None:
        names, allowed = list(unknown), list(self.allowed) if unknown else []
        for argument, members in self.closed.items():
            for place, known, strays in _strays(argument, arguments.get(argument), members):
                names += [f"{place}.{stray}" for stray in strays]
                allowed += [f"{place}.{name}" for name in known]
        if names:
            raise faults.unknown_arguments(names, allowed)


def _strays(
    place: str, value: JSONValue, members: _Closed
) -> Iterator[tuple[str, Iterable[str], list[object]]]:
    """Each object of an argument that holds undeclared members: its place, the declared, these."""
    if not isinstance(value, Mapping):
        return
    strays: list[object] = [name for name in value if name not in members]
    if strays:
        yield place, members, strays
    for name, inner in members.items():
        if inner is not None and name in value:
            yield from _strays(f"{place}.{name}", value[name], inner)


def admission(template: RequestTemplate) -> Admission:
    """Return the names that the tool of `template` takes."""
    named = [(p.name, p.agent_name, p.fill is not None) for p in template.parameters]
    hidden_fields: list[str] = []
    closed = {p.agent_name: _members(p.members) for p in template.parameters if is_group(p)}
    body = template.body
    if body is not None:
        named += _body_names(body)
        hidden_fields = [field.name for field in body.fields if field.fill is not None]
        closed |= _closed_body(body)
    allowed = {agent: None for _, agent, hidden in named if not hidden}
    curated = {wire for wire, agent, hidden in named if hidden or wire != agent}
    hidden_names = {agent for _, agent, hidden in named if hidden}
    return Admission(
        allowed=allowed,
        denied=frozenset(curated | hidden_names),
        hidden_fields=frozenset(map(_spelling, hidden_fields)),
        free_form=body is not None and body.root is None and body.additional_properties,
        closed={name: members for name, members in closed.items() if name in allowed},
    )


def _spelling(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _body_names(body: BodySlot) -> list[tuple[str, str, bool]]:
    if body.root is not None:
        return [(body.root, body.root, body.fill is not None)]
    return [(field.name, field.agent_name, field.fill is not None) for field in body.fields]


def _closed_body(body: BodySlot) -> dict[str, _Closed]:
    if body.root is not None:
        if media_family(body.content_type) not in (MediaFamily.FORM, MediaFamily.MULTIPART):
            return {}
        return {body.root: _members(tuple(member_of(field) for field in body.fields))}
    return {
        field.agent_name: _members(field.member.members)
        for field in body.fields
        if field.member is not None and field.member.members
    }


def _members(members: tuple[Member, ...]) -> _Closed:
    return {m.name: _members(m.members) if m.members else None for m in members}
