"""What is remembered about a caller, and what makes it forgotten at once."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sezzlee_py.callers.cache import CLEAR, CallerCache, Drop
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.store import MemoryStore
from sezzlee_py.errors import OptionsError, StoreUnavailableError
from sezzlee_py.invoke.runtime import LoopRuntime, Runtime, ThreadRuntime
from sezzlee_py.invoke.settle import drive
from sezzlee_py.options import CacheOptions
from tests.callers.clock import FakeClock

SCOPE = CallerScope("ada", ("user:1",))
OTHER = CallerScope("grace", ("user:2",))


class Source:
    """A computation that counts its runs and says which one it was."""

    def __init__(self) -> None:
        self.runs = 0

    async def __call__(self) -> str:
        self.runs += 1
        return f"run {self.runs}"


def cache_of(
    store: Any = None, *, runtime: Runtime | None = None, clock: Any = None, **options: Any
) -> CallerCache:
    return CallerCache(
        CacheOptions(store=store, **options),
        runtime or LoopRuntime(),
        clock=clock or FakeClock(),
        jitter=lambda: 0.0,
    )


async def ask(
    cache: CallerCache, compute: Any, scope: CallerScope | None = SCOPE, **more: Any
) -> str:
    epoch = more.pop("epoch", cache.epoch)
    is_usable: Callable[[str], bool] = more.pop("is_usable", lambda _: True)
    return await cache.through(scope, "facts", epoch, compute, is_usable=is_usable, **more)


async def test_the_second_request_of_a_scope_is_answered_from_the_cache() -> None:
    cache, source = cache_of(), Source()
    assert [await ask(cache, source), await ask(cache, source)] == ["run 1", "run 1"]
    assert await ask(cache, source, OTHER) == "run 2"


async def test_the_lifetime_counts_from_the_scope_s_first_write() -> None:
    clock = FakeClock()
    cache, source = cache_of(clock=clock, lifetime_ms=1_000), Source()
    await ask(cache, source)
    clock.advance(0.6)
    later = await cache.through(SCOPE, "probe:x", 0, source, is_usable=lambda _: True)
    clock.advance(0.4)
    assert later == "run 2"
    assert await ask(cache, source) == "run 3"
    renewed = await cache.through(SCOPE, "probe:x", 0, source, is_usable=lambda _: True)
    assert renewed == "run 4"


@pytest.mark.parametrize(("jitter", "lifetime_s"), [(0.0, 1.0), (1.0, 0.9)])
async def test_jitter_only_shortens_and_by_a_tenth_at_most(
    jitter: float, lifetime_s: float
) -> None:
    clock = FakeClock()
    options = CacheOptions(lifetime_ms=1_000)
    cache = CallerCache(options, LoopRuntime(), clock=clock, jitter=lambda: jitter)
    source = Source()
    await ask(cache, source)
    clock.advance(lifetime_s - 0.002)
    assert await ask(cache, source) == "run 1"
    clock.advance(0.002)
    assert await ask(cache, source) == "run 2"


async def test_without_a_lifetime_nothing_is_kept_or_shared() -> None:
    cache, source = cache_of(lifetime_ms=0), Source()
    assert await cache.scope(McpCaller(fields=())) is None
    assert [await ask(cache, source, None), await ask(cache, source, None)] == ["run 1", "run 2"]


async def test_only_certain_values_are_kept() -> None:
    cache, source = cache_of(), Source()
    for number in (1, 2):
        assert await ask(cache, source, is_lasting=lambda _: False) == f"run {number}"


async def test_a_value_that_cannot_be_read_is_computed_anew() -> None:
    cache, source = cache_of(), Source()
    await ask(cache, source)
    assert await ask(cache, source, is_usable=lambda text: text != "run 1") == "run 2"
    assert await ask(cache, source) == "run 2"


async def test_more_callers_than_the_bound_are_forgotten_oldest_first() -> None:
    cache, source = cache_of(max_callers=2), Source()
    for name in "abc":
        await ask(cache, source, CallerScope(name))
    assert await ask(cache, source, CallerScope("c")) == "run 3"
    assert await ask(cache, source, CallerScope("a")) == "run 4"


# --- single flight ------------------------------------------------------------------------------


class Held:
    """A computation that ends when it is told to."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.runs = 0
        self.fault = fault
        self.started = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.runs += 1
        self.started.set()
        await self.may_end.wait()
        if self.fault is not None:
            raise self.fault
        return f"run {self.runs}"


