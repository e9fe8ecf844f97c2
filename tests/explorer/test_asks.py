"""What the page asks, and what says nothing."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.explorer.asks import (
    KINDS,
    Ask,
    BadAsk,
    CallAsk,
    OverviewAsk,
    SearchAsk,
    ToolAsk,
    read_ask,
)
from sezzlee_py.explorer.searching import Question

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("kind", "document", "expected"),
    [
        ("overview", {}, OverviewAsk(headers=())),
        (
            "overview",
            {"headers": {"Authorization": " Bearer t "}},
            OverviewAsk(headers=(("authorization", "Bearer t"),)),
        ),
        (
            "search",
            {"query": "x", "tags": ["a"], "limit": 500, "everything": True},
            SearchAsk(
                headers=(), question=Question(query="x", limit=50, tags=("a",), everything=True)
            ),
        ),
        ("search", {"query": ""}, SearchAsk(headers=(), question=Question(query="", limit=20))),
        ("tool", {"name": "x"}, ToolAsk(headers=(), name="x")),
        ("call", {"name": "x"}, CallAsk(headers=(), name="x", arguments=None)),
        ("call", {"name": "x", "arguments": [1]}, CallAsk(headers=(), name="x", arguments=[1])),
    ],
)
def test_a_body_is_read(kind: str, document: Any, expected: Ask) -> None:
    assert read_ask(kind, json.dumps(document).encode()) == expected


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("overview", b"\xff"),
        ("overview", b"["),
        ("overview", b"[]"),
        ("overview", b'{"headers": []}'),
        ("overview", b'{"headers": {"a b": "x"}}'),
        ("overview", b'{"headers": {"": "x"}}'),
        ("overview", b'{"headers": {"a": 1}}'),
        ("overview", b'{"headers": {"a": "x\\ny"}}'),
        ("overview", '{"headers": {"a": "\u20ac"}}'.encode()),
        ("search", b"{}"),
        ("search", b'{"query": "x", "tags": "a"}'),
        ("search", b'{"query": "x", "tags": [1]}'),
        ("search", b'{"query": "x", "limit": true}'),
        ("search", b'{"query": "x", "limit": "3"}'),
        ("tool", b'{"name": 1}'),
        ("call", b'{"arguments": {}}'),
    ],
)
def test_a_body_that_says_nothing_is_refused(kind: str, body: bytes) -> None:
    with pytest.raises(BadAsk):
        read_ask(kind, body)


def test_a_refusal_repeats_no_value_of_a_header() -> None:
    with pytest.raises(BadAsk) as refused:
        read_ask("overview", b'{"headers": {"authorization": "s3cret\\n"}}')
    assert "s3cret" not in str(refused.value)


@given(kind=st.sampled_from(sorted(KINDS)), document=anything)
def test_whatever_is_sent_is_read_or_refused(kind: str, document: Any) -> None:
    with suppress(BadAsk):
        read_ask(kind, json.dumps(document).encode())
