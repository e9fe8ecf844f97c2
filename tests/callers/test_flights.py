"""Shared computations that hang, or end badly, harm nobody who comes later."""

import asyncio
import threading

import pytest

from sezzlee_py.invoke.flights import TaskFlights, ThreadFlights
from tests.callers.clock import FakeClock


async def test_a_computation_that_hangs_is_not_joined_for_ever() -> None:
    clock = FakeClock()
    flights = TaskFlights(clock)
    started, never = asyncio.Event(), asyncio.Event()

    async def hang() -> str:
        started.set()
        await never.wait()
        return "late"

    async def answer() -> str:
        return "new"

    first = asyncio.create_task(flights.join("key", hang))
    await started.wait()
    clock.advance(9.9)
    joined = asyncio.create_task(flights.join("key", answer))
    await asyncio.sleep(0)
    assert not joined.done()
    clock.advance(0.2)
    assert await flights.join("key", answer) == "new"
    never.set()
    assert await asyncio.gather(first, joined) == ["late", "late"]
    assert await flights.join("key", answer) == "new"


async def test_keys_fly_apart() -> None:
    flights = TaskFlights()

    async def named(name: str) -> str:
        await asyncio.sleep(0)
        return name

    found = await asyncio.gather(*[flights.join(key, lambda key=key: named(key)) for key in "aab"])
    assert found == ["a", "a", "b"]


def test_each_loop_flies_for_itself() -> None:
    flights = TaskFlights()

    async def answer() -> int:
        return id(asyncio.get_running_loop())

    async def request() -> bool:
        return await flights.join("key", answer) == id(asyncio.get_running_loop())

    assert [asyncio.run(request()) for _ in range(2)] == [True, True]


async def test_a_failure_nobody_waited_for_is_not_reported_as_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    flights = TaskFlights()
    may_fail = asyncio.Event()

    async def fail() -> None:
        await may_fail.wait()
        raise RuntimeError("down")

    waiter = asyncio.create_task(flights.join("key", fail))
    await asyncio.sleep(0)
    (flight,) = flights._running.values()
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    may_fail.set()
    await asyncio.wait([flight.task])
    assert flights._running == {}
    assert caplog.text == ""


async def test_a_computation_that_is_cancelled_itself_leaves_the_key_free() -> None:
    flights = TaskFlights()
    never = asyncio.Event()
    waiter = asyncio.create_task(flights.join("key", never.wait))
    await asyncio.sleep(0)
    (flight,) = flights._running.values()
    flight.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert flights._running == {}


def test_a_thread_that_waited_long_enough_computes_for_itself() -> None:
    flights = ThreadFlights(patience_s=0.01)
    begun, may_end = threading.Event(), threading.Event()
    found: list[str] = []

    def hang() -> str:
        begun.set()
        may_end.wait(10)
        return "late"

    thread = threading.Thread(target=lambda: found.append(flights.join("key", hang)))
    thread.start()
    begun.wait(10)
    assert flights.join("key", lambda: "own") == "own"
    may_end.set()
    thread.join(10)
    assert found == ["late"]


@pytest.mark.parametrize("fault", [RuntimeError("down"), TimeoutError("of its own")])
def test_a_failure_reaches_every_thread_and_frees_the_key(fault: Exception) -> None:
    flights = ThreadFlights()
    begun, may_fail = threading.Event(), threading.Event()
    found: list[Exception] = []

    def fail() -> str:
        begun.set()
        may_fail.wait(10)
        raise fault

    def request() -> None:
        try:
            flights.join("key", fail)
        except Exception as raised:
            found.append(raised)

    first = threading.Thread(target=request)
    first.start()
    begun.wait(10)
    flight = flights._running["key"]
    second = threading.Thread(target=request)
    second.start()
    may_fail.set()
    first.join(10)
    second.join(10)
    assert found == [fault, fault]
    assert flight.done()
    assert flights.join("key", lambda: "new") == "new"
