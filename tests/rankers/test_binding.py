"""What may be bound as a ranker, and how long it lives."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from fastapi import FastAPI
from flask import current_app
from starlette.applications import Starlette

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Options, RankRequest
from sezzlee_py.errors import OptionsError
from sezzlee_py.search import BM25Ranker, LexicalRanker, RankFusion, WeightedTokenRanker
from sezzlee_py.search.ranker_answer import RankerFailure
from sezzlee_py.testing import AgentClient
from sezzlee_py.toolkit.ranker_sources import KeptRanker
from tests.rankers.shops import (
    BACKWARDS,
    BUILT_IN,
    QUERY,
    SHOPS,
    Backwards,
    PlainBackwards,
    fastapi_shop,
    flask_shop,
    found,
    names,
    starlette_shop,
)

USER: ContextVar[str] = ContextVar("user", default="nobody")
Shop = Callable[..., Any]


def plain_factory() -> Backwards:
    return Backwards()


async def async_factory() -> PlainBackwards:
    return PlainBackwards()


@asynccontextmanager
async def opened() -> AsyncIterator[Backwards]:
    yield Backwards()


BINDINGS = [
    Backwards(),
    PlainBackwards(),
    Backwards,
    PlainBackwards,
    plain_factory,
    async_factory,
    opened,
    RankFusion([Backwards()]),
    RankFusion([PlainBackwards(), Backwards()], k=1),
]


@pytest.mark.parametrize("shop", SHOPS)
@pytest.mark.parametrize("ranker", BINDINGS)
def test_whatever_gives_a_ranker_can_be_bound(shop: Shop, ranker: Any) -> None:
    assert found(shop(ranker)) == BACKWARDS
    assert found(shop(by_option=ranker)) == BACKWARDS


@pytest.mark.parametrize("shop", SHOPS)
def test_the_argument_beats_the_option(shop: Shop) -> None:
    assert found(shop(Backwards, by_option=BM25Ranker)) == BACKWARDS
    assert found(shop(BM25Ranker, by_option=Backwards)) == BUILT_IN


@pytest.mark.parametrize("shop", SHOPS)
@pytest.mark.parametrize("kind", [LexicalRanker, BM25Ranker, WeightedTokenRanker])
def test_a_built_in_ranker_answers_alike_as_object_class_and_factory(
    shop: Shop, kind: type[Any]
) -> None:
    queries = (QUERY, "refund zebra giraffe", "list_orders", "canceling")
    asked = []
    for ranker in (kind(), kind, lambda: kind()):
        with AgentClient(shop(ranker, restricted="name")) as agent:
            asked.append([agent.search(query) for query in queries])
    assert asked[0] == asked[1] == asked[2]
    assert asked[0][0]["restricted"] == {"count": 1, "names": ["delete_order"]}


@pytest.mark.parametrize("shop", SHOPS)
def test_a_fusion_of_host_and_built_in_rankers_can_be_bound(shop: Shop) -> None:
    ranker = RankFusion([LexicalRanker(), BM25Ranker(), PlainBackwards(), Backwards()], k=1)
    # The hosts' lists are longer and say the same; the words put first what they ask for.
    assert found(shop(ranker), "cancel order")[0] == "cancel_order"
    assert sorted(found(shop(ranker), QUERY)) == BUILT_IN


@pytest.mark.parametrize("mount", [sezzlee_starlette, sezzlee_fastapi, sezzlee_flask])
@pytest.mark.parametrize("given", [3, "lexical", object()])
def test_what_gives_no_ranker_is_refused_at_once(mount: Any, given: Any) -> None:
    app = {sezzlee_starlette: Starlette, sezzlee_fastapi: FastAPI}.get(mount)
    with pytest.raises(OptionsError, match=r"options\.search\.ranker"):
        Options(search={"ranker": given})
    if app is not None:
        with pytest.raises(OptionsError, match=r"options\.search\.ranker"):
            mount.mount_mcp(app(), ranker=given)


# --- how long it lives, in an event loop --------------------------------------------------------


class Life:
    """A context manager factory that writes down its steps."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Backwards]:
        # A task group: who enters it has to leave it.
        async with asyncio.TaskGroup():
            self.steps.append(f"enter as {USER.get()}")
            try:
                yield Backwards()
            finally:
                self.steps.append("leave")


