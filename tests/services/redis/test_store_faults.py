"""Redis down, slow, full, locked: searches go on, nothing stale is shown, and it heals."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest
from redis.exceptions import OutOfMemoryError

from sezzlee_redis import RedisStore
from tests.services.processes import wait_until
from tests.services.redis.conftest import RedisServer, StartRedis, told
from tests.services.redis.hosts import REPLICAS, Replica, World
from tests.visibility.test_remembering import ADA, GRACE

Start: TypeAlias = Callable[..., Replica]

DOWN = "does not answer; facts about callers are not kept meanwhile"
UP = "answers again; facts about callers are kept"
FULL = "takes nothing new; facts about callers are not kept meanwhile"
ROOM = "takes facts about callers again"


@pytest.fixture(params=list(REPLICAS))
def start(request: pytest.FixtureRequest, server: RedisServer) -> Iterator[Start]:
    """Start replicas of one application on one framework."""
    world = World()
    with ExitStack() as running:

        def begin(url: str = server.url, **more: Any) -> Replica:
            store = RedisStore(url, prefix="shop", **{"timeout_ms": 5_000, "pause_ms": 50, **more})
            replica = REPLICAS[request.param](world, cache={"store": store})
            running.callback(replica.close)
            return replica

        yield begin


def is_cached(replica: Replica) -> bool:
    """Whether a second search of a caller asks the application nothing."""
    replica.find(ADA)
    before = replica.asked
    replica.find(ADA)
    return replica.asked == before


def test_what_one_replica_was_told_another_knows(start: Start) -> None:
    one, other = start(), start()
    assert [one.find(ADA), other.find(ADA)] == [["own"]] * 2
    assert [other.find(GRACE), one.find(GRACE)] == [["fire", "own"]] * 2
    assert (one.asked, other.asked) == (1, 1)
    one.world.bosses.add("ada")
    assert other.find(ADA) == ["own"]
    one.sezzlee.invalidate_tag("user:ada")
    assert [other.find(ADA), one.find(ADA)] == [["fire", "own"]] * 2
    assert (one.asked, other.asked) == (1, 2)


def test_a_server_that_is_killed_hides_nothing_and_keeps_again_when_it_is_back(
    start: Start, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = start(), start()
    assert is_cached(one)
    assert is_cached(other)
    server.kill()
    before = one.asked
    assert [one.find(ADA) for _ in range(50)] == [["own"]] * 50
    assert one.asked == before + 50
    one.world.bosses.add("ada")
    one.sezzlee.invalidate_tag("user:ada")
    assert [one.find(ADA), other.find(ADA)] == [["fire", "own"]] * 2
    server.start()
    for replica in (one, other):
        wait_until(lambda replica=replica: is_cached(replica))  # type: ignore[misc]  # bound now
        assert replica.find(ADA) == ["fire", "own"]
    assert sorted(told(caplog)) == sorted([DOWN, UP] * 2)


def test_a_server_that_is_paused_costs_one_deadline_per_pause(
    start: Start,
    server: RedisServer,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = start(timeout_ms=50, pause_ms=1_000)
    wait_until(lambda: is_cached(one))
    one.find(GRACE)
    caplog.clear()
    healthy = [_timed(one) for _ in range(100)]
    server.pause()
    began = time.monotonic()
    paused: list[float] = []
    while time.monotonic() - began < 3.0:
        paused.append(_timed(one))
    slow = [took for took in paused if took > 40]
    # What is invalidated now waits in this process for the server.
    one.world.bosses.add("ada")
    one.sezzlee.invalidate_tag("user:ada")
    assert one.find(ADA) == ["fire", "own"]
    server.resume()
    found = []
    wait_until(lambda: bool(found.append(one.find(ADA)) or is_cached(one)))
    assert set(map(tuple, found)) == {("fire", "own")}
    with capsys.disabled():
        print(
            f"\npaused server: a search takes {statistics.median(healthy):.1f} ms with it, "
            f"{statistics.median(paused):.1f} ms without; of {len(paused)} in 3 s {len(slow)} "
            f"waited, the longest {max(paused):.0f} ms"
        )
    assert told(caplog)[:1] == [DOWN]
    assert told(caplog).count(DOWN) == 1
    # One per pause waits for the deadline: of a thousand a second the slowest hundredth waits.
    assert sorted(paused)[int(len(paused) * 0.99)] < 40


def _timed(replica: Replica) -> float:
    began = time.perf_counter()
    assert replica.find(ADA) == ["own"]
    return (time.perf_counter() - began) * 1_000


def test_what_was_invalidated_while_the_server_was_paused_stays_forgotten(
    start: Start, server: RedisServer
) -> None:
    one = start(timeout_ms=300, pause_ms=50)
    wait_until(lambda: is_cached(one))
    for invalidate in (
        lambda: one.sezzlee.invalidate_tag("user:ada"),
        lambda: one.sezzlee.invalidate_all(),
        lambda: one.sezzlee.reload(),
    ):
        assert one.find(ADA) == ["own"]
        wait_until(lambda: is_cached(one))
        server.pause()
        one.world.bosses.add("ada")
        invalidate()
        server.resume()
        # The old facts are still on the server; no search after the invalidation shows them.
        assert [one.find(ADA) for _ in range(20)] == [["fire", "own"]] * 20
        one.world.bosses.discard("ada")
        one.sezzlee.invalidate_all()


def test_a_full_server_keeps_what_it_has_and_still_forgets(
    start: Start, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = start(), start()
    assert one.find(ADA) == ["own"]
    with server.client() as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1mb")
        with pytest.raises(OutOfMemoryError):
            client.set("more", "x")
        before = (one.asked, other.asked)
        assert [one.find(ADA), other.find(ADA)] == [["own"]] * 2
        assert (one.asked, other.asked) == before
        assert [one.find(GRACE) for _ in range(20)] == [["fire", "own"]] * 20
        assert one.asked == before[0] + 20
        one.world.bosses.add("ada")
        one.sezzlee.invalidate_tag("user:ada")
        assert [one.find(ADA), other.find(ADA)] == [["fire", "own"]] * 2
        client.config_set("maxmemory", "0")
    for replica in (one, other):
        replica.sezzlee.invalidate_all()
        wait_until(lambda replica=replica: is_cached(replica))  # type: ignore[misc]  # bound now
        assert replica.find(ADA) == ["fire", "own"]
    assert sorted(told(caplog)) == sorted([FULL, ROOM] * 2)


def test_a_refused_password_costs_the_memory_until_it_is_accepted(
    start: Start, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    with server.client() as client:
        client.config_set("requirepass", "the right one")
    one = start(server.url.replace("//", "//:s3cret-w0rd@"))
    assert [one.find(ADA) for _ in range(20)] == [["own"]] * 20
    assert one.asked == 20
    with server.client(password="the right one") as client:
        client.config_set("requirepass", "s3cret-w0rd")
    wait_until(lambda: is_cached(one))
    assert told(caplog) == [DOWN, UP]
    assert "s3cret-w0rd" not in caplog.text


def test_a_server_that_is_a_replica_for_a_while_shows_nothing_old(
    start: Start, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    one = start()
    assert is_cached(one)
    with server.client() as client:
        client.replicaof("127.0.0.1", server.port)
        one.world.bosses.add("ada")
        one.sezzlee.invalidate_tag("user:ada")
        assert [one.find(ADA) for _ in range(20)] == [["fire", "own"]] * 20
        client.replicaof("NO", "ONE")
    wait_until(lambda: is_cached(one))
    assert one.find(ADA) == ["fire", "own"]
    assert told(caplog)[:1] == [FULL]
    assert set(told(caplog)) <= {FULL, ROOM, DOWN, UP}


def test_what_a_server_has_forgotten_is_asked_anew(start: Start, server: RedisServer) -> None:
    one = start()
    assert is_cached(one)
    with server.client() as client:
        client.flushall()
    one.world.bosses.add("ada")
    assert one.find(ADA) == ["fire", "own"]
    assert is_cached(one)


def test_connections_that_are_cut_are_made_anew(
    start: Start, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    one = start()
    assert is_cached(one)
    for _ in range(5):
        with server.client() as client:
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        assert one.find(ADA) == ["own"]
        wait_until(lambda: is_cached(one))
    assert set(told(caplog)) <= {DOWN, UP}


def test_without_a_free_connection_the_application_is_asked(start_redis: StartRedis) -> None:
    server = start_redis("--maxclients", "2")
    with server.client() as first, server.client() as second:
        first.ping()
        second.ping()
        replica = REPLICAS["flask"](
            World(), cache={"store": RedisStore(server.url, prefix="shop", pause_ms=50)}
        )
        assert [replica.find(ADA) for _ in range(5)] == [["own"]] * 5
        assert replica.asked == 5
        for client in (first, second):
            client.connection_pool.disconnect()
    wait_until(lambda: is_cached(replica))
    replica.close()
