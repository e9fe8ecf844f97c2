"""Fixed points per kind of match."""

from sezzlee_py.search import SearchIndex, ToolDocument, WeightedTokenRanker


def scores(query: str, *documents: ToolDocument, **options: frozenset[str]) -> dict[str, float]:
    index = SearchIndex(documents, WeightedTokenRanker(**options), exact_name_first=False)
    return {hit.name: hit.score for hit in index.search(query, floor=0).hits}


def test_name_label_and_description_points_add_up() -> None:
    tool = ToolDocument("get_order", "Reads one order.", container="Orders", tags=("Ignored",))
    assert scores("order", tool) == {"get_order": 5 + 2 + 1}
    assert scores("ord", tool) == {"get_order": 3}
    assert scores("ordering", tool) == {"get_order": 3}
    assert scores("or", tool) == {}
    assert scores("ignored", tool) == {}


def test_the_first_tag_labels_a_tool_without_a_container() -> None:
    tool = ToolDocument("fetch", tags=("Order Items", "Other"))
    assert scores("items", tool) == {"fetch": 2}
    assert scores("other", tool) == {}


def test_a_short_name_token_is_no_prefix_of_a_longer_word() -> None:
    assert scores("qrcode", ToolDocument("get_qr")) == {}


def test_each_distinct_token_counts_once() -> None:
    assert scores("order orders order", ToolDocument("order_order")) == {"order_order": 5}


def test_the_name_counts_once_for_a_token_by_its_best_match() -> None:
    assert scores("ord", ToolDocument("order_ordering_ordinal")) == {"order_ordering_ordinal": 3}
    assert scores("order", ToolDocument("ordering_order_ord")) == {"ordering_order_ord": 5}


def test_stop_words_are_skipped_in_descriptions_only() -> None:
    assert scores("more", ToolDocument("a_b", "one more")) == {}
    assert scores("more", ToolDocument("more_x", "one more")) == {"more_x": 5}
    words = frozenset({"Orders"})
    assert scores("order", ToolDocument("x_y", "order"), description_stop_words=words) == {}


def test_ties_go_by_name_and_the_floor_holds_by_default() -> None:
    documents = [ToolDocument("order_b"), ToolDocument("order_a"), ToolDocument("ping")]
    index = SearchIndex(documents, WeightedTokenRanker())
    assert index.search("order").names == ("order_a", "order_b")
    assert index.search("please kindly order").names == ()
