"""Brings what is stored to a catalog: one replica writes what changed, the others wait for it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any, Final

from psycopg import AsyncConnection, sql

from sezzlee_postgres.documents import (
    NAMED,
    DocumentReader,
    Indexed,
    catalog_digest,
    digest,
    storable,
    text_to_embed,
)
from sezzlee_postgres.statements import Statements
from sezzlee_postgres.vectors import Embed, dimensions_of, embedded
from sezzlee_py.search import RankCatalog, ToolDocument
from sezzlee_py.search.analysis import word_form

logger = logging.getLogger("sezzlee_postgres")

# So many documents are written, and embedded, at once; what is written stays when the next fail.
_BATCH: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One set of documents that is stored whole.

    Attributes:
        number: rows born by then and not dead are its documents.
        digest: of its documents and the model they were embedded with.
        model: the name of that model; empty without vectors.
        dimensions: of its vectors; `None` without.
        tools: how many documents it has.
    """

    number: int
    digest: bytes
    model: str
    dimensions: int | None
    tools: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A catalog as it shall be stored."""

    version: str
    digest: bytes
    documents: Mapping[bytes, ToolDocument]


class Upkeep:
    """Keeps the stored documents of one namespace.

    Args:
        conninfo: of the database.
        statements: of the namespace.
        namespace: whose lock is taken.
        embed: the host's; `None` for words alone.
        model: the name of what `embed` asks.
        keep: how many editions stay.
    """

    def __init__(
        self,
        conninfo: str,
        statements: Statements,
        namespace: str,
        *,
        embed: Embed | None,
        model: str,
        keep: int,
    ) -> None:
        self._conninfo = conninfo
        self._statements = statements
        self._namespace = namespace
        self._embed = embed
        self._model = model
        self._keep = keep
        self._reader = DocumentReader()

    async def bring(self, catalog: RankCatalog) -> Edition:
        """Return the edition of `catalog`, written now unless it is stored.

        Only what is new is read, embedded and written; what a crash left half done is taken up.
        """
        wanted = await asyncio.to_thread(self._wanted, catalog)
        async with await AsyncConnection.connect(self._conninfo, autocommit=True) as connection:
            # Reading a hundred thousand documents takes as long as it takes.
            await connection.execute(
                "SELECT set_config(name, '0', false) FROM unnest(ARRAY['statement_timeout',"
                " 'idle_in_transaction_session_timeout', 'lock_timeout']) AS name"
            )
            await self._make_tables(connection)
            found = await self._found(connection, wanted)
            if found is not None:
                return found
            async with self._alone(connection):
                found = await self._found(connection, wanted)
                return found or await self._write(connection, wanted)

    # --- what there is --------------------------------------------------------------------------

    def _wanted(self, catalog: RankCatalog) -> Wanted:
        documents = {
            digest(each, self._model): each for each in catalog.documents if storable(each.name)
        }
        whole = catalog_digest(documents)
        return Wanted(version=catalog.version, digest=whole, documents=documents)

    async def _make_tables(self, connection: AsyncConnection) -> None:
        vectors = self._embed is not None
        query, names = self._statements.are_there(vectors=vectors)
        row = await (await connection.execute(query, names)).fetchone()
        if row == (True,):
            return
        async with self._alone(connection):
            for statement in self._statements.tables(vectors=vectors):
                await connection.execute(statement)

    async def _found(self, connection: AsyncConnection, wanted: Wanted) -> Edition | None:
        return await read_edition(connection, self._statements.edition, {"digest": wanted.digest})

    @asynccontextmanager
    async def _alone(self, connection: AsyncConnection) -> AsyncIterator[None]:
        """Hold the lock of the namespace; PostgreSQL frees it when the connection ends."""
        key = int.from_bytes(
            hashlib.blake2b(self._namespace.encode(), digest_size=8).digest(), signed=True
        )
        await connection.execute("SELECT pg_advisory_lock(%s)", (key,))
        try:
            yield
        finally:
            if not connection.broken:
                await connection.execute("SELECT pg_advisory_unlock(%s)", (key,))

    # --- what is written ------------------------------------------------------------------------

    async def _write(self, connection: AsyncConnection, wanted: Wanted) -> Edition:
        started = monotonic()
        newest = await read_edition(connection, self._statements.newest)
        number = newest.number + 1 if newest else 1
        living = await self._living(connection)
        new = [each for each in wanted.documents if each not in living]
        dimensions = await self._write_documents(connection, wanted, new, number)
        if dimensions is None and self._embed is not None:
            dimensions = await self._stored_dimensions(connection, wanted)
        edition = Edition(
            number=number,
            digest=wanted.digest,
            model=self._model,
            dimensions=dimensions,
            tools=len(wanted.documents),
        )
        gone = {key: row for key, row in living.items() if key not in wanted.documents}
        await self._complete(connection, edition, wanted.version, gone)
        if len(new) > edition.tools // 10:
            for statement in self._statements.refresh:
                await connection.execute(statement)
        logger.info(
            "edition %d of %r: %d of %d tools written, %d gone, in %.1f s",
            *(number, self._namespace, len(new), edition.tools, len(gone), monotonic() - started),
        )
        return edition

    async def _living(self, connection: AsyncConnection) -> dict[bytes, tuple[int, int]]:
        """The rows that are not dead, by digest: their ids and the editions they came with."""
        cursor = await connection.execute(self._statements.living, binary=True)
        return {key: (row, born) async for key, row, born in cursor}

    async def _write_documents(
        self, connection: AsyncConnection, wanted: Wanted, new: Iterable[bytes], number: int
    ) -> int | None:
        """Write the new documents and return how many dimensions their vectors have."""
        dimensions = None
        last = await _value(connection, self._statements.last_id)
        for batch in _batches(new, _BATCH):
            documents = [wanted.documents[key] for key in batch]
            rows = await asyncio.to_thread(self._rows, documents, batch)
            vectors: list[str] = []
            if self._embed is not None:
                vectors = await embedded(self._embed, [text_to_embed(each) for each in documents])
                dimensions = dimensions_of(vectors[0])
            ids = range(last + 1, last + 1 + len(rows))
            last = ids[-1]
            async with connection.transaction():
                written = ((at, *row, number) for at, row in zip(ids, rows, strict=True))
                await _copy(connection, self._statements.write_tools, written)
                if vectors:
                    pairs = zip(ids, vectors, strict=True)
                    await _copy(connection, self._statements.write_vectors, pairs)
        return dimensions

    def _rows(self, documents: Sequence[ToolDocument], keys: Sequence[bytes]) -> list[Indexed]:
        pairs = zip(documents, keys, strict=True)
        return [self._reader.read(document, key) for document, key in pairs]

    async def _stored_dimensions(self, connection: AsyncConnection, wanted: Wanted) -> int | None:
        """How many dimensions the vectors have where none was new."""
        keys = list(islice(wanted.documents, 1))
        found = await _value(connection, self._statements.dimensions, {"digests": keys})
        return None if found is None else int(found)

    async def _complete(
        self,
        connection: AsyncConnection,
        edition: Edition,
        version: str,
        gone: Mapping[bytes, tuple[int, int]],
    ) -> None:
        """Make the edition the newest one, all at once, and forget the oldest."""
        statements, number = self._statements, edition.number
        # What an upkeep that never ended had written for another catalog belongs to no edition.
        left = [row for row, born in gone.values() if born == number]
        dead = [row for row, born in gone.values() if born < number]
        oldest = number - self._keep + 1
        async with connection.transaction():
            await self._make_indexes(connection, edition.dimensions)
            await connection.execute(statements.discard, {"ids": left})
            await connection.execute(statements.bury, {"edition": number, "ids": dead})
            changes: Counter[str] = Counter()
            came = await connection.execute(statements.count_of(born=number))
            changes.update(dict(await came.fetchall()))
            went = await connection.execute(statements.count_of(died_by=oldest))
            changes.subtract(dict(await went.fetchall()))
            await connection.execute(statements.count_terms)
            await _copy(connection, statements.write_counted, _with_forms(changes))
            await connection.execute(statements.add_counted)
            await connection.execute(statements.drop_uncounted)
            await connection.execute(statements.forget_tools, {"oldest": oldest})
            await connection.execute(statements.forget_editions, {"oldest": oldest})
            row = {
                "number": number,
                "digest": edition.digest,
                "version": version,
                "model": edition.model,
                "dimensions": edition.dimensions,
                "tools": edition.tools,
            }
            await connection.execute(statements.add_edition, row)

    async def _make_indexes(self, connection: AsyncConnection, dimensions: int | None) -> None:
        # `IF NOT EXISTS` would want the owner of the table, and lock it, for nothing.
        for name, make in self._statements.indexes(dimensions).items():
            found = await connection.execute("SELECT to_regclass(%s)", (name,))
            if await found.fetchone() == (None,):
                await connection.execute(make)


def _with_forms(changes: Mapping[str, int]) -> Iterator[tuple[str, str | None, int]]:
    for term, change in changes.items():
        if change:
            yield term, None if term.startswith(NAMED) else word_form(term), change


async def read_edition(
    connection: AsyncConnection, statement: sql.Composed, given: Mapping[str, Any] | None = None
) -> Edition | None:
    """Return the edition that a statement finds."""
    row = await (await connection.execute(statement, given)).fetchone()
    if row is None:
        return None
    number, key, model, dimensions, tools = row
    return Edition(
        number=number, digest=bytes(key), model=model, dimensions=dimensions, tools=tools
    )


async def _value(
    connection: AsyncConnection, statement: sql.Composed, given: Mapping[str, Any] | None = None
) -> Any:
    row = await (await connection.execute(statement, given)).fetchone()
    return row[0] if row else None


async def _copy(
    connection: AsyncConnection, statement: sql.Composed | sql.SQL, rows: Iterable[Sequence[Any]]
) -> None:
    async with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            await copy.write_row(row)


def _batches(keys: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    rest = iter(keys)
    while batch := list(islice(rest, size)):
        yield batch