@pytest.mark.parametrize("shop", [fastapi_shop, starlette_shop])
def test_it_is_entered_at_startup_and_left_at_shutdown_each_time(shop: Shop) -> None:
    life = Life()
    app = shop(life.__call__)
    assert life.steps == []
    for _ in range(2):
        with AgentClient(app) as agent:
            assert life.steps == ["enter as nobody"]
            assert names(agent.search(QUERY)) == BACKWARDS
            assert names(agent.search(QUERY)) == BACKWARDS
        assert life.steps == ["enter as nobody", "leave"]
        life.steps.clear()


@pytest.mark.parametrize("module", [sezzlee_fastapi, sezzlee_starlette])
async def test_without_a_lifespan_it_is_entered_at_first_use_by_nobody(module: Any) -> None:
    life = Life()
    app = FastAPI() if module is sezzlee_fastapi else Starlette()
    shop = module.mount_mcp(app, ranker=life.__call__)
    await shop.search("")
    assert life.steps == []
    USER.set("ada")
    await asyncio.gather(*(shop.search("anything") for _ in range(5)))
    assert life.steps == ["enter as nobody"]


def test_a_loop_that_ends_leaves_it_and_the_next_one_enters_again() -> None:
    life = Life()
    shop = sezzlee_starlette.mount_mcp(Starlette(), ranker=life.__call__)
    for _ in range(2):
        asyncio.run(shop.search("anything"))
    assert life.steps == ["enter as nobody", "leave"] * 2


def test_a_factory_that_ends_with_its_work_is_asked_once() -> None:
    made: list[int] = []

    def factory() -> Backwards:
        made.append(1)
        return Backwards()

    shop = sezzlee_starlette.mount_mcp(Starlette(), ranker=factory)
    for _ in range(2):
        asyncio.run(shop.search("anything"))
    assert made == [1]


def failing() -> Any:
    raise RuntimeError("no model here")


async def failing_later() -> Any:
    raise RuntimeError("no model here")


@asynccontextmanager
async def failing_to_open() -> AsyncIterator[Any]:
    raise RuntimeError("no model here")
    yield


def exiting() -> Any:
    raise SystemExit(3)


@pytest.mark.parametrize("shop", [fastapi_shop, starlette_shop])
@pytest.mark.parametrize("factory", [failing, failing_later, failing_to_open])
def test_what_cannot_be_made_fails_the_startup(shop: Shop, factory: Any) -> None:
    with pytest.raises(RuntimeError, match="no model here"), AgentClient(shop(factory)):
        raise AssertionError("started")


def test_what_is_made_and_is_no_ranker_fails_the_startup() -> None:
    with pytest.raises(RuntimeError, match="has no rank method"), AgentClient(fastapi_shop(object)):
        raise AssertionError("started")


@pytest.mark.parametrize("factory", [failing, failing_later, failing_to_open, exiting, object])
async def test_what_cannot_be_made_at_first_use_is_a_failed_ranker(
    factory: Any, caplog: pytest.LogCaptureFixture
) -> None:
    strict = Options(search={"on_ranker_failure": "error"})
    refused = sezzlee_fastapi.mount_mcp(FastAPI(), options=strict, ranker=factory)
    for _ in range(2):
        assert (await refused.search("anything"))["error"] == "search_ranker_unavailable"
    with caplog.at_level(logging.WARNING, "sezzlee_py"):
        lenient = sezzlee_fastapi.mount_mcp(FastAPI(), ranker=factory)
        assert (await lenient.search("anything"))["results"] == []
    assert any("the ranker failed" in record.getMessage() for record in caplog.records)


