"""What the place and spelling of a word say about it."""

import pytest

from sezzlee_py.search.query import Role, read_query

PLAIN, ASKING, APP, VALUE = Role.PLAIN, Role.ASKING, Role.APP, Role.VALUE


@pytest.mark.parametrize(
    ("query", "roles"),
    [
        ("cancel order", {"cancel": PLAIN, "order": PLAIN}),
        ("list_all_orders", {"list": APP, "all": APP, "orders": APP}),
        ("orders", {"orders": PLAIN}),
        ("list Zoom meetings", {"list": ASKING, "Zoom": APP, "meetings": PLAIN}),
        ("Cancel it. Now", {"Cancel": PLAIN, "it": PLAIN, "Now": VALUE}),
        ("order in salesforce", {"order": PLAIN, "in": PLAIN, "salesforce": APP}),
        ("order via google sheets", {"order": PLAIN, "via": PLAIN, "google": APP, "sheets": APP}),
        (
            "order with some gift wrapping",
            {"order": PLAIN, "with": PLAIN, "some": PLAIN, "gift": PLAIN, "wrapping": PLAIN},
        ),
        ("Notion add comment", {"Notion": APP, "add": ASKING, "comment": PLAIN}),
        ("add comment", {"add": ASKING, "comment": PLAIN}),
        (
            "set 'blue lamp' to 42",
            {"set": ASKING, "blue": VALUE, "lamp": VALUE, "to": PLAIN, "42": VALUE},
        ),
        ("mail bob@example.com", {"mail": PLAIN, "bob": VALUE, "example": VALUE, "com": VALUE}),
        ("open https://x.org/ab", {"open": ASKING, "https": VALUE, "org": VALUE, "ab": VALUE}),
        (
            "who among all of them has met Homer Simpson",
            {
                "who": PLAIN,
                "among": PLAIN,
                "all": ASKING,
                "of": PLAIN,
                "them": PLAIN,
                "has": PLAIN,
                "met": PLAIN,
                "Homer": VALUE,
                "Simpson": VALUE,
            },
        ),
    ],
)
def test_words_have_the_role_of_their_place(query: str, roles: dict[str, Role]) -> None:
    assert {word.text: word.role for word in read_query(query)} == roles


def test_words_written_without_a_break_share_a_run() -> None:
    words = read_query("getOrder now a")
    assert [(word.folded, word.run) for word in words] == [("get", 0), ("order", 0), ("now", 1)]
