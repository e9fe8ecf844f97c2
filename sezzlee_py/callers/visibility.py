"""What one caller sees: a three-valued decision per tool (spec: visibility 1 to 3)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.settle import Settle
from sezzlee_py.model import Anonymous, Auth, ParameterLocation, ToolDefinition

# Views differ by decisions, not by callers; a host with more combinations pays for building them.
_MAX_VIEWS: Final = 1_024


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


@dataclass(frozen=True, slots=True)
class Bare:
    """A caller who brought no value in any carrier; the carriers are what was looked at."""

    carriers: tuple[str, ...]


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


def decide_for(auth: Auth, facts: CallerFacts, bare: Bare | None = None) -> Decision:
    """Return the decision for one tool, a caller who brought nothing counting as absent.

    Where nobody tells who a caller is, a request without a value in any carrier has no identity
    that a call could run with, provided the carriers cover every scheme of the operation.
    """
    if bare is not None and facts.identity is Identity.UNKNOWN and _covers(bare.carriers, auth):
        facts = CallerFacts(identity=Identity.ABSENT, policy_results=facts.policy_results)
    return decide(auth, facts)


def _covers(carriers: Iterable[str], auth: Auth) -> bool:
    names = set(carriers)
    return all(
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
    # A policy that fails must neither show nor hide anything for certain, nor end the server.
    try:
        return kind(await settle(callback(*arguments)))
    except (Exception, SystemExit) as fault:
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
        self._views: OrderedDict[Hashable, View] = OrderedDict()
        self._known: OrderedDict[Hashable, View] = OrderedDict()
        self._lock = threading.Lock()
        self.policies = tuple(sorted({name for auth in grouped for name in auth.policies}))

    def known(self, key: Hashable) -> View | None:
        """Return the view that was kept under `key`, at the cost of one look-up."""
        with self._lock:
            view = self._known.get(key)
            if view is not None:
                self._known.move_to_end(key)
            return view

    def view(
        self,
        facts: CallerFacts,
        *,
        show_unknown: bool = True,
        bare: Bare | None = None,
        key: Hashable = None,
    ) -> View:
        """Return what a caller sees.

        Args:
            facts: what is known about the caller.
            show_unknown: whether tools that could not be evaluated are shown.
            bare: a caller of whom nobody tells who it is and who brought nothing.
            key: stands for all of these; the view is kept under it.
        """
        decisions = tuple(decide_for(auth, facts, bare) for auth, _ in self._groups)
        with self._lock:
            view = _kept(self._views, (show_unknown, decisions), self._make)
            return view if key is None else _kept(self._known, key, lambda _: view)

    def _make(self, key: tuple[bool, tuple[Decision, ...]]) -> View:
        show_unknown, decisions = key
        names: dict[Decision, set[str]] = {decision: set() for decision in Decision}
        for (_, group), decision in zip(self._groups, decisions, strict=True):
            names[decision].update(group)
        shown_unknown = names[Decision.UNKNOWN] if show_unknown else set()
        return View(
            visible=frozenset(names[Decision.ALLOW] | shown_unknown),
            uncertain=frozenset(shown_unknown),
            denied=frozenset(names[Decision.DENY]),
        )


def _kept(views: OrderedDict[Hashable, View], key: Any, make: Callable[[Any], View]) -> View:
    """Return the view under `key`, made when there is none; the oldest leave."""
    view = views.get(key)
    if view is None:
        view = views[key] = make(key)
        if len(views) > _MAX_VIEWS:
            views.popitem(last=False)
    else:
        views.move_to_end(key)
    return view
