from __future__ import annotations

import math
from time import process_time

import pytest

pytest.importorskip("psycopg")

from sezzlee_postgres.questions import Asked, Known, Question, ask, idf, read_terms


def test_terms_are_those_of_the_index_without_stop_words_and_each_once() -> None:
    assert read_terms("Please list the GitHub Orders, orders!").terms == (
        "list",
        "git",
        "hub",
        "order",
        "github",
    )


def test_a_query_of_stop_words_is_read_and_one_without_words_is_not() -> None:
    assert read_terms("what is this").terms == ("what", "is", "thi")
    assert read_terms("?! \0 \ud800").terms == ()


def test_what_is_looked_up_are_terms_names_and_verbs_said_for_them() -> None:
    wanted = read_terms("stop orders")
    assert set(wanted.lookup) == {
        *("stop", "=stop", "order", "=order"),
        *("cancel", "end", "terminate", "abort", "halt"),
    }
    assert wanted.forms == ["stop", "order"]


def test_a_term_weighs_what_its_rarity_says_and_other_forms_a_part_of_it() -> None:
    known = [Known("order", "order", 10), Known("=order", "", 2), Known("ordering", "order", 1)]
    weight = math.log(1 + (100 - 10 + 0.5) / 10.5)
    assert ask(read_terms("orders"), known, {}, size=100, most=1_000) == Question(
        candidates="'order' | 'ordering'",
        asked=(
            Asked("'order'", "'=order'", weight),
            Asked("'ordering'", "'=ordering'", 0.3 * weight),
        ),
    )


def test_a_term_that_nothing_holds_is_taken_as_a_beginning() -> None:
    wanted = read_terms("ord xy")
    assert wanted.beginnings([]) == ["ord"]
    assert ask(wanted, [], {"ord": 3}, size=10, most=10) == Question(
        candidates="'ord':*", asked=(Asked("'ord':*", "'=ord':*", idf(10, 3)),)
    )


def test_a_query_of_unknown_words_asks_nothing() -> None:
    assert ask(read_terms("zzz"), [], {"zzz": 0}, size=10, most=10) is None


@pytest.mark.parametrize(
    ("counts", "candidates"),
    [
        ({"rare": 5, "common": 90}, "'rare' | 'common'"),
        ({"rare": 50, "often": 5_000, "=often": 40}, "'rare' | '=often'"),
        ({"often": 5_000, "frequent": 6_000}, "'often' & 'frequent'"),
        ({"often": 5_000, "frequent": 6_000, "=frequent": 9}, "'=frequent'"),
    ],
    ids=["all", "rare anywhere", "all of the frequent", "frequent by name"],
)
def test_candidates_hold_rare_terms_anywhere_and_frequent_ones_by_name(
    counts: dict[str, int], candidates: str
) -> None:
    known = [Known(term, term, count) for term, count in counts.items()]
    query = " ".join(term for term in counts if not term.startswith("="))
    question = ask(read_terms(query), known, {}, size=10_000, most=100)
    assert question is not None
    assert question.candidates == candidates


def test_of_a_long_query_few_terms_are_scored() -> None:
    wanted = read_terms(" ".join(f"w{at}" for at in range(1_000)))
    known = [Known(term, term, at + 1) for at, term in enumerate(wanted.terms)]
    question = ask(wanted, known, {}, size=1_000, most=1_000)
    assert question is not None
    assert [each.term for each in question.asked] == [f"'w{at}'" for at in range(24)]


@pytest.mark.parametrize(
    "query",
    ["word " * 100_000, "a" * 100_000, "aB" * 50_000, "\u0301" * 100_000, "\ud800" * 100_000],
    ids=["words", "one word", "parts", "marks", "surrogates"],
)
def test_a_huge_query_is_read_soon(query: str) -> None:
    started = process_time()
    assert len(read_terms(query).terms) <= 130
    assert process_time() - started < 0.5
