"""What a catalog and its index keep in memory, per tool: `python -m benchmarks.memory`."""

from __future__ import annotations

import gc
import tracemalloc

from benchmarks.endpoint import big_app
from benchmarks.measure import Figure
from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options

TARGET_BYTES = 30 * 1024


def bytes_per_tool(count: int = 1_000) -> float:
    """Return what building the catalog of `count` routes leaves behind, per tool."""
    # The first application imports and compiles what every later one shares.
    mount_mcp(big_app(3), options=Options(selection={"default": "include"})).build()
    sezzlee = mount_mcp(big_app(count), options=Options(selection={"default": "include"}))
    gc.collect()
    tracemalloc.start()
    catalog = sezzlee.build()
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept / len(catalog)


def main() -> None:
    measured = bytes_per_tool()
    figure = Figure(
        name="catalog and index of 1,000 routes / 30 KiB, in bytes a tool",
        measured_us=measured,
        base_us=TARGET_BYTES,
        target=1,
    )
    print(f"{figure.name:<58} {measured:>10.0f} = {figure.ratio:5.2f} (target 1.00)")


if __name__ == "__main__":
    main()
