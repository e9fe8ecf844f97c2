"""One pipeline for event loops and threads: how a host's plain or async answer is waited for.

The pipeline is written once, as coroutines. Under ASGI they run on the server's loop. Under WSGI
nothing in them suspends (the dispatcher blocks its thread, a host's `async def` runs on a helper
loop), so `drive` finishes them in one step, with no event loop per request.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

from sezzlee_py.background.helper_loop import HELPER_LOOP

T = TypeVar("T")

Settle: TypeAlias = Callable[[Any], Awaitable[Any]]


async def settle_on_loop(value: Any) -> Any:
    """Return `value`, awaited on the running loop when it is awaitable."""
    return await value if inspect.isawaitable(value) else value


async def settle_in_thread(value: Any) -> Any:
    """Return `value`, waited for on the process's helper loop when it is awaitable."""
    return HELPER_LOOP.start(_awaited(value)).result() if inspect.isawaitable(value) else value


def start_in_thread(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin `work` on the process's helper loop without waiting for it."""
    return HELPER_LOOP.start(work)


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


async def _awaited(value: Awaitable[T]) -> T:
    return await value
