"""Where the pipeline runs: on the server's event loop, or in a worker's thread."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from sezzlee_py.invoke.dispatch import DeadlineExpired
from sezzlee_py.invoke.fills import FillContext, FillProvider, aresolve_fills, resolve_fills
from sezzlee_py.invoke.refs import Cancelled, FileResolver, aresolve_refs, resolve_refs
from sezzlee_py.invoke.settle import drive, settle_in_thread, settle_on_loop
from sezzlee_py.invoke.wsgi import PoolPerProcess
from sezzlee_py.model import ComposedRequest

T = TypeVar("T")


class Runtime(Protocol):
    """Waits for what a host plugs in; the pipeline itself is the same everywhere."""

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

    async def within(self, deadline: float | None, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns.

        Raises:
            DeadlineExpired: `time.monotonic()` passed the deadline first; `work` is cancelled
                where it can be.
        """


class LoopRuntime:
    """The running event loop of an ASGI server."""

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
    """A worker thread of a WSGI server, without an event loop of its own."""

    def __init__(self) -> None:
        self._pool = PoolPerProcess()

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
        """Return what `work` returns, run in a pool thread that is left behind at the deadline."""
        if deadline is None:
            return await work
        future = self._pool.get().submit(drive, work)
        try:
            return future.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            if future.done():
                raise
            raise DeadlineExpired from None
