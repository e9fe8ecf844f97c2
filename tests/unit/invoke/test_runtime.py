"""What waits for a host, on an event loop and in a thread."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from sezzlee_py.invoke.dispatch import DeadlineExpired
from sezzlee_py.invoke.runtime import LoopRuntime, Runtime, ThreadRuntime
from sezzlee_py.invoke.settle import drive

Work = Coroutine[Any, Any, Any]


def on_loop(make: Callable[[Runtime], Work]) -> Any:
    async def run() -> Any:
        return await make(LoopRuntime())

    return asyncio.run(run())


def in_thread(make: Callable[[Runtime], Work]) -> Any:
    return drive(make(ThreadRuntime()))


@pytest.fixture(params=[on_loop, in_thread], ids=["on a loop", "in a thread"])
def run(request: pytest.FixtureRequest) -> Callable[[Callable[[Runtime], Work]], Any]:
    chosen: Callable[[Callable[[Runtime], Work]], Any] = request.param
    return chosen


async def given(value: Any) -> Any:
    return value


def test_a_runtime_says_whether_waiting_holds_a_thread() -> None:
    assert (LoopRuntime().blocks, ThreadRuntime().blocks) == (False, True)


def test_an_answer_is_settled_whether_it_is_awaitable_or_not(run: Any) -> None:
    assert run(lambda runtime: runtime.settle(7)) == 7
    assert run(lambda runtime: runtime.settle(given(7))) == 7


def test_work_within_its_deadline_gives_its_result_or_its_fault(run: Any) -> None:
    async def fail() -> None:
        raise LookupError("no")

    for deadline in (None, time.monotonic() + 30):
        assert run(lambda runtime, d=deadline: runtime.within(d, given(7))) == 7
        with pytest.raises(LookupError):
            run(lambda runtime, d=deadline: runtime.within(d, fail()))


def test_a_timeout_of_the_work_itself_is_no_deadline(run: Any) -> None:
    async def give_up() -> None:
        raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        run(lambda runtime: runtime.within(time.monotonic() + 30, give_up()))


def test_on_a_loop_work_past_its_deadline_is_cancelled() -> None:
    ended: list[str] = []

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(DeadlineExpired):
        on_loop(lambda runtime: runtime.within(time.monotonic() + 0.01, hang()))
    with pytest.raises(DeadlineExpired):
        on_loop(lambda runtime: runtime.within(0, hang()))
    assert ended == ["cancelled", "cancelled"]


def test_in_a_thread_work_past_its_deadline_is_left_behind() -> None:
    release, left = threading.Event(), threading.Event()

    async def hang() -> None:
        release.wait(5)
        left.set()

    with pytest.raises(DeadlineExpired):
        in_thread(lambda runtime: runtime.within(time.monotonic() + 0.5, hang()))
    assert not left.is_set()
    release.set()
    assert left.wait(5)


def test_in_a_thread_a_hosts_functions_run_inside_what_the_framework_needs() -> None:
    inside = threading.local()

    @contextmanager
    def around() -> Iterator[None]:
        inside.here = True
        yield
        inside.here = False

    async def look() -> bool:
        return getattr(inside, "here", False)

    assert drive(ThreadRuntime(around).within(time.monotonic() + 30, look())) is True


def test_each_work_gives_its_result_in_order(run: Any) -> None:
    works = [partial(given, n) for n in range(5)]
    assert run(lambda runtime: runtime.each(works, at_once=2)) == [*range(5)]


def test_what_has_not_had_its_turn_when_one_fails_or_the_caller_leaves_was_never_begun() -> None:
    begun: list[str] = []
    has_begun = asyncio.Event()

    def hanging(name: str) -> Work:
        begun.append(name)
        has_begun.set()
        return asyncio.Event().wait()

    def failing() -> Work:
        raise LookupError

    async def leave(runtime: Runtime) -> None:
        works = [partial(hanging, name) for name in ("one", "two", "three")]
        asking = asyncio.ensure_future(runtime.each(works, at_once=1))
        await has_begun.wait()
        asking.cancel()
        await asyncio.wait([asking])

    on_loop(leave)
    with pytest.raises(LookupError):
        in_thread(lambda runtime: runtime.each([failing, partial(hanging, "four")], at_once=1))
    assert begun == ["one"]


def test_on_a_loop_no_more_than_so_many_works_run_together() -> None:
    running, most = 0, 0

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    on_loop(lambda runtime: runtime.each([work] * 10, at_once=3))
    assert most == 3


def test_one_after_the_other_computes_anew(run: Any) -> None:
    made: list[int] = []

    async def compute() -> int:
        made.append(1)
        return len(made)

    async def twice(runtime: Runtime) -> list[int]:
        return [await runtime.once("key", compute) for _ in range(2)]

    assert run(twice) == [1, 2]


def test_on_a_loop_all_who_ask_meanwhile_share_one_computation() -> None:
    made: list[int] = []

    async def compute() -> int:
        made.append(1)
        await asyncio.sleep(0)
        return len(made)

    async def many(runtime: Runtime) -> list[int]:
        return await asyncio.gather(*[runtime.once("key", compute) for _ in range(5)])

    assert (on_loop(many), made) == ([1] * 5, [1])


def test_in_threads_all_who_ask_meanwhile_share_one_computation() -> None:
    made: list[int] = []
    begun, release = threading.Event(), threading.Event()
    runtime = ThreadRuntime()

    async def compute() -> int:
        made.append(1)
        begun.set()
        release.wait(5)
        return len(made)

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(lambda: drive(runtime.once("key", compute)))
        assert begun.wait(5)
        second = pool.submit(lambda: drive(runtime.once("key", compute)))
        release.set()
        assert first.result(5) == 1
        assert second.result(5) in (1, 2)
