"""The one event loop of a process whose server has none."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

T = TypeVar("T")


class HelperLoop:
    """An event loop in a daemon thread, started at first use and once per process.

    A forked worker inherits the object but no thread; the process id tells.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin `work` in a copy of the caller's context, without waiting for it."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._process = os.getpid()
                threading.Thread(
                    target=self._loop.run_forever, name="sezzlee-helper-loop", daemon=True
                ).start()
            return self._loop


# One for all: what a host opens on it, such as a pool of connections, is bound to it.
HELPER_LOOP: Final = HelperLoop()
