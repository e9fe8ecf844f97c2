"""What Redis is asked and holds: commands, keys, memory; several processes; a server restored."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sezzlee_py.callers import CallerScope, McpCaller
from sezzlee_py.callers.scope import entry_name
from sezzlee_py.toolkit import Change
from sezzlee_redis import RedisBus, RedisStore
from tests.services.processes import wait_until
from tests.services.redis.conftest import RedisServer

LONG_MS = 60_000
ADA = CallerScope("ada", ("user:ada", "org:9"))
FACTS = entry_name(ADA.key, "facts")
SCANS = {"keys", "scan", "hscan", "sscan", "smembers", "hgetall", "flushdb", "flushall", "eval"}


def store_of(server: RedisServer, prefix: str = "shop", **more: Any) -> RedisStore:
    return RedisStore(server.url, prefix=prefix, **{"timeout_ms": 10_000, **more})


def ask(store: RedisStore, scope: CallerScope, value: str) -> str:
    """Do what the cache does: read, and keep what is computed when there is nothing."""
    name = entry_name(scope.key, "facts")
    kept = store.get(scope, name)
    if kept is None:
        store.set(scope, name, value, LONG_MS)
    return str(kept or value)


DROPS: dict[str, Callable[[RedisStore], None]] = {
    "caller": lambda store: store.drop_scope(ADA.key),
    "tag": lambda store: store.drop_tag("org:9"),
    "all": lambda store: store.clear(),
}


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
def test_a_drop_is_one_command_however_many_callers_there_are(
    server: RedisServer, drop: Callable[[RedisStore], None]
) -> None:
    store = store_of(server)
    cost = {}
    for callers in (1, 2_000):
        for number in range(callers):
            ask(store, CallerScope(f"caller {number}", (f"user:{number}", "org:9")), "P|")
        ask(store, ADA, "P|")
        with server.client() as client:
            client.config_resetstat()
        drop(store)
        calls = server.calls()
        for asked_by_test in ("config|resetstat", "info"):
            calls.pop(asked_by_test, None)
        cost[callers] = calls
    assert cost == {1: {"unlink": 1}, 2_000: {"unlink": 1}}
    store.close()


def test_nothing_ever_walks_the_keys(server: RedisServer) -> None:
    store = store_of(server)
    for number in range(50):
        ask(store, CallerScope(f"caller {number}", (f"user:{number}", "org:9")), "P|")
        list(DROPS.values())[number % 3](store)
    calls = server.calls()
    assert SCANS & calls.keys() == set()
    store.close()


def test_a_known_caller_costs_three_commands_in_one_round_trip(server: RedisServer) -> None:
    store = store_of(server)
    ask(store, ADA, "P|")
    before = server.calls()
    for _ in range(100):
        assert store.get(ADA, FACTS) == "P|"
    after = server.calls()
    rise = {name: after[name] - before.get(name, 0) for name in after}
    assert {name: count for name, count in rise.items() if count > 10} == {
        "time": 100,
        "hmget": 100,
        "mget": 100,
    }
    store.close()


async def test_what_a_loop_asks_in_one_turn_goes_out_together(server: RedisServer) -> None:
    store = store_of(server)
    scopes = [CallerScope(f"caller {number}", (f"user:{number}",)) for number in range(100)]
    names = {scope: entry_name(scope.key, "facts") for scope in scopes}

    async def keep(scope: CallerScope) -> None:
        assert await store.get(scope, names[scope]) is None
        await store.set(scope, names[scope], f"P|{scope.key}=A", LONG_MS)

    await asyncio.gather(*map(keep, scopes))
    with server.client() as client:
        connected = len(client.client_list())
    kept = await asyncio.gather(*[store.get(scope, names[scope]) for scope in scopes])
    assert kept == [f"P|{scope.key}=A" for scope in scopes]
    await store.drop_tag("user:7")
    again = await asyncio.gather(*[store.get(scope, names[scope]) for scope in scopes])
    assert [number for number, value in enumerate(again) if value is None] == [7]
    assert connected <= 33
    await store.aclose()


def test_every_key_has_the_prefix_and_an_end_and_nothing_tells_who_it_is_about(
    server: RedisServer,
) -> None:
    token = "Bearer s3cret-t0ken"
    caller = McpCaller(fields=(("authorization", token),))
    scope = CallerScope(caller.scope_key, ("user:ada@example.org",))
    store = store_of(server)
    ask(store, scope, "P|OrdersRead=A")
    with server.client() as client:
        keys: list[Any] = list(client.scan_iter())
        told = {key: client.hgetall(key) if "caller" in key else client.get(key) for key in keys}
        ends = [client.pttl(key) for key in keys]
    assert sorted(key.split(":")[:2] for key in keys) == [
        ["shop", "all"],
        ["shop", "caller"],
        ["shop", "tag"],
    ]
    assert all(0 < end <= 3_600_000 for end in ends)
    assert "s3cret" not in repr(told)
    assert "ada" not in repr(told)
    store.close()


def test_applications_with_their_own_prefixes_share_a_server(server: RedisServer) -> None:
    shop, bank = store_of(server, "shop"), store_of(server, "bank")
    assert [ask(shop, ADA, "shop"), ask(bank, ADA, "bank")] == ["shop", "bank"]
    for drop in DROPS.values():
        drop(bank)
        assert [shop.get(ADA, FACTS), bank.get(ADA, FACTS)] == ["shop", None]
        ask(bank, ADA, "bank")
    shop.close()
    bank.close()


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
def test_what_one_process_computes_while_another_drops_is_read_by_none(
    server: RedisServer, drop: Callable[[RedisStore], None]
) -> None:
    one, other = store_of(server), store_of(server)
    for known in (False, True):
        if known:
            ask(other, ADA, "P|before")
            other.drop_scope(ADA.key)
        assert one.get(ADA, FACTS) is None
        drop(other)
        one.set(ADA, FACTS, "P|stale", LONG_MS)
        assert [one.get(ADA, FACTS), other.get(ADA, FACTS)] == [None, None]
        assert ask(one, ADA, "P|fresh") == ask(other, ADA, "P|other") == "P|fresh"
        drop(one)
    one.close()
    other.close()


def test_nobody_reads_what_was_computed_before_an_invalidation_that_is_over(
    server: RedisServer,
) -> None:
    truth, announced, stop = [0], [0], threading.Event()
    wrong: list[str] = []
    hits = [0]

    def serve(store: RedisStore) -> None:
        while not stop.is_set():
            newest = announced[0]
            kept = store.get(ADA, FACTS)
            if kept is None:
                store.set(ADA, FACTS, str(truth[0]), LONG_MS)
                continue
            hits[0] += 1
            if int(kept) < newest:
                wrong.append(f"{kept} was read after {newest} had been announced")

    stores = [store_of(server) for _ in range(4)]
    serving = [threading.Thread(target=serve, args=(store,)) for store in stores]
    for thread in serving:
        thread.start()
    boss = store_of(server)
    for number in range(1, 400):
        truth[0] = number
        list(DROPS.values())[number % 3](boss)
        announced[0] = number
    wait_until(lambda: boss.get(ADA, FACTS) == "399")
    stop.set()
    for thread in serving:
        thread.join(10)
    assert (wrong, hits[0] > 0) == ([], True)
    for store in (*stores, boss):
        store.close()


def test_keys_that_a_server_evicts_are_misses(server: RedisServer) -> None:
    store = store_of(server)
    with server.client() as client:
        for lost in ("shop:all", "shop:tag:*", "shop:caller:*"):
            ask(store, ADA, "P|")
            assert store.get(ADA, FACTS) == "P|"
            store.drop_tag("org:none")
            client.delete(*client.keys(lost))
            assert store.get(ADA, FACTS) is None
    store.close()


def test_a_server_that_comes_back_with_an_older_state_shows_nothing_of_it(
    server: RedisServer,
) -> None:
    one, other = store_of(server), store_of(server)
    ask(one, ADA, "P|boss=A")
    with server.client() as client:
        client.save()
    one.drop_tag("user:ada")
    server.kill()
    server.start()
    with server.client() as client:
        assert len(list(client.scan_iter("shop:caller:*"))) == 1
        assert len(list(client.scan_iter("shop:tag:*"))) == 2
    new = store_of(server)
    assert new.get(ADA, FACTS) is None
    for store in (one, other):
        # The first request may find its connection gone.
        wait_until(lambda store=store: _answers(store))  # type: ignore[misc]  # bound at once
        assert store.get(ADA, FACTS) is None
    assert ask(new, ADA, "P|boss=D") == ask(other, ADA, "P|") == "P|boss=D"
    for store in (one, other, new):
        store.close()


def _answers(store: RedisStore) -> bool:
    try:
        store.get(CallerScope("somebody else"), "facts")
    except Exception:
        return False
    return True


COMMANDS = (
    *("time", "hmget", "mget", "hset", "hsetnx", "set", "pexpire", "multi", "exec", "unlink"),
    *("xadd", "xread", "xrange", "xrevrange", "xlen"),
)


@pytest.mark.parametrize("more", [(), ("+info",)], ids=["without INFO", "with INFO"])
def test_the_rights_that_the_guide_lists_are_enough(
    server: RedisServer, more: tuple[str, ...]
) -> None:
    rights = [f"+{command}" for command in COMMANDS]
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "app", "on", ">pw", "~shop:*", *rights, *more)
    url = f"redis://app:pw@127.0.0.1:{server.port}"
    store = RedisStore(url, prefix="shop", timeout_ms=10_000)
    for drop in DROPS.values():
        assert ask(store, ADA, "P|") == "P|"
        assert store.get(ADA, FACTS) == "P|"
        drop(store)
        assert store.get(ADA, FACTS) is None
    store.close()
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()
    teller, hearer = RedisBus(url, prefix="shop"), RedisBus(url, prefix="shop")
    end = hearer.listen(lambda change: heard.put(change.argument))
    teller.publish(Change(kind="drop_tag", argument="user:1"))
    assert heard.get(timeout=10) == "user:1"
    end()


def test_a_forked_process_connects_for_itself(server: RedisServer) -> None:
    store = store_of(server)
    ask(store, ADA, "P|parent")
    with server.client() as client:
        before = {known["id"] for known in client.client_list()}
        if (child := os.fork()) == 0:
            ok = all(store.get(ADA, FACTS) == "P|parent" for _ in range(200))
            connected = {known["id"] for known in server.client().client_list()}
            os._exit(0 if ok and len(connected - before) == 2 else 1)
        answers = {store.get(ADA, FACTS) for _ in range(200)}
    assert (answers, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])) == ({"P|parent"}, 0)
    store.close()


def test_a_caller_takes_less_than_a_kilobyte(
    server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    store = store_of(server)
    ask(store, CallerScope("warm", ("user:warm",)), "P|")
    with server.client() as client:
        before = client.info("memory")["used_memory"]
        for number in range(1_000):
            ask(store, CallerScope(f"caller {number}", (f"user:{number}",)), "P|a=A;b=D")
        with_tag = (client.info("memory")["used_memory"] - before) / 1_000
        before = client.info("memory")["used_memory"]
        for number in range(1_000):
            ask(store, CallerScope(f"other {number}"), "P|a=A;b=D")
        without = (client.info("memory")["used_memory"] - before) / 1_000
    with capsys.disabled():
        print(f"\nmemory per caller: {without:.0f} bytes, {with_tag:.0f} with a tag of its own")
    assert with_tag < 1_000
    store.close()


def test_callers_and_tags_that_nobody_asks_for_leave_no_memory_behind(
    server: RedisServer,
) -> None:
    store = store_of(server)
    for number in range(100):
        scope = CallerScope(f"caller {number}", (f"user:{number}",))
        store.set(scope, entry_name(scope.key, "facts"), "P|", 50)
    with server.client() as client:
        callers = [client.pttl(key) for key in client.scan_iter("shop:caller:*")]
        tags = [client.pttl(key) for key in client.scan_iter("shop:tag:*")]
    assert (len(callers), all(0 < end <= 60_000 for end in callers)) == (100, True)
    assert (len(tags), all(0 < end <= 3_600_000 for end in tags)) == (100, True)
    store.close()