async def test_overlapping_requests_share_one_computation() -> None:
    cache, held = cache_of(), Held()
    waiting = [asyncio.create_task(ask(cache, held)) for _ in range(20)]
    await held.started.wait()
    held.may_end.set()
    assert await asyncio.gather(*waiting) == ["run 1"] * 20
    assert held.runs == 1


@pytest.mark.parametrize("leaver", [0, 1])
async def test_a_waiter_that_leaves_harms_nobody(leaver: int) -> None:
    cache, held = cache_of(), Held()
    waiting = [asyncio.create_task(ask(cache, held)) for _ in range(3)]
    await held.started.wait()
    waiting[leaver].cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting[leaver]
    held.may_end.set()
    left = [task for task in waiting if task is not waiting[leaver]]
    assert await asyncio.gather(*left) == ["run 1", "run 1"]


async def test_when_everybody_left_the_result_is_still_kept() -> None:
    cache, held = cache_of(), Held()
    waiter = asyncio.create_task(ask(cache, held))
    await held.started.wait()
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    held.may_end.set()
    assert await ask(cache, held) == "run 1"
    assert held.runs == 1


async def test_a_failure_reaches_everybody_and_is_not_kept() -> None:
    cache, held = cache_of(), Held(RuntimeError("down"))
    waiting = [asyncio.create_task(ask(cache, held)) for _ in range(3)]
    await held.started.wait()
    held.may_end.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(fault) for fault in found] == [RuntimeError] * 3
    assert await ask(cache, Source()) == "run 1"


def test_threads_share_one_computation_too() -> None:
    cache = cache_of(runtime=ThreadRuntime())
    source, begun, may_end = Source(), threading.Event(), threading.Event()
    found: list[str] = []

    async def held() -> str:
        begun.set()
        may_end.wait(10)
        return await source()

    def request() -> None:
        found.append(drive(ask(cache, held)))

    threads = [threading.Thread(target=request) for _ in range(6)]
    threads[0].start()
    begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert found == ["run 1"] * 6
    assert source.runs == 1


# --- invalidation -------------------------------------------------------------------------------

DROPS = {
    "caller": Drop.scope(SCOPE),
    "key": Drop.scope("ada"),
    "tag": Drop.tag("user:1"),
    "all": CLEAR,
}


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
async def test_what_was_invalidated_is_not_seen_again(drop: Drop) -> None:
    cache, source = cache_of(), Source()
    await ask(cache, source)
    cache.invalidate(drop)
    assert await ask(cache, source) == "run 2"


@pytest.mark.parametrize("drop", [Drop.scope(OTHER), Drop.tag("user:2"), Drop.tag("no:one")])
async def test_others_stay(drop: Drop) -> None:
    cache, source = cache_of(), Source()
    await ask(cache, source)
    cache.invalidate(drop)
    assert await ask(cache, source) == "run 1"


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
async def test_a_computation_in_flight_may_end_but_its_write_is_refused(drop: Drop) -> None:
    cache, held, source = cache_of(), Held(), Source()
    waiter = asyncio.create_task(ask(cache, held))
    await held.started.wait()
    cache.invalidate(drop)
    late = await ask(cache, source)
    held.may_end.set()
    assert (await waiter, late) == ("run 1", "run 1")
    assert source.runs == 1
    assert await ask(cache, source) == "run 1"
    cache.invalidate(drop)
    assert await ask(cache, source) == "run 2"


async def test_what_was_read_before_an_invalidation_is_not_written_after_it() -> None:
    cache, source = cache_of(), Source()
    epoch = cache.epoch
    cache.invalidate(CLEAR)
    assert await ask(cache, source, epoch=epoch) == "run 1"
    assert await ask(cache, source) == "run 2"
    # Nor does it read what was written since: that may be about another catalog's tool.
    assert await ask(cache, source, epoch=epoch) == "run 3"
    assert await ask(cache, source) == "run 2"


