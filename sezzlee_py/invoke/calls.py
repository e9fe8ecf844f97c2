"""Calls of the host's plain or async functions, their exceptions kept as values."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from sezzlee_py.invoke.settle import drive, settle_in_thread

HostFunction: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception a host's function ended with."""

    fault: BaseException


async def acall_hosts(functions: Iterable[HostFunction], argument: object) -> list[Any]:
    """Return what each function answers, or `Raised`; they run concurrently.

    Plain functions run in worker threads, so that none blocks the loop.
    """
    return await asyncio.gather(*[_answer(function, argument) for function in functions])


def call_hosts(functions: Iterable[HostFunction], argument: object) -> list[Any]:
    """Return what each function answers, or `Raised`, from a thread without a loop.

    Plain functions run here in order, async ones concurrently on the helper loop.
    """
    answers = [_call(function, argument) for function in functions]
    pending = {n: answer for n, answer in enumerate(answers) if inspect.isawaitable(answer)}
    if pending:
        settled = drive(settle_in_thread(_settle_all(pending.values())))
        for number, answer in zip(pending, settled, strict=True):
            answers[number] = answer
    return answers


async def _answer(function: HostFunction, argument: object) -> Any:
    if _is_async(function):
        return await _settle(_call(function, argument))
    return await _settle(await asyncio.to_thread(_call, function, argument))


def _is_async(function: HostFunction) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - the method of a callable object
    )


def _call(function: HostFunction, argument: object) -> Any:
    # Caught here, inside the thread: a future cannot carry StopIteration, and SystemExit in a task
    # would end the server.
    try:
        return function(argument)
    except (Exception, SystemExit) as fault:
        return Raised(fault)


async def _settle_all(answers: Iterable[Awaitable[Any]]) -> list[Any]:
    return await asyncio.gather(*[_settle(answer) for answer in answers])


async def _settle(answer: Any) -> Any:
    try:
        return await answer if inspect.isawaitable(answer) else answer
    except asyncio.CancelledError as fault:
        # A host's own cancelled task is its failure; ours being cancelled is not.
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Raised(fault)
    except (Exception, SystemExit) as fault:
        return Raised(fault)
