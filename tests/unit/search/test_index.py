"""The pipeline of an answer over one index."""

import pytest

from sezzlee_py.search import (
    BM25Ranker,
    Hit,
    LexicalRanker,
    RestrictedNames,
    SearchIndex,
    ToolDocument,
    WeightedTokenRanker,
    is_listing,
)
from tests.unit.search.catalogs import SHOP

RANKERS = [LexicalRanker(), BM25Ranker(), WeightedTokenRanker()]


@pytest.fixture(scope="module")
def index() -> SearchIndex:
    return SearchIndex(SHOP)


def test_the_default_ranker_is_the_lexical_one(index: SearchIndex) -> None:
    assert index.ranker == LexicalRanker()
    assert len(index) == len(SHOP)


@pytest.mark.parametrize("query", ["", "   ", "-- ?!", "📦", "a"])
def test_a_query_without_tokens_lists_the_visible_tools_by_name(
    index: SearchIndex, query: str
) -> None:
    assert is_listing(query)
    names = tuple(sorted(document.name for document in SHOP))
    assert index.search(query).names == names
    assert index.search(query, limit=2).names == names[:2]
    assert index.search(query, visible={"ping", "get_order", "nowhere"}).names == (
        "get_order",
        "ping",
    )
    assert index.search(query, tags=["billing"]).names == ("create_invoice", "get_invoice_pdf")


@pytest.mark.parametrize("limit", [0, -3])
def test_no_hit_is_returned_for_a_limit_below_one(index: SearchIndex, limit: int) -> None:
    assert index.search("order", limit=limit).hits == ()
    assert index.search("get_order", limit=limit).hits == ()
    assert index.search("", limit=limit).hits == ()


@pytest.mark.parametrize("ranker", RANKERS)
def test_each_ranker_finds_the_tool_that_is_asked_for(ranker: LexicalRanker) -> None:
    outcome = SearchIndex(SHOP, ranker).search("cancel order", floor=0)
    assert outcome.names[0] == "cancel_order"
    assert outcome.unmatched == ()


@pytest.mark.parametrize("ranker", RANKERS)
def test_an_empty_catalog_answers_nothing(ranker: LexicalRanker) -> None:
    index = SearchIndex((), ranker)
    assert index.search("order").hits == ()
    assert index.search("order").unmatched == ("order",)
    assert index.search("").hits == ()
    assert index.tag_vocabulary() == ()


@pytest.mark.parametrize("ranker", RANKERS)
def test_nothing_is_visible_to_a_caller_without_tools(ranker: LexicalRanker) -> None:
    index = SearchIndex(SHOP, ranker)
    assert index.search("order", visible=()).hits == ()
    assert index.search("order", visible=set()).unmatched == ("order",)


@pytest.mark.parametrize(
    "query", ["get_order", "Get Order", "get-order", "getOrder", " GET.ORDER "]
)
def test_a_query_that_equals_a_name_puts_that_tool_first(query: str) -> None:
    near = [ToolDocument(f"get_order_{n}", "Get order get order.") for n in range(30)]
    index = SearchIndex([*near, ToolDocument("get_order", "Reads.")])
    assert index.search(query, limit=1).names == ("get_order",)
    assert index.search(query, limit=5).names[0] == "get_order"
    assert index.search(query, visible={"get_order_1"}).names == ("get_order_1",)


def test_the_name_spelled_as_sent_comes_before_one_that_only_folds_alike() -> None:
    index = SearchIndex([ToolDocument("GetOrder"), ToolDocument("get_order")])
    assert index.search("get_order").names == ("get_order", "GetOrder")
    assert index.search("GetOrder").names == ("GetOrder", "get_order")


def test_an_exact_name_is_found_even_where_nothing_scores() -> None:
    index = SearchIndex([ToolDocument("get_me", tags=("Self",)), ToolDocument("about_you")])
    assert index.search("about_you").hits[0].name == "about_you"
    assert index.search("about_you", tags=["self"]).names == ()


def test_exact_name_first_can_be_switched_off() -> None:
    documents = [ToolDocument("order", "x y z"), ToolDocument("order_order", "order order")]
    assert SearchIndex(documents).search("order").names[0] == "order"
    plain = SearchIndex(documents, BM25Ranker(), exact_name_first=False)
    assert plain.search("order").names[0] == "order_order"


def test_tags_are_compared_whole_and_folded_and_all_of_them(index: SearchIndex) -> None:
    assert index.search("order", tags=["ORDERS", "writes"]).names == ("cancel_order",)
    assert index.search("order", tags=["order"]).names == ()
    assert index.search("order", tags=["nobody"]).names == ()


