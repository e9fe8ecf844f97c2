"""What belongs to one event loop: connections, the editions it serves, and when it gives way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from sezzlee_postgres.questions import Known, Wanted, ask
from sezzlee_postgres.statements import Statements, term_parameters
from sezzlee_postgres.upkeep import Edition, Upkeep, read_edition
from sezzlee_postgres.vectors import Embed, dimensions_of, embedded
from sezzlee_py.search import RankCatalog, RankerFailure

logger = logging.getLogger("sezzlee_postgres")

_T = TypeVar("_T")

# Where a catalog is stored already it is known within this; later an older edition is served.
_GRACE_S: Final = 0.5
# After a failure PostgreSQL is left alone for as long, and then asked by one search.
_REST_S: Final = 1.0
_LONGEST_REST_S: Final = 30.0
_CLOSE_S: Final = 2.0
# Catalogs of one process: the served one, the one before, and those of tests.
_REMEMBERED: Final = 8
_WAITING_A_CONNECTION: Final = 16
# What a name, a description, another text and the label D weigh, as `ts_rank` takes them: D first.
_LABELS: Final = (0.1, 0.3, 0.5, 1.0)
# Of `RankFusion`: how much less the first places count against the later ones.
_K: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a ranker was given, for each loop it is used on."""

    conninfo: str = field(repr=False)
    statements: Statements
    upkeep: Upkeep
    embed: Embed | None
    model: str
    connections: int
    timeout_s: float
    wait_s: float
    candidates: int
    near: int
    furthest: float

    @property
    def session(self) -> dict[str, str]:
        """What is set on each connection that searches use."""
        asked = {
            "statement_timeout": str(max(1, int(self.timeout_s * 1000))),
            # Planned with the terms at hand; compiling or parallel workers cost more than a search.
            "plan_cache_mode": "force_custom_plan",
            "jit": "off",
            "max_parallel_workers_per_gather": "0",
            "work_mem": "16MB",
        }
        if self.embed is not None:
            # What is found is filtered by edition: go on until enough are left.
            asked |= {
                "hnsw.iterative_scan": "strict_order",
                "hnsw.ef_search": str(min(1_000, max(40, self.near))),
            }
        return asked


@dataclass(slots=True)
class _Writing:
    """A catalog on its way into the database."""

    task: asyncio.Task[Edition]
    since: float
    failures: int = 0
    again_at: float = 0.0


@dataclass(frozen=True, slots=True)
class _Served:
    """An edition, and which of its names count; `None` for all."""

    edition: Edition
    names: frozenset[str] | None = None


class _Forgotten(Exception):  # noqa: N818 - an outcome, handled at once
    """Another replica has pruned the edition."""


@dataclass(slots=True)
class _Rest:
    """Whether PostgreSQL is left alone for now."""

    until: float = 0.0
    suspect: bool = False


