"""Threads that run what may have to be left behind at a deadline."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

THREADS: Final = 32


class Pending(Generic[T]):
    """Work that was handed to a thread; one other thread waits for it, or gives it up."""

    __slots__ = ("_claim", "_ended", "_fault", "_result", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._claim = threading.Lock()
        self._ended = threading.Lock()
        self._ended.acquire()
        self._result: Any = None
        self._fault: BaseException | None = None

    def wait(self, timeout_s: float | None) -> bool:
        """Whether the work has ended within `timeout_s` seconds, `None` for as long as it takes."""
        return self._ended.acquire(timeout=-1 if timeout_s is None else max(0.0, timeout_s))

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
        return self._claim.acquire(blocking=False)

    def run(self) -> None:
        """Do the work, unless it was given up; `end` tells whoever waits."""
        if not self._claim.acquire(blocking=False):
            return
        # The waiting thread is the one to raise it.
        try:
            self._result = self._work()
        except BaseException as fault:
            self._fault = fault

    def end(self) -> None:
        """Let whoever waits go on."""
        self._ended.release()


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
        """Hand work to a thread."""
        crew = self._crew
        if crew is None or crew.process != os.getpid():
            # Two threads may both make one; what is handed to either is done.
            crew = self._crew = _Crew(self._name, self._limit)
        pending = Pending(work)
        crew.take(pending)
        return pending


class _Crew:
    """The threads of one process."""

    def __init__(self, name: str, limit: int) -> None:
        self.process = os.getpid()
        self._name = name
        self._limit = limit
        self._waiting: queue.SimpleQueue[Pending[Any]] = queue.SimpleQueue()
        self._counts = threading.Lock()
        self._queued = 0
        self._idle = 0
        self._size = 0

    def take(self, pending: Pending[Any]) -> None:
        with self._counts:
            self._queued += 1
            is_short = self._queued > self._idle and self._size < self._limit
            self._size += is_short
            number = self._size
        self._waiting.put(pending)
        if is_short:
            self._start(f"{self._name}-{number}", pending)

    def _start(self, name: str, pending: Pending[Any]) -> None:
        # A machine without threads to spare may still have the ones that run.
        try:
            threading.Thread(target=self._work, name=name, daemon=True).start()
        except RuntimeError:
            with self._counts:
                self._size -= 1
                is_alone = not self._size
            if is_alone and pending.give_up():
                raise

    def _work(self) -> None:
        done: Pending[Any] | None = None
        while True:
            with self._counts:
                self._idle += 1
            if done is not None:
                # Whoever waits goes on once this thread is there for the next work, and nothing
                # of the last one is kept alive until then.
                done.end()
                done = None
            pending = self._waiting.get()
            with self._counts:
                self._idle -= 1
                self._queued -= 1
            pending.run()
            done = pending
            del pending
