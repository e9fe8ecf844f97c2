"""How a host binds a ranker: an instance, a class, a factory, or what lends one per search."""

from __future__ import annotations

import inspect
from collections.abc import Container, Sequence
from typing import Any, Final

from sezzlee_py.errors import OptionsError
from sezzlee_py.model import OuterRequest
from sezzlee_py.options import SearchOptions
from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    RankCatalog,
    RankerGuard,
    ToolRanker,
    WeightedTokenRanker,
)
from sezzlee_py.search.guard import Ask
from sezzlee_py.search.ranking import BuiltInRanker
from sezzlee_py.toolkit.ranker_sources import KeptRanker, RankerSource

BUILT_IN: Final = (LexicalRanker, BM25Ranker, WeightedTokenRanker)


class BoundRanker:
    """The ranker a host bound, and the guard around it.

    Args:
        given: an object with `rank`, a built-in ranker, a class, a zero-argument factory, a
            factory of an async context manager that gives the ranker, or a `RankerSource`.
        options: deadline and what a failure means.

    Raises:
        OptionsError: `given` is none of these.

    Attributes:
        builtin: the built-in ranker that was bound, `None` where a host's own answers.
    """

    def __init__(self, given: Any, options: SearchOptions) -> None:
        self._options = options
        self._source: RankerSource | None = None
        self.builtin: Any = None
        ranker: ToolRanker | None = None
        if isinstance(given, BUILT_IN):
            self.builtin = given
        elif inspect.isclass(given) and issubclass(given, BUILT_IN):
            self.builtin = given()
        elif isinstance(given, RankerSource):
            self._source = given
        elif not inspect.isclass(given) and isinstance(given, ToolRanker):
            ranker = given
        elif callable(given):
            self._source = self._kept(given)
        else:
            raise OptionsError(
                "options.search.ranker: expected an object with a rank method, a class or a "
                f"factory of one, got {given!r}"
            )
        self._guard = self._guarding(ranker)

    @property
    def is_host(self) -> bool:
        """Whether the host decides what answers, with a ranker of its own or one it makes."""
        return self.builtin is None

    async def enter(self) -> None:
        """Make the ranker at startup, where it is given as a factory or context manager.

        Raises:
            OptionsError: what was made has no `rank`.
        """
        made = await self._source.enter() if self._source is not None else None
        if made is not None:
            check_made(made)

    async def leave(self) -> None:
        """Leave the context manager at shutdown."""
        if self._source is not None:
            await self._source.leave()

    async def rank(
        self, query: str, catalog: RankCatalog, known: Container[str], outer: OuterRequest
    ) -> Sequence[str] | BuiltInRanker | None:
        """Return the host's order for `query`, or the built-in ranker that shall answer.

        `None` is the one of the index. `outer` is for what lends the ranker, never for the ranker.

        Raises:
            InvocationError: the ranker failed and failures are errors.
        """
        if self._source is None:
            ranking = await self._guard.arank(query, catalog, known)
            return None if ranking is None else ranking.names
        lend = self._source.lend(outer)
        built_in: list[BuiltInRanker] = []

        async def lend_host_s(ask: Ask) -> Any:
            async def hand_over(ranker: Any) -> Any:
                if not isinstance(ranker, BUILT_IN):
                    return await ask(ranker)
                built_in.append(ranker)
                return ()

            return await lend(hand_over)

        ranking = await self._guard.arank(query, catalog, known, lend=lend_host_s)
        if ranking is None:
            return None
        return built_in[0] if built_in else ranking.names

    def _guarding(self, ranker: ToolRanker | None) -> RankerGuard:
        options = self._options
        return RankerGuard(
            ranker, timeout_ms=options.ranker_timeout_ms, on_failure=options.on_ranker_failure
        )

    def _kept(self, factory: Any) -> RankerSource | None:
        return KeptRanker(factory)


def check_made(made: Any) -> None:
    """Check what a factory made.

    Raises:
        OptionsError: it is no ranker.
    """
    if not isinstance(made, (ToolRanker, *BUILT_IN)):
        raise OptionsError(
            f"options.search.ranker: the factory gave {made!r}, which has no rank method"
        )