# --- a host's stores ----------------------------------------------------------------------------


class AsyncStore:
    """A store that can only be awaited."""

    def __init__(self) -> None:
        self.inner = MemoryStore()
        self.calls: list[str] = []
        self.setting = asyncio.Event()
        self.may_set = asyncio.Event()
        self.may_set.set()

    async def get(self, scope: CallerScope, name: str) -> str | None:
        self.calls.append("get")
        return self.inner.get(scope, name)

    async def set(self, scope: CallerScope, name: str, value: str, lifetime_ms: int) -> None:
        self.setting.set()
        await self.may_set.wait()
        self.calls.append("set")
        self.inner.set(scope, name, value, lifetime_ms)

    async def drop_scope(self, key: str) -> None:
        self.calls.append("drop_scope")
        self.inner.drop_scope(key)

    async def drop_tag(self, tag: str) -> None:
        self.calls.append("drop_tag")
        self.inner.drop_tag(tag)

    async def clear(self) -> None:
        self.calls.append("clear")
        self.inner.clear()


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
async def test_an_async_store_is_told_before_it_is_read_again(drop: Drop) -> None:
    store = AsyncStore()
    cache, source = cache_of(store), Source()
    await ask(cache, source)
    cache.invalidate(drop)
    assert await ask(cache, source) == "run 2"
    assert store.calls == ["get", "set", drop.method, "get", "set"]


async def test_an_async_store_is_told_without_anybody_asking() -> None:
    store = AsyncStore()
    cache = cache_of(store)
    cache.invalidate(CLEAR)
    await asyncio.gather(*cache._paying)
    assert store.calls == ["clear"]


def test_an_async_store_in_threads() -> None:
    async def make() -> AsyncStore:
        return AsyncStore()

    store = asyncio.run(make())
    cache, source = cache_of(store, runtime=ThreadRuntime()), Source()
    assert [drive(ask(cache, source)) for _ in range(2)] == ["run 1", "run 1"]
    cache.invalidate(Drop.tag("user:1"))
    assert drive(ask(cache, source)) == "run 2"


async def test_a_write_that_lands_after_an_invalidation_is_taken_back() -> None:
    store = AsyncStore()
    cache, source = cache_of(store), Source()
    store.may_set.clear()
    writing = asyncio.create_task(ask(cache, source))
    await store.setting.wait()
    cache.invalidate(Drop.scope(SCOPE))
    # The drop has been carried out, the write has not.
    await asyncio.gather(*cache._paying)
    meanwhile = asyncio.create_task(ask(cache, Source()))
    await asyncio.sleep(0)
    store.may_set.set()
    assert (await writing, await meanwhile) == ("run 1", "run 1")
    assert await ask(cache, source) == "run 2"


async def test_a_drop_that_is_asked_again_while_it_is_carried_out_is_owed_again() -> None:
    class Slow(AsyncStore):
        dropping = asyncio.Event()
        may_return = asyncio.Event()

        async def drop_scope(self, key: str) -> None:
            await super().drop_scope(key)
            self.dropping.set()
            await self.may_return.wait()

    store = Slow()
    cache, source = cache_of(store), Source()
    cache.invalidate(Drop.scope(SCOPE))
    await store.dropping.wait()
    # The store has dropped; before it says so an entry comes in and is invalidated again.
    store.inner.set(SCOPE, f"sezzlee:v1:{SCOPE.key}:facts", "stale", 1_000)
    cache.invalidate(Drop.scope(SCOPE))
    store.may_return.set()
    assert await ask(cache, source) == "run 1"


async def test_a_scope_that_is_about_to_expire_is_not_written_any_more() -> None:
    clock = FakeClock()
    cache, source = cache_of(clock=clock, lifetime_ms=1_000), Source()
    await ask(cache, source)
    clock.advance(0.9995)
    assert await cache.through(SCOPE, "probe:x", 0, source, is_usable=lambda _: True) == "run 2"
    assert await cache.through(SCOPE, "probe:x", 0, source, is_usable=lambda _: True) == "run 3"


