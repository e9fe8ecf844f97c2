"""A server that is down, killed, paused, full or at its limit: searches go on; it comes back.

`pytest -rP` shows the figures.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import psycopg
import pytest

from sezzlee_postgres import PostgresRanker, home
from sezzlee_py.search import HostRanking, RankCatalog, RankerFailure, RankerGuard
from tests.services.postgres.server import Server
from tests.services.postgres.shop import DOCUMENTS, ask, catalog, many
from tests.services.processes import wait_until

SECRET = "s3cr3t-p4ss"


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What is logged holds no password, whatever goes wrong."""
    with caplog.at_level(logging.DEBUG):
        yield
    assert SECRET not in caplog.text


@pytest.fixture
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server that failed be asked again at once."""
    monkeypatch.setattr(home, "_REST_S", 0.0)


async def until(holds: Callable[[], bool]) -> None:
    """Let the searches go on until `holds()`."""
    await asyncio.to_thread(wait_until, holds)


class Searching:
    """Searches again and again, as an endpoint does: through the guard."""

    def __init__(self, ranker: PostgresRanker, of: RankCatalog, *, timeout_ms: int = 3_000) -> None:
        self._guard = RankerGuard(ranker, timeout_ms=timeout_ms)
        self._of = of
        self.names = {each.name for each in of.documents}
        self.outcomes: Counter[str] = Counter()
        self.slowest_s = 0.0

    async def once(self) -> bool:
        """Search once and tell whether PostgreSQL answered."""
        started = perf_counter()
        ranking: HostRanking | None = await self._guard.arank("order books", self._of, self.names)
        self.slowest_s = max(self.slowest_s, perf_counter() - started)
        self.outcomes["fallback" if ranking is None else "answered"] += 1
        return ranking is not None

    async def until_answered(self, *, within_s: float = 20) -> float:
        """Search until PostgreSQL answers and return how long that took."""
        started = perf_counter()
        while not await self.once():
            assert perf_counter() - started < within_s
            await asyncio.sleep(0.02)
        return perf_counter() - started


def with_password(server: Server) -> str:
    return f"{server.conninfo} password={SECRET}"


async def test_a_server_that_is_down_costs_one_search_its_wait_and_the_others_nothing(
    own_server: Server,
) -> None:
    own_server.kill()
    async with PostgresRanker(with_password(own_server), timeout_ms=1_000) as ranker:
        searching = Searching(ranker, catalog())
        assert not await searching.once()
        assert searching.slowest_s < 2
        started = perf_counter()
        assert [await searching.once() for _ in range(10)] == [False] * 10
        assert perf_counter() - started < 0.5
        own_server.start()
        recovered_s = await searching.until_answered()
        print(f"recovered in {recovered_s:.2f} s")
        assert recovered_s < 10


async def test_a_server_killed_under_searches_is_asked_again_once_it_is_back(
    own_server: Server,
) -> None:
    ranker = PostgresRanker(with_password(own_server), timeout_ms=1_000)
    async with ranker:
        searching = Searching(ranker, catalog())
        await ranker.store(catalog())
        ended = asyncio.Event()

        async def search() -> None:
            while not ended.is_set():
                await searching.once()
                await asyncio.sleep(0.005)

        searches = [asyncio.create_task(search()) for _ in range(4)]
        await until(lambda: searching.outcomes["answered"] > 10)
        await asyncio.to_thread(own_server.kill)
        await until(lambda: searching.outcomes["fallback"] > 10)
        await asyncio.to_thread(own_server.start)
        recovered_s = await searching.until_answered()
        ended.set()
        await asyncio.gather(*searches)
        print(f"recovered in {recovered_s:.2f} s, slowest search {searching.slowest_s:.2f} s")
        print(dict(searching.outcomes))
        assert recovered_s < 10
        assert searching.slowest_s < 3


async def test_a_server_that_hangs_is_given_up_before_the_guards_deadline(
    own_server: Server,
) -> None:
    async with PostgresRanker(with_password(own_server), timeout_ms=500) as ranker:
        searching = Searching(ranker, catalog())
        await ranker.store(catalog())
        assert await searching.once()
        own_server.signal(signal.SIGSTOP)
        searching.slowest_s = 0.0
        together = await asyncio.gather(*(searching.once() for _ in range(20)))
        assert together == [False] * 20
        print(f"slowest search {searching.slowest_s:.2f} s")
        assert searching.slowest_s < 1.5
        started = perf_counter()
        assert not await searching.once()
        assert perf_counter() - started < 0.2
        own_server.signal(signal.SIGCONT)
        recovered_s = await searching.until_answered()
        print(f"recovered in {recovered_s:.2f} s")
        assert recovered_s < 15


@pytest.mark.usefixtures("restless")
async def test_a_slow_query_is_ended_by_the_server_itself(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    async with PostgresRanker(
        server.conninfo + " application_name=slow", namespace=namespace, timeout_ms=300
    ) as ranker:
        await ranker.store(catalog())
        await ask(ranker, "order")
        connection.execute(f'BEGIN; LOCK TABLE "{namespace}".terms IN ACCESS EXCLUSIVE MODE')
        for _ in range(3):
            with pytest.raises(RankerFailure):
                await ask(ranker, "order")
        with psycopg.connect(server.conninfo, autocommit=True) as watching:
            await until(lambda: not _is_active(watching, "slow"))
        connection.execute("ROLLBACK")
        assert set(await ask(ranker, "order")) == {"cancel_order", "create_order"}


def _is_active(watching: psycopg.Connection, application: str) -> bool:
    """Whether a query of an application is under way."""
    query = "SELECT FROM pg_stat_activity WHERE application_name = %s AND state = 'active'"
    return watching.execute(query, (application,)).fetchone() is not None


async def test_a_server_without_a_free_connection_is_a_failure_until_there_is_one(
    own_server: Server,
) -> None:
    async with PostgresRanker(with_password(own_server), timeout_ms=500) as ranker:
        searching = Searching(ranker, catalog())
        with crowded(own_server):
            assert not await searching.once()
        recovered_s = await searching.until_answered()
        print(f"recovered in {recovered_s:.2f} s")
        assert recovered_s < 10


@contextmanager
def crowded(server: Server) -> Iterator[None]:
    """Take every connection there is."""
    taken: list[psycopg.Connection] = []
    try:
        while True:
            taken.append(psycopg.connect(server.conninfo))
    except psycopg.OperationalError:
        yield
    finally:
        for each in taken:
            each.close()


@pytest.mark.usefixtures("restless")
async def test_a_full_disk_leaves_the_old_edition_in_service_until_there_is_room(
    own_server: Server,
) -> None:
    old, new = catalog(DOCUMENTS), catalog((*DOCUMENTS, *many(15_000)), "2")
    async with PostgresRanker(with_password(own_server), wait_ms=60_000) as ranker:
        await ranker.store(old)
        # A file of the write-ahead log still fits; the documents do not.
        own_server.limit_files(2 * 2**20)
        try:
            with pytest.raises(psycopg.Error):
                await ranker.store(new)
            assert set(await ask(ranker, "order books", new)) >= {"create_order"}
        finally:
            own_server.limit_files(None)
        await ranker.store(new)
        assert len(await ask(ranker, "things", new)) > 1_000


async def test_a_wrong_password_and_an_unreachable_host_are_failures_without_a_word_of_it(
    own_server: Server,
) -> None:
    for conninfo in (
        f"postgresql://nobody:{SECRET}@127.0.0.1:{own_server.port}/nothing",
        f"postgresql://nobody:{SECRET}@127.0.0.1:1/nothing",
        f"postgresql://nobody:{SECRET}@nowhere.invalid/nothing",
    ):
        async with PostgresRanker(conninfo, timeout_ms=500) as ranker:
            with pytest.raises(RankerFailure) as failure:
                await ask(ranker, "book")
            said = [failure.value, failure.value.__cause__, ranker]
            assert SECRET not in " ".join(map(repr, said))
