"""What the page is told."""

import json
from statistics import median
from typing import Any

import pytest
from fastapi import FastAPI

from sezzlee_fastapi import mount_explorer, mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.explorer.carried import left_behind
from sezzlee_py.explorer.costs import costs, estimated_tokens
from sezzlee_py.testing import AgentClient
from tests.explorer.shop import PAGE, TOKEN, ask, make_fastapi, send


async def test_a_tool_is_shown_as_an_agent_gets_it() -> None:
    app = make_fastapi()
    shown = await ask(app, "tool", {"name": "cancel_order"})
    with AgentClient(app, headers={"authorization": TOKEN}) as agent:
        found = agent.search("cancel order")["results"][0]
        assert (shown["card"], shown["loaded"]) == (found, agent.load("cancel_order"))
    assert (shown["sight"], shown["method"], shown["route"], shown["invocable"]) == (
        "deny",
        "POST",
        "/orders/{order_id}/cancel",
        True,
    )
    assert shown["auth"]["anonymous"] == "no"
    assert shown["source"].endswith("make_fastapi.<locals>.cancel_order")
    assert shown["slots"] == [
        {"argument": "order_id", "name": "order_id", "location": "path", "required": True}
    ]


async def test_a_tool_is_marked_uncertain_where_an_agent_reads_it_so() -> None:
    app = make_fastapi()
    shown = await ask(app, "tool", {"name": "list_orders"})
    with AgentClient(app) as agent:
        (card,) = (c for c in agent.search()["results"] if c["name"] == "list_orders")
        assert (shown["card"], shown["loaded"]) == (card, agent.load("list_orders"))
    assert (shown["sight"], card["authUncertain"]) == ("unknown", True)


async def test_a_listing_without_a_query_has_no_scores() -> None:
    found = await ask(make_fastapi(), "search", {"query": " "})
    assert {result["score"] for result in found["results"]} == {None}


async def test_a_tool_that_is_not_there_is_told() -> None:
    assert (await ask(make_fastapi(), "tool", {"name": "x"}))["error"] == "unknown_tool"


async def test_an_overview_counts_what_there_is() -> None:
    overview = await ask(make_fastapi(), "overview")
    assert overview["catalog"]["tools"] == len(overview["tools"]) == 4
    assert overview["seen"] == {"visible": 3, "hidden": 1}
    assert overview["tags"]["orders"] == 3
    assert overview["listing"] == "search"
    assert overview["costs"]["tools"] == 3


async def test_a_header_that_no_call_carries_is_told() -> None:
    app = make_fastapi()
    headers = {"Authorization": TOKEN, "Host": "shop.example"}
    assert (await ask(app, "overview", {"headers": headers}))["left_behind"] is None
    more = {**headers, "X-API-Key": "k-ada", "cookie": "a=b"}
    assert (await ask(app, "overview", {"headers": more}))["left_behind"] == (
        "cookie, x-api-key are no carriers, so calls go without them; name them in "
        "Options(identity={'carriers': ('authorization', 'cookie', 'x-api-key')}) "
        "to have them carried"
    )


def test_a_projection_may_read_any_header() -> None:
    projecting = Options(identity={"project": lambda outer: {}})
    assert left_behind(["x-api-key"], projecting.identity) is None


async def test_a_search_says_why() -> None:
    found = await ask(make_fastapi(), "search", {"query": "list orders"})
    first = found["results"][0]
    assert (first["rank"], first["name"]) == (1, "list_orders")
    assert {share["field"] for share in first["explanation"]["shares"]} >= {"name", "description"}
    total = sum(share["share"] for share in first["explanation"]["shares"])
    for factor in first["explanation"]["factors"].values():
        total *= factor
    assert total == pytest.approx(first["score"])


async def test_the_owner_may_search_among_all_tools() -> None:
    app = make_fastapi()
    body = {"query": "refund", "everything": True}
    names = [one["name"] for one in (await ask(app, "search", body))["results"]]
    assert names == ["cancel_order"]
    assert (await ask(app, "search", {"query": "refund"}))["results"] == []


async def test_a_search_that_is_refused_says_so() -> None:
    options = Options()
    options.search.on_ranker_failure = "error"
    app = FastAPI()

    class Broken:
        async def rank(self, request: object) -> list[str]:
            raise ValueError("no connection")

    mount_mcp(app, options=options, ranker=Broken())
    mount_explorer(app)
    found = await ask(app, "search", {"query": "order"})
    assert found["error"] == "search_ranker_unavailable"


