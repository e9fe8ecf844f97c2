"""Servers that do not answer as they should: what a request pays, what is told, what is served."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from sezzlee_py.callers import CallerScope
from sezzlee_py.callers.cache import CLEAR, CallerCache
from sezzlee_py.callers.scope import entry_name
from sezzlee_py.errors import StoreUnavailableError
from sezzlee_py.invoke.runtime import LoopRuntime, ThreadRuntime
from sezzlee_py.invoke.settle import drive
from sezzlee_py.options import CacheOptions
from sezzlee_redis import RedisStore

ADA = CallerScope("ada", ("user:ada",))
FACTS = entry_name(ADA.key, "facts")
SECRET = "s3cret-w0rd"


class Fake:
    """Something that listens where a Redis server should, and counts who comes."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.came = 0
        self.somebody_came = threading.Event()
        self.url = f"redis://:{SECRET}@127.0.0.1:{self._listening.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.came += 1
            self.somebody_came.set()
            self._open.append(connection)
            with suppress(OSError):
                connection.sendall(self._answer)

    def close(self) -> None:
        # A thread that waits in `accept` is woken by this alone.
        self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listening.close()
        for connection in self._open:
            connection.close()


@contextmanager
def fake(answer: bytes = b"") -> Iterator[Fake]:
    server = Fake(answer)
    try:
        yield server
    finally:
        server.close()


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"redis://:{SECRET}@127.0.0.1:{listening.getsockname()[1]}"


def refused_by(work: Callable[[], Any]) -> bool:
    try:
        work()
    except StoreUnavailableError:
        return True
    return False


ANSWERS = {
    "silence": b"",
    "no Redis": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "wrong password": b"-WRONGPASS invalid username-password pair or user is disabled.\r\n",
    "loading": b"-LOADING Redis is loading the dataset in memory\r\n",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_thread_asks_once_per_pause_and_tells_once(
    answer: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with fake(answer) as server:
        store = RedisStore(server.url, prefix="shop", timeout_ms=100, pause_ms=60_000)
        began = time.monotonic()
        assert [refused_by(lambda: store.get(ADA, FACTS)) for _ in range(100)] == [True] * 100
        assert refused_by(store.clear)
        assert (server.came, time.monotonic() - began < 5) == (1, True)
        store.close()
    assert len(caplog.messages) == 1
    assert "facts about callers are not kept meanwhile" in caplog.messages[0]
    assert SECRET not in caplog.text


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_a_loop_asks_once_per_pause_and_tells_once(
    answer: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with fake(answer) as server:
        store = RedisStore(server.url, prefix="shop", timeout_ms=100, pause_ms=60_000)
        for _ in range(100):
            with pytest.raises(StoreUnavailableError):
                await store.get(ADA, FACTS)
        with pytest.raises(StoreUnavailableError):
            await store.drop_tag("user:ada")
        assert server.came == 1
        await store.aclose()
    assert len(caplog.messages) == 1
    assert SECRET not in caplog.text


def test_a_name_that_is_looked_up_for_ever_costs_a_thread_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = threading.Event()

    def never(*_: Any, **__: Any) -> Any:
        found.wait(30)
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", never)
    store = RedisStore("redis://cache.internal", prefix="shop", timeout_ms=50)
    began = time.monotonic()
    assert refused_by(lambda: store.get(ADA, FACTS))
    assert time.monotonic() - began < 10
    found.set()


async def test_a_loop_that_is_busy_is_no_outage_of_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with fake() as server:
        store = RedisStore(server.url, prefix="shop", timeout_ms=50)
        asyncio.get_running_loop().call_later(0.01, time.sleep, 0.3)
        with pytest.raises(StoreUnavailableError, match="too busy"):
            await store.get(ADA, FACTS)
        await store.aclose()
    assert caplog.messages == []


async def test_what_is_asked_together_fails_together_and_is_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with fake() as server:
        store = RedisStore(server.url, prefix="shop", timeout_ms=200, pause_ms=60_000)
        asking = [asyncio.create_task(store.get(ADA, FACTS)) for _ in range(50)]
        await asyncio.sleep(0)
        asking[7].cancel()
        ended = await asyncio.gather(*asking, return_exceptions=True)
        kinds = [type(end) for end in ended]
        assert kinds[7] is asyncio.CancelledError
        assert (kinds.count(StoreUnavailableError), server.came) == (49, 1)
        await store.aclose()
    assert len(caplog.messages) == 1


async def test_a_request_that_is_cancelled_is_no_outage_either(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with fake() as server:
        store = RedisStore(server.url, prefix="shop", timeout_ms=60_000)
        asking = asyncio.create_task(store.get(ADA, FACTS))
        assert await asyncio.to_thread(server.somebody_came.wait, 10)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await store.aclose()
    assert caplog.messages == []


class Source:
    """What the application says about a caller; it counts how often it is asked."""

    def __init__(self) -> None:
        self.runs = 0

    async def __call__(self) -> str:
        self.runs += 1
        return f"P|run={self.runs}"


async def _ask(cache: CallerCache, source: Source) -> str:
    return await cache.through(ADA, "facts", cache.epoch, source, is_usable=lambda _: True)


def test_searches_of_a_thread_go_on_without_a_server(caplog: pytest.LogCaptureFixture) -> None:
    store = RedisStore(closed_port(), prefix="shop", pause_ms=60_000)
    cache, source = CallerCache(CacheOptions(store=store), ThreadRuntime()), Source()
    cache.invalidate(CLEAR)
    assert [drive(_ask(cache, source)) for _ in range(3)] == ["P|run=1", "P|run=2", "P|run=3"]
    assert len(caplog.messages) == 1


async def test_searches_of_a_loop_go_on_without_a_server(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        store = RedisStore(closed_port(), prefix="shop", pause_ms=60_000)
        cache, source = CallerCache(CacheOptions(store=store), LoopRuntime()), Source()
        cache.invalidate(CLEAR)
        asked = [await _ask(cache, source) for _ in range(3)]
    assert asked == ["P|run=1", "P|run=2", "P|run=3"]
    assert len(caplog.messages) == 1
