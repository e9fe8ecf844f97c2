"""Merging into `WWW-Authenticate` (spec: transport 7, RFC 9110 11.6.1)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.mcp.challenge import merge_challenge

URL = "https://api.example/.well-known/oauth-protected-resource/mcp"
ADDED = f'resource_metadata="{URL}"'


@pytest.mark.parametrize(
    ("fields", "merged"),
    [
        ([], [f"Bearer {ADDED}"]),
        (["Bearer"], [f"Bearer {ADDED}"]),
        (["bearer"], [f"bearer {ADDED}"]),
        (['Bearer realm="a"'], [f'Bearer realm="a", {ADDED}']),
        (['Bearer realm="a, b", error="e"'], [f'Bearer realm="a, b", error="e", {ADDED}']),
        (['Bearer realm="say \\"hi\\", ok"'], [f'Bearer realm="say \\"hi\\", ok", {ADDED}']),
        (["Bearer realm=a"], [f"Bearer realm=a, {ADDED}"]),
        (['Bearer realm = "a"'], [f'Bearer realm = "a", {ADDED}']),
        (
            ['Basic realm="x", Bearer realm="y", error="e", Digest nonce="n"'],
            [f'Basic realm="x", Bearer realm="y", error="e", {ADDED}, Digest nonce="n"'],
        ),
        (["Negotiate, Bearer, NTLM"], [f"Negotiate, Bearer {ADDED}, NTLM"]),
        (['Basic realm="x"', "BEARER"], ['Basic realm="x"', f"BEARER {ADDED}"]),
        (["Negotiate abc=="], ["Negotiate abc==", f"Bearer {ADDED}"]),
        (['Basic realm="Bearer x"'], ['Basic realm="Bearer x"', f"Bearer {ADDED}"]),
        (
            ['Basic realm="a", charset=Bearer'],
            ['Basic realm="a", charset=Bearer', f"Bearer {ADDED}"],
        ),
        (["Bearerish x"], ["Bearerish x", f"Bearer {ADDED}"]),
        (['Bearer resource_metadata="u"'], ['Bearer resource_metadata="u"']),
        (['Bearer a="b", Resource_Metadata="u"'], ['Bearer a="b", Resource_Metadata="u"']),
        (["Bearer", 'Bearer resource_metadata="u"'], ["Bearer", 'Bearer resource_metadata="u"']),
        (["Bearer tok68=="], [f"Bearer tok68==, {ADDED}"]),
        ([""], ["", f"Bearer {ADDED}"]),
        (["@@@"], ["@@@", f"Bearer {ADDED}"]),
    ],
)
def test_the_address_joins_the_one_bearer_challenge(fields: list[str], merged: list[str]) -> None:
    assert merge_challenge(fields, URL) == tuple(merged)


def test_a_scope_is_added_beside_the_address_unless_one_is_there() -> None:
    assert merge_challenge([], URL, "a b") == (f'Bearer {ADDED}, scope="a b"',)
    assert merge_challenge(["Bearer"], URL, "a") == (f'Bearer {ADDED}, scope="a"',)
    assert merge_challenge(['Bearer scope="own"'], URL, "a") == (f'Bearer scope="own", {ADDED}',)
    untouched = ('Bearer resource_metadata="u"',)
    assert merge_challenge(untouched, URL, "a") == untouched


quoted = st.text(alphabet='aé ,="\\Bearer', max_size=8).map(
    lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
)
parameter = st.tuples(st.sampled_from(["realm", "error", "x"]), quoted).map("=".join)
challenge = st.tuples(
    st.sampled_from(["Bearer", "bearer", "Basic", "Digest"]),
    st.lists(parameter, max_size=3).map(", ".join),
).map(lambda parts: " ".join(part for part in parts if part))
field = st.lists(challenge, min_size=1, max_size=3).map(", ".join)


def outside_quotes(text: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)


@given(st.lists(field, max_size=3))
def test_one_address_is_added_and_nothing_else_changes(fields: list[str]) -> None:
    merged = merge_challenge(fields, URL)
    bearers = [len(re.findall(r"(?i)\bbearer\b", outside_quotes(text))) for text in fields]
    after = [len(re.findall(r"(?i)\bbearer\b", outside_quotes(text))) for text in merged]
    assert sum(after) == max(sum(bearers), 1)
    assert "\n".join(merged).count(ADDED) == 1
    assert [re.sub(rf",? {re.escape(ADDED)}", "", text) for text in merged][: len(fields)] == fields


@given(st.lists(st.text(alphabet='aB ,="\\\t', max_size=30), max_size=3))
def test_any_text_is_survived(fields: list[str]) -> None:
    assert len(merge_challenge(fields, URL)) in (len(fields), len(fields) + 1)
