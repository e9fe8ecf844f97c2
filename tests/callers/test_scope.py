"""How facts and scopes are spelled in a store."""

import hashlib
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sezzlee_py.callers.scope import (
    CallerScope,
    entry_name,
    read_facts,
    read_verdict,
    write_facts,
    write_verdict,
)
from sezzlee_py.callers.visibility import CallerFacts, Decision, Identity

DIGEST = "0123456789abcdef" * 4


def test_facts_are_spelled_as_the_standard_text() -> None:
    facts = CallerFacts(
        identity=Identity.PRESENT,
        policy_results={"Owner": Decision.UNKNOWN, "OrdersRead": Decision.ALLOW},
    )
    assert write_facts(facts) == "P|OrdersRead=A;Owner=U"
    assert write_facts(CallerFacts(identity=Identity.ABSENT)) == "A|"


@example(Identity.PRESENT, {"orders%3Dread": Decision.ALLOW, "orders=read": Decision.DENY})
@given(st.sampled_from([*Identity]), st.dictionaries(st.text(), st.sampled_from([*Decision])))
def test_facts_come_back_whatever_policies_are_called(
    identity: Identity, results: dict[str, Decision]
) -> None:
    facts = CallerFacts(identity=identity, policy_results=MappingProxyType(results))
    assert read_facts(write_facts(facts)) == facts


@pytest.mark.parametrize(
    "text", ["", "X|", "P|a", "P|a=", "P|a=Z", "P|;", "P|a=A;;b=A", None, b"P|", 1]
)
def test_what_does_not_spell_facts_is_nothing(text: Any) -> None:
    assert read_facts(text) is None


@given(st.text())
def test_any_text_is_facts_or_nothing(text: str) -> None:
    facts = read_facts(text)
    assert facts is None or isinstance(facts, CallerFacts)


def test_only_certain_verdicts_are_read() -> None:
    assert [read_verdict(write_verdict(verdict)) for verdict in Decision] == [
        Decision.ALLOW,
        Decision.DENY,
        None,
    ]
    assert read_verdict(None) is None


def test_an_entry_is_named_by_scope_and_kind() -> None:
    assert entry_name(DIGEST, "probe:get_order") == f"sezzlee:v1:{DIGEST}:probe:get_order"


def test_a_key_that_is_no_digest_becomes_one() -> None:
    assert CallerScope(DIGEST).key == DIGEST
    for key in ("user:42", f"{DIGEST}:ada", DIGEST.upper()):
        assert CallerScope(key).key == hashlib.sha256(key.encode()).hexdigest()
    assert CallerScope("a", ["user:42"]).tags == ("user:42",)  # type: ignore[arg-type]  # tolerated


@pytest.mark.parametrize("key", ["", None, 7])
def test_a_scope_without_a_key_is_refused(key: Any) -> None:
    with pytest.raises(ValueError, match="key"):
        CallerScope(key)


@pytest.mark.parametrize("tag", ["user", "user:", ":42", "user: 42", "a b:c", "user:4\n2", 7])
def test_a_tag_is_kind_and_value_without_white_space(tag: Any) -> None:
    with pytest.raises(ValueError, match="tag"):
        CallerScope("a", (tag,))
