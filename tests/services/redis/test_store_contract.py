"""What every store owes, held by the one in memory and by Redis from a thread and from a loop."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from sezzlee_py.callers import CallerScope, MemoryStore
from sezzlee_py.callers.scope import entry_name
from sezzlee_py.callers.store import CallerStore
from sezzlee_redis import RedisStore
from tests.services.processes import wait_until
from tests.services.redis.conftest import RedisServer

ONE = CallerScope("one", ("user:1", "org:9"))
TWO = CallerScope("two", ("user:2", "org:9"))
THREE = CallerScope("three")
LONG_MS = 60_000


class Blocking:
    """A store whose every method is waited for."""

    def __init__(self, store: CallerStore, run: Callable[[Any], Any]) -> None:
        self.store = store
        self._run = run

    def get(self, scope: CallerScope, kind: str) -> Any:
        return self._run(lambda: self.store.get(scope, entry_name(scope.key, kind)))

    def set(self, scope: CallerScope, kind: str, value: str, lifetime_ms: int = LONG_MS) -> None:
        self._run(lambda: self.store.set(scope, entry_name(scope.key, kind), value, lifetime_ms))

    def drop_scope(self, scope: CallerScope) -> None:
        self._run(lambda: self.store.drop_scope(scope.key))

    def drop_tag(self, tag: str) -> None:
        self._run(lambda: self.store.drop_tag(tag))

    def clear(self) -> None:
        self._run(self.store.clear)


@pytest.fixture(params=["memory", "redis from a thread", "redis from a loop"])
def store(request: pytest.FixtureRequest, shared_server: RedisServer) -> Iterator[Blocking]:
    if request.param == "memory":
        yield Blocking(MemoryStore(), lambda ask: ask())
        return
    kept = RedisStore(shared_server.url, prefix=uuid4().hex, timeout_ms=10_000)
    if request.param == "redis from a thread":
        yield Blocking(kept, lambda ask: ask())
        kept.close()
        return
    with asyncio.Runner() as runner:

        async def awaited(ask: Callable[[], Any]) -> Any:
            answer = ask()
            assert inspect.isawaitable(answer)
            return await answer

        yield Blocking(kept, lambda ask: runner.run(awaited(ask)))
        runner.run(kept.aclose())


def test_an_entry_comes_back_under_its_scope_and_name(store: Blocking) -> None:
    assert store.get(ONE, "facts") is None
    store.set(ONE, "facts", "P|OrdersRead=A;Owner=U")
    store.set(ONE, "probe:x y", "D")
    kept = [store.get(ONE, "facts"), store.get(ONE, "probe:x y"), store.get(ONE, "probe:x")]
    assert (kept, store.get(TWO, "facts")) == (["P|OrdersRead=A;Owner=U", "D", None], None)


def test_a_later_value_takes_the_place_of_an_earlier_one(store: Blocking) -> None:
    store.set(ONE, "facts", "A|")
    store.set(ONE, "facts", "P|naïve=A")
    assert store.get(ONE, "facts") == "P|naïve=A"


def test_an_entry_expires_and_reading_does_not_prolong(store: Blocking) -> None:
    store.set(ONE, "facts", "P|", 300)
    assert store.get(ONE, "facts") in ("P|", None)
    wait_until(lambda: store.get(ONE, "facts") is None, within_s=5)
    store.set(ONE, "facts", "A|")
    assert store.get(ONE, "facts") == "A|"


def test_entries_of_one_scope_expire_each_at_its_own_time(store: Blocking) -> None:
    store.set(ONE, "probe:x", "A", 1)
    store.set(ONE, "facts", "P|")
    wait_until(lambda: store.get(ONE, "probe:x") is None, within_s=5)
    assert store.get(ONE, "facts") == "P|"


def test_dropping_a_scope_forgets_all_of_it_and_nothing_else(store: Blocking) -> None:
    for scope in (ONE, TWO):
        store.set(scope, "facts", "P|")
        store.set(scope, "probe:x", "A")
    store.drop_scope(ONE)
    store.drop_scope(THREE)
    assert [store.get(ONE, kind) for kind in ("facts", "probe:x")] == [None, None]
    assert [store.get(TWO, kind) for kind in ("facts", "probe:x")] == ["P|", "A"]


def test_dropping_a_tag_forgets_every_scope_that_carries_it(store: Blocking) -> None:
    for scope in (ONE, TWO, THREE):
        store.set(scope, "facts", "P|")
    store.drop_tag("user:1")
    store.drop_tag("user:none")
    assert [store.get(scope, "facts") for scope in (ONE, TWO, THREE)] == [None, "P|", "P|"]
    store.set(ONE, "facts", "P|")
    store.drop_tag("org:9")
    assert [store.get(scope, "facts") for scope in (ONE, TWO, THREE)] == [None, None, "P|"]


def test_clearing_forgets_everything(store: Blocking) -> None:
    for scope in (ONE, TWO, THREE):
        store.set(scope, "facts", "P|")
    store.clear()
    assert [store.get(scope, "facts") for scope in (ONE, TWO, THREE)] == [None] * 3


DROPS: dict[str, Callable[[Blocking], None]] = {
    "scope": lambda store: store.drop_scope(ONE),
    "tag": lambda store: store.drop_tag("user:1"),
    "all": lambda store: store.clear(),
}


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
def test_what_is_kept_after_a_drop_stays(store: Blocking, drop: Callable[[Blocking], None]) -> None:
    for value in ("one", "two", "three"):
        assert store.get(ONE, "facts") is None
        store.set(ONE, "facts", value)
        assert store.get(ONE, "facts") == value
        drop(store)
        drop(store)


def test_a_scope_that_changed_its_tags_is_found_by_the_new_ones(store: Blocking) -> None:
    before, after = CallerScope("k", ("user:1",)), CallerScope("k", ("user:2",))
    store.set(before, "facts", "P|")
    store.set(after, "facts", "A|")
    store.drop_tag("user:1")
    assert store.get(after, "facts") == "A|"
    store.drop_tag("user:2")
    assert store.get(after, "facts") is None


def test_any_order_of_operations_gives_what_a_dictionary_would(store: Blocking) -> None:
    chance = random.Random(9)
    scopes = [
        CallerScope(f"caller {number}", (f"user:{number}", f"org:{number % 3}"))
        for number in range(9)
    ]
    model: dict[tuple[str, str], str] = {}
    for turn in range(400):
        scope, kind = chance.choice(scopes), chance.choice(["facts", "probe:x"])
        match chance.randrange(12):
            case 0:
                store.drop_scope(scope)
                gone = {scope.key}
            case 1:
                tag = chance.choice(scope.tags)
                store.drop_tag(tag)
                gone = {known.key for known in scopes if tag in known.tags}
            case 2:
                store.clear()
                gone = {known.key for known in scopes}
            case 3 | 4 | 5:
                store.set(scope, kind, f"P|turn={turn}")
                model[scope.key, kind] = f"P|turn={turn}"
                gone = set()
            case _:
                assert store.get(scope, kind) == model.get((scope.key, kind))
                gone = set()
        for key in [key for key in model if key[0] in gone]:
            del model[key]
