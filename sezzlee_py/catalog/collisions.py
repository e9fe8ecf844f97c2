"""Equal names, settled by the routes of the tools that bear them (spec: naming 2.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sezzlee_py.catalog.name_parts import is_legal_name, route_body
from sezzlee_py.catalog.shared_findings import SharedFinding, described, place, shared_finding
from sezzlee_py.model import EndpointDescriptor
from sezzlee_py.options import OnCollision

Descriptors: TypeAlias = Sequence[EndpointDescriptor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A tool that wants a name.

    `operation` is the index of its operation. `declared` names are used as written, `sourced` ones
    come from host data and push nobody out; `moved` ones were taken from the route.
    """

    operation: int
    name: str
    declared: bool = False
    sourced: bool = False
    moved: bool = False


def settle(
    claims: Sequence[Claim], descriptors: Descriptors, on_collision: OnCollision
) -> tuple[list[Claim], list[SharedFinding]]:
    """Return the claims with their final names, and what became of equal ones.

    Claims with illegal names take no part: a collision never mends a bad name. There is one round,
    so a new name pushes no tool outside its group out of its own.
    """
    settled = list(claims)
    findings: list[SharedFinding] = []
    if on_collision == "route":
        for group in _equal_names(claims):
            for at in _movers(group, claims):
                settled[at] = _moved(claims[at], descriptors)
            findings += renamed(group, claims, settled, descriptors)
        findings += _illegal_routes(settled, descriptors)
    groups = _equal_names(settled)
    return settled, findings + [_collision(group, settled, descriptors) for group in groups]


def renamed(
    group: Sequence[int], old: Sequence[Claim], new: Sequence[Claim], descriptors: Descriptors
) -> list[SharedFinding]:
    """Return the warning about a group in which names changed, none where they did not."""
    if all(old[at].name == new[at].name for at in group):
        return []
    ordered = sorted(group, key=lambda at: (place(descriptors[old[at].operation]), new[at].name))
    changes = "; ".join(
        f"{described(descriptors[old[at].operation])} {_change(old[at].name, new[at].name)}"
        for at in ordered
    )
    message = (
        f"{len(group)} tools would be named {old[group[0]].name!r}, so they are told apart: "
        f"{changes}. A new neighbour of that name would be renamed too; declare "
        "@mcp_tool(name=...) for names that must stay"
    )
    involved = [old[at].operation for at in group]
    return [shared_finding("name_disambiguated", message, descriptors, involved)]


def _change(old: str, new: str) -> str:
    return f"stays {old}" if old == new else f"is {new}"


def _equal_names(claims: Sequence[Claim]) -> list[list[int]]:
    """Positions of legal claims that share a name, per name."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for at, claim in enumerate(claims):
        groups[claim.name].append(at)
    return [group for name, group in groups.items() if len(group) > 1 and is_legal_name(name)]


def _movers(group: Sequence[int], claims: Sequence[Claim]) -> list[int]:
    """Positions of the derived claims of a group that make room for one another or a declared one.

    A sourced member alone moves nobody: a row of host data must not rename a tool.
    """
    derived = [at for at in group if not claims[at].declared]
    firm = any(claims[at].declared and not claims[at].sourced for at in group)
    return derived if firm or len(derived) > 1 else []


def _moved(claim: Claim, descriptors: Descriptors) -> Claim:
    descriptor = descriptors[claim.operation]
    return replace(claim, name=route_body(descriptor.method, descriptor.route), moved=True)


def _illegal_routes(claims: Iterable[Claim], descriptors: Descriptors) -> list[SharedFinding]:
    return [
        shared_finding(
            "invalid_name",
            f"{described(descriptors[claim.operation])} shares its name with another operation, "
            f"and the name of its route, {claim.name!r}, is not legal; declare "
            "@mcp_tool(name=...)",
            descriptors,
            [claim.operation],
        )
        for claim in claims
        if claim.moved and not is_legal_name(claim.name)
    ]


def _collision(
    group: Sequence[int], claims: Sequence[Claim], descriptors: Descriptors
) -> SharedFinding:
    members = [claims[at] for at in group]
    operations = sorted({claim.operation for claim in members}, key=lambda i: place(descriptors[i]))
    bearers = " and ".join(described(descriptors[index]) for index in operations)
    message = (
        f"{len(members)} tools are named {members[0].name!r}: {bearers}; "
        f"{_way_out(members, descriptors)}"
    )
    return shared_finding("name_collision", message, descriptors, operations)


def _way_out(members: Sequence[Claim], descriptors: Descriptors) -> str:
    functions = {descriptors[claim.operation].endpoint_key for claim in members}
    operations = {claim.operation for claim in members}
    if all(claim.declared for claim in members) and len(operations) > 1:
        if len(functions) == 1 and None not in functions:
            return (
                "one function yields them all, so split the function, or drop name= and let each "
                "operation have its own name"
            )
        return "change one of the declared names"
    if any(claim.sourced for claim in members):
        return "change the member's name in its source, or declare @mcp_tool(name=...)"
    if len(operations) == 1:
        return "give each variant a name of its own"
    return "declare @mcp_tool(name=...) or prefix= for one of them"