def test_the_vocabulary_is_the_callers_and_never_shortened(index: SearchIndex) -> None:
    assert index.tag_vocabulary() == ("billing", "orders", "writes")
    assert index.tag_vocabulary({"get_order", "ping"}) == ("orders",)
    assert index.tag_vocabulary(limit=3) == ("billing", "orders", "writes")
    assert index.tag_vocabulary(limit=2) == ()


def test_words_that_no_visible_tool_matches_are_told_as_sent(index: SearchIndex) -> None:
    outcome = index.search("Teleport the Zebras, zebra now")
    assert outcome.hits == ()
    assert outcome.unmatched == ("Teleport", "Zebras", "now")
    assert index.unmatched("order invoice", {"ping"}) == ("order", "invoice")
    many = " ".join(f"word{n}x" for n in range(30))
    assert len(index.search(many).unmatched) == 10


def test_two_documents_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="'ping'"):
        SearchIndex([ToolDocument("ping"), ToolDocument("pong"), ToolDocument("ping")])


def test_a_hosts_order_is_kept_and_only_filtered(index: SearchIndex) -> None:
    ranking = ("ping", "cancel_order", "ghost", "get_order", "list_orders")
    assert index.arrange(ranking) == ("ping", "cancel_order", "get_order", "list_orders")
    assert index.arrange(ranking, tags=["orders"], limit=2) == ("cancel_order", "get_order")
    assert index.arrange(ranking, visible={"get_order"}) == ("get_order",)


def test_denied_tools_that_match_are_counted_and_named_apart() -> None:
    denied = {f"get_order_{n}" for n in range(7)}
    index = SearchIndex(ToolDocument(name) for name in [*denied, "get_order", "ping"])
    named = index.restricted("order", denied)
    assert named == RestrictedNames(count=7, names=tuple(sorted(denied))[:5])
    assert index.restricted("", denied) == RestrictedNames()
    assert index.restricted("zebra", denied) == RestrictedNames()
    assert index.restricted("order", ()) == RestrictedNames()


def test_equal_visible_sets_share_what_was_worked_out(index: SearchIndex) -> None:
    visible = frozenset({"get_order", "ping"})
    pool = index._pools.of(visible)
    assert index._pools.of({"ping", "get_order"}) is pool
    assert index._pools.of(visible) is pool
    everyone = index._pools.of({document.name for document in SHOP})
    assert everyone.members is None


def test_only_so_many_visible_sets_are_remembered() -> None:
    index = SearchIndex(ToolDocument(f"tool_{n}") for n in range(200))
    first = index._pools.of({"tool_0"})
    for n in range(1, 150):
        index._pools.of({f"tool_{n}"})
    assert index._pools.of({"tool_0"}) is not first
    assert len(index._pools._remembered) == 128


def test_a_floor_tool_by_tool_can_be_asked_of_the_lexical_ranker(index: SearchIndex) -> None:
    names = index.search("invoice pdf", floor=0.9, floor_scope="tool").names
    assert names == ("get_invoice_pdf",)
    assert set(index.search("invoice pdf", floor=0).names) == {"get_invoice_pdf", "create_invoice"}


def test_a_floor_once_per_query_can_be_asked_of_the_plain_ranker() -> None:
    index = SearchIndex(SHOP, BM25Ranker())
    assert index.search("teleport zebra order", floor=0.5, floor_scope="query").names == ()
    assert "get_order" in index.search("order zebra", floor=0.2, floor_scope="query").names


def test_hits_carry_name_and_score(index: SearchIndex) -> None:
    hit = index.search("ping").hits[0]
    assert hit == Hit("ping", hit.score)
    assert hit.score > 0


def test_an_index_under_another_ranker_is_made_once_for_equal_rankers() -> None:
    index = SearchIndex([ToolDocument("get_film"), ToolDocument("get_order")])
    other = index.under(BM25Ranker())
    assert index.under(LexicalRanker()) is index
    assert index.under(BM25Ranker()) is other
    assert other.search("film").names == ("get_film",)
    assert other.documents == index.documents
    # A few are kept, not whatever number a dependency makes up.
    for word in "abcde":
        index.under(LexicalRanker(stop_words=frozenset({word})))
    assert index.under(BM25Ranker()) is not other


def test_an_exact_name_keeps_its_score_at_any_limit() -> None:
    index = SearchIndex([ToolDocument("get"), ToolDocument("get_get")], BM25Ranker())
    assert index.search("get", limit=1).hits == index.search("get", limit=2).hits[:1]
    assert index.search("get", limit=1).hits[0].score > 0
