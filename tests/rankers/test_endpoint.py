"""Whatever a host's ranker does, a search through the endpoint survives it."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import RankRequest
from sezzlee_py.testing import AgentClient
from tests.rankers.shops import (
    BACKWARDS,
    BUILT_IN,
    HIDDEN,
    NAMES,
    QUERY,
    SHOPS,
    Backwards,
    fastapi_shop,
    found,
    names,
    starlette_shop,
)

Shop = Callable[..., Any]


def plain(rank: Callable[[RankRequest], Any]) -> Any:
    """A ranker with a plain `rank`."""
    return type("Plain", (), {"rank": lambda self, request: rank(request)})()


def later(rank: Callable[[RankRequest], Any]) -> Any:
    """A ranker with an `async def rank`."""

    class Later:
        async def rank(self, request: RankRequest) -> Any:
            return rank(request)

    return Later()


KINDS = (plain, later)
shops_and_kinds = pytest.mark.parametrize(
    ("shop", "kind"), [(shop, kind) for shop in SHOPS for kind in KINDS]
)


def a_generator(request: RankRequest) -> Iterator[str]:
    yield "list_orders"


def raising(request: RankRequest) -> Any:
    raise RuntimeError("the search server is down")


def exiting(request: RankRequest) -> Any:
    raise SystemExit(3)


def mutating(request: RankRequest) -> Any:
    request.catalog.documents[0].name = "other"  # type: ignore[misc]  # that is the test


FAILURES: tuple[Callable[[RankRequest], Any], ...] = (
    raising,
    exiting,
    mutating,
    a_generator,
    lambda request: None,
    lambda request: "list_orders",
    lambda request: b"list_orders",
    lambda request: {"list_orders"},
    lambda request: {"list_orders": 1},
    lambda request: ["list_orders", 3],
    lambda request: ["list_orders", None],
    lambda request: 1 / 0,
)


@shops_and_kinds
@pytest.mark.parametrize("rank", FAILURES)
def test_a_failure_falls_back_or_is_the_coded_error(
    shop: Shop, kind: Any, rank: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "sezzlee_py"):
        assert found(shop(kind(rank))) == BUILT_IN
    assert any("the ranker failed" in record.getMessage() for record in caplog.records)
    with AgentClient(shop(kind(rank), on_ranker_failure="error")) as agent:
        answer = agent.search(QUERY)
        assert answer == {
            "error": "search_ranker_unavailable",
            "retryable": True,
            "message": "Search is unavailable: the ranker did not answer this query. "
            "Call search_tools again later.",
        }
        # Nothing else needs the ranker.
        assert names(agent.search("")) == BUILT_IN
        assert agent.load("list_orders")["name"] == "list_orders"


@shops_and_kinds
def test_the_fallback_has_floor_and_exact_name_and_explains_an_empty_answer(
    shop: Shop, kind: Any
) -> None:
    with AgentClient(shop(kind(raising))) as agent:
        assert names(agent.search("list_orders"))[0] == "list_orders"
        answer = agent.search("weather forecast")
        assert (answer["results"], answer["unmatched"]) == ([], ["weather", "forecast"])


@shops_and_kinds
def test_unknown_repeated_and_hidden_names_are_dropped(
    shop: Shop, kind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    said = ["refund_order", "nobody_knows", HIDDEN, "refund_order", "cancel_order", HIDDEN]
    with AgentClient(shop(kind(lambda request: said))) as agent:
        answer = agent.search(QUERY)
    assert names(answer) == ["refund_order", "cancel_order"]
    assert answer["total"] == len(NAMES)
    assert HIDDEN not in str(answer)
    told = [record.getMessage() for record in caplog.records if record.name.endswith("search")]
    assert told == [
        "the ranker named 1 unknown tools: ('nobody_knows',)",
        "the ranker named 2 repeated tools: ('refund_order', 'delete_order')",
    ]


@shops_and_kinds
@pytest.mark.parametrize("answer", [[], ()])
def test_an_empty_answer_is_an_empty_result(shop: Shop, kind: Any, answer: Any) -> None:
    assert found(shop(kind(lambda request: answer))) == []


@shops_and_kinds
def test_the_order_stands_under_limit_tags_and_an_exact_name(shop: Shop, kind: Any) -> None:
    ranker = kind(lambda request: BACKWARDS)
    with AgentClient(shop(ranker)) as agent:
        assert names(agent.search("cancel_order")) == BACKWARDS
        assert names(agent.search(QUERY, limit=2)) == BACKWARDS[:2]
        assert names(agent.search(QUERY, tags=["nobody's"])) == []
        assert names(agent.search(QUERY, detail="schema")) == BACKWARDS


@shops_and_kinds
def test_restricted_names_come_from_the_same_answer(shop: Shop, kind: Any) -> None:
    def rank(request: RankRequest) -> list[str]:
        return [HIDDEN, "list_orders"] if "delete" in request.query else ["list_orders"]

    with AgentClient(shop(kind(rank), restricted="name")) as agent:
        answer = agent.search("delete")
        assert names(answer) == ["list_orders"]
        assert answer["restricted"] == {"count": 1, "names": [HIDDEN]}
        # The built-in ranking would name it for this query; the host's did not.
        assert "restricted" not in agent.search("order")


@shops_and_kinds
def test_the_request_is_the_query_as_sent_and_the_whole_catalog(shop: Shop, kind: Any) -> None:
    seen: list[RankRequest] = []

    def rank(request: RankRequest) -> list[str]:
        seen.append(request)
        return []

    with AgentClient(shop(kind(rank))) as agent:
        agent.search("  Cancel  THAT order? ", limit=1, tags=["x"])
        agent.search("")
    (request,) = seen
    assert request.query == "  Cancel  THAT order? "
    assert [d.name for d in request.catalog.documents] == sorted([*NAMES, HIDDEN])
    assert vars(type(request)).keys() & {"caller", "headers", "user"} == set()


@pytest.mark.parametrize("shop", SHOPS)
def test_a_plain_ranker_past_the_deadline_is_left_behind(shop: Shop) -> None:
    goes_on = threading.Event()

    def rank(request: RankRequest) -> list[str]:
        goes_on.wait(30)
        return BACKWARDS

    try:
        assert found(shop(plain(rank), ranker_timeout_ms=30)) == BUILT_IN
    finally:
        goes_on.set()


class Hanging:
    """Never answers, and does not let itself be cancelled at once."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    async def rank(self, request: RankRequest) -> list[str]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            await asyncio.sleep(0)
        return BACKWARDS


