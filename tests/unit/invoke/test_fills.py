"""Providers of hidden values, asked once per call."""

import asyncio
import functools
import logging
import threading
from typing import Any

import pytest

from sezzlee_py.invoke.fills import (
    MISSING,
    FillContext,
    Operation,
    aresolve_fills,
    resolve_fills,
)

CONTEXT = FillContext(caller="caller", operation=Operation(method="GET", route="/a"), tool="list_a")


def tenant(context: FillContext) -> str:
    return f"{context.caller}-{context.tool}"


async def region(context: FillContext) -> str:
    await asyncio.sleep(0)
    return context.operation.route


class Callable:
    async def __call__(self, context: FillContext) -> int:
        return 5


def raising(_: FillContext) -> str:
    raise RuntimeError("secret")


def exhausted(_: FillContext) -> object:
    return next(iter(()))


async def araising(_: FillContext) -> str:
    raise RuntimeError("secret")


def leaving(_: FillContext) -> str:
    raise SystemExit(3)


async def aleaving(_: FillContext) -> str:
    raise SystemExit(3)


async def cancelled(_: FillContext) -> str:
    task = asyncio.ensure_future(asyncio.Event().wait())
    task.cancel()
    await task
    return "never"


PROVIDERS: dict[str, Any] = {
    "tenant": tenant,
    "region": region,
    "object": Callable(),
    "partial": functools.partial(region),
    "hidden_async": lambda context: region(context),
    "none": lambda _: None,
    "missing": lambda _: MISSING,
    "raising": raising,
    "exhausted": exhausted,
    "araising": araising,
    "leaving": leaving,
    "aleaving": aleaving,
    "cancelled": cancelled,
}
EXPECTED = {
    "tenant": "caller-list_a",
    "region": "/a",
    "object": 5,
    "partial": "/a",
    "hidden_async": "/a",
    "none": None,
    "missing": MISSING,
    "raising": MISSING,
    "exhausted": MISSING,
    "araising": MISSING,
    "leaving": MISSING,
    "aleaving": MISSING,
    "cancelled": MISSING,
    "unregistered": MISSING,
}
FAILING = [
    *("raising", "exhausted", "araising", "leaving", "aleaving"),
    *("cancelled", "unregistered"),
]


async def test_providers_of_every_kind_answer_on_a_loop(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "sezzlee_py"):
        assert await aresolve_fills(EXPECTED, PROVIDERS, CONTEXT) == EXPECTED
    assert [record.args for record in caplog.records] == [(name,) for name in FAILING]


def test_providers_of_every_kind_answer_in_a_thread(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "sezzlee_py"):
        assert resolve_fills(EXPECTED, PROVIDERS, CONTEXT) == EXPECTED
    assert [record.args for record in caplog.records] == [(name,) for name in FAILING]


def test_a_thread_without_async_providers_needs_no_loop() -> None:
    where = []

    def here(_: FillContext) -> int:
        where.append(threading.current_thread())
        return 1

    assert resolve_fills(["a"], {"a": here}, CONTEXT) == {"a": 1}
    assert where == [threading.current_thread()]


async def test_a_plain_provider_does_not_block_the_loop() -> None:
    loop = threading.current_thread()
    found = await aresolve_fills(["a"], {"a": lambda _: threading.current_thread()}, CONTEXT)
    assert found["a"] is not loop


async def test_async_providers_run_at_the_same_time_and_each_once() -> None:
    meeting = asyncio.Barrier(2)
    calls = []

    async def meet(name: str, _: FillContext) -> str:
        calls.append(name)
        await meeting.wait()
        return name

    providers = {name: functools.partial(meet, name) for name in "ab"}
    found = await asyncio.wait_for(aresolve_fills(["a", "b", "a"], providers, CONTEXT), 5)
    assert (found, sorted(calls)) == ({"a": "a", "b": "b"}, ["a", "b"])


def test_async_providers_run_at_the_same_time_in_a_thread_too() -> None:
    meeting = asyncio.Barrier(2)

    async def meet(_: FillContext) -> bool:
        await asyncio.wait_for(meeting.wait(), 5)
        return True

    found = resolve_fills(["a", "b"], {"a": meet, "b": meet}, CONTEXT)
    assert found == {"a": True, "b": True}


async def test_the_callers_own_cancellation_is_not_a_providers_failure() -> None:
    started = asyncio.Event()

    async def waiting(_: FillContext) -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(aresolve_fills(["a"], {"a": waiting}, CONTEXT))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_sentinel_names_itself() -> None:
    assert repr(MISSING) == "MISSING"
