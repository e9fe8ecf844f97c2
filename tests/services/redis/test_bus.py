"""One replica's reload and invalidations reach every other once, whatever happens to the server."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias
from uuid import uuid4

import pytest

from sezzlee_py.toolkit import Change
from sezzlee_redis import RedisBus, stream
from sezzlee_redis.stream import Reader, append, stream_key
from tests.services.processes import wait_until
from tests.services.redis.conftest import RedisServer, told
from tests.services.redis.hosts import REPLICAS, Replica, World
from tests.visibility.test_remembering import ADA

Start: TypeAlias = Callable[..., Replica]

KEY = stream_key("shop")
PAIRS = [("fastapi", "fastapi"), ("flask", "flask"), ("fastapi", "flask")]


@pytest.fixture
def start(server: RedisServer) -> Iterator[Start]:
    """Start replicas of one application, each with memory of its own and a bus."""
    world = World()
    with ExitStack() as running:

        def begin(framework: str = "fastapi", **more: Any) -> Replica:
            bus = Recorded(RedisBus(server.url, prefix="shop"))
            replica = REPLICAS[framework](world, replicas={"bus": bus, **more})
            running.callback(replica.close)
            replica.find(ADA)
            return replica

        yield begin


class Recorded:
    """A bus that also tells what has been carried out."""

    def __init__(self, bus: RedisBus) -> None:
        self._bus = bus
        self.publish = bus.publish
        self.heard: list[str] = []

    def listen(self, hear: Callable[[Change], None]) -> Callable[[], None]:
        def heard(change: Change) -> None:
            hear(change)
            self.heard.append(change.argument)

        return self._bus.listen(heard)


def everybody_heard(teller: Replica, hearers: list[Replica]) -> None:
    """Return once all that `teller` has said so far is carried out: what it says last is last."""
    last = f"last:{uuid4().hex}"
    teller.sezzlee.invalidate_tag(last)
    for hearer in hearers:
        done = hearer.options.replicas.bus.heard
        wait_until(lambda done=done: last in done)  # type: ignore[misc]  # bound at once


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_reload_reaches_the_listeners_of_every_replica_once(
    start: Start, first: str, second: str
) -> None:
    one, other, third = start(first), start(second), start(second)
    for count in (1, 2):
        one.sezzlee.reload()
        everybody_heard(one, [other, third])
        other.sezzlee.reload()
        everybody_heard(other, [one, third])
        assert [len(replica.heard) for replica in (one, other, third)] == [2 * count] * 3


INVALIDATIONS: dict[str, Callable[[Any], None]] = {
    "tag": lambda sezzlee: sezzlee.invalidate_tag("user:ada"),
    "all": lambda sezzlee: sezzlee.invalidate_all(),
    "reload": lambda sezzlee: sezzlee.reload(),
}


@pytest.mark.parametrize("invalidate", INVALIDATIONS.values(), ids=INVALIDATIONS)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_an_invalidation_reaches_the_memory_of_every_replica(
    start: Start, first: str, second: str, invalidate: Callable[[Any], None]
) -> None:
    one, other = start(first), start(second)
    one.world.bosses.add("ada")
    assert [one.find(ADA), other.find(ADA)] == [["own"]] * 2
    invalidate(one.sezzlee)
    assert one.find(ADA) == ["fire", "own"]
    wait_until(lambda: other.find(ADA) == ["fire", "own"])
    assert other.asked == 2


def test_one_caller_is_forgotten_everywhere(start: Start) -> None:
    one, other = start(), start()
    one.world.bosses.add("ada")
    scope = _scope_of_ada(one)
    one.sezzlee.invalidate_caller(scope)
    wait_until(lambda: other.find(ADA) == ["fire", "own"])
    assert (one.find(ADA), other.heard) == (["fire", "own"], [])


def _scope_of_ada(replica: Replica) -> str:
    (key,) = replica.sezzlee._engine._cache._store._scopes
    return str(key)


def test_where_the_host_wants_it_every_replica_reloads_and_tells_once(
    start: Start, server: RedisServer
) -> None:
    one, other, third = start(reload=True), start(reload=True), start()
    one.sezzlee.reload()
    wait_until(lambda: other.sezzlee.catalog.generation == 2)
    everybody_heard(one, [other, third])
    wait_until(lambda: len(other.heard) == 1)
    assert [len(replica.heard) for replica in (one, other, third)] == [1, 1, 1]
    assert [replica.sezzlee.catalog.generation for replica in (one, other, third)] == [2, 2, 1]
    # The reload and the invalidation; nothing that was heard was passed on.
    with server.client() as client:
        assert client.xlen(KEY) == 2


def test_a_change_that_is_delivered_again_counts_once(start: Start, server: RedisServer) -> None:
    one, other = start(), start()
    one.sezzlee.reload()
    wait_until(lambda: len(other.heard) == 1)
    with server.client() as client:
        ((_, fields),) = client.xrange(KEY)
        for _ in range(3):
            client.xadd(KEY, fields)
    everybody_heard(one, [other])
    assert [len(one.heard), len(other.heard)] == [1, 1]


def test_what_cannot_be_read_forgets_everybody_and_the_hearing_goes_on(
    start: Start, server: RedisServer
) -> None:
    one, other = start(), start()
    one.world.bosses.add("ada")
    with server.client() as client:
        client.xadd(KEY, {"kind": "moved", "id": "1"})
        client.xadd(KEY, {"x": "y" * 10_000})
        client.xadd(KEY, {b"kind": b"\xff\xfe", b"id": b"\x80"})
    wait_until(lambda: other.find(ADA) == ["fire", "own"])
    everybody_heard(one, [other])
    assert other.heard == []


def test_nothing_is_lost_or_doubled_when_connections_are_cut(
    start: Start, server: RedisServer
) -> None:
    one, other = start(), start("flask")
    everybody_heard(one, [other])
    for _ in range(10):
        with server.client() as client:
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        one.sezzlee.reload()
    everybody_heard(one, [other])
    assert [len(one.heard), len(other.heard)] == [10, 10]


def test_after_a_restart_nobody_trusts_what_it_knew(
    start: Start, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = start(), start("flask")
    everybody_heard(one, [other])
    server.kill()
    one.world.bosses.add("ada")
    began = time.monotonic()
    one.sezzlee.invalidate_tag("user:ada")
    one.sezzlee.reload()
    assert time.monotonic() - began < 5
    assert one.find(ADA) == ["fire", "own"]
    server.start()
    wait_until(lambda: other.find(ADA) == ["fire", "own"])
    # What is said before it listens again is heard as a gap, which stands for all.
    wait_until(lambda: len(one.heard) == 2)
    everybody_heard(one, [other])
    everybody_heard(other, [one])
    # Its own reload, and the gap; of the other, the gap may stand for the reload that had waited.
    assert (len(one.heard), len(other.heard) in (1, 2)) == (2, True)
    assert sorted(told(caplog)) == [
        "takes changes again; those that waited are sent",
        "takes no changes; they wait here for the other processes",
        *["tells changes again"] * 2,
        *["tells no changes; those of other processes are heard later"] * 2,
    ]


def test_a_server_that_is_paused_delays_and_loses_nothing(
    start: Start, server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = start(), start("flask")
    everybody_heard(one, [other])
    server.pause()
    took = []
    for _ in range(50):
        began = time.perf_counter()
        one.sezzlee.invalidate_tag("user:grace")
        took.append((time.perf_counter() - began) * 1_000)
    one.sezzlee.reload()
    server.resume()
    everybody_heard(one, [other])
    assert [len(one.heard), len(other.heard)] == [1, 1]
    with capsys.disabled():
        print(f"\npaused server: an invalidation returns after {max(took):.2f} ms at most")


def test_what_a_full_server_refuses_is_sent_when_it_has_room(
    start: Start, server: RedisServer
) -> None:
    one, other = start(), start()
    everybody_heard(one, [other])
    with server.client() as client:
        client.config_set("maxmemory", "1mb")
        one.sezzlee.reload()
        one.sezzlee.invalidate_all()
        client.config_set("maxmemory", "0")
    everybody_heard(one, [other])
    assert [len(one.heard), len(other.heard)] == [1, 1]


def test_hearing_ends_with_the_application(start: Start) -> None:
    one = start()
    assert _listening() == 1
    one.sezzlee._engine.stopping()
    wait_until(lambda: _listening() == 0)
    one.find(ADA)
    assert _listening() == 1


def _listening() -> int:
    return [thread.name for thread in threading.enumerate()].count("sezzlee-bus-listen")


def test_two_applications_of_one_process_share_a_bus(server: RedisServer) -> None:
    bus = RedisBus(server.url, prefix="shop")
    world = World()
    one = REPLICAS["flask"](world, replicas={"bus": Recorded(bus)})
    other = REPLICAS["flask"](world, replicas={"bus": Recorded(bus)})
    for replica in (one, other):
        replica.find(ADA)
    one.sezzlee.reload()
    everybody_heard(one, [other])
    other.sezzlee.reload()
    everybody_heard(other, [one])
    assert [len(one.heard), len(other.heard), _listening()] == [2, 2, 1]
    one.close()
    other.close()


# --- where a reader stands ----------------------------------------------------------------------


def numbered(number: int) -> Change:
    return Change(kind="drop_tag", argument=f"user:{number}")


def heard_by(reader: Reader, client: Any) -> list[str]:
    arguments: list[str] = []
    while changes := list(reader.next(client, wait_ms=1)):
        arguments += [change.argument or change.kind for change in changes]
    return arguments


def _ms(client: Any) -> int:
    seconds, micros = client.time()
    return int(seconds * 1_000 + micros // 1_000)


def test_a_reader_begins_where_hearing_began(server: RedisServer) -> None:
    with server.client() as client:
        append(client, KEY, numbered(1))
        (written_at, _), *_ = client.xrange(KEY)
        wait_until(lambda: _ms(client) > int(written_at.partition("-")[0]) + 100)
        since = time.monotonic()
        append(client, KEY, numbered(2))
        reader = Reader(KEY, since)
        assert reader.resume(client) is False
        append(client, KEY, numbered(3))
        assert heard_by(reader, client) == ["user:2", "user:3"]


def test_a_reader_that_was_away_goes_on_or_knows_what_it_missed(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "LIMIT", 100)
    numbers = itertools.count()
    with server.client() as client:
        reader, idle = Reader(KEY, time.monotonic()), Reader(KEY, time.monotonic())
        assert [reader.resume(client), idle.resume(client)] == [False, False]
        append(client, KEY, numbered(next(numbers)))
        assert heard_by(reader, client) == ["user:0"]
        append(client, KEY, numbered(next(numbers)))
        assert [reader.resume(client), idle.resume(client)] == [False, False]
        assert heard_by(reader, client) == ["user:1"]
        for _ in range(1_000):
            append(client, KEY, numbered(next(numbers)))
        assert [reader.resume(client), idle.resume(client)] == [True, True]
        assert [heard_by(reader, client), heard_by(idle, client)] == [[], []]
        append(client, KEY, numbered(next(numbers)))
        assert [heard_by(reader, client), heard_by(idle, client)] == [["user:1002"]] * 2


def test_a_reader_that_is_overtaken_says_so(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "LIMIT", 100)
    monkeypatch.setattr(stream, "_BATCH", 10)
    with server.client() as client:
        reader = Reader(KEY, time.monotonic())
        reader.resume(client)
        for number in range(50):
            append(client, KEY, numbered(number))
        changes = reader.next(client, wait_ms=1)
        heard = [next(iter(changes)).argument]
        client.xtrim(KEY, maxlen=5, approximate=False)
        heard += [change.argument or change.kind for change in changes]
        assert heard == [*(f"user:{number}" for number in range(10)), "reloaded"]


def test_a_reader_notices_that_the_stream_is_gone(server: RedisServer) -> None:
    with server.client() as client:
        reader = Reader(KEY, time.monotonic())
        reader.resume(client)
        append(client, KEY, numbered(1))
        assert heard_by(reader, client) == ["user:1"]
        client.flushall()
        append(client, KEY, numbered(2))
        assert reader.resume(client) is True
        append(client, KEY, numbered(3))
        assert heard_by(reader, client) == ["user:3"]


def test_a_reader_without_the_right_to_ask_for_the_run_still_reads(server: RedisServer) -> None:
    with server.client() as client:
        client.execute_command(*("ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all", "-info"))
    with server.client(username="app", password="pw") as client:
        reader = Reader(KEY, time.monotonic())
        reader.resume(client)
        append(client, KEY, numbered(1))
        assert reader.resume(client) is False
        assert heard_by(reader, client) == ["user:1"]
