"""Explanations add up to the score that was given."""

import pytest

from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    SearchIndex,
    ToolDocument,
    WeightedTokenRanker,
)
from tests.unit.search.catalogs import SHOP

QUERIES = (
    "cancel order",
    "orders customer zebra",
    "inv",
    "stopped order",
    "fetch an invoice",
    "terminate",
    "Whose ord",
    "client",
)


@pytest.mark.parametrize("ranker", [LexicalRanker(), BM25Ranker(), WeightedTokenRanker()])
@pytest.mark.parametrize("query", QUERIES)
def test_the_shares_and_factors_make_the_score(ranker: LexicalRanker, query: str) -> None:
    index = SearchIndex(SHOP, ranker)
    hits = index.search(query, floor=0).hits
    explained = {hit.name: index.explain(query, hit.name).score for hit in hits}
    assert explained == pytest.approx({hit.name: hit.score for hit in hits})


def test_an_explanation_tells_term_field_and_weight() -> None:
    index = SearchIndex(SHOP)
    explanation = index.explain("cancel ord zebra", "cancel_order")
    told = {(share.term, share.matched, share.field) for share in explanation.shares}
    assert told == {
        ("cancel", "cancel", "name"),
        ("cancel", "cancel", "description"),
        ("ord", "order", "name"),
        ("ord", "order", "description"),
        ("ord", "order", "tags"),
        ("ord", "order", "route"),
    }
    assert explanation.unmatched == ("zebra",)
    assert [name for name, _ in explanation.factors] == [
        "coverage",
        "name",
        "first sentence",
        "adjacent",
    ]


def test_a_prefix_of_several_terms_shares_its_worth_among_them() -> None:
    index = SearchIndex([ToolDocument("order_ordering_orders"), ToolDocument("ping")])
    explanation = index.explain("ord", "order_ordering_orders")
    assert [share.matched for share in explanation.shares] == ["order", "ordering"]
    assert explanation.shares[0].share == pytest.approx(2 * explanation.shares[1].share)


def test_a_tool_that_does_not_match_is_explained_with_nothing() -> None:
    explanation = SearchIndex(SHOP).explain("zebra", "ping")
    assert (explanation.score, explanation.shares, explanation.unmatched) == (0, (), ("zebra",))


def test_a_hidden_tool_is_not_explained() -> None:
    index = SearchIndex(SHOP)
    with pytest.raises(KeyError):
        index.explain("order", "get_order", visible={"ping"})
    with pytest.raises(KeyError):
        index.explain("order", "ghost")
