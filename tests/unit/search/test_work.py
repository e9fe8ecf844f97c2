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
from sezzlee_py.search import index as index_module
from sezzlee_py.search.inverted import InvertedIndex
from sezzlee_py.search.lexical_view import LexicalView
from sezzlee_py.search.matching import View
from sezzlee_py.search.query import MOST_CHARACTERS, MOST_WORDS, read_query

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
    assert len(read_query("order. " * 285)) == 285


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The terms that were looked up."""
    terms: list[str] = []
    match = View.match
    monkeypatch.setattr(View, "match", lambda view, term: terms.append(term) or match(view, term))
    return terms


FLOOD = " ".join(spelled(number) for number in range(100_000))
ENTRIES = {
    "search": lambda index, query: index.search(query),
    "all": lambda index, query: index.search(query, limit=None, floor=0),
    "unmatched": lambda index, query: index.unmatched(query),
    "restricted": lambda index, query: index.restricted(query, frozenset({"get_order"})),
    "explain": lambda index, query: index.explain(query, "get_order"),
}


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_of_a_flood_of_words_the_first_are_looked_up(
    looked_up: list[str], ranker: LexicalRanker, entry: str
) -> None:
    index = SearchIndex([ToolDocument("get_order", "One order.")], ranker)
    ENTRIES[entry](index, FLOOD)
    assert 0 < len(looked_up) <= MOST_WORDS
    assert set(looked_up) <= set(FLOOD[:MOST_CHARACTERS].split())


@pytest.mark.parametrize("ranker", RANKERS)
def test_words_beyond_what_is_read_find_nothing(ranker: LexicalRanker) -> None:
    index = SearchIndex([ToolDocument("get_order", "One order.")], ranker)
    many = " ".join(spelled(number) for number in range(MOST_WORDS - 1))
    assert index.search(f"{many} order", floor=0).names == ("get_order",)
    assert index.search(f"{many} more order", floor=0).names == ()
    assert index.search(f"{'- ' * (MOST_CHARACTERS // 2)}order").hits == index.search("").hits


def test_repeated_words_count_once_towards_what_is_read() -> None:
    texts = [word.text for word in read_query("order item " * 60 + "lamp")]
    assert texts == ["order", "item"] * 60 + ["lamp"]


def test_a_long_query_is_compared_with_names_as_far_as_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folded: list[str] = []
    fold = index_module.fold
    monkeypatch.setattr(index_module, "fold", lambda text: folded.append(text) or fold(text))
    index = SearchIndex([ToolDocument("get_order", "One order.", tags=("shop",))])
    folded.clear()
    index.search("order" + "\u0301\u0316" * 50_000, tags=["shop", *["x" * 2_000] * 9])
    assert max(map(len, folded)) <= MOST_CHARACTERS
    assert "shop" in folded


def test_a_tag_asked_for_many_times_or_at_great_length_is_read_as_one() -> None:
    index = SearchIndex([ToolDocument("get_order", "One order.", tags=("shop", "new"))])
    assert index.search("order", tags=["shop", "Shop", "NEW"] * 9_000).names == ("get_order",)
    assert index.search("order", tags=["shop", "shop" + "\u0301\u0316" * 50_000]).names == ()
    assert index.arrange(["get_order"], tags=["n" * 10**6]) == ()


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


def test_words_that_match_nothing_leave_nothing_behind_and_drive_nothing_out() -> None:
    index = SearchIndex([ToolDocument(f"tool_{n}", "order " + spelled(n)) for n in range(50)])
    memo: Any = index._prepared._memo  # type: ignore[attr-defined]
    memo._budget = 500
    index.search("order")
    kept = dict(memo._matches)
    for n in range(2_000):
        index.search(f"qq{spelled(n)}qq order")
    assert memo._matches == kept
    assert len(kept) == 1


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
