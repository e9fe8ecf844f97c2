"""Single flight: overlapping requests for one key share one computation (spec: visibility 7)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")

# A computation of the host's that hangs must not take everybody with it who comes later.
_JOINED_FOR_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class _Flight:
    task: asyncio.Task[Any]
    until: float


class TaskFlights:
    """Computations on event loops, each in a task that no waiter's cancellation reaches."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # A task belongs to its loop; the same engine may serve several.
        self._running: dict[tuple[asyncio.AbstractEventLoop, Hashable], _Flight] = {}

    async def join(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what the running computation of `key` gives; start one when there is none."""
        loop = asyncio.get_running_loop()
        place, now = (loop, key), self._clock()
        flight = self._running.get(place)
        if flight is None or flight.until <= now:
            task = loop.create_task(make())
            flight = self._running[place] = _Flight(task, now + _JOINED_FOR_S)
            task.add_done_callback(lambda _: self._land(place, task))
        # Waiting for it among others cancels nothing but the waiting. `asyncio.shield` does that
        # too, but calls a failure lost when the waiter has left.
        await asyncio.wait((flight.task,))
        result: T = flight.task.result()
        return result

    def _land(self, place: tuple[asyncio.AbstractEventLoop, Hashable], task: Any) -> None:
        flight = self._running.get(place)
        if flight is not None and flight.task is task:
            del self._running[place]
        if not task.cancelled():
            # Every waiter may have left; asking keeps the loop from calling it forgotten.
            task.exception()


class ThreadFlights:
    """Computations in the thread that asks first; the others wait for it."""

    def __init__(self, patience_s: float = _JOINED_FOR_S) -> None:
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._running: dict[Hashable, Future[Any]] = {}

    def join(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what the running computation of `key` gives; compute it when there is none."""
        with self._lock:
            flight = self._running.get(key)
            mine: Future[T] = Future()
            if flight is None:
                self._running[key] = mine
        if flight is not None:
            try:
                result: T = flight.result(self._patience_s)
            except TimeoutError:
                if flight.done():
                    raise
                return make()
            return result
        return self._fly(key, mine, make)

    def _fly(self, key: Hashable, flight: Future[T], make: Callable[[], T]) -> T:
        try:
            result = make()
        except BaseException as fault:
            flight.set_exception(fault)
            raise
        else:
            flight.set_result(result)
            return result
        finally:
            with self._lock:
                del self._running[key]
