"""Who sees what, remembered: the one visible set behind searching, loading and listing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from sezzlee_py.callers.cache import CallerCache
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope, read_facts, write_facts
from sezzlee_py.callers.visibility import (
    Bare,
    CallerFacts,
    Identity,
    View,
    Viewer,
    caller_facts,
)
from sezzlee_py.invoke.runtime import Runtime
from sezzlee_py.options import Options

# Whether unknown tools are shown, and a caller who brought nothing.
_Setting: TypeAlias = tuple[bool, Bare | None]

_NOTHING_KNOWN: Final = write_facts(CallerFacts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What one caller sees, and under which scope and since when that is known.

    `scope` is `None` where nothing about the caller is kept.
    """

    view: View
    scope: CallerScope | None
    epoch: int


class CallerViews:
    """Gives each caller its view.

    Args:
        options: the host's.
        runtime: where the host's callbacks are waited for.
        cache: keeps what they said.
    """

    def __init__(self, options: Options, runtime: Runtime, cache: CallerCache) -> None:
        self._options = options
        self._runtime = runtime
        self._cache = cache

    async def sight(
        self, viewer: Viewer, caller: McpCaller, is_current: Callable[[], bool]
    ) -> Sight:
        """Return what a caller sees.

        Args:
            viewer: of the catalog that answers.
            caller: who asks.
            is_current: whether that catalog is the one that is served. Asked after the epoch was
                taken: facts for another catalog's policies are neither read nor kept.
        """
        epoch = self._cache.epoch
        scope = await self._scope(caller) if is_current() else None
        setting = (self._options.visibility.unknown == "show", self._bare(caller))
        facts = await self._facts(viewer, caller, scope, epoch, setting)
        view = viewer.known((facts, setting)) or self._made(viewer, facts, setting)
        return Sight(view=view, scope=scope, epoch=epoch)

    async def _scope(self, caller: McpCaller) -> CallerScope | None:
        visibility = self._options.visibility
        if visibility.identity is None and not visibility.probe:
            return None
        return await self._cache.scope(caller)

    def _bare(self, caller: McpCaller) -> Bare | None:
        # An environ key that the host named may hold an identity as well.
        if self._options.visibility.identity is not None or self._options.identity.environ:
            return None
        return Bare(caller.carriers) if caller.is_bare else None

    async def _facts(
        self,
        viewer: Viewer,
        caller: McpCaller,
        scope: CallerScope | None,
        epoch: int,
        setting: _Setting,
    ) -> str:
        visibility = self._options.visibility
        if visibility.identity is None:
            return _NOTHING_KNOWN

        async def ask() -> str:
            facts = await caller_facts(
                caller,
                viewer.policies,
                identity=visibility.identity,
                evaluate_policy=visibility.evaluate_policy,
                settle=self._runtime.settle,
            )
            return write_facts(facts)

        def is_usable(text: str) -> bool:
            return viewer.known((text, setting)) is not None or self._is_whole(viewer, text)

        return await self._cache.through(scope, "facts", epoch, ask, is_usable=is_usable)

    def _is_whole(self, viewer: Viewer, text: str) -> bool:
        """Whether facts from a store answer everything that this catalog asks."""
        facts = read_facts(text)
        if facts is None:
            return False
        asked = self._options.visibility.evaluate_policy is not None
        return (
            facts.identity is not Identity.PRESENT
            or not asked
            or facts.policy_results.keys() >= set(viewer.policies)
        )

    def _made(self, viewer: Viewer, facts: str, setting: _Setting) -> View:
        show_unknown, bare = setting
        return viewer.view(
            read_facts(facts) or CallerFacts(),
            show_unknown=show_unknown,
            bare=bare,
            key=(facts, setting),
        )
