"""What a search by a known caller costs this process, with memory and with Redis."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable

import pytest

from sezzlee_redis import RedisStore
from tests.services.redis.conftest import RedisServer
from tests.services.redis.hosts import FastAPIReplica, FlaskReplica, Replica, World
from tests.visibility.test_remembering import ADA

ROUNDS, SEARCHES = 20, 64


def cpu_ms(search: Callable[[], None]) -> float:
    """Return the processor's time for one of the searches that `search` makes."""
    began = time.process_time()
    search()
    return (time.process_time() - began) * 1_000 / SEARCHES


def one_by_one(replica: Replica) -> None:
    if not isinstance(replica, FastAPIReplica):
        for _ in range(SEARCHES):
            replica.find(ADA)
        return

    async def search() -> None:
        for _ in range(SEARCHES):
            await replica.afind(ADA)

    replica.runner.run(search())


def at_once(replica: FastAPIReplica) -> None:
    async def search() -> None:
        await asyncio.gather(*[replica.afind(ADA) for _ in range(SEARCHES)])

    replica.runner.run(search())


def test_a_search_costs_a_fraction_of_a_millisecond_more(
    server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for kind in (FastAPIReplica, FlaskReplica):
        store = RedisStore(server.url, prefix=kind.__name__, timeout_ms=10_000)
        memory, shared = kind(World()), kind(World(), cache={"store": store})
        cases: dict[str, Callable[[], None]] = {
            "memory": lambda memory=memory: one_by_one(memory),  # type: ignore[misc]  # bound now
            "Redis": lambda shared=shared: one_by_one(shared),  # type: ignore[misc]  # bound now
        }
        if isinstance(shared, FastAPIReplica):
            cases[f"Redis, {SEARCHES} at once"] = lambda shared=shared: at_once(shared)  # type: ignore[misc]
        taken: dict[str, list[float]] = {case: [] for case in cases}
        for _ in range(ROUNDS):
            for case, search in cases.items():
                taken[case].append(cpu_ms(search))
        medians = {case: statistics.median(times) for case, times in taken.items()}
        told.append(", ".join(f"{case} {median:.2f}" for case, median in medians.items()))
        assert (memory.asked, shared.asked) == (1, 1)
        assert medians["Redis"] < medians["memory"] + 2
        memory.close()
        shared.close()
    with capsys.disabled():
        print(f"\nCPU time of a search in ms: FastAPI: {told[0]}; Flask: {told[1]}")
