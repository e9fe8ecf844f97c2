"""One pipeline for event loops and threads: how a host's plain or async answer is waited for.

The pipeline is written once, as coroutines. Under ASGI they run on the server's loop. Under WSGI
nothing in them suspends (the dispatcher blocks its thread, a host's `async def` runs on a helper
loop), so `drive` finishes them in one step, with no event loop per request.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Settle: TypeAlias = Callable[[Any], Awaitable[Any]]


async def settle_on_loop(value: Any) -> Any:
    """Return `value`, awaited on the running loop when it is awaitable."""
    return await value if inspect.isawaitable(value) else value


async def settle_in_thread(value: Any) -> Any:
    """Return `value`, waited for on the process's helper loop when it is awaitable."""
    return _helper_loop.wait(value) if inspect.isawaitable(value) else value


def start_in_thread(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin `work` on the process's helper loop without waiting for it."""
    return _helper_loop.start(work)


def drive(pipeline: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never suspends.

    Raises:
        RuntimeError: it did suspend: something awaited the loop that a thread does not have.
    """
    try:
        pipeline.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    pipeline.close()
    raise RuntimeError("a step of the pipeline waited for an event loop in a thread without one")


class _HelperLoop:
    """An event loop in a daemon thread, started at first use and once per process.

    A forked worker inherits the object but no thread; the process id tells.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def wait(self, value: Awaitable[T]) -> T:
        async def settled() -> T:
            return await value

        return self.start(settled()).result()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._pid = os.getpid()
                threading.Thread(
                    target=self._loop.run_forever, name="sezzlee-helper-loop", daemon=True
                ).start()
            return self._loop


_helper_loop = _HelperLoop()