@dataclass(slots=True)
class Home:
    """Asks PostgreSQL on one event loop."""

    settings: Settings
    _pool: AsyncConnectionPool | None = None
    _stored: dict[str, tuple[RankCatalog, Edition]] = field(default_factory=dict)
    _writing: dict[str, _Writing] = field(default_factory=dict)
    _rest: _Rest = field(default_factory=_Rest)
    _abandoned: set[asyncio.Task[Any]] = field(default_factory=set)

    async def rank(self, query: str, wanted: Wanted, catalog: RankCatalog) -> list[str]:
        """Return the names that answer a query, best first.

        Raises:
            RankerFailure: PostgreSQL gave no answer.
        """
        self._mind_rest()
        try:
            names = await self._ranked(query, wanted, catalog)
        except (psycopg.OperationalError, PoolTimeout, TimeoutError) as fault:
            self._give_way()
            raise RankerFailure(f"PostgreSQL did not answer: {type(fault).__name__}") from fault
        except (TooManyRequests, PoolClosed, psycopg.Error) as fault:
            raise RankerFailure(f"PostgreSQL did not answer: {type(fault).__name__}") from fault
        self._rest = _Rest()
        return names

    async def store(self, catalog: RankCatalog) -> None:
        """Return once `catalog` is stored.

        Raises:
            psycopg.Error: PostgreSQL did not take it.
            RankerFailure: it could not be embedded.
        """
        writing = self._write(catalog)
        await asyncio.wait({writing.task})
        self._remembered(catalog, writing)

    async def close(self) -> None:
        """Give back the connections and stop what is under way."""
        pool, self._pool = self._pool, None
        tasks = [*self._abandoned, *(writing.task for writing in self._writing.values())]
        self._writing.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_S)
        if pool is not None:
            await pool.close(_CLOSE_S)

    # --- a search -------------------------------------------------------------------------------

    async def _ranked(self, query: str, wanted: Wanted, catalog: RankCatalog) -> list[str]:
        vector = await self._vector(query)
        try:
            return await self._ask(wanted, vector, await self._served(catalog))
        except (_Forgotten, psycopg.errors.UndefinedTable):
            self._stored.pop(catalog.version, None)
            return await self._ask(wanted, vector, await self._served(catalog))

    async def _vector(self, query: str) -> str | None:
        """Return the query's vector; none where it cannot be had in time: words answer alone."""
        settings = self.settings
        if settings.embed is None:
            return None
        try:
            (vector,) = await self._within(embedded(settings.embed, [query]), settings.timeout_s)
        except Exception as fault:
            # The host's function may raise anything.
            logger.warning("the query was not embedded: %s", fault, exc_info=fault)
            return None
        return vector

    async def _ask(self, wanted: Wanted, vector: str | None, served: _Served) -> list[str]:
        names = await self._within(
            self._answer(wanted, vector, served.edition), self.settings.timeout_s
        )
        return names if served.names is None else [name for name in names if name in served.names]

    async def _answer(self, wanted: Wanted, vector: str | None, edition: Edition) -> list[str]:
        settings, statements = self.settings, self.settings.statements
        fits = vector is not None and (edition.model, edition.dimensions) == (
            settings.model,
            dimensions_of(vector),
        )
        async with self._connection() as connection:
            given = {"edition": edition.number, "terms": wanted.lookup, "forms": wanted.forms}
            rows = await (await connection.execute(statements.known, given)).fetchall()
            if (None, None, edition.number) not in rows:
                raise _Forgotten
            known = [Known(*row) for row in rows if row[0] is not None]
            beginnings = await self._beginnings(connection, wanted.beginnings(known))
            question = ask(wanted, known, beginnings, size=edition.tools, most=settings.candidates)
            if question is None and not fits:
                return []
            asked = question.asked if question is not None else ()
            query = statements.rank(
                terms=len(asked), dimensions=edition.dimensions if fits else None
            )
            given = {
                **term_parameters(asked),
                "edition": edition.number,
                "k": _K,
                "labels": list(_LABELS),
                "candidates": question.candidates if question is not None else "",
                "most": settings.candidates,
                "vector": vector,
                "near": settings.near,
                "furthest": settings.furthest,
            }
            row = await (await connection.execute(query, given, binary=True)).fetchone()
            return row[0] or [] if row else []

    async def _beginnings(
        self, connection: AsyncConnection, beginnings: list[str]
    ) -> Mapping[str, int]:
        if not beginnings:
            return {}
        found = await connection.execute(
            self.settings.statements.beginnings, {"beginnings": beginnings}
        )
        return {term: int(documents or 0) for term, documents in await found.fetchall()}

    # --- editions -------------------------------------------------------------------------------

    async def _served(self, catalog: RankCatalog) -> _Served:
        """Return the edition of `catalog`; until it is written, an older one."""
        stored = self._stored.get(catalog.version)
        if stored is not None and _same(stored[0], catalog):
            return _Served(stored[1])
        writing = self._write(catalog)
        await asyncio.wait({writing.task}, timeout=writing.since + _GRACE_S - _now())
        if not writing.task.done():
            older = await self._within(self._newest(), self.settings.timeout_s)
            if older is not None:
                return _Served(older, frozenset(each.name for each in catalog.documents))
            await asyncio.wait({writing.task}, timeout=self.settings.wait_s)
        if not writing.task.done():
            raise RankerFailure("the catalog is being written to PostgreSQL")
        return await self._written(catalog, writing)

    async def _written(self, catalog: RankCatalog, writing: _Writing) -> _Served:
        try:
            return _Served(self._remembered(catalog, writing))
        except Exception as fault:
            # A full disk keeps nobody from reading.
            older = await self._within(self._newest(), self.settings.timeout_s)
            if older is None:
                raise RankerFailure("the catalog could not be written to PostgreSQL") from fault
            return _Served(older, frozenset(each.name for each in catalog.documents))

    def _remembered(self, catalog: RankCatalog, writing: _Writing) -> Edition:
        """Return the edition that was written, or raise why it was not."""
        edition = writing.task.result()
        self._writing.pop(catalog.version, None)
        while len(self._stored) >= _REMEMBERED:
            self._stored.pop(next(iter(self._stored)))
        self._stored[catalog.version] = (catalog, edition)
        return edition

    def _write(self, catalog: RankCatalog) -> _Writing:
        """Return the writing of `catalog`, started unless it is under way or failed just now."""
        writing = self._writing.get(catalog.version)
        if writing is not None and (not writing.task.done() or _now() < writing.again_at):
            return writing
        failures = writing.failures if writing is not None else 0
        # What failed of catalogs before is kept for nobody: each holds its documents.
        self._writing = {v: each for v, each in self._writing.items() if not each.task.done()}
        task = asyncio.get_running_loop().create_task(self.settings.upkeep.bring(catalog))
        writing = self._writing[catalog.version] = _Writing(task, _now(), failures)
        task.add_done_callback(lambda done: _note(writing, done))
        return writing

    async def _newest(self) -> Edition | None:
        try:
            async with self._connection() as connection:
                return await read_edition(connection, self.settings.statements.newest)
        except psycopg.errors.UndefinedTable:
            return None

    # --- connections ----------------------------------------------------------------------------

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection]:
        pool = self._pool = self._pool or self._made_pool()
        if pool.closed:
            await pool.open()
        async with pool.connection(self.settings.timeout_s) as connection:
            yield connection

    def _made_pool(self) -> AsyncConnectionPool:
        settings = self.settings
        return AsyncConnectionPool(
            settings.conninfo,
            kwargs={"autocommit": True},
            configure=self._configure,
            min_size=0,
            max_size=settings.connections,
            max_waiting=settings.connections * _WAITING_A_CONNECTION,
            timeout=settings.timeout_s,
            reconnect_timeout=settings.timeout_s,
            name="sezzlee",
            open=False,
        )

    async def _configure(self, connection: AsyncConnection) -> None:
        names, values = zip(*self.settings.session.items(), strict=True)
        await connection.execute(
            "SELECT set_config(name, value, false)"
            " FROM unnest(%s::text[], %s::text[]) AS session (name, value)",
            (list(names), list(values)),
        )

    async def _within(self, work: Coroutine[Any, Any, _T], timeout_s: float) -> _T:
        """Return what `work` gives in time; what is late is left to end by itself.

        Raises:
            TimeoutError: it was late.
        """
        # Cancelling a query asks the server to, and a server that hangs answers that late, too.
        task = asyncio.get_running_loop().create_task(work)
        try:
            await asyncio.wait({task}, timeout=timeout_s)
        finally:
            if not task.done():
                task.cancel()
                self._abandon(task)
        if not task.done():
            raise TimeoutError
        return task.result()

    # --- a server that does not answer ----------------------------------------------------------

    def _mind_rest(self) -> None:
        now = _now()
        if now < self._rest.until:
            raise RankerFailure("PostgreSQL did not answer a moment ago")
        if self._rest.suspect:
            # This search finds out for all: the others need not wait with it.
            self._rest.until = now + self.settings.timeout_s

    def _give_way(self) -> None:
        self._rest = _Rest(_now() + _REST_S, suspect=True)
        if self._pool is not None:
            self._abandon(asyncio.get_running_loop().create_task(self._pool.check()))

    def _abandon(self, task: asyncio.Task[Any]) -> None:
        """Keep a task that nobody waits for until it has ended, however it ends."""
        self._abandoned.add(task)
        task.add_done_callback(self._abandoned.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())


def _note(writing: _Writing, done: asyncio.Task[Edition]) -> None:
    if done.cancelled() or (fault := done.exception()) is None:
        return
    writing.failures += 1
    rest = min(_LONGEST_REST_S, _REST_S * 2 ** (writing.failures - 1))
    writing.again_at = _now() + rest
    logger.warning(
        "the catalog was not written to PostgreSQL, next in %g s: %s",
        *(rest, type(fault).__name__),
        exc_info=fault if writing.failures == 1 else None,
    )


def _now() -> float:
    return asyncio.get_running_loop().time()


def _same(one: RankCatalog, other: RankCatalog) -> bool:
    return one.documents is other.documents or one.documents == other.documents