class Failing:
    """A store whose methods fail while they are told to."""

    def __init__(self, *methods: str) -> None:
        self.failing = set(methods)
        self.inner = MemoryStore()

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            if name in self.failing:
                raise ConnectionError("the store is down")
            return getattr(self.inner, name)(*arguments)

        return call


@pytest.mark.parametrize("method", ["get", "set"])
async def test_a_store_that_fails_is_a_miss(method: str) -> None:
    store = Failing(method)
    cache, source = cache_of(store), Source()
    assert [await ask(cache, source), await ask(cache, source)] == ["run 1", "run 2"]
    store.failing.clear()
    await ask(cache, source)
    assert await ask(cache, source) in ("run 2", "run 3")


@pytest.mark.parametrize("drop", DROPS.values(), ids=DROPS)
async def test_what_a_store_failed_to_drop_is_not_seen_and_dropped_later(drop: Drop) -> None:
    store = Failing("drop_scope", "drop_tag", "clear")
    cache, source = cache_of(store), Source()
    await ask(cache, source)
    cache.invalidate(drop)
    assert await ask(cache, source) == "run 2"
    assert await ask(cache, source) == "run 3"
    store.failing.clear()
    assert await ask(cache, source) == "run 4"
    assert await ask(cache, source) == "run 4"


async def test_an_outage_that_a_store_tells_of_itself_is_not_logged_at_every_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Away(Failing):
        fault: type[Exception] = StoreUnavailableError

        def __getattr__(self, name: str) -> Any:
            def call(*_: Any) -> Any:
                raise self.fault("the store is away")

            return call

    store = Away()
    cache, source = cache_of(store), Source()
    await ask(cache, source)
    cache.invalidate(CLEAR)
    assert await ask(cache, source) == "run 2"
    assert caplog.messages == []
    store.fault = ConnectionError
    await ask(cache, source)
    assert caplog.messages == ["cache.store failed to drop entries"]


async def test_drops_that_pile_up_become_one() -> None:
    store = Failing("drop_tag")
    cache, source = cache_of(store), Source()
    await ask(cache, source)
    for number in range(40):
        cache.invalidate(Drop.tag(f"user:{number}"))
    store.failing.clear()
    assert await ask(cache, source) == "run 2"
    assert await ask(cache, source) == "run 2"


async def test_a_plain_method_that_answers_with_something_to_await_is_waited_for() -> None:
    inner = AsyncStore()

    class Lazy(Failing):
        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: getattr(inner, name)(*arguments)

    cache, source = cache_of(Lazy()), Source()
    await ask(cache, source)
    cache.invalidate(CLEAR)
    assert await ask(cache, source) == "run 2"
    assert inner.calls[2] == "clear"


@pytest.mark.parametrize("value", [b"P|", 7, ["P|"]])
async def test_what_a_store_makes_up_is_a_miss(value: Any) -> None:
    class Odd(Failing):
        def get(self, *_: Any) -> Any:
            return value

    assert await ask(cache_of(Odd()), Source()) == "run 1"


def test_a_store_that_lacks_a_method_is_refused_at_once() -> None:
    with pytest.raises(OptionsError, match=r"options\.cache\.store: .* drop_scope, drop_tag"):
        cache_of(dict.fromkeys(["get", "set"]))


# --- scopes -------------------------------------------------------------------------------------

CALLER = McpCaller(fields=(("authorization", "t"),))


async def test_the_scope_is_the_carriers_digest_where_a_host_says_nothing() -> None:
    assert await cache_of().scope(CALLER) == CallerScope(CALLER.scope_key)


async def test_a_resolver_names_the_scope_and_its_tags() -> None:
    async def resolve(caller: McpCaller) -> CallerScope:
        assert caller is CALLER
        return CallerScope("ada", ("user:1",))

    assert await cache_of(scope_resolver=resolve).scope(CALLER) == SCOPE


@pytest.mark.parametrize("answer", ["ada", None, RuntimeError("down"), ValueError("no tag")])
async def test_without_a_usable_scope_nothing_is_kept(answer: Any) -> None:
    def resolve(_: McpCaller) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert await cache_of(scope_resolver=resolve).scope(CALLER) is None
