from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg import sql

from sezzlee_postgres import PostgresRanker
from sezzlee_py.search import RankerFailure, ToolDocument
from tests.services.postgres.server import Server
from tests.services.postgres.shop import DOCUMENTS, ask, catalog, embed, many, rows


class Model:
    """Counts what it embeds; may be told to wait, or to fail once it has had enough."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.most: float = float("inf")
        self.asked = asyncio.Event()

    async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        if len(self.texts) + len(texts) > self.most:
            raise RuntimeError("enough")
        self.asked.set()
        await self.goes_on.wait()
        self.texts += texts
        return embed(texts)


def hybrid(server: Server, namespace: str, model: Any, /, **given: Any) -> PostgresRanker:
    given = {"embed": model, "model": "meanings", "wait_ms": 20_000, **given}
    return PostgresRanker(server.conninfo, namespace=namespace, **given)


async def test_eight_replicas_write_and_embed_a_catalog_once(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    model, documents = Model(), many(600)
    replicas = [hybrid(server, namespace, model) for _ in range(8)]
    await asyncio.gather(*(each.store(catalog(documents)) for each in replicas))
    for each in replicas:
        await each.aclose()

    assert len(model.texts) == 600
    assert rows(connection, namespace, "editions", "number tools") == [(1, 600)]
    inserted = connection.execute(
        sql.SQL("SELECT max(id), count(*), count(DISTINCT name), count(died) FROM {}").format(
            sql.Identifier(namespace, "tools")
        )
    ).fetchone()
    assert inserted == (600, 600, 600, 0)
    assert len(rows(connection, namespace, "vectors", "id")) == 600


async def test_only_what_changed_is_written_and_embedded(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    model, before = Model(), many(300)
    after = (
        *(replace(each, description=f"{each.description} Now!") for each in before[:10]),
        *before[10:295],
        ToolDocument("added", "Something else."),
    )
    async with hybrid(server, namespace, model) as ranker:
        await ranker.store(catalog(before))
        first = dict(rows(connection, namespace, "tools", "id xmin"))
        model.texts.clear()
        await ranker.store(catalog(after, "2"))
        assert len(model.texts) == 11
        second = dict(rows(connection, namespace, "tools", "id xmin"))
        # Ten changed and five went: these die, which is all that is written of the old ones.
        dead = {row for row, died in rows(connection, namespace, "tools", "id died") if died}
        assert {row for row in first if second[row] != first[row]} == dead
        assert (len(dead), len(second) - len(first)) == (15, 11)
        assert (await ask(ranker, "something else", catalog(after, "2")))[0] == "added"


async def test_an_equal_catalog_of_another_generation_is_stored_already(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        await ranker.store(catalog(version="1-abc"))
        await ranker.store(catalog(tuple(reversed(DOCUMENTS)), version="2-abc"))
    assert rows(connection, namespace, "editions", "number version") == [(1, "1-abc")]


async def test_catalogs_of_one_version_and_other_documents_are_told_apart(
    server: Server, namespace: str
) -> None:
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        assert await ask(ranker, "order", catalog(DOCUMENTS[:3])) == ["create_order"]
        assert await ask(ranker, "order", catalog(DOCUMENTS[3:])) == ["cancel_order"]


async def test_the_old_edition_is_served_while_a_replica_writes_the_new_one(
    server: Server, namespace: str
) -> None:
    model = Model()
    old, new = catalog(DOCUMENTS), catalog((*DOCUMENTS[1:], ToolDocument("buy_books", "New.")), "2")
    writer = hybrid(server, namespace, model)
    waiting = PostgresRanker(server.conninfo, namespace=namespace)
    async with writer, waiting:
        await writer.store(old)
        model.goes_on.clear()
        model.asked.clear()
        writing = asyncio.create_task(writer.store(new))
        await model.asked.wait()
        # What is gone is not named, what is new not yet.
        assert await ask(waiting, "books", new) == ["get_book", "create_order"]
        model.goes_on.set()
        await writing
        await waiting.store(new)
        assert "buy_books" in await ask(waiting, "books", new)
        assert "buy_books" in await ask(writer, "books", new)


async def test_without_an_old_edition_a_search_waits_and_then_gives_way(
    server: Server, namespace: str
) -> None:
    model = Model()
    model.goes_on.clear()
    async with hybrid(server, namespace, model, wait_ms=300, least=0.9) as ranker:
        with pytest.raises(RankerFailure, match="being written"):
            await ask(ranker, "book")
        model.goes_on.set()
        await ranker.store(catalog())
        assert "get_book" in await ask(ranker, "book")


async def test_what_a_failed_writing_had_embedded_is_not_embedded_again(
    server: Server, namespace: str, connection: psycopg.Connection, caplog: Any
) -> None:
    model, documents = Model(), many(600)
    async with hybrid(server, namespace, model) as ranker:
        model.most = 300
        with caplog.at_level(logging.CRITICAL), pytest.raises(RuntimeError):
            await ranker.store(catalog(documents))
        assert (len(model.texts), rows(connection, namespace, "editions", "number")) == (256, [])
    model.most = float("inf")
    async with hybrid(server, namespace, model) as ranker:
        await ranker.store(catalog(documents))
        assert len(model.texts) == 600
        assert len(await ask(ranker, "things of the shop", catalog(documents))) == 600


async def test_what_was_left_half_written_of_another_catalog_goes(
    server: Server, namespace: str, connection: psycopg.Connection, caplog: Any
) -> None:
    model = Model()
    async with hybrid(server, namespace, model) as ranker:
        model.most = 300
        with caplog.at_level(logging.CRITICAL), pytest.raises(RuntimeError):
            await ranker.store(catalog(many(600)))
        model.most = float("inf")
        await ranker.store(catalog(DOCUMENTS, "2"))
    names = [name for (name,) in rows(connection, namespace, "tools", "name")]
    assert names == sorted(each.name for each in DOCUMENTS)
    assert counted(connection, namespace) == expected_counts(connection, namespace)


async def test_old_editions_go_and_with_them_their_tools_and_terms(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    async with hybrid(server, namespace, embed, keep=2) as ranker:
        for version in range(5):
            changed = ToolDocument("news", f"Word{version} of the day.")
            await ranker.store(catalog((*DOCUMENTS, changed), str(version)))
    assert rows(connection, namespace, "editions", "number version") == [(4, "3"), (5, "4")]
    lives = rows(connection, namespace, "tools", "name born died")
    assert [life for life in lives if life[0] == "news"] == [("news", 4, 5), ("news", 5, None)]
    assert len(rows(connection, namespace, "vectors", "id")) == len(lives)
    assert counted(connection, namespace) == expected_counts(connection, namespace)


async def test_a_replica_whose_edition_was_pruned_writes_it_again(
    server: Server, namespace: str
) -> None:
    old = PostgresRanker(server.conninfo, namespace=namespace, keep=1, wait_ms=20_000)
    new = PostgresRanker(server.conninfo, namespace=namespace, keep=1)
    async with old, new:
        first = await ask(old, "order")
        await new.store(catalog(DOCUMENTS[:2], "2"))
        await old.store(catalog())
        assert await ask(old, "order") == first
        # The other way about: known here, pruned there, found out by the search.
        await new.store(catalog(DOCUMENTS[:2], "3"))
        await PostgresRanker(server.conninfo, namespace=namespace, keep=1).store(
            catalog(DOCUMENTS[:1], "4")
        )
        assert await ask(old, "order") == first


async def test_a_namespace_that_was_dropped_is_made_anew(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        first = await ask(ranker, "order")
        connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(namespace)))
        assert await ask(ranker, "order") == first != []


async def test_another_model_embeds_anew_and_the_old_one_is_served_meanwhile(
    server: Server, namespace: str
) -> None:
    def wide(texts: Sequence[str]) -> list[list[float]]:
        return [[*reversed(vector), 0.5, 0.5] for vector in embed(texts)]

    old = hybrid(server, namespace, embed, least=0.9)
    new = hybrid(server, namespace, wide, model="wide", least=0.9)
    async with old, new:
        for _ in range(2):
            for each in (old, new):
                assert (await ask(each, "reimburse"))[0] == "refund_payment"


@pytest.mark.parametrize(
    "given",
    [None, "text", [[1.0]], [[1.0], [1.0, 2.0]], [[]] * 6, [[float("nan")]] * 6, [["a"]] * 6],
    ids=["none", "text", "few", "uneven", "empty", "nan", "words"],
)
async def test_what_is_no_vector_is_a_failure_of_the_ranker(
    server: Server, namespace: str, given: Any, caplog: Any
) -> None:
    async with hybrid(server, namespace, lambda texts: given) as ranker:
        with caplog.at_level(logging.CRITICAL), pytest.raises(RankerFailure):
            await ranker.store(catalog())
        with caplog.at_level(logging.CRITICAL), pytest.raises(RankerFailure):
            await ask(ranker, "book")


async def test_roles_that_own_nothing_search_and_write_what_the_owner_has_made(
    server: Server, namespace: str, connection: psycopg.Connection
) -> None:
    async with hybrid(server, namespace, embed) as owner:
        await owner.store(catalog())
    for name, may in (("reads", "SELECT"), ("writes", "SELECT, INSERT, UPDATE, DELETE")):
        role, schema = sql.Identifier(f"{name}_{namespace}"), sql.Identifier(namespace)
        for grant in (
            "CREATE ROLE {role} LOGIN",
            "GRANT USAGE ON SCHEMA {schema} TO {role}",
            f"GRANT {may} ON ALL TABLES IN SCHEMA {{schema}} TO {{role}}",
        ):
            connection.execute(sql.SQL(grant).format(role=role, schema=schema))
    given = {"namespace": namespace, "embed": embed, "model": "meanings", "least": 0.99}
    reads, writes = (
        PostgresRanker(server.conninfo.replace("user=sezzlee", f"user={name}_{namespace}"), **given)
        for name in ("reads", "writes")
    )
    async with reads, writes:
        assert (await ask(reads, "cancel"))[0] == "cancel_order"
        await writes.store(catalog(DOCUMENTS[:4], "2"))
        assert (await ask(writes, "cancel", catalog(DOCUMENTS[:4], "2")))[0] == "cancel_order"


def counted(connection: psycopg.Connection, namespace: str) -> dict[str, int]:
    return dict(rows(connection, namespace, "terms", "term tools"))


def expected_counts(connection: psycopg.Connection, namespace: str) -> dict[str, int]:
    stored = sql.SQL("SELECT terms FROM {}").format(sql.Identifier(namespace, "tools"))
    query = sql.SQL("SELECT word, ndoc FROM ts_stat({})").format(
        sql.Literal(stored.as_string(connection))
    )
    return dict(connection.execute(query).fetchall())
