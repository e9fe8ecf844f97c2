"""What each tool is called, the same in any order of discovery (spec: naming 1 to 5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sezzlee_py.catalog.collisions import Claim, renamed, settle
from sezzlee_py.catalog.name_parts import (
    LONG_NAME_LENGTH,
    MAX_NAME_LENGTH,
    derived_prefix,
    is_legal_name,
    route_body,
    snake_case,
    with_prefix,
)
from sezzlee_py.catalog.shared_findings import SharedFinding, described, shared_finding
from sezzlee_py.errors import OptionsError
from sezzlee_py.model import EndpointDescriptor
from sezzlee_py.options import OnCollision, PrefixMode

HostPrefix: TypeAlias = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The names of each operation's tools, in the order of the operations, and the findings.

    An operation has one name, or those of its variants; a family without members has none.
    """

    names: tuple[tuple[str, ...], ...]
    findings: tuple[SharedFinding, ...]


def assign_names(
    descriptors: Sequence[EndpointDescriptor],
    *,
    prefix: HostPrefix | None = None,
    prefix_mode: PrefixMode = "always",
    on_collision: OnCollision = "route",
    sourced: Collection[int] = frozenset(),
) -> Naming:
    """Return the tool names of folded operations.

    Args:
        descriptors: one per operation, on its kept route.
        prefix: the host's prefix for a container's name, `None` for no opinion.
        prefix_mode: whether prefixes stand always, or where bodies coincide.
        on_collision: whether equal derived names take their routes', or are an error.
        sourced: indices of operations whose variants are members from host data.

    Raises:
        OptionsError: `prefix` returned something that is no string.
    """
    prefixes = _prefixes(descriptors, prefix)
    claims = _claims(descriptors, sourced)
    bodies = list(claims)
    prefixed = _add_prefixes(claims, prefixes, prefix_mode)
    findings = _illegal_names(prefixed, prefixes, descriptors)
    final, collisions = settle(prefixed, descriptors, on_collision)
    if prefix_mode == "on_collision":
        findings += _told_apart_by_prefix(bodies, prefixed, final, descriptors)
    findings += collisions + _long_names(final, descriptors)
    names: list[list[str]] = [[] for _ in descriptors]
    for claim in final:
        names[claim.operation].append(claim.name)
    return Naming(names=tuple(map(tuple, names)), findings=tuple(findings))


def _claims(descriptors: Sequence[EndpointDescriptor], sourced: Collection[int]) -> list[Claim]:
    """Declared names as written, and bare bodies for the rest."""
    claims = []
    for index, descriptor in enumerate(descriptors):
        if descriptor.variants or descriptor.family is not None:
            claims += [
                Claim(operation=index, name=v.name, declared=True, sourced=index in sourced)
                for v in descriptor.variants
            ]
        elif descriptor.tool_name is not None:
            claims.append(Claim(operation=index, name=descriptor.tool_name, declared=True))
        else:
            claims.append(Claim(operation=index, name=_body(descriptor)))
    return claims


def _body(descriptor: EndpointDescriptor) -> str:
    if descriptor.operation_id is None:
        return route_body(descriptor.method, descriptor.route)
    return snake_case(descriptor.operation_id)


def _prefixes(
    descriptors: Sequence[EndpointDescriptor], host_prefix: HostPrefix | None
) -> list[str]:
    """The prefix of each operation, the host asked once per container."""
    by_container: dict[str, str] = {}
    for container in {d.container for d in descriptors if d.container is not None}:
        by_container[container] = _container_prefix(container, host_prefix)
    return [_own_prefix(descriptor, by_container) for descriptor in descriptors]


def _own_prefix(descriptor: EndpointDescriptor, by_container: Mapping[str, str]) -> str:
    if descriptor.container_prefix is not None:
        return descriptor.container_prefix
    return "" if descriptor.container is None else by_container[descriptor.container]


def _container_prefix(container: str, host_prefix: HostPrefix | None) -> str:
    value = None if host_prefix is None else host_prefix(container)
    if value is None:
        return derived_prefix(container)
    if not isinstance(value, str):
        raise OptionsError(
            f"options.naming.prefix: expected a string or None for {container!r}, got {value!r}"
        )
    return value


def _add_prefixes(
    claims: Sequence[Claim], prefixes: Sequence[str], prefix_mode: PrefixMode
) -> list[Claim]:
    bodies = Counter(claim.name for claim in claims if not claim.declared)
    return [
        claim
        if claim.declared or (prefix_mode == "on_collision" and bodies[claim.name] == 1)
        else replace(claim, name=with_prefix(prefixes[claim.operation], claim.name))
        for claim in claims
    ]


def _told_apart_by_prefix(
    bodies: Sequence[Claim],
    prefixed: Sequence[Claim],
    final: Sequence[Claim],
    descriptors: Sequence[EndpointDescriptor],
) -> list[SharedFinding]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for at, claim in enumerate(bodies):
        if not claim.declared:
            groups[claim.name].append(at)
    findings: list[SharedFinding] = []
    for group in groups.values():
        if any(bodies[at].name != prefixed[at].name for at in group):
            findings += renamed(group, bodies, final, descriptors)
    return findings


def _illegal_names(
    claims: Sequence[Claim], prefixes: Sequence[str], descriptors: Sequence[EndpointDescriptor]
) -> list[SharedFinding]:
    return [
        shared_finding(
            "invalid_name",
            f"{described(descriptors[claim.operation])}: the name {claim.name!r} {_fault(claim)}; "
            f"{_proposal(claim, prefixes[claim.operation], descriptors[claim.operation])}",
            descriptors,
            [claim.operation],
        )
        for claim in claims
        if not is_legal_name(claim.name)
    ]


def _fault(claim: Claim) -> str:
    if len(claim.name) > MAX_NAME_LENGTH:
        return f"has {len(claim.name)} characters, {MAX_NAME_LENGTH} are allowed"
    return "may hold lower-case ASCII letters, digits and '_' only and starts with a letter"


def _proposal(claim: Claim, prefix: str, descriptor: EndpointDescriptor) -> str:
    if claim.declared:
        legal = snake_case(claim.name)
        return f"did you mean {legal!r}?" if is_legal_name(legal) else "declare another name"
    # Guessing a transliteration would invent a name, so the host is asked for one.
    if prefix and not is_legal_name(prefix) and claim.name.startswith(f"{prefix}_"):
        owner = f" on the container {descriptor.container!r}" if descriptor.container else ""
        return f'declare prefix="..."{owner}'
    return 'declare @mcp_tool(name="...")'


def _long_names(
    claims: Sequence[Claim], descriptors: Sequence[EndpointDescriptor]
) -> list[SharedFinding]:
    return [
        shared_finding(
            "long_tool_name",
            f"the name {claim.name!r} has {len(claim.name)} characters, which costs the agent "
            'context; declare a shorter one with @mcp_tool(name="...")',
            descriptors,
            [claim.operation],
        )
        for claim in claims
        if len(claim.name) > LONG_NAME_LENGTH and is_legal_name(claim.name)
    ]