async def test_a_ranker_that_is_long_in_making_is_late_once_and_there_in_the_end() -> None:
    may_finish = asyncio.Event()
    made: list[int] = []

    async def slow() -> Backwards:
        made.append(1)
        await may_finish.wait()
        return Backwards()

    strict = Options(search={"on_ranker_failure": "error", "ranker_timeout_ms": 20})
    shop = sezzlee_fastapi.mount_mcp(FastAPI(), options=strict, ranker=slow)
    assert (await shop.search("anything"))["error"] == "search_ranker_unavailable"
    may_finish.set()
    assert (await shop.search("anything"))["results"] == []
    assert made == [1]


async def test_the_first_caller_who_leaves_takes_nothing_from_the_second() -> None:
    started, may_finish = asyncio.Event(), asyncio.Event()

    async def slow() -> Backwards:
        started.set()
        await may_finish.wait()
        return Backwards()

    shop = sezzlee_fastapi.mount_mcp(FastAPI(), ranker=slow)
    first = asyncio.create_task(shop.search("anything"))
    await started.wait()
    second = asyncio.create_task(shop.search("anything"))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    may_finish.set()
    assert (await second)["results"] == []


def test_a_ranker_that_cannot_be_closed_does_not_stop_the_shutdown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    closed: list[str] = []

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        closed.append("application")

    @asynccontextmanager
    async def stubborn() -> AsyncIterator[Backwards]:
        yield Backwards()
        raise RuntimeError("cannot be closed")

    app = FastAPI(lifespan=lifespan)
    sezzlee_fastapi.mount_mcp(app, ranker=stubborn)
    with AgentClient(app):
        assert closed == []
    assert closed == ["application"]
    assert [r.getMessage() for r in caplog.records] == ["the ranker could not be closed"]


async def test_leaving_stops_what_is_still_being_made() -> None:
    started = asyncio.Event()
    stopped: list[str] = []

    async def slow() -> Any:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("stopped")

    kept = KeptRanker(slow)
    entering = asyncio.create_task(kept.enter())
    await started.wait()
    await kept.leave()
    assert stopped == ["stopped"]
    with pytest.raises(RankerFailure, match="stopped while it was made"):
        await entering
    # Nothing is left, and leaving again leaves nothing.
    await kept.leave()


def test_a_ranker_is_left_by_the_loop_that_entered_it() -> None:
    life = Life()
    kept = KeptRanker(life.__call__)
    with asyncio.Runner() as first:
        first.run(kept.enter())
        thread = threading.Thread(target=asyncio.run, args=(kept.leave(),))
        thread.start()
        thread.join()
        assert life.steps == ["enter as nobody"]
        first.run(asyncio.sleep(0))
        first.run(asyncio.sleep(0))
        assert life.steps == ["enter as nobody", "leave"]
        first.run(kept.enter())
    assert life.steps == ["enter as nobody", "leave"] * 2
    asyncio.run(kept.leave())


# --- in Flask -----------------------------------------------------------------------------------


def test_in_flask_a_factory_runs_in_the_application_context_and_the_ranker_does_not() -> None:
    seen: list[Any] = []

    class Looking:
        def rank(self, request: RankRequest) -> list[str]:
            seen.append(bool(current_app))
            return []

    def factory() -> Looking:
        seen.append(current_app.name)
        return Looking()

    with AgentClient(flask_shop(factory)) as agent:
        for _ in range(2):
            assert names(agent.search(QUERY)) == []
    assert seen == ["shop", False, False]


@pytest.mark.parametrize("factory", [failing, failing_later, failing_to_open, exiting, object])
def test_in_flask_what_cannot_be_made_is_a_failed_ranker(factory: Any) -> None:
    assert found(flask_shop(factory)) == BUILT_IN
    with AgentClient(flask_shop(factory, on_ranker_failure="error")) as agent:
        assert agent.search(QUERY)["error"] == "search_ranker_unavailable"
