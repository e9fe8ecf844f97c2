"""The protocol of a host's own ranker (spec: search 6)."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sezzlee_py.search.document import ToolDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCatalog:
    """Every tool of the catalog as a document; `version` changes with each rebuild."""

    version: str
    documents: tuple[ToolDocument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRequest:
    """What a ranker is asked: the query as sent and the whole catalog, never the caller."""

    query: str
    catalog: RankCatalog


@runtime_checkable
class ToolRanker(Protocol):
    """Anything with `rank`, as `async def` or as a plain `def` (which runs in a thread)."""

    def rank(self, request: RankRequest) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Return the names of the tools that answer `request.query`, most relevant first."""
