"""Hostile and huge input costs work in step with its size, counted rather than timed."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    SearchIndex,
    ToolDocument,
    WeightedTokenRanker,
)
from sezzlee_py.search.inverted import InvertedIndex
from sezzlee_py.search.lexical_view import LexicalView
from sezzlee_py.search.query import _runs, read_query

RANKERS = [LexicalRanker(), BM25Ranker(), WeightedTokenRanker()]


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many postings each look-up of a term handed out."""
    counts: list[int] = []
    entries = InvertedIndex.entries

    def counted(self: InvertedIndex, term: str) -> array[int]:
        found = entries(self, term)
        counts.append(len(found))
        return found

    monkeypatch.setattr(InvertedIndex, "entries", counted)
    return counts


def postings(index: SearchIndex) -> int:
    inverted: Any = index._prepared._documents.index  # type: ignore[attr-defined]
    return sum(len(inverted._postings[term]) for term in inverted.terms)


def spelled(number: int) -> str:
    letters = "bcdfghjkmn"
    return "x" + "".join(letters[int(digit)] for digit in f"{number:05}")


def test_ten_thousand_distinct_words_visit_each_posting_a_few_times(visited: list[int]) -> None:
    text = " ".join(spelled(n) for n in range(10_000))
    index = SearchIndex([ToolDocument("huge", text), ToolDocument("ping", spelled(3))])
    visited.clear()
    index.search(text)
    # Once for the impacts, and by the look for other forms of each word.
    assert sum(visited) <= 3 * postings(index)


def test_nested_prefixes_cost_no_more_than_the_text_is_long(visited: list[int]) -> None:
    nested = " ".join("a" * n for n in range(1, 440))
    index = SearchIndex([ToolDocument("huge", nested)])
    visited.clear()
    index.search(" ".join("a" * n + "b" for n in range(440)) + " " + nested)
    assert sum(visited) <= len(nested)


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize(
    "query",
    [
        "a aa aaa " * 11_000,
        "“" * 100_000,
        "'" * 100_000,
        "'a " * 33_000,
        "x" * 100_000,
        "ẹ̀" * 30_000,
        "aB" * 50_000,
        "in " * 33_000,
        "order. " * 14_000,
    ],
    ids=["prefixes", "quotes", "ticks", "openings", "word", "marks", "case", "in", "repeats"],
)
def test_a_100_kb_query_is_answered(ranker: LexicalRanker, query: str) -> None:
    documents = [ToolDocument("get_order", "aaa order " + "aB" * 50), ToolDocument("in_x", "x in")]
    SearchIndex(documents, ranker).search(query)


def test_a_query_is_cut_into_as_many_words_as_it_has() -> None:
    assert len(read_query("aB" * 1000)) == 999
    assert len(tuple(_runs("order. " * 1000))) == 1000


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_megabyte_of_description_is_one_document(ranker: LexicalRanker) -> None:
    huge = ToolDocument("huge", "lorem ipsum " * 80_000 + "x" * 100_000)
    index = SearchIndex([huge, ToolDocument("get_order", "Get the lorem.")], ranker)
    assert set(index.search("lorem", floor=0).names) == {"huge", "get_order"}


def test_what_is_remembered_of_queries_is_bounded() -> None:
    index = SearchIndex(
        [ToolDocument(f"tool_{n}", "order " + spelled(n)) for n in range(500)], LexicalRanker()
    )
    memo: Any = index._prepared._memo  # type: ignore[attr-defined]
    memo._budget = 5_000
    for n in range(2_000):
        index.search(f"order {spelled(n)} {'z' * 80}{n}")
    assert memo._held <= 5_000
    assert memo._held == sum(
        len(match.values) + len(match.emphasis) + 8 for match in memo._matches.values()
    )


def test_a_query_touches_only_the_postings_of_its_terms(visited: list[int]) -> None:
    common = [ToolDocument(f"tool_{n}", "shared words here") for n in range(1_000)]
    index = SearchIndex([*common, ToolDocument("get_order", "One order.")])
    visited.clear()
    assert index.search("order").names == ("get_order",)
    assert sum(visited) == 2


def test_alternating_callers_work_nothing_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    find = LexicalView.find
    monkeypatch.setattr(
        LexicalView, "find", lambda view, term: found.append(term) or find(view, term)
    )
    index = SearchIndex([ToolDocument(f"get_order_{n}", "One order.") for n in range(50)])
    callers = [frozenset(f"get_order_{n}" for n in range(k, k + 20)) for k in range(5)]
    for _ in range(10):
        for visible in callers:
            index.search("get order", visible=visible)
    assert len(found) == 2 * len(callers)
