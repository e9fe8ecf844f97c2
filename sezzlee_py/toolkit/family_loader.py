"""Members of host data: every source called at once, each with a limit (spec: families 6)."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from sezzlee_py.catalog.family_sources import SourceState
from sezzlee_py.invoke.dispatch import LOGGER

Source: TypeAlias = Callable[[], Any]
Around: TypeAlias = Callable[[], contextlib.AbstractContextManager[Any]]

LIMIT_S: Final = 30.0


async def load_sources(
    sources: Mapping[str, Source],
    *,
    limit_s: float = LIMIT_S,
    around: Around = contextlib.nullcontext,
) -> dict[str, SourceState]:
    """Return what each source gave, all asked at once; one that fails takes none with it.

    Args:
        sources: plain or async callables by name. A plain one runs in a thread of its own, which
            is left behind when it takes too long.
        limit_s: how long one source may take.
        around: what a plain source runs in, such as an application context.
    """
    loads = (_load(name, source, limit_s, around) for name, source in sources.items())
    states = await asyncio.gather(*loads)
    return dict(zip(sources, states, strict=True))


def waits_for_a_loop(source: Source) -> bool:
    """Whether a source is `async def`, so that only an event loop can run it."""
    return any(map(inspect.iscoroutinefunction, (source, type(source).__call__)))


async def _load(name: str, source: Source, limit_s: float, around: Around) -> SourceState:
    try:
        async with asyncio.timeout(limit_s) as timer:
            return SourceState(members=await _members(source, around))
    # A source is the host's code and may raise anything; the members it gave before stay.
    except Exception as fault:
        LOGGER.warning("options.families[%r] failed", name, exc_info=fault)
        if timer.expired():
            return SourceState(fault=f"it took longer than {limit_s:g} s")
        return SourceState(fault=f"{type(fault).__name__}: {fault}")


async def _members(source: Source, around: Around) -> tuple[Any, ...]:
    def listed() -> Any:
        with around():
            given = source()
            # A generator does its work when it is read, which is this thread's business too.
            return given if inspect.isawaitable(given) else tuple(given)

    found = source() if waits_for_a_loop(source) else await _in_thread(listed)
    return tuple(await found if inspect.isawaitable(found) else found)


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Return what `call` returns in a daemon thread, which no shutdown waits for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            value = context.run(call)
        except BaseException as fault:
            # A future takes no StopIteration, and a thread's SystemExit ends the thread alone.
            is_plain = isinstance(fault, Exception) and not isinstance(fault, StopIteration)
            _deliver(done.set_exception, fault if is_plain else RuntimeError(repr(fault)))
        else:
            _deliver(done.set_result, value)

    def _deliver(settle: Callable[[Any], None], value: Any) -> None:
        # The loop may be closed, or have stopped waiting.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if done.done() else settle(value))

    threading.Thread(target=run, name="sezzlee-family-source", daemon=True).start()
    return await done
