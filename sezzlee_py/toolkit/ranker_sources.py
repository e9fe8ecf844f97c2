"""Where a ranker comes from that is not there from the start."""

from __future__ import annotations

import asyncio
import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from contextvars import Context, copy_context
from typing import Any

from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.model import OuterRequest
from sezzlee_py.search.guard import Ask, Lend
from sezzlee_py.search.ranker_answer import RankerFailure


class RankerSource(ABC):
    """Lends the ranker for one answer at a time."""

    async def enter(self) -> Any:
        """Make ready what can be made at startup; return the ranker, if there is one by then."""
        return None

    async def leave(self) -> None:  # noqa: B027 - most have nothing to leave
        """Give back what was made at startup."""

    @abstractmethod
    def lend(self, outer: OuterRequest) -> Lend:
        """Return what lends the ranker for the search of one request."""


class KeptRanker(RankerSource):
    """What a factory makes, from startup, or the first use where none was, to shutdown."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._keeping: _Keeping | None = None

    async def enter(self) -> Any:
        """Make the ranker and return it, in the context of the application's startup."""
        return await self._ranker(copy_context())

    async def leave(self) -> None:
        """Leave the context manager; a fault of it does not stop the shutdown."""
        keeping, self._keeping = self._keeping, None
        if keeping is None:
            return
        try:
            await keeping.end()
        except Exception as fault:
            LOGGER.error("the ranker could not be closed", exc_info=fault)

    def lend(self, outer: OuterRequest) -> Lend:
        """Return what lends the one ranker."""

        async def lend(ask: Ask) -> Any:
            # What is made at the first search is there for all: it sees nothing of the first.
            return await ask(await self._ranker(Context()))

        return lend

    async def _ranker(self, context: Context) -> Any:
        with self._lock:
            keeping = self._keeping
            if keeping is None or keeping.is_over:
                keeping = self._keeping = _Keeping(self._factory, context)
        try:
            return await asyncio.wrap_future(keeping.made)
        except Exception:
            with self._lock:
                if self._keeping is keeping:
                    self._keeping = None
            raise


class _Keeping:
    """A task that makes the ranker, and waits to leave its context manager.

    One task enters and leaves, as a context manager with a task group in it wants. Who waits for
    `made` may give up: the task goes on.
    """

    def __init__(self, factory: Callable[[], Any], context: Context) -> None:
        self.made: Future[Any] = Future()
        # Running, it is not cancelled by one of those who wait for it.
        self.made.set_running_or_notify_cancel()
        self._is_open = False
        self._leave = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._keep(factory), context=context)

    @property
    def is_over(self) -> bool:
        """Whether the ranker has been left, or can never be made, because its loop ended."""
        if self._task.done():
            return self._is_open
        return self._loop.is_closed()

    async def end(self) -> None:
        """Leave the context manager, or stop making the ranker."""
        if self._loop is not asyncio.get_running_loop():
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._stop)
            return
        self._stop()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.result()

    def _stop(self) -> None:
        if self.made.done():
            self._leave.set()
        else:
            self._task.cancel()

    async def _keep(self, factory: Callable[[], Any]) -> None:
        async with AsyncExitStack() as stack:
            try:
                made = await self._make(factory, stack)
            except (Exception, SystemExit) as fault:
                # Raised through a task, an exit would end the host's loop.
                self.made.set_exception(_as_failure(fault))
                return
            except BaseException:
                self.made.set_exception(RankerFailure("was stopped while it was made"))
                raise
            self.made.set_result(made)
            if self._is_open:
                await self._leave.wait()

    async def _make(self, factory: Callable[[], Any], stack: AsyncExitStack) -> Any:
        made = factory()
        if isinstance(made, AbstractAsyncContextManager):
            made = await stack.enter_async_context(made)
            self._is_open = True
        elif inspect.isawaitable(made):
            made = await made
        return made


def _as_failure(fault: BaseException) -> Exception:
    if isinstance(fault, Exception):
        return fault
    failure = RankerFailure("called for the process to exit")
    failure.__cause__ = fault
    return failure
