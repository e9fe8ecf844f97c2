"""What knowing the caller adds to a search over 1,000 tools, and what 10,000 callers cost.

Each figure is the median of calls that alternate with the same call without any caller facts.
"""

import asyncio
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.measure import compare_async
from sezzlee_py import Options
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.store import MemoryStore
from sezzlee_py.catalog.adapter import Discovery
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.invoke.runtime import LoopRuntime
from sezzlee_py.mcp.binding import SearchCall
from sezzlee_py.model import Anonymous, Auth, ToolDefinition
from sezzlee_py.toolkit.engine import Engine
from sezzlee_py.toolkit.host_calls import outer_of

TOOLS, SCOPES, CALLERS = 1_000, 50, 10_000
LIMIT_MS = 0.1

VERBS = ["list", "get", "create", "update", "cancel", "export", "archive", "restore"]
THINGS = ["order", "invoice", "customer", "product", "shipment", "refund", "ticket", "report"]


def tools() -> tuple[ToolDefinition, ...]:
    """Return tools of which every other one asks for one of `SCOPES` scopes."""
    made = []
    for number in range(TOOLS):
        verb, thing = VERBS[number % 8], THINGS[number // 8 % 8]
        policies = (f"scope:{number % SCOPES}",) if number % 2 else ()
        made.append(
            ToolDefinition(
                name=f"{verb}_{thing}_{number:04}",
                description=f"{verb.capitalize()} one {thing} of department {number}.",
                input_schema={"type": "object", "properties": {"id": {"type": "integer"}}},
                annotations={},
                tags=(thing,),
                method="GET",
                route=f"/{thing}/{number}",
                auth=Auth(
                    anonymous=Anonymous.YES if not policies else Anonymous.NO, policies=policies
                ),
            )
        )
    return tuple(sorted(made, key=lambda tool: tool.name))


class Nothing:
    """An application without routes; the catalog is put in its place."""

    def discover(self) -> Discovery:
        return Discovery(operations=())

    def resolve(self, method: str, path: str, *, host: str | None = None) -> None:
        return None


def engine(options: Options) -> Engine:
    made = Engine(Nothing(), None, LoopRuntime(), options)  # type: ignore[arg-type]  # never called
    life = made._life
    life.snapshot = life._snapshot(Catalog(tools=tools()), 1, {})
    return made


def knowing(**cache: Any) -> Options:
    """Options of a host that tells identities and answers policies."""
    options = Options(cache=cache)
    options.visibility.identity = lambda _: "present"
    options.visibility.evaluate_policy = lambda policy, _: "allow"
    return options


def searching(engine: Engine, token: str) -> Callable[[], Awaitable[object]]:
    outer = outer_of({"authorization": f"Bearer {token}"})
    call = SearchCall(query="cancel order", limit=20, detail="card", tags=())
    return lambda: engine.call(call, outer)


async def search_figure() -> bool:
    """Compare a search whose visible set comes from the cache with one that knows no caller."""
    # Everybody sees the same here, so that both rank the same tools.
    known, unknown = engine(knowing()), engine(Options(visibility={"unknown": "show"}))
    figure = await compare_async(
        "search over 1,000 tools, visible set from the cache",
        searching(known, "ada"),
        searching(unknown, "ada"),
        target=10.0,
        rounds=600,
    )
    added_ms = (figure.measured_us - figure.base_us) / 1_000
    ok = added_ms <= LIMIT_MS
    print(figure)
    print(f"  adds {added_ms:.4f} ms (limit {LIMIT_MS} ms) {'ok' if ok else 'OVER'}")
    return ok


async def crowd_figure() -> bool:
    """Send 10,000 callers through a cache of the default size."""
    store = MemoryStore()
    made = engine(knowing(store=store))
    tracemalloc.start()
    start = time.perf_counter()
    for number in range(CALLERS):
        await searching(made, f"token-{number}")()
    spent_s = time.perf_counter() - start
    kept_mb = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    ok = len(store) <= made.options.cache.max_callers
    print(
        f"{CALLERS} callers: {len(store)} scopes kept (bound {made.options.cache.max_callers}), "
        f"{kept_mb:.1f} MB, {spent_s * 1e6 / CALLERS:.0f} us each "
        f"with {SCOPES // 2} policies asked {'ok' if ok else 'OVER'}"
    )
    return ok


async def look_up_figure() -> None:
    """Time the parts of a cache hit."""
    store = MemoryStore()
    caller = McpCaller(fields=(("authorization", "Bearer ada"),))
    scope = CallerScope(caller.scope_key)
    store.set(scope, "facts", "P|", 60_000)
    for name, part in {
        "digest of the carriers": lambda: caller.scope_key,
        "look-up in memory": lambda: store.get(scope, "facts"),
    }.items():
        start = time.perf_counter()
        for _ in range(20_000):
            part()
        print(f"  {name:<40} {(time.perf_counter() - start) / 20_000 * 1e6:6.2f} us")


async def main() -> int:
    results = [await search_figure()]
    await look_up_figure()
    results.append(await crowd_figure())
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
