"""What one caller sees: a three-valued decision per tool (spec: visibility 1 to 3)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.settle import Settle
from sezzlee_py.model import Anonymous, Auth, ParameterLocation, ToolDefinition

# Views differ by decisions, not by callers; a host with more combinations pays for building them.
_MAX_VIEWS: Final = 256


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


class Viewer:
    """The visible set per caller, over one catalog.

    Tools with equal `auth` are decided once, and callers with equal decisions share one `View`, so
    a search neither walks the catalog nor builds a set.
    """

    def __init__(self, tools: Iterable[ToolDefinition]) -> None:
        grouped: dict[Auth, list[str]] = {}
        for tool in tools:
            grouped.setdefault(tool.auth, []).append(tool.name)
        self._groups = tuple((auth, tuple(names)) for auth, names in grouped.items())
        self._views: OrderedDict[tuple[bool, tuple[Decision, ...]], View] = OrderedDict()
        self._lock = threading.Lock()
        self.policies = tuple(sorted({name for auth in grouped for name in auth.policies}))

    def view(self, facts: CallerFacts, caller: McpCaller, *, show_unknown: bool) -> View:
        """Return what a caller sees."""
        decisions = tuple(decide_for(auth, facts, caller) for auth, _ in self._groups)
        key = (show_unknown, decisions)
        with self._lock:
            view = self._views.get(key)
            if view is None:
                view = self._views[key] = self._make(decisions, show_unknown)
                if len(self._views) > _MAX_VIEWS:
                    self._views.popitem(last=False)
            else:
                self._views.move_to_end(key)
        return view

    def _make(self, decisions: tuple[Decision, ...], show_unknown: bool) -> View:
        names: dict[Decision, set[str]] = {decision: set() for decision in Decision}
        for (_, group), decision in zip(self._groups, decisions, strict=True):
            names[decision].update(group)
        shown_unknown = names[Decision.UNKNOWN] if show_unknown else set()
        return View(
            visible=frozenset(names[Decision.ALLOW] | shown_unknown),
            uncertain=frozenset(shown_unknown),
            denied=frozenset(names[Decision.DENY]),
        )
