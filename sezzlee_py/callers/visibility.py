"""What one caller sees: a three-valued decision per tool (spec: visibility 1 to 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.settle import Settle
from sezzlee_py.model import Anonymous, Auth, ParameterLocation, ToolDefinition


class Decision(StrEnum):
    """Whether a caller sees a tool; `unknown` could not be evaluated."""

    ALLOW = "allow"
    DENY = "deny"
    UNKNOWN = "unknown"


class Identity(StrEnum):
    """Whether the caller has an identity."""

    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerFacts:
    """What is known about a caller, whatever the tool."""

    identity: Identity = Identity.UNKNOWN
    policy_results: Mapping[str, Decision] = field(default_factory=lambda: MappingProxyType({}))


def decide(auth: Auth, facts: CallerFacts) -> Decision:
    """Return the decision of the first rule that fits (spec: visibility 2)."""
    results = [facts.policy_results.get(policy, Decision.UNKNOWN) for policy in auth.policies]
    if auth.anonymous is Anonymous.NO and facts.identity is Identity.ABSENT:
        return Decision.DENY
    # Policies combine by AND, so one certain denial settles it before anything unknown does.
    if Decision.DENY in results:
        return Decision.DENY
    if auth.imperative or auth.anonymous is Anonymous.UNKNOWN:
        return Decision.UNKNOWN
    if auth.anonymous is Anonymous.NO and facts.identity is Identity.UNKNOWN:
        return Decision.UNKNOWN
    return Decision.UNKNOWN if Decision.UNKNOWN in results else Decision.ALLOW


def decide_for(auth: Auth, facts: CallerFacts, caller: McpCaller) -> Decision:
    """Return the decision for one tool, a caller without any carrier value counting as absent.

    Identity that no callback told is `absent` where the request carries no value at all and the
    carriers cover every scheme of the operation (spec: visibility 3).
    """
    if facts.identity is Identity.UNKNOWN and not caller.fields and _covers(caller.carriers, auth):
        facts = CallerFacts(identity=Identity.ABSENT, policy_results=facts.policy_results)
    return decide(auth, facts)


def _covers(carriers: Iterable[str], auth: Auth) -> bool:
    names = set(carriers)
    return bool(auth.carriers) and all(
        (carrier.location is ParameterLocation.HEADER and carrier.name.lower() in names)
        or (carrier.location is ParameterLocation.COOKIE and "cookie" in names)
        for carrier in auth.carriers
    )


async def caller_facts(
    caller: McpCaller,
    policies: Iterable[str],
    *,
    identity: Callable[[McpCaller], Any] | None,
    evaluate_policy: Callable[[str, McpCaller], Any] | None,
    settle: Settle,
) -> CallerFacts:
    """Ask the host's callbacks about a caller; an exception or a wrong answer is `unknown`.

    Policies are asked only for a caller whose identity is present.
    """
    who = Identity.UNKNOWN
    if identity is not None:
        who = await _ask(Identity, "visibility.identity", settle, identity, caller)
    if who is not Identity.PRESENT or evaluate_policy is None:
        return CallerFacts(identity=who)
    results = {
        policy: await _ask(
            Decision, "visibility.evaluate_policy", settle, evaluate_policy, policy, caller
        )
        for policy in sorted(set(policies))
    }
    return CallerFacts(identity=who, policy_results=MappingProxyType(results))


async def _ask(
    kind: type[Any], name: str, settle: Settle, callback: Callable[..., Any], *arguments: Any
) -> Any:
    # A policy that fails must neither show nor hide anything for certain.
    try:
        return kind(await settle(callback(*arguments)))
    except Exception as fault:
        LOGGER.warning("%s failed; the result counts as unknown", name, exc_info=fault)
        return kind("unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The tools one caller sees; `uncertain` are those among them that are unknown."""

    visible: frozenset[str]
    uncertain: frozenset[str]
    denied: frozenset[str]


def view_of(
    tools: Iterable[ToolDefinition], facts: CallerFacts, caller: McpCaller, *, show_unknown: bool
) -> View:
    """Return what a caller sees of a catalog; one decision per distinct `auth`."""
    decisions: dict[Auth, Decision] = {}
    visible, uncertain, denied = set(), set(), set()
    for tool in tools:
        decision = decisions.get(tool.auth)
        if decision is None:
            decision = decisions[tool.auth] = decide_for(tool.auth, facts, caller)
        if decision is Decision.DENY:
            denied.add(tool.name)
        elif decision is Decision.ALLOW or show_unknown:
            visible.add(tool.name)
            if decision is Decision.UNKNOWN:
                uncertain.add(tool.name)
    return View(
        visible=frozenset(visible), uncertain=frozenset(uncertain), denied=frozenset(denied)
    )
