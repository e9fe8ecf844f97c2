"""The helper loop of a process, by who shares it."""

import asyncio
import logging

import pytest

from sezzlee_py.background.helper_loop import HelperLoop

EXITS = [SystemExit(3), KeyboardInterrupt()]


async def answer() -> int:
    return 42


def test_a_forked_worker_makes_a_loop_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    helper = HelperLoop()
    first = helper._running()
    assert helper._running() is first
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert helper._running() is not first


@pytest.mark.parametrize("fault", EXITS)
def test_work_that_calls_for_an_exit_fails_and_the_next_is_done(fault: BaseException) -> None:
    async def leave() -> None:
        raise fault

    helper = HelperLoop()
    with pytest.raises(RuntimeError, match="called for the process to exit") as failed:
        helper.start(leave()).result(5)
    assert failed.value.__cause__ is fault
    assert helper.start(answer()).result(5) == 42


@pytest.mark.parametrize("fault", EXITS)
def test_a_task_of_the_host_s_ends_the_loop_for_nobody(
    fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    async def leave() -> None:
        raise fault

    async def begin_and_wait() -> int:
        task = asyncio.get_running_loop().create_task(leave())
        await asyncio.wait({task})
        assert task.exception() is fault
        return await answer()

    with caplog.at_level(logging.ERROR, "sezzlee_py"):
        assert HelperLoop().start(begin_and_wait()).result(5) == 42
    [told] = caplog.messages
    assert told == "a task of the helper loop called for the process to exit"


def test_a_loop_that_is_stopped_goes_on() -> None:
    async def stop() -> int:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        return await answer()

    assert HelperLoop().start(stop()).result(5) == 42
