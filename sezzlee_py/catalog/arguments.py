"""The arguments of an operation, and what curation makes of each: read once, used twice.

The published schema and the request template are both made from `CuratedArgument`s, so that what
an agent reads and what is written cannot differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sezzlee_py.catalog.faults import Finding, OperationError
from sezzlee_py.model import (
    ArgumentCuration,
    BodyField,
    BodySlot,
    Fill,
    JSONObject,
    JSONValue,
    ParameterSlot,
)
from sezzlee_py.model.routes import placeholder_names

Placement: TypeAlias = ParameterSlot | BodyField | BodySlot

AGENT_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One input before curation: a parameter, a field of a flattened body, or the whole body.

    Attributes:
        key: what a curation record addresses, and the published name unless one renames it: the
            wire name, or `{name}_{location}` where an earlier location has that name.
        name: the wire name.
        location: `path query header cookie body form`.
        required: whether the backend requires it.
        schema: what is published, its root definitions included.
        description: published when the schema has none.
        owns_defs: whether the definitions at the root of `schema` move to the tool's root.
        defs: the definitions that references in `schema` name.
        slot: where it is written, not yet curated.
    """

    key: str
    name: str
    location: str
    required: bool
    schema: JSONValue
    description: str | None = None
    owns_defs: bool = True
    defs: JSONObject = field(default_factory=dict)
    slot: Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedArgument:
    """An argument as a tool offers it; with a `fill` it is hidden."""

    argument: Argument
    agent_name: str
    description: str | None = None
    fill: Fill | None = None
    curated: bool = False

    @property
    def renamed(self) -> bool:
        """Whether an agent sees another name than the one curation found."""
        return self.agent_name != self.argument.key


def single_records(records: Sequence[ArgumentCuration]) -> dict[str, ArgumentCuration]:
    """Return the records by wire name.

    Raises:
        OperationError: when two records name one argument.
    """
    by_name = {record.name: record for record in records}
    if len(by_name) < len(records):
        twice = next(name for name, n in Counter(r.name for r in records).items() if n > 1)
        raise OperationError(
            "duplicate_argument",
            f"two curation records name the argument '{twice}'; merge them into one",
        )
    return by_name


def curate(
    arguments: Sequence[Argument], records: Mapping[str, ArgumentCuration]
) -> tuple[CuratedArgument, ...]:
    """Return `arguments` as `records` shape them; a record that names none is passed over.

    Raises:
        OperationError: when an agent name is malformed or taken.
    """
    if not records:
        return tuple([CuratedArgument(argument=a, agent_name=a.key) for a in arguments])
    curated = tuple([_curate_one(argument, records.get(argument.key)) for argument in arguments])
    _refuse_taken_names(curated)
    return curated


def unmatched_records(
    arguments: Sequence[Argument],
    records: Mapping[str, ArgumentCuration],
    *,
    alternate_routes: Collection[str] = (),
    optional: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Return findings about records that fit only a route that was folded away.

    Args:
        arguments: the operation's arguments.
        records: its curation by wire name.
        alternate_routes: routes given up for the kept one.
        optional: names that a rule with wildcards brought in; they apply where they fit.

    Raises:
        OperationError: when a record names nothing at all.
    """
    findings: list[Finding] = []
    known = {argument.key for argument in arguments}
    folded = {name for route in alternate_routes for name in placeholder_names(route)}
    for name in sorted(records.keys() - known - set(optional)):
        if name not in folded:
            raise OperationError(
                "curation_unresolved",
                f"no argument '{name}' to curate, only {', '.join(sorted(known)) or 'none'}",
            )
        findings.append(
            (
                "curation_unused_on_kept_route",
                f"'{name}' exists only on a route that is folded away; remove its record",
            )
        )
    return tuple(sorted(findings))


def _curate_one(argument: Argument, record: ArgumentCuration | None) -> CuratedArgument:
    if record is None:
        return CuratedArgument(argument=argument, agent_name=argument.key)
    if record.agent_name is not None and not AGENT_NAME.fullmatch(record.agent_name):
        raise OperationError(
            "template_rejected",
            f"'{argument.key}' is renamed to '{record.agent_name}'; an argument name has letters, "
            "digits and underscores and does not begin with a digit",
        )
    return CuratedArgument(
        argument=argument,
        agent_name=argument.key if record.agent_name is None else record.agent_name,
        # An empty text cannot erase what the schema says.
        description=record.description or None,
        fill=record.hidden,
        curated=True,
    )


def _refuse_taken_names(curated: Sequence[CuratedArgument]) -> None:
    # A name that was renamed away is still what the backend calls that argument.
    owners = Counter(
        name for one in curated for name in {one.argument.key, one.argument.name, one.agent_name}
    )
    for one in curated:
        if one.renamed and owners[one.agent_name] > 1:
            raise OperationError(
                "argument_collision",
                f"'{one.argument.key}' is renamed to '{one.agent_name}', which another argument "
                "has; choose another name",
            )