async def test_the_order_of_a_hosts_ranker_has_no_scores() -> None:
    class Own:
        async def rank(self, request: object) -> list[str]:
            return ["orders_one"]

    app = FastAPI()

    @app.get("/orders/{number}", tags=["orders"])
    @mcp_tool(name="orders_one")
    def one(number: int) -> None:
        """Fetch one order."""

    mount_mcp(app, ranker=Own())
    mount_explorer(app)
    found = await ask(app, "search", {"query": "fetch"})
    assert (found["ranker"], found["results"][0]["score"]) == ("host", None)
    assert found["results"][0]["explanation"]["shares"]


async def test_a_call_tells_what_it_took() -> None:
    app = make_fastapi()
    answer = await ask(app, "call", {"name": "get_order", "arguments": {"order_id": 7}})
    assert answer["payload"] == {"status": 200, "body": {"id": 7}}
    assert answer["bytes"] == len(json.dumps(answer["payload"], separators=(",", ":")))
    assert answer["tokens"] == estimated_tokens(answer["bytes"])
    assert answer["took_ms"] > 0


async def test_arguments_that_are_no_object_are_answered_as_to_an_agent() -> None:
    answer = await ask(make_fastapi(), "call", {"name": "get_order", "arguments": [7]})
    assert (answer["is_error"], answer["payload"]["error"]) == (True, "invalid_type")


async def test_a_bad_body_is_told() -> None:
    answer = await send(
        make_fastapi(), "POST", "/explorer/api/search", headers=PAGE, content=b"no JSON"
    )
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")


async def test_a_catalog_that_is_not_served_shows_its_findings() -> None:
    app = FastAPI()
    for path in ("/a", "/b"):

        @app.get(path)
        @mcp_tool(name="same")
        def same() -> None: ...

    mount_mcp(app)
    mount_explorer(app)
    overview = await ask(app, "overview")
    assert overview["error"] == "catalog_not_served"
    assert {found["code"] for found in overview["findings"]} == {"name_collision"}
    assert all(found["source"] and found["line"] for found in overview["findings"])


async def test_before_startup_the_page_is_told_to_wait() -> None:
    app = make_fastapi()
    app._sezzlee_installation.starting()  # type: ignore[attr-defined]
    answer = await send(app, "POST", "/explorer/api/overview", headers=PAGE, json={})
    assert (answer.status_code, answer.json()["error"]) == (503, "not_ready")


async def test_a_fault_of_the_explorer_is_told_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = make_fastapi()

    async def broken(_: object) -> Any:
        raise ValueError("s3cret")

    monkeypatch.setattr(app._sezzlee_installation.engine, "seen_by", broken)  # type: ignore[attr-defined]
    answer = await send(app, "POST", "/explorer/api/overview", headers=PAGE, json={})
    assert (answer.status_code, "s3cret" in answer.text) == (500, False)
    assert "the explorer failed" in caplog.text


async def test_the_costs_are_of_what_is_sent() -> None:
    app = make_fastapi()
    counted = (await ask(app, "overview", {"headers": {"authorization": TOKEN}}))["costs"]

    def size(value: Any) -> int:
        return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())

    with AgentClient(app, headers={"authorization": TOKEN}) as agent:
        assert counted["search"]["bytes"] == size(agent.search())
        assert counted["meta_tools"]["bytes"] == size({"tools": agent.tools()})
        shapes = [size(agent.load(one["name"])) for one in agent.search()["results"]]
    assert counted["load"]["bytes"] == pytest.approx(median(shapes), abs=25)
    parts = sum(counted[part]["bytes"] for part in ("meta_tools", "search", "load"))
    assert counted["task"]["bytes"] == parts


def test_the_costs_of_nothing_are_counted() -> None:
    counted = costs([], 1, search_bytes=9)
    assert (counted["load"], counted["tools"]) == ({"bytes": 0, "tokens": 0}, 0)
    assert counted["everything"] == {"bytes": 12, "tokens": 3}


async def test_a_header_named_host_takes_the_place_of_the_pages() -> None:
    app = FastAPI()
    seen: list[tuple[tuple[str, str], ...]] = []
    options = Options()
    options.identity.project = lambda outer: seen.append(outer.headers)
    mount_mcp(app, options=options)
    mount_explorer(app)
    await ask(app, "overview", {"headers": {"Host": "shop.example", "X-A": "1"}})
    await ask(app, "overview", {"headers": {"X-A": "1"}})
    assert list(dict.fromkeys(seen)) == [
        (("host", "shop.example"), ("x-a", "1")),
        (("host", "localhost:8000"), ("x-a", "1")),
    ]
