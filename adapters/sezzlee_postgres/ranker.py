"""A ranker over PostgreSQL: full text, and pgvector where the host gives an embedding function."""

from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import Final

import psycopg
from psycopg import conninfo as libpq

from sezzlee_postgres.documents import clean, storable
from sezzlee_postgres.home import Home, Settings
from sezzlee_postgres.questions import read_terms
from sezzlee_postgres.statements import Statements
from sezzlee_postgres.upkeep import Upkeep
from sezzlee_postgres.vectors import Embed
from sezzlee_py.search import RankCatalog, RankRequest
from sezzlee_py.search.query import readable

_CONNECTION: Final = {
    "connect_timeout": "2",
    "application_name": "sezzlee",
    # Of a machine that is gone nothing comes, not even the end of the connection.
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
_LONGEST_NAME: Final = 63
_CLOSE_S: Final = 5.0


class PostgresRanker:
    """Ranks tools by words, and by meaning where `embed` is given, in one query of PostgreSQL.

    The tools of a catalog are written once, by one replica; afterwards only what changes. Nothing
    is opened before the first search, and each process and event loop has connections of its own.

    Args:
        conninfo: as libpq takes it, a URL or `key=value` pairs; the environment fills in the rest.
        namespace: the schema of the tables; one for each application of a database.
        embed: turns texts into vectors of one length; `async def`, or a plain function, which runs
            in a thread. Without it words alone decide and pgvector is not needed.
        model: the name of what `embed` asks, and needed with it: another name embeds anew.
        connections: how many one process may have.
        timeout_ms: how long PostgreSQL, and `embed`, may take for a search.
        wait_ms: how long a search waits for a catalog of which no older edition can be served.
        candidates: about how many tools are ranked by words, and so how many an answer names:
            of more frequent words only what they name is looked at.
        near: how many of the nearest tools in meaning are ranked.
        least: how near in meaning, as cosine similarity, a tool must be at least.
        keep: how many editions stay, for replicas that serve an older catalog.

    Raises:
        ValueError: what was given makes no sense; the message holds nothing of `conninfo`.
    """

    def __init__(
        self,
        conninfo: str = "",
        *,
        namespace: str = "sezzlee",
        embed: Embed | None = None,
        model: str = "",
        connections: int = 4,
        timeout_ms: int = 2_000,
        wait_ms: int = 5_000,
        candidates: int = 2_000,
        near: int = 100,
        least: float = 0.2,
        keep: int = 3,
    ) -> None:
        if not (namespace and storable(namespace) and len(namespace.encode()) <= _LONGEST_NAME):
            raise ValueError(f"namespace: expected 1 to {_LONGEST_NAME} bytes, got {namespace!r}")
        # The system's own, and what stands for a parameter in a statement.
        if namespace.startswith("pg_") or namespace == "information_schema" or "%" in namespace:
            raise ValueError(f"namespace: expected a schema of the host's own, got {namespace!r}")
        if (embed is None) != (model == "") or not storable(model):
            raise ValueError("model: expected the name of what embed asks, and neither alone")
        if min(connections, timeout_ms, candidates, near, keep) < 1 or wait_ms < 0:
            raise ValueError("expected positive numbers")
        if not -1 <= least <= 1:
            raise ValueError(f"least: expected a similarity from -1 to 1, got {least!r}")
        self._namespace = namespace
        whole = _completed(conninfo)
        statements = Statements(namespace)
        self._settings = Settings(
            conninfo=whole,
            statements=statements,
            upkeep=Upkeep(whole, statements, namespace, embed=embed, model=model, keep=keep),
            embed=embed,
            model=model,
            connections=connections,
            timeout_s=timeout_ms / 1000,
            wait_s=wait_ms / 1000,
            candidates=candidates,
            near=near,
            furthest=1 - least,
        )
        self._homes: dict[asyncio.AbstractEventLoop, Home] = {}
        # What a forked process inherits is its parent's: kept, so that nothing of it is ended.
        self._inherited: list[dict[asyncio.AbstractEventLoop, Home]] = []
        self._process = os.getpid()

    def __repr__(self) -> str:
        return f"PostgresRanker(namespace={self._namespace!r})"

    async def rank(self, request: RankRequest) -> list[str]:
        """Return the names of the tools that answer `request.query`, most relevant first.

        Raises:
            RankerFailure: PostgreSQL gave no answer in time; the guard's fallback answers.
        """
        wanted = read_terms(request.query)
        if not wanted.terms:
            return []
        return await self._home().rank(clean(readable(request.query)), wanted, request.catalog)

    async def store(self, catalog: RankCatalog) -> None:
        """Write `catalog`, unless it is stored already: what the first search of it would begin.

        Raises:
            psycopg.Error: PostgreSQL did not take it.
            RankerFailure: `embed` gave no vectors.
        """
        await self._home().store(catalog)

    async def aclose(self) -> None:
        """Give back the connections of this process; a search afterwards opens anew."""
        homes, self._homes = self._homes, {}
        if self._process != os.getpid():
            return
        running = asyncio.get_running_loop()
        for loop, home in homes.items():
            if loop is running:
                await home.close()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(home.close(), loop)
                await asyncio.wait({asyncio.wrap_future(closing)}, timeout=_CLOSE_S)

    async def __aenter__(self) -> PostgresRanker:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _home(self) -> Home:
        if self._process != os.getpid():
            self._inherited.append(self._homes)
            self._homes, self._process = {}, os.getpid()
        loop = asyncio.get_running_loop()
        home = self._homes.get(loop)
        if home is None:
            self._homes = {each: kept for each, kept in self._homes.items() if not each.is_closed()}
            home = self._homes[loop] = Home(self._settings)
        return home


def _completed(conninfo: str) -> str:
    try:
        given = libpq.conninfo_to_dict(conninfo)
        return libpq.make_conninfo(
            conninfo, **{k: v for k, v in _CONNECTION.items() if k not in given}
        )
    except psycopg.Error:
        # What libpq says about it repeats it, a password too.
        raise ValueError("conninfo: libpq cannot read it") from None
