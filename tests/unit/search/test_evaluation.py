"""Metrics against values worked out by hand."""

import math

import pytest

from sezzlee_py.search import SearchIndex, ToolDocument
from sezzlee_py.search.evaluation import (
    Metrics,
    QueryCase,
    QueryResult,
    Twins,
    apps_from_rows,
    cases_from_rows,
    document_from_row,
    false_return_rate,
    macro_mean,
    measure,
    never_found,
    run,
    twins,
    worst_queries,
)


def result(relevant: str, returned: str, query: str = "q") -> QueryResult:
    return QueryResult(query=query, relevant=frozenset(relevant), returned=tuple(returned))


def test_metrics_are_means_over_queries() -> None:
    results = [result("a", "abc"), result("ab", "xaybz"), result("a", ""), result("a", "uvwxya")]
    ideal = 1 + 1 / math.log2(3)
    second = (1 / math.log2(3) + 1 / math.log2(5)) / ideal
    last = 1 / math.log2(7)
    assert measure(results) == Metrics(
        queries=4,
        hit_at_1=pytest.approx(1 / 4),
        recall_at_5=pytest.approx((1 + 1) / 4),
        ndcg_at_10=pytest.approx((1 + second + last) / 4),
        mrr=pytest.approx((1 + 1 / 2 + 1 / 6) / 4),
    )


def test_nothing_measured_is_zero() -> None:
    zero = Metrics(queries=0, hit_at_1=0, recall_at_5=0, ndcg_at_10=0, mrr=0)
    assert measure([]) == zero
    assert macro_mean([]) == zero
    assert false_return_rate([]) == 0
    assert measure([result("", "a")]).ndcg_at_10 == 0


def test_every_set_counts_the_same_in_the_macro_mean() -> None:
    one, other = measure([result("a", "a")] * 3), measure([result("a", "b")])
    mean = macro_mean([one, other])
    assert (mean.queries, mean.hit_at_1, mean.mrr) == (4, 0.5, 0.5)


def test_false_returns_are_queries_that_got_any_answer() -> None:
    assert false_return_rate([(), ("a",), (), ("b", "c")]) == 0.5


def test_the_worst_queries_come_first_and_perfect_ones_not_at_all() -> None:
    good, bad, worse = result("a", "a"), result("a", "ba", "bad"), result("a", "b", "worse")
    assert worst_queries([good, bad, worse]) == (worse, bad)
    assert worst_queries([good, bad, worse], 1) == (worse,)


def test_tools_that_none_of_their_queries_found_are_told() -> None:
    results = [result("ab", "a"), result("b", "x" * 10 + "b"), result("c", "c")]
    assert never_found(results) == ("b",)
    assert never_found(results, at=11) == ()


def test_tools_that_search_cannot_tell_apart_are_twins() -> None:
    index = SearchIndex(
        [
            ToolDocument("list_users", "List all users."),
            ToolDocument("list_users_v2", "List all users."),
            ToolDocument("delete_order", "Delete an order."),
        ]
    )
    (pair,) = twins(index, at_least=0.5)
    assert pair == Twins(first="list_users", second="list_users_v2", overlap=pair.overlap)
    assert 0.5 <= pair.overlap <= 1
    assert twins(index, at_least=1.01) == ()
    assert twins(SearchIndex([ToolDocument("a")])) == ()


def test_rows_become_cases_that_are_run() -> None:
    rows = [
        {"query": "ping", "relevant": ["ping"]},
        {"query": "x", "relevant": ["y"], "app": "shop"},
        {"query": "z", "relevant": None, "app": "nowhere"},
    ]
    cases = cases_from_rows(rows, {"shop": frozenset({"y"})})
    assert cases == (
        QueryCase(query="ping", relevant=frozenset({"ping"})),
        QueryCase(query="x", relevant=frozenset({"y"}), visible=frozenset({"y"})),
        QueryCase(query="z", relevant=frozenset(), visible=frozenset()),
    )
    assert run(lambda case: [case.query], cases[:1]) == (
        QueryResult(query="ping", relevant=frozenset({"ping"}), returned=("ping",)),
    )


def test_rows_of_tools_become_documents_and_apps() -> None:
    row = {
        "name": "get_order",
        "app": "shop",
        "description": None,
        "route": "GET /orders",
        "tags": ["orders"],
        "parameters": [{"name": "id", "description": None}, {"name": "q", "description": "Words"}],
    }
    assert document_from_row(row) == ToolDocument(
        "get_order",
        tags=("orders",),
        route="GET /orders",
        parameters=(("id", ""), ("q", "Words")),
    )
    assert document_from_row({"name": "ping"}) == ToolDocument("ping")
    assert apps_from_rows([row, {"name": "ping"}]) == {"shop": frozenset({"get_order"})}
