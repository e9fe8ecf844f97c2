"""Two users and an admin in the bookshop: what each finds, and what a guess tells."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from examples.bookshop_fastapi import create_app
from sezzlee_py.testing import AgentClient

ADA = {"authorization": "Bearer ada-token"}
GRACE = {"authorization": "Bearer grace-token"}
ROOT = {"authorization": "Bearer root-token"}
NOBODY: dict[str, str] = {}
STRANGER = {"authorization": "Bearer stolen"}

OPEN = ["get_book", "list_books"]
CUSTOMER = ["cancel_order", "get_book", "list_books", "list_orders", "place_order"]
CUSTOMER += ["reports_export_catalogue"]
MANAGER = [*CUSTOMER, "reports_take_stock", "restock_book"]
ADMIN = sorted([*MANAGER, "remove_book"])

WHO = {
    "nobody": (NOBODY, OPEN, ["books"]),
    "stranger": (STRANGER, OPEN, ["books"]),
    "ada": (ADA, CUSTOMER, ["books", "orders", "reports"]),
    "grace": (GRACE, MANAGER, ["books", "orders", "reports"]),
    "root": (ROOT, ADMIN, ["books", "orders", "reports"]),
}


@pytest.fixture(scope="module")
def agent() -> Iterator[AgentClient]:
    with AgentClient(create_app()) as agent:
        yield agent


def names(answer: dict[str, Any]) -> list[str]:
    return [card["name"] for card in answer["results"]]


@pytest.mark.parametrize("who", WHO)
def test_each_lists_and_counts_what_its_role_allows(agent: AgentClient, who: str) -> None:
    headers, expected, tags = WHO[who]
    answer = agent.search("", limit=50, headers=headers)
    assert (names(answer), answer["total"], answer["tags"]) == (expected, len(expected), tags)


TRANSCRIPT = {
    "restock": {"ada": [], "grace": ["restock_book"], "root": ["restock_book"]},
    "remove book from assortment": {"ada": [], "grace": [], "root": ["remove_book"]},
    "take stock": {"ada": [], "grace": ["reports_take_stock"], "root": ["reports_take_stock"]},
    "cancel order": {"ada": ["cancel_order"], "grace": ["cancel_order"], "root": ["cancel_order"]},
}


@pytest.mark.parametrize("query", TRANSCRIPT)
@pytest.mark.parametrize("who", ["ada", "grace", "root"])
def test_each_finds_what_its_role_allows(agent: AgentClient, who: str, query: str) -> None:
    headers, expected, _ = WHO[who]
    found = names(agent.search(query, headers=headers))
    assert found[:1] == TRANSCRIPT[query][who] or not TRANSCRIPT[query][who]
    assert set(found) <= set(expected)


def test_a_word_that_only_a_hidden_tool_knows_is_a_word_nobody_knows(agent: AgentClient) -> None:
    hidden = agent.search("replenish", headers=ADA)
    unknown = agent.search("klingon", headers=ADA)
    assert hidden == {**unknown, "unmatched": ["replenish"]}
    assert names(agent.search("replenish", headers=GRACE)) == ["restock_book"]


@pytest.mark.parametrize("name", ["restock_book", "remove_book", "reports_take_stock"])
def test_a_guessed_name_loads_as_a_missing_one(agent: AgentClient, name: str) -> None:
    missing = "x" * len(name)
    guessed = json.dumps(agent.load(name, headers=ADA))
    assert guessed == json.dumps(agent.load(missing, headers=ADA)).replace(missing, name)
    assert agent.load(name, headers=ROOT)["name"] == name


def test_what_is_hidden_is_refused_by_the_application_itself(agent: AgentClient) -> None:
    answer = agent.invoke("remove_book", {"book_id": 6}, headers=ADA)
    assert answer == {
        "error": "forbidden",
        "message": "not allowed for your role",
        "status": 403,
        "retryable": False,
    }
    assert agent.invoke("get_book", {"book_id": 6})["status"] == 200
    assert agent.invoke("remove_book", {"book_id": 6}, headers=ROOT) == {"status": 204}
    assert agent.invoke("get_book", {"book_id": 6})["error"] == "not_found"


def test_nothing_about_roles_reaches_an_agent(agent: AgentClient) -> None:
    answers = [
        agent.search("book", detail="schema", headers=headers) for headers, *_ in WHO.values()
    ]
    text = json.dumps([*answers, agent.load("restock_book", headers=GRACE)])
    for word in ("scope:", 'manager"', "policies", "imperative", "carriers", "authorization"):
        assert word not in text
