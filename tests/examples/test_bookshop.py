"""The bookshop as its agents see it."""

from collections.abc import Iterator

import pytest

from examples import bookshop_fastapi, bookshop_flask, bookshop_starlette
from sezzlee_py.testing import AgentClient

ADA = {"authorization": "Bearer ada-token"}
GRACE = {"authorization": "Bearer grace-token"}
ROOT = {"authorization": "Bearer root-token"}


@pytest.fixture(params=[bookshop_fastapi, bookshop_starlette, bookshop_flask])
def agent(request: pytest.FixtureRequest) -> Iterator[AgentClient]:
    with AgentClient(request.param.create_app(), headers=ADA) as agent:
        yield agent


def test_an_agent_finds_loads_and_places_an_order(agent: AgentClient) -> None:
    assert agent.search("buy a book")["results"][0]["name"] == "place_order"
    loaded = agent.load("place_order")
    assert loaded["inputSchema"]["required"] == ["book_id"]
    answer = agent.invoke("place_order", {"book_id": 2}, version=loaded["version"])
    assert answer == {
        "status": 201,
        "body": {"id": 4, "customer": "ada", "book_id": 2, "quantity": 1, "status": "open"},
    }
    assert [order["id"] for order in agent.invoke("list_orders")["body"]] == [1, 2, 4]


def test_pages_follow_limit_and_offset(agent: AgentClient) -> None:
    first = agent.invoke("list_books", {"limit": 2})["body"]
    second = agent.invoke("list_books", {"limit": 2, "offset": 2})["body"]
    assert [book["id"] for book in first["items"] + second["items"]] == [1, 2, 3, 4]
    assert first["total"] == second["total"] == 6


def test_the_application_s_refusals_reach_the_agent(agent: AgentClient) -> None:
    refusals = {
        "get_book": ({"book_id": 99}, "not_found"),
        "place_order": ({"book_id": 4}, "conflict"),
        "cancel_order": ({"order_id": 2}, "conflict"),
        "list_books": ({"limit": 0}, "validation_failed"),
    }
    answers = {name: agent.invoke(name, arguments) for name, (arguments, _) in refusals.items()}
    assert {name: a["error"] for name, a in answers.items()} == {
        name: code for name, (_, code) in refusals.items()
    }


def test_what_the_application_says_of_a_refusal_reaches_the_agent(agent: AgentClient) -> None:
    said = {
        "get_book": ({"book_id": 99}, "there is no book 99"),
        "place_order": ({"book_id": 4}, "only 0 copies are left"),
        "restock_book": ({"book_id": 4, "copies": 5}, "not allowed for your role"),
    }
    answers = {name: agent.invoke(name, arguments) for name, (arguments, _) in said.items()}
    assert {name: answer["message"] for name, answer in answers.items()} == {
        name: message for name, (_, message) in said.items()
    }


def test_an_empty_success_is_a_success(agent: AgentClient) -> None:
    assert agent.invoke("cancel_order", {"order_id": 1}) == {"status": 204}


def test_a_caller_without_a_token_is_refused_by_the_application(agent: AgentClient) -> None:
    answer = agent.invoke("list_orders", headers={"authorization": "Bearer wrong"})
    assert (answer["error"], answer["status"]) == ("unauthenticated", 401)


def test_two_users_see_their_own_orders(agent: AgentClient) -> None:
    assert {o["customer"] for o in agent.invoke("list_orders")["body"]} == {"ada"}
    assert {o["customer"] for o in agent.invoke("list_orders", headers=GRACE)["body"]} == {"grace"}


def test_an_ignored_endpoint_is_no_tool(agent: AgentClient) -> None:
    assert agent.load("reports_close_year")["error"] == "unknown_tool"
    answer = agent.invoke("reports_close_year", headers=GRACE)
    assert answer["error"] == "unknown_tool"


def test_a_long_answer_is_refused_with_what_narrows_it(agent: AgentClient) -> None:
    answer = agent.invoke("reports_export_catalogue")
    assert answer["error"] == "response_too_large"
    assert answer["fields"] == [{"name": "limit", "message": "Lines of the export."}]
    assert agent.invoke("reports_export_catalogue", {"limit": 2})["status"] == 200


def test_the_shop_has_the_same_tools_on_every_framework() -> None:
    found = []
    for shop in (bookshop_fastapi, bookshop_starlette, bookshop_flask):
        with AgentClient(shop.create_app(), headers=ROOT) as agent:
            tools = agent.search(detail="schema", limit=50)["results"]
        found.append(
            {
                tool["name"]: (
                    tool["description"],
                    list(tool["inputSchema"]["properties"]),
                    tool["inputSchema"]["required"],
                    tool["annotations"],
                )
                for tool in tools
            }
        )
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 9
