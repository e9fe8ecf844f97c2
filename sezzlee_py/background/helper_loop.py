"""The one event loop of a process whose server has none."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

T = TypeVar("T")

LOGGER: Final = logging.getLogger("sezzlee_py")


class HelperLoop:
    """An event loop in a daemon thread, started at first use and once per process.

    A forked worker inherits the object but no thread; the process id tells.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin `work` in a copy of the caller's context, without waiting for it.

        Work that calls for the process to exit fails with a `RuntimeError` instead.
        """
        return asyncio.run_coroutine_threadsafe(_contained(work), self._running())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._process = os.getpid()
                threading.Thread(
                    target=_serve, args=(self._loop,), name="sezzlee-helper-loop", daemon=True
                ).start()
            return self._loop


async def _contained(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except (SystemExit, KeyboardInterrupt) as fault:
        # Raised through a task it would stop the loop under everybody's work.
        raise RuntimeError("called for the process to exit") from fault


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop whatever the tasks do that hosts start on it: many wait for it without an end."""
    while not loop.is_closed():
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            LOGGER.exception("a task of the helper loop called for the process to exit")


# One for all: what a host opens on it, such as a pool of connections, is bound to it.
HELPER_LOOP: Final = HelperLoop()
