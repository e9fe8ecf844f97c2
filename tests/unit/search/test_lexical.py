"""What the default ranker adds to plain words."""

import pytest

from sezzlee_py.search import LexicalRanker, SearchIndex, ToolDocument, lexical_view
from tests.unit.search.catalogs import SHOP


def names(query: str, *documents: ToolDocument, **options: object) -> tuple[str, ...]:
    return SearchIndex(documents).search(query, floor=0, **options).names  # type: ignore[arg-type]


def test_a_word_is_found_split_and_unsplit_on_either_side() -> None:
    documents = (ToolDocument("sync", "Sync a GitHub account."), ToolDocument("ping"))
    assert names("github", *documents) == ("sync",)
    assert names("git", *documents) == ("sync",)
    assert names("GitHub", ToolDocument("sync", "Sync a github account.")) == ("sync",)
    assert names("hub", ToolDocument("sync", "Sync a github account.")) == ()


def test_an_unsplit_match_leaves_no_part_unmatched() -> None:
    index = SearchIndex([ToolDocument("sync", "Sync a github account.")])
    assert index.search("GitHub").unmatched == ()
    assert index.search("GitLab").unmatched == ("Lab",)


def test_stop_words_count_for_nothing_unless_the_query_has_nothing_else() -> None:
    documents = (ToolDocument("what_is", "The what."), ToolDocument("get_order", "The order."))
    assert names("what is the order", *documents) == ("get_order",)
    assert names("what is", *documents)[0] == "what_is"
    assert names("should", *documents) == ()


def test_the_list_of_stop_words_can_be_replaced() -> None:
    index = SearchIndex(
        [ToolDocument("get_order", "The order."), ToolDocument("ping", "The zebra.")],
        LexicalRanker(stop_words=frozenset({"Order"})),
    )
    assert index.search("the order", floor=0).names == ("get_order", "ping")


def test_double_s_keeps_its_last_letter() -> None:
    assert names("address", ToolDocument("set_address"), ToolDocument("set_addre")) == (
        "set_address",
    )


def test_a_prefix_counts_only_where_the_word_itself_is_nowhere() -> None:
    documents = (ToolDocument("get_repo"), ToolDocument("get_repository"))
    assert names("repo", *documents) == ("get_repo",)
    assert names("repos", *documents) == ("get_repo",)
    assert names("rep", *documents) == ("get_repo", "get_repository")
    assert names("re", *documents) == ()


def test_whether_a_prefix_counts_depends_on_what_the_caller_sees() -> None:
    documents = (ToolDocument("get_repo"), ToolDocument("get_repository"))
    assert names("repo", *documents, visible={"get_repository"}) == ("get_repository",)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("fetch", "get_order"),
        ("remove", "delete_order"),
        ("enumerate", "list_orders"),
        ("archived", "archive_order"),
        ("stopping", "stop_order"),
        ("copies", "copy_order"),
    ],
)
def test_another_verb_or_form_of_a_word_finds_the_tool(query: str, found: str) -> None:
    others = ("get", "delete", "list", "archive", "stop", "copy")
    documents = [ToolDocument(f"{verb}_order") for verb in others if verb != "list"]
    assert names(query, *documents, ToolDocument("list_orders"))[0] == found


def test_the_word_itself_beats_its_other_forms_and_verbs() -> None:
    documents = (ToolDocument("remove_order"), ToolDocument("delete_order"))
    assert names("delete", *documents) == ("delete_order", "remove_order")


def test_the_tool_that_is_asked_for_as_a_whole_comes_first() -> None:
    documents = (
        ToolDocument("list_repo_branches", "Lists branches."),
        ToolDocument("list_repo_branches_protected_by_rules", "Lists branches."),
        ToolDocument("list_repo_branches_for_head_commit", "Lists branches."),
    )
    assert names("list repo branches", *documents)[0] == "list_repo_branches"


def test_the_first_sentence_counts_as_a_whole_too() -> None:
    documents = (
        ToolDocument("alpha", "Pin a message. It is shown on top of the channel."),
        ToolDocument("beta", "Pin a message to every thread of the archive and its export."),
    )
    assert names("pin message", *documents) == ("alpha", "beta")


def test_words_side_by_side_count_more_than_words_apart() -> None:
    documents = (ToolDocument("pull_open_request"), ToolDocument("open_pull_request"))
    assert names("pull request", *documents) == ("open_pull_request", "pull_open_request")


def test_one_huge_description_does_not_outrank_the_tool_that_is_meant() -> None:
    huge = ToolDocument("report", "order invoice customer " * 20_000)
    assert names("cancel order", huge, *SHOP)[0] == "cancel_order"


