"""Of a few tools every word is common; the floor must not take what they share for nothing."""

import pytest

from sezzlee_py.search import SearchIndex, ToolDocument

ORDERS = SearchIndex(
    [
        ToolDocument("create_order", "Create an order.", route="/orders"),
        ToolDocument("list_orders", "List the orders of the caller.", route="/orders"),
        ToolDocument("cancel_order", "Cancel an order that was not shipped.", route="/orders/{id}"),
    ]
)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("place an order", "create_order"),
        ("make an order", "create_order"),
        ("stop the order", "cancel_order"),
    ],
)
def test_a_verb_of_the_same_class_finds_the_tool(query: str, first: str) -> None:
    assert ORDERS.search(query).names[0] == first


@pytest.mark.parametrize("query", ["submit order", "modify order", "show orders", "purchase order"])
def test_a_verb_that_no_tool_has_does_not_empty_what_the_catalog_is_about(query: str) -> None:
    outcome = ORDERS.search(query)
    assert set(outcome.names) == {"create_order", "list_orders", "cancel_order"}
    assert outcome.unmatched == (query.split()[0],)


@pytest.mark.parametrize(
    "query",
    [
        *("order pizza", "book a flight", "delete a repository", "send a message"),
        *("translate an order", "delete an order", "export orders"),
    ],
)
def test_what_the_catalog_is_not_about_or_does_not_do_stays_empty(query: str) -> None:
    assert ORDERS.search(query).names == ()


def test_one_unknown_noun_does_not_empty_what_a_small_shop_certainly_does() -> None:
    assert ORDERS.search("cancel my order for the book").names[0] == "cancel_order"
    shop = SearchIndex([ToolDocument("cancel_order", "Cancel an order.", route="/orders/{id}")])
    assert shop.search("cancel the order of yesterday's book").names == ("cancel_order",)


def test_a_small_catalog_is_judged_as_the_same_tools_among_a_hundred() -> None:
    """The answer does not turn with the number of tools that have nothing to do with the query."""
    orders = list(ORDERS.documents)
    others = [ToolDocument(f"zeta{n}", "Xyzzy.") for n in range(100 - len(orders))]
    for query in ("cancel my order for the book", "delete an order", "order pizza", "refund order"):
        found = {bool(SearchIndex([*orders, *others[:n]]).search(query).names) for n in (0, 20, 97)}
        assert len(found) == 1, query
