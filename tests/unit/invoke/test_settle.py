"""Awaiting a host's answer on a loop, and in a thread without one."""

import asyncio
import threading

import pytest

from sezzlee_py.invoke.settle import drive, settle_in_thread, settle_on_loop, start_in_thread


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return number * 2


@pytest.mark.parametrize("make", [lambda: 14, lambda: double(7)])
async def test_on_a_loop_an_answer_is_awaited_when_it_can_be(make: object) -> None:
    assert await settle_on_loop(make()) == 14  # type: ignore[operator]


@pytest.mark.parametrize("make", [lambda: 14, lambda: double(7)])
def test_in_a_thread_an_answer_is_waited_for_when_it_has_to_be(make: object) -> None:
    assert drive(settle_in_thread(make())) == 14  # type: ignore[operator]


def test_every_thread_waits_on_one_helper_loop() -> None:
    async def which() -> tuple[int, str]:
        return id(asyncio.get_running_loop()), threading.current_thread().name

    loops = {drive(settle_in_thread(which())) for _ in range(3)}
    assert [name for _, name in loops] == ["sezzlee-helper-loop"]


def test_a_fault_of_the_answer_is_raised_where_it_is_waited_for() -> None:
    async def fail() -> None:
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        drive(settle_in_thread(fail()))


def test_work_that_is_begun_need_not_be_waited_for() -> None:
    assert start_in_thread(double(4)).result(5) == 8


def test_a_pipeline_that_does_not_suspend_is_finished_in_one_step() -> None:
    async def inner() -> str:
        return "done"

    async def pipeline() -> str:
        return await inner()

    assert drive(pipeline()) == "done"


def test_a_pipeline_that_suspends_says_so_and_is_closed() -> None:
    closed: list[bool] = []

    async def pipeline() -> None:
        try:
            await asyncio.sleep(0)
        finally:
            closed.append(True)

    with pytest.raises(RuntimeError, match="waited for an event loop"):
        drive(pipeline())
    assert closed == [True]
