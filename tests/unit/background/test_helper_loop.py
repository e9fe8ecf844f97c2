"""The helper loop of a process, by who shares it."""

import threading

import pytest

from sezzlee_py.background.helper_loop import HelperLoop


def test_a_forked_worker_makes_a_loop_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    helper = HelperLoop()
    first = helper._running()
    assert helper._running() is first
    monkeypatch.setattr("os.getpid", lambda: -1)
    second = helper._running()
    assert second is not first
    for loop in (first, second):
        loop.call_soon_threadsafe(loop.stop)
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    first.close()
    second.close()
