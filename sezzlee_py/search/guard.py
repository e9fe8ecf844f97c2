"""The guard around a host's own ranker: deadline, clean answer, fallback (spec: search 6).

Three ways in, one rule: an answer that is late, unusable or an exception is a failure.

- `async def rank` runs as a task of its own. The deadline ends the wait, not the caller; a ranker
  that swallows its cancellation runs on, and nobody listens. One that blocks the event loop cannot
  be interrupted by anyone; its answer is late when it comes, and is dropped.
- `def rank` runs in a daemon thread that waits for the next call. Past the deadline the thread is
  left to itself; at most `_MOST_THREADS` of one guard run at a time, further calls fail at once.
- A synchronous host (WSGI) has one helper event loop for `async def`, not one per request.

A ranker runs in an empty context: no variable of the request, so no caller, is to be seen there.
What lends a ranker for one answer, such as a framework that resolves it, runs in the request's own
context, and within the same deadline.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Container, Coroutine
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from contextvars import Context, copy_context
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, Final, Literal, TypeAlias, TypeVar

from sezzlee_py.background.helper_loop import HELPER_LOOP
from sezzlee_py.background.workers import Pending, Workers
from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.search.ranker import RankCatalog, RankRequest, ToolRanker
from sezzlee_py.search.ranker_answer import HostRanking, RankerFailure, read_answer

T = TypeVar("T")

logger = logging.getLogger("sezzlee_py.search")

DEFAULT_TIMEOUT_MS: Final = 10_000
UNAVAILABLE: Final = (
    "Search is unavailable: the ranker did not answer this query. Call search_tools again later."
)
# Asks the ranker it is given, once; what lends a ranker calls it with one and returns its answer.
Ask: TypeAlias = Callable[[Any], Awaitable[Any]]
Lend: TypeAlias = Callable[[Ask], Awaitable[Any]]

_Told: TypeAlias = Future[Any]

_MOST_THREADS: Final = 32
_LOGGED_NAMES: Final = 10


class RankerGuard:
    """Asks one host ranker, and survives whatever it does.

    Args:
        ranker: the host's ranker; `None` where one is lent for each answer.
        timeout_ms: how long it may take; 0 for as long as it likes.
        on_failure: `"fallback"` answers `None`, so that the built-in ranking steps in; `"error"`
            raises the coded error.
    """

    def __init__(
        self,
        ranker: ToolRanker | None,
        *,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
        on_failure: Literal["fallback", "error"] = "fallback",
    ) -> None:
        self._ranker = ranker
        self._timeout_s = timeout_ms / 1000 if timeout_ms > 0 else None
        self._on_failure = on_failure
        self._threads = BoundedSemaphore(_MOST_THREADS)
        self._workers = Workers("sezzlee-ranker", _MOST_THREADS)

    async def arank(
        self,
        query: str,
        catalog: RankCatalog,
        known: Container[str],
        *,
        lend: Lend | None = None,
    ) -> HostRanking | None:
        """Return the ranker's order for `query`, or `None` when the fallback shall answer.

        Args:
            query: as sent.
            catalog: every tool.
            known: the names that count.
            lend: gives the ranker for this one answer and takes it back; a fault of it is the
                ranker's, and the deadline counts for both.

        Raises:
            InvocationError: the ranker failed and failures are errors.
            asyncio.CancelledError: the caller went away; never the deadline's doing.
        """
        try:
            answer = await self._aask(RankRequest(query=query, catalog=catalog), lend)
            return self._accept(answer, known)
        except RankerFailure as failure:
            self._report(failure)
            return None

    def rank(self, query: str, catalog: RankCatalog, known: Container[str]) -> HostRanking | None:
        """Return the same as `arank`, for hosts without an event loop.

        Raises:
            InvocationError: the ranker failed and failures are errors.
        """
        try:
            answer = self._ask(RankRequest(query=query, catalog=catalog))
            return self._accept(answer, known)
        except RankerFailure as failure:
            self._report(failure)
            return None

    async def _aask(self, request: RankRequest, lend: Lend | None) -> Any:
        loop = asyncio.get_running_loop()
        ends = None if self._timeout_s is None else loop.time() + self._timeout_s
        if lend is None:
            task = _unseeing(self._answer(self._ranker, request))
        else:
            task = loop.create_task(self._lent(lend, request), context=copy_context())
        try:
            await asyncio.wait({task}, timeout=self._timeout_s)
        except asyncio.CancelledError:
            # Only the caller cancels this wait: the deadline ends it without an exception.
            _abandon(task)
            raise
        if not task.done() or (ends is not None and loop.time() > ends):
            _abandon(task)
            raise RankerFailure(f"no answer within {self._timeout_s} s")
        return _result(task)

    async def _lent(self, lend: Lend, request: RankRequest) -> Any:
        async def ask(ranker: Any) -> Any:
            return await _unseeing(self._answer(ranker, request))

        try:
            return await lend(ask)
        except SystemExit as fault:
            raise RankerFailure("called for the process to exit") from fault

    async def _answer(self, ranker: Any, request: RankRequest) -> Any:
        rank = _rank_of(ranker)
        try:
            if inspect.iscoroutinefunction(rank):
                return await rank(request)
            answer = await asyncio.wrap_future(self._told_by_thread(rank, request))
            # A plain function may hand out a coroutine: a decorator, a partial, a lambda.
            return await answer if inspect.isawaitable(answer) else answer
        except SystemExit as fault:
            # Raised through a task it would end the host's event loop.
            raise RankerFailure("called for the process to exit") from fault

    def _ask(self, request: RankRequest) -> Any:
        ends = None if self._timeout_s is None else monotonic() + self._timeout_s
        answer = self._asked(request, ends)
        if ends is not None and monotonic() > ends:
            # There when this thread was woken at last: late all the same.
            raise RankerFailure(f"no answer within {self._timeout_s} s")
        return answer

    def _asked(self, request: RankRequest, ends: float | None) -> Any:
        rank = _rank_of(self._ranker)
        if inspect.iscoroutinefunction(rank):
            work = self._answer(self._ranker, request)
            return _wait(_on_helper_loop(work), self._timeout_s)
        pending = self._in_thread(lambda: self._plainly(rank, request))
        if not pending.wait(self._timeout_s):
            if pending.give_up():
                self._threads.release()
            raise RankerFailure(f"no answer within {self._timeout_s} s")
        answer = pending.result()
        if inspect.isawaitable(answer):
            left = None if ends is None else max(0.0, ends - monotonic())
            return _wait(_on_helper_loop(_awaited(answer)), left)
        return answer

    def _told_by_thread(self, rank: Callable[[RankRequest], Any], request: RankRequest) -> _Told:
        told: _Told = Future()

        def tell() -> None:
            fault: RankerFailure | None = None
            answer: Any = None
            try:
                answer = self._plainly(rank, request)
            except RankerFailure as failure:
                fault = failure
            if not told.set_running_or_notify_cancel():
                return
            if fault is None:
                told.set_result(answer)
            else:
                told.set_exception(fault)

        self._in_thread(tell)
        return told

    def _in_thread(self, work: Callable[[], T]) -> Pending[T]:
        """Begin `work`, which ends with `_plainly`."""
        if not self._threads.acquire(blocking=False):
            raise RankerFailure(f"{_MOST_THREADS} calls before this one are still running")
        try:
            return self._workers.submit(work)
        except RuntimeError as fault:
            self._threads.release()
            raise RankerFailure("no thread could be started") from fault

    def _plainly(self, rank: Callable[[RankRequest], Any], request: RankRequest) -> Any:
        try:
            return Context().run(rank, request)
        except RankerFailure:
            raise
        except BaseException as raised:
            raise _failure(raised) from raised
        finally:
            self._threads.release()

    def _accept(self, answer: Any, known: Container[str]) -> HostRanking:
        ranking = read_answer(answer, known)
        for names, what in (
            (ranking.dropped_unknown, "unknown"),
            (ranking.dropped_repeated, "repeated"),
        ):
            if names:
                shown = names[:_LOGGED_NAMES]
                logger.warning("the ranker named %d %s tools: %s", len(names), what, shown)
        return ranking

    def _report(self, failure: RankerFailure) -> None:
        logger.warning(
            "the ranker failed (%s): %s", self._on_failure, failure, exc_info=failure.__cause__
        )
        if self._on_failure == "error":
            raise InvocationError(ErrorCode.SEARCH_RANKER_UNAVAILABLE, UNAVAILABLE) from failure


def _rank_of(ranker: Any) -> Callable[[RankRequest], Any]:
    if not isinstance(ranker, ToolRanker):
        raise RankerFailure(f"is a {type(ranker).__name__}, which has no rank method")
    return ranker.rank


def _unseeing(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start `work` where no variable of the request is seen."""
    return asyncio.get_running_loop().create_task(work, context=Context())


def _on_helper_loop(work: Coroutine[Any, Any, Any]) -> Future[Any]:
    # The task would run in a copy of this thread's context, the request's.
    return Context().run(HELPER_LOOP.start, work)


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


def _abandon(task: asyncio.Task[Any]) -> None:
    task.cancel()
    # Whatever it ends with is nobody's: read it, so that asyncio does not report it.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())


def _result(task: asyncio.Task[Any]) -> Any:
    if task.cancelled():
        raise RankerFailure("cancelled itself")
    fault = task.exception()
    if fault is not None:
        raise _failure(fault)
    return task.result()


def _wait(future: Future[Any], timeout_s: float | None) -> Any:
    try:
        return future.result(timeout_s)
    except FutureCancelledError as fault:
        raise RankerFailure("cancelled itself") from fault
    except TimeoutError as fault:
        if not future.done():
            future.cancel()
            raise RankerFailure(f"no answer within {timeout_s} s") from None
        raise _failure(fault) from fault
    except Exception as fault:
        raise _failure(fault) from fault


def _failure(fault: BaseException) -> RankerFailure:
    if isinstance(fault, RankerFailure):
        return fault
    failure = RankerFailure(f"raised {type(fault).__name__}")
    failure.__cause__ = fault
    return failure
