"""The decision for one tool, the questions put to a host, and the view they make."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.visibility import (
    Bare,
    CallerFacts,
    Decision,
    Identity,
    View,
    Viewer,
    caller_facts,
    decide,
    decide_for,
)
from sezzlee_py.invoke.settle import settle_on_loop
from sezzlee_py.model import Anonymous, Auth, Carrier, ParameterLocation, ToolDefinition

CALLER = McpCaller(fields=(("authorization", "t"),))
HEADER, COOKIE, QUERY = (
    ParameterLocation.HEADER,
    ParameterLocation.COOKIE,
    ParameterLocation.QUERY,
)


def tool(name: str, auth: Auth | None = None) -> ToolDefinition:
    return ToolDefinition(
        name=name,
        description="",
        input_schema={},
        annotations={},
        method="GET",
        route="/",
        auth=auth or Auth(),
    )


def by_the_table(auth: Auth, facts: CallerFacts) -> str:
    """The truth table read aloud, independent of the code."""
    said = [str(facts.policy_results.get(name, "missing")) for name in auth.policies]
    rows = [
        (auth.anonymous == "no" and facts.identity == "absent", "deny"),
        ("deny" in said, "deny"),
        (auth.imperative, "unknown"),
        (auth.anonymous == "unknown", "unknown"),
        (auth.anonymous == "no" and facts.identity == "unknown", "unknown"),
        ("unknown" in said or "missing" in said, "unknown"),
        (True, "allow"),
    ]
    return next(decision for fits, decision in rows if fits)


def test_every_combination_follows_the_table() -> None:
    results: list[dict[str, Decision]] = [
        {},
        *({"P": d} for d in Decision),
        *({"P": a, "Q": b} for a, b in product(Decision, Decision)),
    ]
    for anonymous, imperative, policies, identity, found in product(
        Anonymous, (True, False), ((), ("P",), ("P", "Q")), Identity, results
    ):
        auth = Auth(anonymous=anonymous, imperative=imperative, policies=policies)
        facts = CallerFacts(identity=identity, policy_results=found)
        assert decide(auth, facts) == by_the_table(auth, facts), (auth, facts)


@pytest.mark.parametrize(
    ("schemes", "expected"),
    [
        ((), Decision.DENY),
        (((HEADER, "Authorization"),), Decision.DENY),
        (((HEADER, "authorization"), (HEADER, "x-api-key")), Decision.UNKNOWN),
        (((COOKIE, "sid"),), Decision.UNKNOWN),
        (((QUERY, "authorization"),), Decision.UNKNOWN),
    ],
)
def test_a_caller_who_brought_nothing_is_absent_where_carriers_cover_the_schemes(
    schemes: Any, expected: Decision
) -> None:
    auth = Auth(
        anonymous=Anonymous.NO,
        carriers=tuple(Carrier(location=where, name=name) for where, name in schemes),
    )
    assert decide_for(auth, CallerFacts(), Bare(("authorization",))) is expected


def test_a_cookie_scheme_is_covered_by_the_cookie_header() -> None:
    auth = Auth(anonymous=Anonymous.NO, carriers=(Carrier(location=COOKIE, name="sid"),))
    assert decide_for(auth, CallerFacts(), Bare(("cookie",))) is Decision.DENY


def test_who_told_about_an_identity_is_believed() -> None:
    auth = Auth(anonymous=Anonymous.NO)
    facts = CallerFacts(identity=Identity.PRESENT)
    assert decide_for(auth, facts, Bare(("authorization",))) is Decision.ALLOW


async def facts_of(identity: Any, evaluate_policy: Any, *policies: str) -> CallerFacts:
    return await caller_facts(
        CALLER,
        policies,
        identity=identity,
        evaluate_policy=evaluate_policy,
        settle=settle_on_loop,
    )


async def test_plain_and_async_callbacks_are_asked_each_policy_once() -> None:
    asked: list[str] = []

    async def evaluate(policy: str, caller: McpCaller) -> str:
        assert caller is CALLER
        asked.append(policy)
        return "allow" if policy == "a" else "deny"

    found = await facts_of(lambda _: "present", evaluate, "b", "a", "b")
    assert (found.identity, dict(found.policy_results)) == ("present", {"a": "allow", "b": "deny"})
    assert asked == ["a", "b"]


@pytest.mark.parametrize("identity", ["absent", "unknown"])
async def test_policies_are_asked_only_of_a_present_identity(identity: str) -> None:
    def never(*_: Any) -> str:
        raise AssertionError

    assert await facts_of(lambda _: identity, never, "a") == CallerFacts(
        identity=Identity(identity)
    )


@pytest.mark.parametrize(
    "answer", ["yes", None, 1, ["allow"], RuntimeError("db down"), SystemExit(3)]
)
async def test_a_wrong_answer_or_a_failure_is_unknown(answer: Any) -> None:
    def reply(*_: Any) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    assert (await facts_of(reply, None)).identity is Identity.UNKNOWN
    found = await facts_of(lambda _: "present", reply, "a")
    assert dict(found.policy_results) == {"a": Decision.UNKNOWN}


async def test_without_callbacks_nothing_is_known() -> None:
    assert await facts_of(None, lambda *_: "deny", "a") == CallerFacts()


def test_a_view_parts_what_is_seen_from_what_is_denied() -> None:
    viewer = Viewer(
        [
            tool("open", Auth(anonymous=Anonymous.YES)),
            tool("guarded", Auth(anonymous=Anonymous.NO)),
            tool("silent"),
        ]
    )
    facts = CallerFacts(identity=Identity.ABSENT)
    shown = viewer.view(facts)
    assert shown == View(
        visible=frozenset({"open", "silent"}),
        uncertain=frozenset({"silent"}),
        denied=frozenset({"guarded"}),
    )
    assert viewer.view(facts, show_unknown=False) == View(
        visible=frozenset({"open"}), uncertain=frozenset(), denied=frozenset({"guarded"})
    )


def test_callers_with_equal_decisions_share_one_view() -> None:
    viewer = Viewer([tool("a", Auth(anonymous=Anonymous.YES))])
    one = viewer.view(CallerFacts(identity=Identity.PRESENT), key="one")
    two = viewer.view(CallerFacts(identity=Identity.ABSENT), key="two")
    assert one is two
    assert viewer.known("one") is one
    assert viewer.known("three") is None


def test_views_that_nobody_asks_for_leave() -> None:
    viewer = Viewer([tool("a")])
    for number in range(1_025):
        viewer.view(CallerFacts(), key=number)
    assert viewer.known(0) is None
    assert viewer.known(1_024) is not None


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([*Anonymous])),
    st.sampled_from([*Identity]),
    st.booleans(),
)
def test_every_tool_is_either_seen_or_not(
    tools: dict[str, Anonymous], identity: Identity, show_unknown: bool
) -> None:
    viewer = Viewer([tool(name, Auth(anonymous=a)) for name, a in tools.items()])
    view = viewer.view(CallerFacts(identity=identity), show_unknown=show_unknown)
    assert view.uncertain <= view.visible
    assert not view.visible & view.denied
    if show_unknown:
        assert view.visible | view.denied == tools.keys()
