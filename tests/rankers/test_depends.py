"""`ranker=Depends(get_ranker)`: FastAPI resolves it, and only for a search."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Security
from fastapi.security import SecurityScopes

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, RankRequest, Sezzlee
from sezzlee_py.errors import OptionsError
from sezzlee_py.search import BM25Ranker, LexicalRanker, RankFusion
from sezzlee_py.testing import AgentClient
from tests.rankers.shops import (
    BACKWARDS,
    BUILT_IN,
    QUERY,
    Backwards,
    PlainBackwards,
    fastapi_shop,
    found,
    names,
)

USER: ContextVar[str] = ContextVar("user", default="nobody")


async def get_ranker() -> Backwards:
    return Backwards()


def get_plain() -> PlainBackwards:
    return PlainBackwards()


@pytest.mark.parametrize("depends", [Depends(get_ranker), Depends(get_plain), Depends(Backwards)])
def test_a_dependency_gives_the_ranker(depends: Any) -> None:
    assert found(fastapi_shop(depends)) == BACKWARDS
    assert found(fastapi_shop(by_option=depends)) == BACKWARDS


def test_overrides_of_the_application_count_at_once() -> None:
    app = fastapi_shop(Depends(get_ranker))
    with AgentClient(app) as agent:
        assert names(agent.search(QUERY)) == BACKWARDS
        app.dependency_overrides[get_ranker] = LexicalRanker
        assert names(agent.search(QUERY)) == BUILT_IN
        app.dependency_overrides[get_ranker] = lambda: RankFusion([PlainBackwards()])
        assert names(agent.search(QUERY)) == BACKWARDS
        app.dependency_overrides.clear()
        assert names(agent.search(QUERY)) == BACKWARDS


def test_a_built_in_ranker_from_a_dependency_has_its_own_floor_and_exact_names() -> None:
    app = fastapi_shop(Depends(get_ranker))
    with AgentClient(app) as agent:
        app.dependency_overrides[get_ranker] = BM25Ranker
        # Without a floor, one word of five is enough; with the default one it is not.
        assert names(agent.search("zebra giraffe okapi refund tapir")) == ["refund_order"]
        app.dependency_overrides[get_ranker] = LexicalRanker
        assert agent.search("zebra giraffe okapi refund tapir")["results"] == []
        assert names(agent.search("list orders"))[0] == "list_orders"


def test_sub_dependencies_and_the_request_are_resolved_as_in_a_route() -> None:
    seen: dict[str, Any] = {}

    def settings(request: Request, x_shop: Annotated[str, Header()]) -> str:
        seen["app"] = request.app
        seen["path"] = request.url.path
        seen["authorization"] = request.headers.get("authorization")
        seen["state"] = request.state.model
        return x_shop

    def scoped(scopes: SecurityScopes, shop: Annotated[str, Depends(settings)]) -> Backwards:
        seen["scopes"], seen["shop"], seen["user"] = scopes.scopes, shop, USER.get()
        return Backwards()

    app = fastapi_shop(Security(scoped, scopes=["rank"]))

    @app.middleware("http")
    async def state(request: Request, call_next: Any) -> Any:
        request.state.model = "small"
        return await call_next(request)

    class Context:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            USER.set("ada")
            await self.app(scope, receive, send)

    app.add_middleware(Context)
    with AgentClient(app, headers={"authorization": "Bearer t", "x-shop": "books"}) as agent:
        assert names(agent.search(QUERY)) == BACKWARDS
    assert seen == {
        "app": app,
        "path": "/mcp",
        "authorization": "Bearer t",
        "state": "small",
        "scopes": ["rank"],
        "shop": "books",
        "user": "ada",
    }


def test_the_ranker_itself_sees_no_variable_of_the_request() -> None:
    seen: list[str] = []

    class Looking:
        async def rank(self, request: RankRequest) -> list[str]:
            seen.append(USER.get())
            return []

    def looking() -> Looking:
        USER.set("ada")
        return Looking()

    async def async_looking() -> Looking:
        USER.set("ada")
        return Looking()

    for depends in (looking, async_looking):
        assert found(fastapi_shop(Depends(depends))) == []
    assert seen == ["nobody", "nobody"]


def test_what_a_dependency_opens_is_open_while_the_ranker_works_and_closed_after() -> None:
    steps: list[str] = []

    class Working:
        async def rank(self, request: RankRequest) -> list[str]:
            steps.append("rank")
            return []

    async def connection() -> AsyncIterator[str]:
        steps.append("open")
        yield "connection"
        steps.append("close")

    def ranker(of: Annotated[str, Depends(connection)]) -> Iterator[Working]:
        steps.append(f"lend {of}")
        yield Working()
        steps.append("take back")

    with AgentClient(fastapi_shop(Depends(ranker))) as agent:
        for _ in range(2):
            assert names(agent.search(QUERY)) == []
    assert steps == ["open", "lend connection", "rank", "take back", "close"] * 2


def test_only_a_search_with_words_resolves_it() -> None:
    resolved: list[int] = []

    def counted() -> Backwards:
        resolved.append(1)
        return Backwards()

    with AgentClient(fastapi_shop(Depends(counted))) as agent:
        agent.tools()
        agent.load("list_orders")
        agent.invoke("list_orders")
        agent.search("")
        assert resolved == []
        agent.search(QUERY)
        assert resolved == [1]


def refused() -> Any:
    raise HTTPException(401, "no model for you")


def broken() -> Any:
    raise RuntimeError("no model")


async def exiting() -> Any:
    raise SystemExit(3)


def wanting(q: Annotated[int, Query()]) -> Any:
    return Backwards()


def late_to_break() -> Iterator[Any]:
    yield Backwards()
    raise RuntimeError("cannot be closed")


def no_ranker() -> Any:
    return object()


@pytest.mark.parametrize("fault", [refused, broken, exiting, wanting, late_to_break, no_ranker])
def test_a_dependency_that_fails_is_a_ranker_that_fails(
    fault: Any, caplog: pytest.LogCaptureFixture
) -> None:
    app = fastapi_shop(Depends(fault))

    @app.exception_handler(RuntimeError)
    @app.exception_handler(HTTPException)
    async def handled(request: Request, fault: Exception) -> Any:
        raise AssertionError("a ranker's fault is no answer of the application")

    with caplog.at_level(logging.WARNING, "sezzlee_py"):
        assert found(app) == BUILT_IN
    assert any("the ranker failed" in record.getMessage() for record in caplog.records)
    with AgentClient(fastapi_shop(Depends(fault), on_ranker_failure="error")) as agent:
        answer = agent.search(QUERY)
        assert (answer["error"], answer["retryable"]) == ("search_ranker_unavailable", True)
        assert agent.search("")["total"] == 3


def test_the_deadline_counts_for_the_dependency_too() -> None:
    closed: list[str] = []

    async def hanging() -> AsyncIterator[Any]:
        try:
            await asyncio.Event().wait()
            yield Backwards()
        finally:
            closed.append("closed")

    assert found(fastapi_shop(Depends(hanging), ranker_timeout_ms=30)) == BUILT_IN
    assert closed == ["closed"]


def test_a_body_that_a_dependency_wants_is_not_there_and_nothing_hangs() -> None:
    async def reading(request: Request) -> Backwards:
        assert await request.body() == b""
        return Backwards()

    assert found(fastapi_shop(Depends(reading))) == BACKWARDS


async def test_a_search_of_the_host_s_own_code_resolves_it_too() -> None:
    seen: list[Any] = []

    def by_header(request: Request, x_model: Annotated[str, Header()]) -> Backwards:
        seen.append((request.app, x_model, request.method, request.url.path, request.client))
        return Backwards()

    app = FastAPI()
    shop: Sezzlee = mount_mcp(app, ranker=Depends(by_header))
    answer = await shop.search("anything at all", headers={"x-model": "small"})
    assert answer["results"] == []
    assert seen == [(app, "small", "POST", "/", None)]


async def test_a_caller_who_leaves_closes_what_was_opened(caplog: pytest.LogCaptureFixture) -> None:
    steps: list[str] = []
    asked = asyncio.Event()

    class Hanging:
        async def rank(self, request: RankRequest) -> list[str]:
            asked.set()
            await asyncio.Event().wait()
            return []

    async def lent() -> AsyncIterator[Hanging]:
        try:
            yield Hanging()
        finally:
            steps.append("closed")

    shop = mount_mcp(FastAPI(), ranker=Depends(lent))
    search = asyncio.create_task(shop.search("anything"))
    await asked.wait()
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    for _ in range(10):
        await asyncio.sleep(0)
    assert steps == ["closed"]
    assert not [record for record in caplog.records if "ranker" in record.getMessage()]


async def test_each_of_many_searches_at_once_has_a_dependency_of_its_own() -> None:
    app = FastAPI()
    given: list[str] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        async def rank(self, request: RankRequest) -> list[str]:
            await asyncio.sleep(0)
            given.append(f"{self.name} for {request.query}")
            return []

    async def named(x_model: Annotated[str, Header()]) -> Named:
        await asyncio.sleep(0)
        return Named(x_model)

    shop = mount_mcp(app, ranker=Depends(named))
    await asyncio.gather(*(shop.search(f"q{n}", headers={"x-model": f"m{n}"}) for n in range(20)))
    assert sorted(given) == sorted(f"m{n} for q{n}" for n in range(20))


async def test_a_guard_of_the_endpoint_stands_before_it() -> None:
    def token(authorization: Annotated[str, Header()]) -> str:
        return authorization

    resolved: list[str] = []

    def ranker(by: Annotated[str, Depends(token)]) -> Backwards:
        resolved.append(by)
        return Backwards()

    app = FastAPI()
    mount_mcp(app, ranker=Depends(ranker), dependencies=[Depends(token)])
    with AgentClient(app, headers={"authorization": "t"}) as agent:
        agent.search("anything")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://shop"
    ) as client:
        assert (await client.post("/mcp", json={})).status_code == 422
    assert resolved == ["t"]


def test_a_dependency_on_nothing_is_refused_when_it_is_mounted() -> None:
    with pytest.raises(OptionsError, match="names no function"):
        mount_mcp(FastAPI(), ranker=Depends())


def test_a_second_endpoint_has_the_same_ranker() -> None:
    app = FastAPI()
    settings = Options(search={"ranker": Depends(get_ranker)})
    first = mount_mcp(app, options=settings)
    assert mount_mcp(app, "/other", options=settings) is first


def test_the_route_that_resolves_it_is_nobody_s_route_and_no_tool() -> None:
    app = fastapi_shop(Depends(get_ranker))
    assert "/" not in app.openapi()["paths"]
    with AgentClient(app) as agent:
        assert agent.search("")["total"] == 3
