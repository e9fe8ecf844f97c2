"""Where the pipeline runs: on the server's event loop, or in a worker's thread."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from sezzlee_py.background.workers import Workers
from sezzlee_py.invoke.dispatch import DeadlineExpired
from sezzlee_py.invoke.fills import FillContext, FillProvider, aresolve_fills, resolve_fills
from sezzlee_py.invoke.flights import TaskFlights, ThreadFlights
from sezzlee_py.invoke.refs import Cancelled, FileResolver, aresolve_refs, resolve_refs
from sezzlee_py.invoke.settle import drive, settle_in_thread, settle_on_loop
from sezzlee_py.model import ComposedRequest

T = TypeVar("T")


class Runtime(Protocol):
    """Waits for what a host plugs in; the pipeline itself is the same everywhere."""

    @property
    def blocks(self) -> bool:
        """Whether waiting holds a thread that serves requests."""

    @property
    def around(self) -> Callable[[], AbstractContextManager[Any]]:
        """What a host's plain functions run in."""

    async def settle(self, value: Any) -> Any:
        """Return `value`, awaited when it is awaitable."""

    async def fills(
        self, sources: Iterable[str], providers: Mapping[str, FillProvider], context: FillContext
    ) -> Mapping[str, object]:
        """Return the value of each source; see `fills.aresolve_fills`."""

    async def refs(
        self, request: ComposedRequest, resolver: FileResolver, cancelled: Cancelled, **facts: Any
    ) -> ComposedRequest:
        """Return `request` with the bytes of its refs; see `refs.aresolve_refs`."""

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what one computation gives to all who ask for `key` while it runs.

        A waiter that is cancelled takes nothing from the others.
        """

    async def each(
        self, works: Iterable[Callable[[], Coroutine[Any, Any, T]]], *, at_once: int
    ) -> list[T]:
        """Return what each of `works` returns, no more than `at_once` of them running together.

        Each is called when its turn comes: of a caller who leaves before that nothing is begun.
        """

    async def within(self, deadline: float | None, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns.

        Raises:
            DeadlineExpired: `time.monotonic()` passed the deadline first; `work` is cancelled
                where it can be.
        """


class LoopRuntime:
    """The running event loop of an ASGI server."""

    blocks = False
    around = nullcontext

    def __init__(self) -> None:
        self._flights = TaskFlights()

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what one task gives to all who ask for `key` while it runs."""
        return await self._flights.join(key, make)

    async def each(
        self, works: Iterable[Callable[[], Coroutine[Any, Any, T]]], *, at_once: int
    ) -> list[T]:
        """Return what each of `works` returns, in their order."""
        turn = asyncio.Semaphore(at_once)

        async def take_turn(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
            async with turn:
                return await work()

        return await asyncio.gather(*map(take_turn, works))

    async def settle(self, value: Any) -> Any:
        """Return `value`, awaited when it is awaitable."""
        return await settle_on_loop(value)

    async def fills(
        self, sources: Iterable[str], providers: Mapping[str, FillProvider], context: FillContext
    ) -> Mapping[str, object]:
        """Return the value of each source, all asked concurrently."""
        return await aresolve_fills(sources, providers, context)

    async def refs(
        self, request: ComposedRequest, resolver: FileResolver, cancelled: Cancelled, **facts: Any
    ) -> ComposedRequest:
        """Return `request` with the bytes of its refs."""
        return await aresolve_refs(request, resolver, cancelled=cancelled, **facts)

    async def within(self, deadline: float | None, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, or cancel it at the deadline."""
        if deadline is None:
            return await work
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())) as timer:
                return await work
        except TimeoutError:
            if not timer.expired():
                raise
            raise DeadlineExpired from None


class ThreadRuntime:
    """A worker thread of a WSGI server, without an event loop of its own.

    Args:
        around: what a host's functions run in, such as an application context.
    """

    blocks = True

    def __init__(self, around: Callable[[], AbstractContextManager[Any]] = nullcontext) -> None:
        self.around = around
        self._workers = Workers("sezzlee-host")
        self._flights = ThreadFlights()

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what one thread computes for all who ask for `key` while it runs."""
        return self._flights.join(key, lambda: drive(make()))

    async def each(
        self, works: Iterable[Callable[[], Coroutine[Any, Any, T]]], *, at_once: int
    ) -> list[T]:
        """Return what each of `works` returns, in their order, one after the other."""
        return [await work() for work in works]

    async def settle(self, value: Any) -> Any:
        """Return `value`, waited for on the helper loop when it is awaitable."""
        return await settle_in_thread(value) if inspect.isawaitable(value) else value

    async def fills(
        self, sources: Iterable[str], providers: Mapping[str, FillProvider], context: FillContext
    ) -> Mapping[str, object]:
        """Return the value of each source, asked in this thread."""
        return resolve_fills(sources, providers, context)

    async def refs(
        self, request: ComposedRequest, resolver: FileResolver, cancelled: Cancelled, **facts: Any
    ) -> ComposedRequest:
        """Return `request` with the bytes of its refs."""
        return resolve_refs(request, resolver, cancelled=cancelled, **facts)

    async def within(self, deadline: float | None, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, run in a thread that is left behind at the deadline."""
        pending = self._workers.submit(lambda: self._driven(work))
        if pending.wait(None if deadline is None else deadline - time.monotonic()):
            return pending.result()
        if pending.give_up():
            work.close()
        raise DeadlineExpired

    def _driven(self, work: Coroutine[Any, Any, T]) -> T:
        with self.around():
            return drive(work)
