"""The ranker of a host without an event loop, made where it is first asked."""

from __future__ import annotations

import atexit
import inspect
import os
import threading
from collections.abc import Callable, Container, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from typing import Any

from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.settle import drive, settle_in_thread
from sezzlee_py.options import SearchOptions
from sezzlee_py.search import RankCatalog
from sezzlee_py.search.guard import UNAVAILABLE
from sezzlee_py.toolkit.rankers import BoundRanker


class ThreadBoundRanker(BoundRanker):
    """A bound ranker for threads.

    A factory is called once per process, at the first query: what it opens before a server forks
    would be shared by its workers. A context manager is left when the process ends.

    Args:
        given: see `BoundRanker`.
        options: deadline and what a failure means.
        around: what a factory runs in, such as an application context.
    """

    def __init__(
        self,
        given: Any,
        options: SearchOptions,
        around: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        super().__init__(given, options)
        self._around = around
        self._making = threading.Lock()
        self._process = 0

    async def enter(self) -> None:
        """Make the ranker, where it is given as a factory or context manager."""
        if self._factory is None or self._process == os.getpid():
            return
        with self._making:
            if self._process == os.getpid():
                return
            with self._around():
                self._guard = self._guarded(await self._made(self._factory))
            self._process = os.getpid()

    async def rank(
        self, query: str, catalog: RankCatalog, known: Container[str]
    ) -> Sequence[str] | None:
        """Return the host's order for `query`, or `None` when the built-in ranking answers.

        Raises:
            InvocationError: the ranker failed and failures are errors.
        """
        # A factory is the host's code; that it fails is a failure of its ranker.
        try:
            await self.enter()
        except Exception as fault:
            LOGGER.error("the ranker could not be made", exc_info=fault)
            if self._options.on_ranker_failure == "error":
                raise InvocationError(ErrorCode.SEARCH_RANKER_UNAVAILABLE, UNAVAILABLE) from fault
            return None
        assert self._guard is not None
        ranking = self._guard.rank(query, catalog, known)
        return None if ranking is None else ranking.names

    async def _made(self, factory: Callable[[], Any]) -> Any:
        made = factory()
        if isinstance(made, AbstractAsyncContextManager):
            stack = AsyncExitStack()
            made = await settle_in_thread(stack.enter_async_context(made))
            atexit.register(_leave, stack, os.getpid())
        elif inspect.isawaitable(made):
            made = await settle_in_thread(made)
        return made


def _leave(stack: AsyncExitStack, process: int) -> None:
    # A forked process inherits the registration and not the ranker.
    if process == os.getpid():
        drive(settle_in_thread(stack.aclose()))
