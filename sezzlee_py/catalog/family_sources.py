"""Families on the way to variants: members written in code, or those of a source (families 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from sezzlee_py.catalog.family_members import BodyBinder, lower_members, sift_members
from sezzlee_py.catalog.faults import Finding, OperationError
from sezzlee_py.declaration_record import FamilyDeclaration, Member
from sezzlee_py.model import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """What a member source gave.

    Attributes:
        members: those of the last load that succeeded, `None` when none ever did.
        fault: why the latest load failed, `None` when it did not.
    """

    members: tuple[Any, ...] | None = None
    fault: str | None = None


SourceStates: TypeAlias = Mapping[str, SourceState]
NOT_LOADED: SourceStates = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilySources:
    """The sources of a build: the names that are registered, and what was loaded so far."""

    registered: Collection[str] = ()
    states: SourceStates = field(default_factory=lambda: NOT_LOADED)


def family_variants(
    family: FamilyDeclaration, sources: FamilySources, *, bind: BodyBinder, findings: list[Finding]
) -> tuple[Variant, ...]:
    """Return one variant per member of a family.

    Args:
        family: as it is declared.
        sources: where members of host data come from.
        bind: makes the schema of a member's body.
        findings: takes what is left out of host data, and whether it is up to date.

    Raises:
        OperationError: the family's source is not registered, failed, or is not loaded yet.
    """
    if family.source is None:
        return lower_members(family.parameter, family.members or (), bind=bind)
    members = _sourced(family.source, sources, findings)
    sifted = sift_members(members, bind=bind)
    findings += sifted.findings
    return lower_members(family.parameter, sifted.members, bind=bind)


def _sourced(
    name: str, sources: FamilySources, findings: list[Finding]
) -> tuple[Member | Any, ...]:
    if name not in sources.registered:
        known = ", ".join(map(repr, sorted(sources.registered))) or "none"
        raise OperationError(
            "unknown_family_source",
            f"the members come from {name!r}, which is not in options.families ({known}); "
            "register it there",
        )
    state = sources.states.get(name)
    if state is None:
        raise OperationError(
            "family_not_loaded",
            f"the members of {name!r} are still being loaded, and the catalog is rebuilt when they "
            "are there",
        )
    if state.members is None:
        raise OperationError(
            "family_source_failed",
            f"options.families[{name!r}] never succeeded: {state.fault}; mend it and reload",
        )
    if state.fault is not None:
        findings.append(
            (
                "family_source_stale",
                f"options.families[{name!r}] failed: {state.fault}, so its last members stay; "
                "mend the source and reload",
            )
        )
    return state.members