def test_one_tool_catalog_is_searched_like_any_other() -> None:
    index = SearchIndex([ToolDocument("get_order", "Get an order.")])
    assert index.search("order").names == ("get_order",)
    assert index.search("zebra").names == ()


@pytest.mark.parametrize(
    "query",
    [
        "list_all_cal_com_schedules",
        "list all zoom meetings",
        "Notion add a comment to the order",
        "find orders in Salesforce",
        "create a Jira ticket",
    ],
)
def test_a_query_about_another_app_is_answered_by_nothing(query: str) -> None:
    assert SearchIndex(SHOP).search(query).names == ()


@pytest.mark.parametrize(
    "query",
    [
        "cancel order 4711",
        "cancel the order 'Blue Lamp'",
        "cancel order bob@example.com",
        "cancel order tomorrow morning",
        "please cancel the order that Alice Springfield placed for Homer Thompson",
    ],
)
def test_values_of_a_call_do_not_speak_against_the_tool(query: str) -> None:
    assert SearchIndex(SHOP).search(query).names[0] == "cancel_order"


def test_hidden_tools_change_nothing_of_what_is_visible() -> None:
    visible = frozenset(document.name for document in SHOP[:4])
    hidden = [ToolDocument(f"order_{n}", "order invoice customer zebra") for n in range(50)]
    alone = SearchIndex(SHOP[:4])
    among = SearchIndex([*SHOP[:4], *hidden])
    for query in ("order", "cancel order zebra", "customer invoice", "orders of customer", "zeb"):
        assert among.search(query, visible=visible) == alone.search(query)


def test_verbs_of_one_class_in_one_query_count_a_name_once() -> None:
    documents = (ToolDocument("get_order", "Get an order."), ToolDocument("show_order", "Shown."))
    for visible in (None, {"get_order", "show_order"}, {"get_order"}):
        index = SearchIndex([*documents, ToolDocument("ping")])
        found = index.search("get show fetch order", visible=visible, floor=0)
        factors = dict(index.explain("get show fetch order", "get_order", visible=visible).factors)
        assert found.names[0] == "get_order"
        assert factors["name"] == 2.0


def test_a_small_visible_set_is_scored_the_same_when_nothing_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visible = {document.name for document in SHOP[:5]}
    before = SearchIndex(SHOP).search("cancel order", visible=visible)
    monkeypatch.setattr(lexical_view, "_REMEMBERED", 0)
    assert SearchIndex(SHOP).search("cancel order", visible=visible) == before


def test_a_short_unknown_word_matches_nothing() -> None:
    assert names("qz order", *SHOP) == names("order", *SHOP)


def test_many_tools_of_one_word_are_cut_to_the_first_by_name() -> None:
    index = SearchIndex(ToolDocument(f"get_order_{n:04}") for n in range(600))
    expected = tuple(f"get_order_{n:04}" for n in range(20))
    assert index.search("order").names == expected
    assert index.search("get order").names == expected


def test_a_quoted_value_ends_where_its_quote_ends() -> None:
    assert SearchIndex(SHOP).search("'Blue Lamp' and 'Red Lamp' cancel order").names[0] == (
        "cancel_order"
    )
    assert SearchIndex(SHOP).search('order "Blue" teleport zebra unicorn').names == ()


def test_a_word_and_its_beginning_in_one_query_count_each_index_term_once() -> None:
    documents = (ToolDocument("customer_custom_x", "A customer."), ToolDocument("custom_order"))
    for visible in (None, {"customer_custom_x"}):
        index = SearchIndex([*documents, ToolDocument("customer_hidden")])
        query = "customer cust"
        explained = index.explain(query, "customer_custom_x", visible=visible)
        (hit, *_) = index.search(query, visible=visible, floor=0).hits
        assert hit.name == "customer_custom_x"
        assert explained.score == pytest.approx(hit.score)
        assert 1.0 < dict(explained.factors)["name"] <= 2.0


def test_a_word_that_only_asks_does_not_empty_the_answer_of_a_small_catalog() -> None:
    shop = SearchIndex(
        [
            ToolDocument("list_books", "List the books of the shop."),
            ToolDocument("get_book", "Fetch one book."),
            ToolDocument("place_order", "Order a book."),
            ToolDocument("list_orders", "List your orders."),
        ]
    )
    for query in ("search books", "find a book", "look up books"):
        assert "list_books" in shop.search(query).names
    assert shop.search("send email").names == ()
