"""Threads that can be left behind, by what runs, what does not, and what a fork inherits."""

import gc
import subprocess
import sys
import threading
import weakref
from functools import partial

import pytest

from sezzlee_py.background.workers import Workers


def test_work_runs_in_a_daemon_thread_and_gives_its_result() -> None:
    pending = Workers("crew").submit(threading.current_thread)
    assert pending.wait(5)
    thread = pending.result()
    assert (thread.name, thread.daemon) == ("crew-1", True)


def test_what_work_raises_is_raised_where_it_is_waited_for() -> None:
    def fail() -> None:
        raise SystemExit(3)

    pending = Workers("crew").submit(fail)
    assert pending.wait(None)
    with pytest.raises(SystemExit):
        pending.result()


@pytest.mark.parametrize("timeout_s", [1e15, float("inf"), -1.0])
def test_work_is_waited_for_however_long_that_may_take(timeout_s: float) -> None:
    pending = Workers("crew").submit(threading.get_ident)
    while not pending.wait(timeout_s):
        pass
    assert pending.result() != threading.get_ident()


def test_one_idle_thread_does_all_work_that_comes_one_by_one() -> None:
    workers = Workers("crew")
    names = set()
    for _ in range(50):
        pending = workers.submit(lambda: threading.current_thread().name)
        assert pending.wait(5)
        names.add(pending.result())
    assert names == {"crew-1"}


def test_work_never_waits_while_another_thread_may_be_started() -> None:
    workers = Workers("crew", limit=40)
    together = threading.Barrier(40)
    held = [workers.submit(lambda: together.wait(10)) for _ in range(40)]
    assert all(pending.wait(10) for pending in held)
    assert sorted(pending.result() for pending in held) == list(range(40))


def test_nothing_of_work_is_kept_alive_once_it_is_over() -> None:
    class Big:
        pass

    workers = Workers("crew")
    pending = workers.submit(Big)
    assert pending.wait(5)
    gone = weakref.ref(pending.result())
    del pending
    # The thread lets go of it right after it has told.
    assert workers.submit(lambda: None).wait(5)
    gc.collect()
    assert gone() is None


def test_work_beyond_the_limit_waits_and_may_be_given_up() -> None:
    workers = Workers("crew", limit=2)
    go, busy = threading.Event(), threading.Barrier(3)

    def hold() -> str:
        busy.wait(5)
        go.wait(5)
        return "held"

    held = [workers.submit(hold) for _ in range(2)]
    busy.wait(5)
    ran: list[str] = []
    dropped = workers.submit(lambda: ran.append("dropped"))
    kept = workers.submit(lambda: ran.append("kept"))
    assert not dropped.wait(0)
    assert dropped.give_up()
    go.set()
    assert kept.wait(5)
    assert [pending.wait(5) for pending in held] == [True, True]
    assert ran == ["kept"]


def test_work_that_many_threads_hand_in_at_once_is_done_once_each() -> None:
    workers = Workers("crew", limit=3)
    done: list[tuple[int, int]] = []

    def hand_in(who: int) -> None:
        for number in range(200):
            work = (who, number)
            pending = workers.submit(partial(done.append, work))
            # Every fifth is given up, if it was not begun yet.
            if number % 5 == 0 and pending.give_up():
                done.append(work)
            else:
                assert pending.wait(10)

    threads = [threading.Thread(target=hand_in, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(done) == [(who, number) for who in range(8) for number in range(200)]


def test_work_that_runs_cannot_be_given_up_and_what_it_gives_is_dropped() -> None:
    go, running = threading.Event(), threading.Event()

    def late() -> str:
        running.set()
        go.wait(5)
        return "late"

    pending = Workers("crew").submit(late)
    assert running.wait(5)
    assert not pending.wait(-1.0)
    assert not pending.give_up()
    go.set()
    assert pending.wait(5)


def test_a_machine_without_threads_to_spare_uses_those_that_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    workers = Workers("crew")
    go = threading.Event()
    held = workers.submit(lambda: go.wait(5))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        later = workers.submit(lambda: "later")
        go.set()
        assert (held.wait(5), later.wait(5)) == (True, True)
        with pytest.raises(RuntimeError, match="new thread"):
            Workers("none").submit(lambda: None)
    assert later.result() == "later"


FORKED = """
import os, threading
from sezzlee_py.background.workers import Workers
workers = Workers("crew")
assert workers.submit(lambda: 1).wait(5)
child = os.fork()
if child == 0:
    pending = workers.submit(lambda: threading.current_thread().name)
    os._exit(0 if pending.wait(5) and pending.result() == "crew-1" else 1)
_, status = os.waitpid(child, 0)
raise SystemExit(os.waitstatus_to_exitcode(status))
"""
HANGING = """
import threading
from sezzlee_py.background.workers import Workers
running = threading.Event()
Workers("crew").submit(lambda: (running.set(), threading.Event().wait()))
assert running.wait(5)
"""


@pytest.mark.parametrize("script", [FORKED, HANGING], ids=["forked", "hanging"])
def test_a_process_has_threads_of_its_own_and_ends_whatever_they_do(script: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script],
        timeout=30,
        capture_output=True,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
