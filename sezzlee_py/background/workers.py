"""Threads that run what may have to be left behind at a deadline."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

THREADS: Final = 32


class Pending(Generic[T]):
    """Work that was handed to a thread; one other thread waits for it, or gives it up."""

    __slots__ = ("_ended", "_fault", "_result", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        # Whoever takes it out first, the thread or who gives it up, has it.
        self._work = [work]
        self._ended = _held_lock()
        self._result: Any = None
        self._fault: BaseException | None = None

    def wait(self, timeout_s: float | None) -> bool:
        """Whether the work has ended within `timeout_s` seconds, `None` for as long as it takes."""
        if timeout_s is None:
            return self._ended.acquire()
        return self._ended.acquire(timeout=min(max(0.0, timeout_s), threading.TIMEOUT_MAX))

    def result(self) -> T:
        """Return what the work returned, or raise what it raised; after `wait` said yes."""
        if self._fault is not None:
            raise self._fault
        result: T = self._result
        return result

    def give_up(self) -> bool:
        """Whether work that nobody wants any more was kept from starting; else it runs to its end.

        What it still gives is dropped.
        """
        return self._taken() is not None

    def run(self) -> None:
        """Do the work, unless it was given up; `end` tells whoever waits."""
        work = self._taken()
        if work is None:
            return
        # The waiting thread is the one to raise it.
        try:
            self._result = work()
        except BaseException as fault:
            self._fault = fault

    def end(self) -> None:
        """Let whoever waits go on."""
        self._ended.release()

    def _taken(self) -> Callable[[], T] | None:
        try:
            return self._work.pop()
        except IndexError:
            return None


class Workers:
    """At most `limit` threads per process, each started when work waits and no other is idle.

    They are daemons, so that work that never ends does not keep the process alive. A forked
    worker inherits the object but no thread; the process id tells.

    Args:
        name: prefix of the threads' names.
        limit: work beyond it waits for a thread.
    """

    def __init__(self, name: str, limit: int = THREADS) -> None:
        self._name = name
        self._limit = limit
        self._crew: _Crew | None = None

    def submit(self, work: Callable[[], T]) -> Pending[T]:
        """Hand work to a thread.

        Raises:
            RuntimeError: there is none, and none can be started.
        """
        crew = self._crew
        if crew is None or crew.process != os.getpid():
            # Two threads may both make one; what is handed to either is done.
            crew = self._crew = _Crew(self._name, self._limit)
        pending = Pending(work)
        crew.take(pending)
        return pending


class _Crew:
    """The threads of one process, and the work that waits while none of them is idle."""

    def __init__(self, name: str, limit: int) -> None:
        self.process = os.getpid()
        self._name = name
        self._limit = limit
        self._changing = threading.Lock()
        # The one that worked last is the first to work again: its memory is warm.
        self._idle: list[_Worker] = []
        self._waiting: deque[Pending[Any]] = deque()
        self._size = 0

    def take(self, pending: Pending[Any]) -> None:
        with self._changing:
            worker = self._idle.pop() if self._idle else self._one_more()
            if worker is None:
                self._waiting.append(pending)
                return
        worker.give(pending)

    def next_for(self, worker: _Worker) -> Pending[Any] | None:
        """Return the work that waits longest; `None` where `worker` is idle from now on."""
        with self._changing:
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(worker)
            return None

    def _one_more(self) -> _Worker | None:
        if self._size == self._limit:
            return None
        worker, name = _Worker(self), f"{self._name}-{self._size + 1}"
        try:
            threading.Thread(target=worker.work, name=name, daemon=True).start()
        except RuntimeError:
            # A machine without threads to spare may still have the ones that run.
            if not self._size:
                raise
            return None
        self._size += 1
        return worker


class _Worker:
    """One thread: the work it is given, and whatever waits when that is done."""

    __slots__ = ("_crew", "_given", "_is_given")

    def __init__(self, crew: _Crew) -> None:
        self._crew = crew
        self._given: Pending[Any] | None = None
        self._is_given = _held_lock()

    def give(self, pending: Pending[Any]) -> None:
        """Hand work to this thread, which is idle."""
        self._given = pending
        self._is_given.release()

    def work(self) -> None:
        """Work for as long as the process lives."""
        pending: Pending[Any] | None = None
        while True:
            if pending is None:
                self._is_given.acquire()
                pending, self._given = self._given, None
            assert pending is not None
            pending.run()
            following = self._crew.next_for(self)
            # Whoever waits goes on once this thread is there for the next work, and nothing of
            # the last one is kept alive until then.
            pending.end()
            pending = following


def _held_lock() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock
