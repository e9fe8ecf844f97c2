"""How a figure is taken: alternating runs, medians, ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: what was measured, its median beside that of the base, in microseconds."""

    name: str
    measured_us: float
    base_us: float
    target: float

    @property
    def ratio(self) -> float:
        return self.measured_us / self.base_us

    def __str__(self) -> str:
        verdict = "ok" if self.ratio <= self.target else "OVER"
        return (
            f"{self.name:<58} {self.measured_us:>10.1f} us / {self.base_us:>10.1f} us"
            f" = {self.ratio:5.2f} (target {self.target:.2f}) {verdict}"
        )


async def compare_async(
    name: str,
    measured: Callable[[], Awaitable[object]],
    base: Callable[[], Awaitable[object]],
    *,
    target: float,
    rounds: int = 400,
    clock: Callable[[], float] = time.perf_counter,
) -> Figure:
    """Return the medians of two coroutines called in turn, after a warm-up.

    Where everything happens in this process `time.process_time` leaves out what else the machine
    is busy with.
    """
    for _ in range(30):
        await measured()
        await base()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, taken in zip((measured, base), times, strict=True):
            start = clock()
            await call()
            taken.append(clock() - start)
    return _figure(name, times, target)


def compare(
    name: str,
    measured: Callable[[], object],
    base: Callable[[], object],
    *,
    target: float,
    rounds: int = 400,
    warm_up: int = 30,
) -> Figure:
    """Return the medians of two functions called in turn, after a warm-up."""
    for _ in range(warm_up):
        measured()
        base()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, taken in zip((measured, base), times, strict=True):
            start = time.perf_counter()
            call()
            taken.append(time.perf_counter() - start)
    return _figure(name, times, target)


def _figure(name: str, times: tuple[list[float], list[float]], target: float) -> Figure:
    measured, base = (statistics.median(taken) * 1e6 for taken in times)
    return Figure(name=name, measured_us=measured, base_us=base, target=target)
