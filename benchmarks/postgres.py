"""`PostgresRanker` over a large catalog: what writing, upkeep and a search cost.

    python -m benchmarks.postgres [CONNINFO] [--tools 100000] [--dimensions 0]

Without CONNINFO a server of its own is started and removed. The catalog and the queries are those
of `benchmarks.search.speed`. `--dimensions` adds vectors, made from the words of each text, so that
pgvector works as it would with a model, whose own time is left out. Of each query the best of three
rounds counts; the server's CPU, known of its own server alone, is that of all rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from benchmarks.search.speed import Catalog
from sezzlee_postgres import PostgresRanker
from sezzlee_py.model.text import tokenize
from sezzlee_py.search import RankCatalog, RankRequest, ToolDocument

NAMESPACE = "sezzlee_benchmark"
ROUNDS = 3
CHANGED = 10


Embed = Callable[[Sequence[str]], list[list[float]]]
Cpu = Callable[[], dict[int, float]]


def embedder(dimensions: int) -> Embed:
    """Return a function that puts a text where its words are: alike texts are near."""

    @lru_cache(20_000)
    def place(word: str) -> tuple[float, ...]:
        digest = hashlib.shake_128(word.encode()).digest(dimensions)
        return tuple(byte - 127.5 for byte in digest)

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [
            [
                sum(values) / 1000
                for values in zip(*map(place, tokenize(text) or ("",)), strict=True)
            ]
            for text in texts
        ]

    return embed


@contextmanager
def own_server() -> Iterator[tuple[str, Cpu]]:
    from tests.services.postgres.server import running

    with TemporaryDirectory(prefix="sezzlee") as folder:
        os.chmod(folder, 0o755)
        with running(Path(folder) / "server") as server:
            yield server.conninfo, lambda: cpu_ms(server.processes())


def cpu_ms(pids: Iterable[int]) -> dict[int, float]:
    """Milliseconds that each process has computed, whatever else the machine does."""
    computed = {}
    for pid in pids:
        # One may end while the others are read.
        with suppress(FileNotFoundError):
            text = Path(f"/proc/{pid}/schedstat").read_text()
            computed[pid] = int(text.split()[0]) / 1e6
    return computed


def computed_ms(before: dict[int, float], after: dict[int, float]) -> float:
    """Milliseconds computed in between by those that have not ended."""
    return sum(ms - before.get(pid, 0.0) for pid, ms in after.items())


async def measure(conninfo: str, cpu: Cpu, tools: int, dimensions: int) -> None:
    catalog = Catalog(tools)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {NAMESPACE} CASCADE")
    given = {"embed": embedder(dimensions), "model": "words"} if dimensions else {}
    ranker = PostgresRanker(conninfo, namespace=NAMESPACE, timeout_ms=60_000, **given)
    async with ranker:
        first = await timed(ranker, catalog.documents, "1")
        print(f"| {tools:,} tools written | {first:.1f} s |", flush=True)
        before = cpu()
        times, counts = await searches(ranker, catalog)
        computed = computed_ms(before, cpu()) / ROUNDS / len(catalog.queries)
        print(f"| a search, median | {statistics.median(times):.1f} ms |")
        print(f"| a search, 95th percentile | {statistics.quantiles(times, n=20)[18]:.1f} ms |")
        print(f"| a search, the server's CPU | {computed:.1f} ms |")
        print(f"| names in an answer, median | {statistics.median(counts):,.0f} |", flush=True)
        changed = tuple(
            replace(each, description=f"{each.description} Changed.") if at < CHANGED else each
            for at, each in enumerate(catalog.documents)
        )
        upkeep = await timed(ranker, changed, "2")
        print(f"| {CHANGED} tools changed | {upkeep:.1f} s |", flush=True)
    async with PostgresRanker(conninfo, namespace=NAMESPACE, **given) as restarted:
        known = await timed(restarted, changed, "2")
        print(f"| another replica finds it stored | {known:.1f} s |", flush=True)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
            (NAMESPACE,),
        ).fetchone()
        print(f"| stored | {row[0] / 10**6:,.0f} MB |")
        connection.execute(f"DROP SCHEMA {NAMESPACE} CASCADE")


async def timed(ranker: PostgresRanker, documents: tuple[ToolDocument, ...], version: str) -> float:
    """Seconds until a catalog is stored."""
    catalog = RankCatalog(version=version, documents=documents)
    started = time.perf_counter()
    await ranker.store(catalog)
    return time.perf_counter() - started


async def searches(ranker: PostgresRanker, catalog: Catalog) -> tuple[list[float], list[int]]:
    best: dict[str, float] = {}
    counts: dict[str, int] = {}
    whole = RankCatalog(version="1", documents=catalog.documents)
    for _ in range(ROUNDS):
        for query in catalog.queries:
            started = time.perf_counter()
            names = await ranker.rank(RankRequest(query=query, catalog=whole))
            taken = (time.perf_counter() - started) * 1000
            best[query] = min(taken, best.get(query, taken))
            counts[query] = len(names)
    return list(best.values()), list(counts.values())


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conninfo", nargs="?")
    parser.add_argument("--tools", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=0)
    given = parser.parse_args(arguments)
    server = nullcontext((given.conninfo, dict)) if given.conninfo else own_server()
    with server as (conninfo, cpu):
        print("| what | cost |\n| --- | ---: |")
        asyncio.run(measure(conninfo, cpu, given.tools, given.dimensions))


if __name__ == "__main__":
    main(sys.argv[1:])
