"""Which record curates each argument: declarations and central rules (spec: curation 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from re import Pattern
from typing import TypeAlias

from sezzlee_py.catalog.faults import Finding, subject_of
from sezzlee_py.catalog.json_equality import same_json
from sezzlee_py.catalog.selection import compile_glob
from sezzlee_py.model import (
    Arg,
    ArgumentCuration,
    Constant,
    Diagnostic,
    EndpointDescriptor,
)
from sezzlee_py.options import CurationRule

ArgumentsByName: TypeAlias = Mapping[str, Arg]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedCuration:
    """The records of one operation, by wire name in order.

    Attributes:
        records: one per curated argument.
        sealed: names whose record no variant may replace.
        optional: names whose record applies where the argument exists and is silent elsewhere.
        diagnostics: what contradicts, and what fits only a route that was folded away.
    """

    records: tuple[ArgumentCuration, ...] = ()
    sealed: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """One record with where it stands; a smaller `distance` is nearer to the operation."""

    curation: ArgumentCuration
    distance: int
    origin: str
    optional: bool = False
    sealed: bool = False


_NOTHING = ResolvedCuration()


def resolve_curation(
    descriptor: EndpointDescriptor,
    operation: ArgumentsByName | None = None,
    containers: Sequence[ArgumentsByName | None] = (),
    rules: Sequence[CurationRule] = (),
    *,
    folded_routes: Sequence[str] = (),
) -> ResolvedCuration:
    """Return the records that curate an operation: the nearest level wins, per wire name.

    Args:
        descriptor: the operation on its kept route.
        operation: what its function declares.
        containers: what its containers declare, innermost first.
        rules: all central rules.
        folded_routes: routes given up for the kept one.
    """
    matching = [rule for rule in rules if _matches(rule, descriptor, descriptor.route)]
    found = _declared(operation, containers) + _ruled(matching, len(containers) + 1)
    missed = _missed(rules, matching, descriptor, folded_routes)
    if not found and not missed:
        return _NOTHING
    by_name: dict[str, list[_Record]] = {}
    for record in found:
        by_name.setdefault(record.curation.name, []).append(record)
    contradictions: list[Finding] = []
    winners: list[_Record] = []
    for name in sorted(by_name):
        records = sorted(by_name[name], key=lambda record: record.distance)
        contradictions += _contradictions(records)
        winners.append(next((r for r in records if r.sealed), records[0]))
    return ResolvedCuration(
        records=tuple([record.curation for record in winners]),
        sealed=frozenset(r.curation.name for r in winners if r.sealed),
        optional=frozenset(r.curation.name for r in winners if r.optional),
        diagnostics=subject_of(descriptor).diagnostics([*contradictions, *missed]),
    )


def curates(rule: CurationRule, descriptor: EndpointDescriptor) -> bool:
    """Whether a central rule speaks about an operation on its own route."""
    return _matches(rule, descriptor, descriptor.route)


def records_of(arguments: ArgumentsByName | None) -> tuple[ArgumentCuration, ...]:
    """Return declared arguments as records."""
    return tuple([_record(name, arg) for name, arg in (arguments or {}).items()])


def _record(name: str, arg: Arg) -> ArgumentCuration:
    return ArgumentCuration(
        name=name, agent_name=arg.agent_name, description=arg.description, hidden=arg.hidden
    )


def _declared(
    operation: ArgumentsByName | None, containers: Sequence[ArgumentsByName | None]
) -> list[_Record]:
    own = [
        _Record(curation=record, distance=0, origin="the operation's declaration")
        for record in records_of(operation)
    ]
    # A container speaks for many operations; not each has every argument it names.
    shared = [
        _Record(
            curation=record, distance=distance, origin="a container's declaration", optional=True
        )
        for distance, arguments in enumerate(containers, start=1)
        for record in records_of(arguments)
    ]
    return own + shared


def _ruled(rules: Sequence[CurationRule], nearest: int) -> list[_Record]:
    return [
        _Record(
            curation=record,
            distance=nearest + (rule.route is None) + (rule.container is None),
            origin=_described(rule),
            optional=not _names_exact_route(rule),
            sealed=rule.seal,
        )
        for rule in rules
        for record in records_of(rule.arguments)
    ]


def _contradictions(records: Sequence[_Record]) -> list[Finding]:
    findings: list[Finding] = []
    for at, record in enumerate(records):
        for nearer in records[:at]:
            if _same(nearer.curation, record.curation):
                continue
            name = record.curation.name
            if nearer.distance == record.distance:
                first, second = sorted((nearer.origin, record.origin))
                findings.append(
                    (
                        "ambiguous_curation",
                        f"{first} and {second} curate '{name}' differently on one level; "
                        "keep one of them",
                    )
                )
            elif record.sealed:
                findings.append(
                    (
                        "sealed_curation_overridden",
                        f"{record.origin} seals '{name}', but {nearer.origin} curates it "
                        "otherwise; remove that record",
                    )
                )
    return findings


def _missed(
    rules: Sequence[CurationRule],
    matching: Sequence[CurationRule],
    descriptor: EndpointDescriptor,
    folded_routes: Sequence[str],
) -> list[Finding]:
    return [
        (
            "curation_unused_on_kept_route",
            f"{_described(rule)} fits only {route}, which is folded into {descriptor.route}; "
            "write it for the kept route",
        )
        for route in folded_routes
        for rule in rules
        if not any(rule is other for other in matching) and _matches(rule, descriptor, route)
    ]


def _matches(rule: CurationRule, descriptor: EndpointDescriptor, route: str) -> bool:
    if rule.method is not None and rule.method.upper() != descriptor.method:
        return False
    if rule.container is not None and rule.container != descriptor.container:
        return False
    return rule.route is None or _glob(rule.route).fullmatch(route) is not None


def _names_exact_route(rule: CurationRule) -> bool:
    return rule.route is not None and "*" not in rule.route


def _described(rule: CurationRule) -> str:
    fields = (("route", rule.route), ("method", rule.method), ("container", rule.container))
    named = ", ".join(f"{name}={value!r}" for name, value in fields if value is not None)
    return f"the rule for {named}" if named else "the rule for everything"


def _same(left: ArgumentCuration, right: ArgumentCuration) -> bool:
    """Whether two records say the same; `Constant(1)` and `Constant(True)` do not."""
    if isinstance(left.hidden, Constant) and isinstance(right.hidden, Constant):
        return (left.agent_name, left.description) == (
            right.agent_name,
            right.description,
        ) and same_json(left.hidden.value, right.hidden.value)
    return left == right


@lru_cache(maxsize=256)
def _glob(route: str) -> Pattern[str]:
    return compile_glob(route)
