"""Catalogs and rankers of the tests on PostgreSQL."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg import sql

from sezzlee_postgres import PostgresRanker
from sezzlee_py.search import RankCatalog, RankRequest, ToolDocument

DOCUMENTS = (
    ToolDocument("list_books", "List the books of the shop.", route="/books", tags=("books",)),
    ToolDocument("get_book", "Get one book by its id.", route="/books/{id}", tags=("books",)),
    ToolDocument("create_order", "Order books.", route="/orders", tags=("orders",)),
    ToolDocument("cancel_order", "Cancel an order before it ships.", tags=("orders",)),
    ToolDocument("refund_payment", "Give money back.", parameters=(("reason", "Why."),)),
    ToolDocument("ping", "Tell whether the shop is up."),
)

# What is meant alike stands side by side; a stand-in for a model that knows it.
_MEANINGS = (
    {"books", "book", "paperback", "novel"},
    {"order", "orders", "purchase", "buy"},
    {"cancel", "undo", "revoke"},
    {"refund", "money", "payment", "reimburse"},
    {"up", "ping", "alive", "health"},
)


def embed(texts: Sequence[str]) -> list[list[float]]:
    """One dimension a meaning, and a little of each word, so that no text is nowhere."""
    vectors = []
    for text in texts:
        words = {word.strip(".,").lower() for word in text.split()}
        vectors.append([float(len(words & meaning)) + 0.01 for meaning in _MEANINGS])
    return vectors


def namespace_of(test: str) -> str:
    return "t_" + hashlib.blake2b(test.encode(), digest_size=8).hexdigest()


def catalog(documents: Iterable[ToolDocument] = DOCUMENTS, version: str = "1") -> RankCatalog:
    return RankCatalog(version=version, documents=tuple(documents))


async def ask(ranker: PostgresRanker, query: str, of: RankCatalog | None = None) -> list[str]:
    return await ranker.rank(RankRequest(query=query, catalog=of or catalog()))


def rows(connection: psycopg.Connection, namespace: str, table: str, columns: str) -> list[Any]:
    """The rows of a table of a namespace, in order."""
    query = sql.SQL("SELECT {} FROM {} ORDER BY 1").format(
        sql.SQL(", ").join(map(sql.Identifier, columns.split())), sql.Identifier(namespace, table)
    )
    return connection.execute(query).fetchall()


def many(count: int) -> tuple[ToolDocument, ...]:
    """Tools enough that writing them takes a while."""
    return tuple(
        ToolDocument(f"tool_{at}", f"Does {at % 7} things to item {at} of the shop.")
        for at in range(count)
    )
