"""How a host binds a ranker: an instance, a class, a factory, or a context manager factory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

from sezzlee_py.errors import OptionsError
from sezzlee_py.options import SearchOptions
from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    RankCatalog,
    RankerGuard,
    ToolRanker,
    WeightedTokenRanker,
)

_BUILT_IN = (LexicalRanker, BM25Ranker, WeightedTokenRanker)


class BoundRanker:
    """The ranker a host bound, and the guard around it.

    Args:
        given: an object with `rank`, a built-in ranker, a class, a zero-argument factory, or a
            factory of an async context manager that gives the ranker.
        options: deadline and what a failure means.

    Raises:
        OptionsError: `given` is none of these.
    """

    def __init__(self, given: Any, options: SearchOptions) -> None:
        self._options = options
        self._stack = AsyncExitStack()
        self._factory: Callable[[], Any] | None = None
        self.builtin: Any = None
        self._guard: RankerGuard | None = None
        if isinstance(given, _BUILT_IN):
            self.builtin = given
        elif inspect.isclass(given) and issubclass(given, _BUILT_IN):
            self.builtin = given()
        elif not inspect.isclass(given) and hasattr(given, "rank"):
            self._guard = self._guarded(given)
        elif callable(given):
            self._factory = given
        else:
            raise OptionsError(
                "options.search.ranker: expected an object with a rank method, a class or a "
                f"factory of one, got {given!r}"
            )

    @property
    def is_host(self) -> bool:
        """Whether the ranker is the host's own."""
        return self.builtin is None

    async def enter(self) -> None:
        """Make the ranker at startup, where it is given as a factory or context manager."""
        if self._factory is None or self._guard is not None:
            return
        made = self._factory()
        if isinstance(made, AbstractAsyncContextManager):
            made = await self._stack.enter_async_context(made)
        elif inspect.isawaitable(made):
            made = await made
        self._guard = self._guarded(made)

    async def leave(self) -> None:
        """Leave the context manager at shutdown."""
        await self._stack.aclose()

    async def rank(
        self, query: str, catalog: RankCatalog, known: Container[str]
    ) -> Sequence[str] | None:
        """Return the host's order for `query`, or `None` when the built-in ranking answers.

        Raises:
            InvocationError: the ranker failed and failures are errors.
        """
        if self._guard is None:
            await self.enter()
        assert self._guard is not None
        ranking = await self._guard.arank(query, catalog, known)
        return None if ranking is None else ranking.names

    def _guarded(self, ranker: Any) -> RankerGuard:
        if not isinstance(ranker, ToolRanker):
            raise OptionsError(
                f"options.search.ranker: the factory gave {ranker!r}, which has no rank method"
            )
        return RankerGuard(
            ranker,
            timeout_ms=self._options.ranker_timeout_ms,
            on_failure=self._options.on_ranker_failure,
        )
