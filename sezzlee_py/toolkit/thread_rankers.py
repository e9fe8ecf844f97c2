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
from sezzlee_py.model import OuterRequest
from sezzlee_py.options import SearchOptions
from sezzlee_py.search import RankCatalog
from sezzlee_py.search.guard import UNAVAILABLE
from sezzlee_py.search.ranking import BuiltInRanker
from sezzlee_py.toolkit.ranker_sources import RankerSource
from sezzlee_py.toolkit.rankers import BUILT_IN, BoundRanker, check_made


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
        self._factory: Callable[[], Any] | None = None
        super().__init__(given, options)
        self._around = around
        self._making = threading.Lock()
        self._process = 0
        self._made: Any = None

    async def rank(
        self, query: str, catalog: RankCatalog, known: Container[str], outer: OuterRequest
    ) -> Sequence[str] | BuiltInRanker | None:
        """Return the host's order for `query`, or the built-in ranker that shall answer.

        Raises:
            InvocationError: the ranker failed and failures are errors.
        """
        # A factory is the host's code; that it fails is a failure of its ranker.
        try:
            await self._make()
        except (Exception, SystemExit) as fault:
            LOGGER.error("the ranker could not be made", exc_info=fault)
            if self._options.on_ranker_failure == "error":
                raise InvocationError(ErrorCode.SEARCH_RANKER_UNAVAILABLE, UNAVAILABLE) from fault
            return None
        if isinstance(self._made, BUILT_IN):
            return self._made
        ranking = self._guard.rank(query, catalog, known)
        return None if ranking is None else ranking.names

    def _kept(self, factory: Any) -> RankerSource | None:
        # Of a source nothing is needed here: a thread has no startup.
        self._factory = factory
        return None

    async def _make(self) -> None:
        if self._factory is None or self._process == os.getpid():
            return
        with self._making:
            if self._process == os.getpid():
                return
            with self._around():
                made = await self._called(self._factory)
            check_made(made)
            self._made = made
            self._guard = self._guarding(None if isinstance(made, BUILT_IN) else made)
            self._process = os.getpid()

    async def _called(self, factory: Callable[[], Any]) -> Any:
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
