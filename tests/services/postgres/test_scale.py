"""Five thousand tools; `python -m benchmarks.postgres` does the same with a hundred thousand."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import psycopg

from benchmarks.postgres import computed_ms, cpu_ms, embedder
from benchmarks.search.speed import Catalog
from sezzlee_postgres import PostgresRanker
from tests.services.postgres.server import Server
from tests.services.postgres.shop import ask, catalog
from tests.services.processes import wait_until


async def test_a_large_catalog_is_searched_by_its_indexes_and_kept_at_the_cost_of_its_changes(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    large = Catalog(5_000)
    whole = catalog(large.documents)
    given = {"embed": embedder(16), "model": "words", "candidates": 300, "timeout_ms": 20_000}
    ranker = PostgresRanker(server.conninfo, namespace=namespace, **given)
    async with ranker:
        await ranker.store(whole)
        for query in large.queries[:20]:
            assert len(await ask(ranker, query, whole)) >= 100
        before = cpu_ms(server.processes())
        for query in large.queries:
            await ask(ranker, query, whole)
        a_search_ms = computed_ms(before, cpu_ms(server.processes())) / len(large.queries)
        print(f"a search costs the server {a_search_ms:.1f} ms of CPU")
        assert a_search_ms < 15

        changed = [replace(each, description="Anew.") for each in large.documents[:10]]
        await ranker.store(catalog((*changed, *large.documents[10:]), "2"))
    # A connection has told the server all that it counted once it has ended.
    await asyncio.to_thread(
        wait_until, lambda: written(connection, namespace) == (5_010, 10), within_s=10
    )
    assert {name for name, count in scans(connection, namespace).items() if count >= 220} >= {
        "tools_terms",
        "vectors_16",
        "terms_form",
    }


def scans(connection: psycopg.Connection, namespace: str) -> dict[str, int]:
    """How often each index has been read."""
    rows = connection.execute(
        "SELECT indexrelname, idx_scan FROM pg_stat_user_indexes WHERE schemaname = %s",
        (namespace,),
    )
    return dict(rows.fetchall())


def written(connection: psycopg.Connection, namespace: str) -> tuple[int, int]:
    """How many rows of the tools' table were ever inserted, and how many changed."""
    row = connection.execute(
        "SELECT n_tup_ins, n_tup_upd FROM pg_stat_user_tables"
        " WHERE schemaname = %s AND relname = 'tools'",
        (namespace,),
    ).fetchone()
    assert row is not None
    return row[0], row[1]
