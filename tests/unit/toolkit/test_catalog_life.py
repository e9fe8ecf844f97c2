"""When a catalog is built, what its members are, and which of two builds stays."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sezzlee_py import CatalogError, Member, Options, mcp_family, mcp_tool
from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.errors import CatalogReloadError
from sezzlee_py.invoke.runtime import LoopRuntime, ThreadRuntime
from sezzlee_py.model import EndpointDescriptor, Parameter, ParameterLocation
from sezzlee_py.toolkit.catalog_life import CatalogLife


def member(key: str, name: str | None = None) -> Member:
    return Member(key=key, name=name or f"do_{key}", description=f"Do {key}.")


def dispatching(source: str, route: str = "/rpc/{method_id}") -> DiscoveredOperation:
    @mcp_family("method_id", source=source)
    def rpc() -> None: ...

    key = Parameter(
        name="method_id",
        location=ParameterLocation.PATH,
        schema={"type": "string"},
        required=True,
    )
    descriptor = EndpointDescriptor(method="POST", route=route, parameters=(key,), endpoint_key=rpc)
    return DiscoveredOperation(descriptor=descriptor, endpoint=rpc, accepts=())


def named(name: str, route: str = "/named") -> DiscoveredOperation:
    @mcp_tool(name)
    def read() -> None: ...

    descriptor = EndpointDescriptor(method="GET", route=route, endpoint_key=read)
    return DiscoveredOperation(descriptor=descriptor, endpoint=read, accepts=())


class Walked:
    """An application whose routes a test changes."""

    def __init__(self, *operations: DiscoveredOperation) -> None:
        self.operations = operations
        self.walks = 0

    def discover(self) -> Discovery:
        self.walks += 1
        return Discovery(operations=self.operations)

    def resolve(self, method: str, path: str, *, host: str | None = None) -> None:
        return None


def life(
    *operations: DiscoveredOperation,
    runtime: Any = None,
    limit_s: float = 5,
    **families: Callable[[], Any],
) -> CatalogLife:
    options = Options(families=families)
    return CatalogLife(Walked(*operations), runtime or LoopRuntime(), options, limit_s=limit_s)


def names(snapshot: Any) -> list[str]:
    return [tool.name for tool in snapshot.catalog]


def codes(snapshot: Any) -> list[str]:
    return [found.code for found in snapshot.catalog.diagnostics]


async def test_plain_and_async_sources_give_members_in_every_way_to_build() -> None:
    async def later() -> list[Member]:
        await asyncio.sleep(0)
        return [member("b")]

    def streamed() -> Iterator[Member]:
        yield member("a")

    def build() -> CatalogLife:
        both = (dispatching("now", "/now/{method_id}"), dispatching("later"))
        return life(*both, now=streamed, later=later)

    for built in (await build().ready(), build().build(), await build().areload()):
        assert names(built) == ["do_a", "do_b"]
        assert codes(built) == []


async def test_a_callable_that_turns_out_to_be_async_is_awaited() -> None:
    class Loader:
        async def __call__(self) -> list[Member]:
            return [member("a")]

    built = life(dispatching("rpc"), rpc=Loader())
    assert names(await built.ready()) == ["do_a"]
    wrapped = life(dispatching("rpc"), rpc=lambda: Loader()())
    assert names(await wrapped.ready()) == ["do_a"]


async def test_sources_are_asked_together_and_only_those_that_are_used() -> None:
    meeting = threading.Barrier(2, timeout=5)

    def meet(key: str) -> list[Member]:
        meeting.wait()
        return [member(key)]

    asked: list[str] = []
    built = await life(
        dispatching("one", "/one/{method_id}"),
        dispatching("two", "/two/{method_id}"),
        one=lambda: meet("a"),
        two=lambda: meet("b"),
        unused=lambda: asked.append("unused"),
    ).ready()
    assert names(built) == ["do_a", "do_b"]
    assert asked == []


async def test_two_families_may_share_a_source_which_is_asked_once() -> None:
    asked: list[str] = []

    def load() -> list[Member]:
        asked.append("rpc")
        return [member("a")]

    shared = life(dispatching("rpc"), dispatching("rpc", "/other/{method_id}"), rpc=load)
    with pytest.raises(CatalogError, match="name_collision"):
        await shared.ready()
    assert asked == ["rpc"]


@pytest.mark.parametrize("runtime", [LoopRuntime, ThreadRuntime])
def test_a_failing_source_keeps_its_last_members_until_it_succeeds(runtime: Any) -> None:
    answers: list[Any] = [[member("a")], OSError("no database"), [member("b")]]

    def load() -> list[Member]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return list(answer)

    served = life(dispatching("rpc"), runtime=runtime(), rpc=load)
    assert names(served.build()) == ["do_a"]
    stale = served.reload()
    assert (names(stale), codes(stale)) == (["do_a"], ["family_source_stale"])
    assert "OSError: no database" in stale.catalog.diagnostics[0].message
    fresh = served.reload()
    assert (names(fresh), codes(fresh)) == (["do_b"], [])


async def test_a_source_that_takes_too_long_counts_as_failed() -> None:
    release = threading.Event()

    async def never() -> list[Member]:
        await asyncio.Event().wait()
        return []

    both = (dispatching("hangs", "/hangs/{method_id}"), dispatching("waits"))
    built = await life(
        *both, limit_s=0.01, hangs=lambda: release.wait(5) and [], waits=never
    ).ready()
    release.set()
    assert codes(built) == ["family_source_failed", "family_source_failed"]
    assert all("it took longer than 0.01 s" in f.message for f in built.catalog.diagnostics)


async def test_whatever_a_source_raises_or_returns_is_told_and_takes_nothing_else_down() -> None:
    def stop() -> Any:
        raise StopIteration

    def leave() -> Any:
        raise SystemExit(3)

    def late() -> Any:
        raise TimeoutError("the host's own")

    built = await life(
        named("ping"),
        dispatching("stop", "/stop/{method_id}"),
        dispatching("leave", "/leave/{method_id}"),
        dispatching("late", "/late/{method_id}"),
        dispatching("number", "/number/{method_id}"),
        stop=stop,
        leave=leave,
        late=late,
        number=lambda: 7,
    ).ready()
    assert names(built) == ["ping"]
    told = {f.route: f.message for f in built.catalog.diagnostics}
    assert {f.code for f in built.catalog.diagnostics} == {"family_source_failed"}
    assert "StopIteration" in told["/stop/{method_id}"]
    assert "SystemExit(3)" in told["/leave/{method_id}"]
    assert "TimeoutError: the host's own" in told["/late/{method_id}"]
    assert "'int' object is not iterable" in told["/number/{method_id}"]


async def test_a_row_under_a_taken_name_keeps_the_old_catalog_and_its_members() -> None:
    rows = [member("a")]
    served = life(named("ping"), dispatching("rpc"), rpc=lambda: list(rows))
    before = await served.ready()
    rows.append(member("b", "ping"))
    with pytest.raises(CatalogReloadError, match="name_collision"):
        await served.areload()
    assert served.snapshot is before
    rows[:] = [member("c")]
    after = await served.areload()
    assert (names(after), after.catalog.generation) == (["do_c", "ping"], 2)


async def test_a_first_catalog_with_a_fatal_finding_is_not_served_and_can_be_built_again() -> None:
    served = life(named("ping"), named("ping", "/other"))
    for build in (served.build, served.reload):
        with pytest.raises(CatalogError) as refused:
            build()
        assert not isinstance(refused.value, CatalogReloadError)
    walked: Any = served._adapter
    walked.operations = (named("ping"),)
    assert (await served.ready()).catalog.generation == 1


async def test_those_who_ask_first_together_get_one_build() -> None:
    asked: list[str] = []

    async def load() -> list[Member]:
        asked.append("rpc")
        await asyncio.sleep(0)
        return [member("a")]

    served = life(dispatching("rpc"), rpc=load)
    found = await asyncio.gather(*(served.ready() for _ in range(20)))
    assert asked == ["rpc"]
    assert all(snapshot is found[0] for snapshot in found)


def test_threads_that_ask_first_together_get_one_build() -> None:
    served = life(named("ping"), runtime=ThreadRuntime())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: served.build(), range(8)))
    walked: Any = served._adapter
    assert walked.walks == 1
    assert all(snapshot is found[0] for snapshot in found)


async def test_of_two_builds_that_overlap_the_later_one_stays() -> None:
    slow = asyncio.Event()
    rows: list[list[Member]] = []

    async def load() -> list[Member]:
        mine = rows.pop(0)
        if rows:
            await slow.wait()
        return mine

    rows += [[member("first")]]
    served = life(dispatching("rpc"), rpc=load)
    await served.ready()
    rows += [[member("older")], [member("newer")]]
    older = asyncio.create_task(served.areload())
    await asyncio.sleep(0)
    newer = await served.areload()
    slow.set()
    assert await older is newer is served.snapshot
    assert names(newer) == ["do_newer"]


def test_a_thread_does_not_wait_for_async_members_which_come_with_a_reload() -> None:
    reloaded, opened = threading.Event(), threading.Event()

    async def load() -> list[Member]:
        await asyncio.to_thread(opened.wait, 5)
        return [member("a")]

    both = (dispatching("plain", "/plain/{method_id}"), dispatching("rpc"))
    served = life(*both, runtime=ThreadRuntime(), plain=lambda: [member("b")], rpc=load)
    served.on_reload(reloaded.set)
    first = asyncio.run(served.ready())
    assert (names(first), codes(first)) == (["do_b"], ["family_not_loaded"])
    opened.set()
    assert reloaded.wait(5)
    assert served.snapshot is not None
    assert (names(served.snapshot), codes(served.snapshot)) == (["do_a", "do_b"], [])
    assert served.snapshot.catalog.generation == 2


def test_members_that_come_later_and_collide_leave_the_catalog_as_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def load() -> list[Member]:
        return [member("a", "ping")]

    served = life(named("ping"), dispatching("rpc"), runtime=ThreadRuntime(), rpc=load)
    first = asyncio.run(served.ready())
    for thread in threading.enumerate():
        if thread.name == "sezzlee-family-reload":
            thread.join(5)
    assert served.snapshot is first
    assert "the catalog stays without the members of ['rpc']" in caplog.text


def test_a_thread_that_builds_or_reloads_on_purpose_waits_for_every_member() -> None:
    async def load() -> list[Member]:
        return [member("a")]

    served = life(dispatching("rpc"), runtime=ThreadRuntime(), rpc=load)
    assert names(served.build()) == ["do_a"]
    assert names(served.reload()) == ["do_a"]


async def test_a_reload_from_a_thread_awaits_async_sources_on_the_hosts_loop() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def load() -> list[Member]:
        loops.append(asyncio.get_running_loop())
        return [member("a")]

    served = life(dispatching("rpc"), rpc=load)
    await served.ready()
    await asyncio.to_thread(served.reload)
    assert loops == [asyncio.get_running_loop()] * 2
    # On the loop itself it cannot wait for that loop.
    served.reload()
    assert loops[2] is not loops[0]


def test_plain_sources_run_in_what_the_host_puts_around_its_functions() -> None:
    state: list[str] = []

    @contextlib.contextmanager
    def around() -> Iterator[None]:
        state.append("in")
        yield
        state.append("out")

    def load() -> list[Member]:
        assert state == ["in"]
        return [member("a")]

    served = life(dispatching("rpc"), runtime=ThreadRuntime(around), rpc=load)
    assert names(served.build()) == ["do_a"]
    assert state == ["in", "out"]


async def test_listeners_hear_of_reloads_and_not_of_the_first_build() -> None:
    heard: list[str] = []
    served = life(named("ping"))
    served.on_reload(lambda: heard.append("reloaded"))
    await served.ready()
    assert heard == []
    served.reload()
    assert heard == ["reloaded"]
