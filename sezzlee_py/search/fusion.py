"""Several rankers as one, by the places they give (spec: ranking 5)."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

from sezzlee_py.search.index import SearchIndex
from sezzlee_py.search.ranker import RankCatalog, RankRequest, ToolRanker
from sezzlee_py.search.ranker_answer import RankerFailure, read_answer
from sezzlee_py.search.ranking import BuiltInRanker

logger = logging.getLogger("sezzlee_py.search")


class RankFusion:
    """A ranker that fuses the answers of others: a tool gains `1 / (k + rank)` from each list.

    Args:
        rankers: hosts' rankers, and built-in ones, which then rank the whole catalog, no floor.
        k: how much less the first places count against the later ones.
        depth: how far each list is read.

    Raises:
        ValueError: there is no ranker, or `k` or `depth` is not positive.
    """

    def __init__(
        self, rankers: Iterable[ToolRanker | BuiltInRanker], *, k: int = 10, depth: int = 50
    ) -> None:
        given = tuple(rankers)
        if not given or k <= 0 or depth <= 0:
            raise ValueError("RankFusion needs a ranker at least, and a positive k and depth")
        self._rankers = tuple(
            ranker if isinstance(ranker, ToolRanker) else CatalogRanker(ranker, depth=depth)
            for ranker in given
        )
        self._k = k
        self._depth = depth

    async def rank(self, request: RankRequest) -> list[str]:
        """Return the tools of all lists, best first, ties by name.

        Raises:
            RankerFailure: every ranker failed.
        """
        answers = await asyncio.gather(*(self._ask(ranker, request) for ranker in self._rankers))
        lists = [names for names in answers if names is not None]
        if not lists:
            raise RankerFailure("every ranker of the fusion failed")
        return self._fuse(lists)

    async def _ask(self, ranker: ToolRanker, request: RankRequest) -> Sequence[str] | None:
        known = {document.name for document in request.catalog.documents}
        try:
            return read_answer(await _answer(ranker, request), known).names[: self._depth]
        except asyncio.CancelledError as fault:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Nobody cancelled this search: the ranker's own business went wrong.
            logger.warning("a ranker of the fusion cancelled itself", exc_info=fault)
            return None
        except Exception as fault:
            logger.warning("a ranker of the fusion failed: %s", fault, exc_info=fault)
            return None

    def _fuse(self, lists: Iterable[Sequence[str]]) -> list[str]:
        scores: defaultdict[str, float] = defaultdict(float)
        for names in lists:
            for rank, name in enumerate(names, 1):
                scores[name] += 1 / (self._k + rank)
        return sorted(scores, key=lambda name: (-scores[name], name))


class CatalogRanker:
    """A built-in ranker as a host's: over every tool, indexed again when the catalog changes."""

    def __init__(self, ranker: BuiltInRanker, *, depth: int = 50) -> None:
        self._ranker = ranker
        self._depth = depth
        self._lock = Lock()
        self._indexed: tuple[RankCatalog, SearchIndex] | None = None

    def rank(self, request: RankRequest) -> tuple[str, ...]:
        """Return the names of the tools that match, best first."""
        index = self._index(request.catalog)
        return index.search(request.query, limit=self._depth, floor=0).names

    def _index(self, catalog: RankCatalog) -> SearchIndex:
        with self._lock:
            if self._indexed is None or not _same(self._indexed[0], catalog):
                self._indexed = (catalog, SearchIndex(catalog.documents, self._ranker))
            return self._indexed[1]


def _same(one: RankCatalog, other: RankCatalog) -> bool:
    return one.version == other.version and (
        one.documents is other.documents or one.documents == other.documents
    )


async def _answer(ranker: ToolRanker, request: RankRequest) -> Any:
    if inspect.iscoroutinefunction(ranker.rank):
        return await ranker.rank(request)
    answer = await asyncio.to_thread(ranker.rank, request)
    return await answer if inspect.isawaitable(answer) else answer