@pytest.mark.parametrize("shop", SHOPS)
def test_an_async_ranker_past_the_deadline_is_left_behind(shop: Shop) -> None:
    ranker = Hanging()
    assert found(shop(ranker, ranker_timeout_ms=30)) == BUILT_IN
    # A thread's search tells the loop of the ranker, and does not wait for it.
    assert ranker.cancelled.wait(10)


@pytest.mark.parametrize("shop", SHOPS)
def test_a_ranker_that_blocks_its_loop_is_late(shop: Shop) -> None:
    class Blocking:
        async def rank(self, request: RankRequest) -> list[str]:
            ends = time.monotonic() + 0.05
            while time.monotonic() < ends:
                pass
            return BACKWARDS

    assert found(shop(Blocking(), ranker_timeout_ms=10)) == BUILT_IN


@shops_and_kinds
def test_a_ranker_is_asked_for_what_is_read_of_a_query(shop: Shop, kind: Any) -> None:
    asked: list[str] = []

    def rank(request: RankRequest) -> list[str]:
        asked.append(request.query)
        return BACKWARDS

    assert found(shop(kind(rank)), "order " * 10_000) == BACKWARDS
    assert asked == [("order " * 10_000)[:2_000]]


@shops_and_kinds
def test_no_deadline_waits(shop: Shop, kind: Any) -> None:
    def rank(request: RankRequest) -> list[str]:
        threading.Event().wait(0.02)
        return BACKWARDS

    assert found(shop(kind(rank), ranker_timeout_ms=0)) == BACKWARDS


@pytest.mark.parametrize("shop", [fastapi_shop, starlette_shop])
async def test_a_caller_who_leaves_is_no_failure(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    asked, cancelled = asyncio.Event(), asyncio.Event()

    class Waiting:
        async def rank(self, request: RankRequest) -> list[str]:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
            return []

    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search_tools", "arguments": {"query": QUERY}},
    }
    transport = httpx.ASGITransport(shop(Waiting()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        headers = {"accept": "application/json, text/event-stream"}
        headers["mcp-protocol-version"] = "2025-06-18"
        posting = asyncio.create_task(client.post("/mcp", json=call, headers=headers))
        await asyncio.wait(
            {posting, asyncio.create_task(asked.wait())}, return_when="FIRST_COMPLETED"
        )
        assert asked.is_set(), posting.result().text
        posting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await posting
        await cancelled.wait()
    assert not [record for record in caplog.records if "failed" in record.getMessage()]


@pytest.mark.parametrize(
    ("module", "make"),
    [(sezzlee_fastapi, FastAPI), (sezzlee_starlette, Starlette), (sezzlee_flask, Flask)],
)
async def test_the_version_of_the_catalog_changes_with_each_rebuild(module: Any, make: Any) -> None:
    seen: list[str] = []

    class Looking(Backwards):
        async def rank(self, request: RankRequest) -> list[str]:
            seen.append(request.catalog.version)
            return await super().rank(request)

    shop = module.mount_mcp(make("shop") if make is Flask else make(), ranker=Looking())

    async def search() -> None:
        answer = shop.search("anything")
        if make is not Flask:
            await answer

    for _ in range(3):
        await search()
        await search()
        shop.reload()
    assert seen[0::2] == seen[1::2]
    assert len(set(seen)) == 3
