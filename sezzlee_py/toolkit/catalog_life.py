"""The catalog of one application over time: built once, rebuilt aside, swapped whole."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sezzlee_py.callers.answers import Served
from sezzlee_py.callers.visibility import Viewer
from sezzlee_py.catalog.adapter import Adapter
from sezzlee_py.catalog.build import CatalogBuild
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.family_sources import NOT_LOADED, SourceState, SourceStates
from sezzlee_py.catalog.oversights import log_oversights, oversights
from sezzlee_py.catalog.report import log_catalog, log_offered_around
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.errors import CatalogError, CatalogReloadError
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.invoke.invoker import ToolPlan
from sezzlee_py.invoke.runtime import Runtime
from sezzlee_py.invoke.settle import Settle, drive, settle_in_thread, start_in_thread
from sezzlee_py.model import Diagnostic
from sezzlee_py.options import Options
from sezzlee_py.search import SearchIndex, documents_from_tools
from sezzlee_py.toolkit.family_loader import LIMIT_S, Source, load_sources, waits_for_a_loop
from sezzlee_py.toolkit.rankers import BoundRanker


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One committed catalog with everything derived from it.

    `ticket` tells which of two builds began later; `members` are what the catalog's sources gave;
    `unprobed` are the endpoints that are not probed any more.
    """

    served: Served
    ticket: int = 0
    members: SourceStates = field(default_factory=lambda: NOT_LOADED)
    plans: dict[str, ToolPlan | None] = field(default_factory=dict)
    unprobed: set[CutKey] = field(default_factory=set)

    @property
    def catalog(self) -> Catalog:
        """The catalog itself."""
        return self.served.catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A build that has begun: what is selected is known, its members are not."""

    ticket: int
    build: CatalogBuild
    sources: Mapping[str, Source]


class CatalogLife:
    """Builds the catalog when it is first asked for and swaps it on reload.

    The lock is held while a build computes and never while a source is waited for. Of two builds
    that overlap, the one that began later stays.

    Args:
        adapter: the application seen through its framework.
        runtime: where the pipeline runs.
        options: the host's; they are checked at each build.
        ranker: the host's ranker, if any.
        findings: what else is found about the application at each build.
        paths: where the endpoint is by then.
        limit_s: how long a member source may take.
    """

    def __init__(
        self,
        adapter: Adapter,
        runtime: Runtime,
        options: Options,
        ranker: BoundRanker | None = None,
        *,
        findings: Callable[[], tuple[Diagnostic, ...]] = tuple,
        paths: Iterable[str] = (),
        limit_s: float = LIMIT_S,
    ) -> None:
        self._adapter = adapter
        self._runtime = runtime
        self._options = options
        self._ranker = ranker
        self._findings = findings
        self._paths = paths
        self._limit_s = limit_s
        self._lock = threading.RLock()
        self._tickets = 0
        self._building = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._committed: list[Callable[[], None]] = []
        self.snapshot: Snapshot | None = None

    def on_reload(self, tell: Callable[[], None]) -> None:
        """Call `tell` after each committed reload."""
        self._committed.append(tell)

    async def ready(self) -> Snapshot:
        """Return what is served, built now if nothing is.

        In a thread without a loop, members of async sources come later, with a reload.

        Raises:
            CatalogError: the catalog has fatal findings.
        """
        if self.snapshot is not None:
            return self.snapshot
        return await self._runtime.once("catalog", self._first)

    def build(self) -> Snapshot:
        """Return what is served, built now with every member if nothing is.

        Raises:
            CatalogError: the catalog has fatal findings.
        """
        with self._building:
            return self.snapshot or drive(self._rebuilt(self._waiting()))

    def reload(self) -> Snapshot:
        """Build anew beside what is served and swap, from a thread or a loop that may be blocked.

        Raises:
            CatalogReloadError: the new catalog has fatal findings; the old one is still served.
            CatalogError: the same where none was served.
        """
        return drive(self._rebuilt(self._waiting()))

    async def areload(self) -> Snapshot:
        """Build anew beside what is served and swap; see `reload`."""
        return await self._rebuilt(self._runtime.settle)

    # --- the steps of a build -------------------------------------------------------------------

    async def _first(self) -> Snapshot:
        return self.snapshot or await self._rebuilt(self._runtime.settle, whole=False)

    async def _rebuilt(self, settle: Settle, *, whole: bool = True) -> Snapshot:
        candidate = self._begin()
        # What only a loop can run is not waited for by a request's thread.
        is_late = waits_for_a_loop if self._runtime.blocks and not whole else _never
        now = {name: call for name, call in candidate.sources.items() if not is_late(call)}
        later = {name: call for name, call in candidate.sources.items() if name not in now}
        if not self._runtime.blocks and settle == self._runtime.settle:
            self._loop = asyncio.get_running_loop()
        loaded = await settle(self._load(now)) if now else {}
        snapshot = self._commit(candidate, self._kept(loaded))
        if later:
            self._load_later(later)
        return snapshot

    def _begin(self) -> _Candidate:
        with self._lock:
            self._tickets += 1
            options = self._options.checked()
            found = self._adapter.discover()
            found = replace(found, diagnostics=(*found.diagnostics, *self._findings()))
            build = CatalogBuild(found, options)
            sources = {name: options.families[name] for name in build.sources}
            return _Candidate(ticket=self._tickets, build=build, sources=sources)

    def _load(self, sources: Mapping[str, Source]) -> Coroutine[Any, Any, dict[str, SourceState]]:
        return load_sources(sources, limit_s=self._limit_s, around=self._runtime.around)

    def _kept(self, loaded: Mapping[str, SourceState]) -> SourceStates:
        """Return what was loaded, with the last members of each source that failed."""
        served = self.snapshot.members if self.snapshot is not None else NOT_LOADED
        return {
            name: state
            if state.fault is None
            else SourceState(members=_members_of(served.get(name)), fault=state.fault)
            for name, state in loaded.items()
        }

    def _load_later(self, sources: Mapping[str, Source]) -> None:
        """Load async sources on the helper loop and rebuild with what they gave."""
        loading = start_in_thread(self._load(sources))

        def rebuild() -> None:
            loaded = loading.result()
            # The others stand as they were loaded for the catalog that is served.
            served = self.snapshot.members if self.snapshot is not None else NOT_LOADED
            try:
                self._commit(self._begin(), {**served, **self._kept(loaded)})
            except CatalogError as fault:
                LOGGER.error("the catalog stays without the members of %s: %s", [*sources], fault)

        threading.Thread(target=rebuild, name="sezzlee-family-reload", daemon=True).start()

    def _commit(self, candidate: _Candidate, members: SourceStates) -> Snapshot:
        with self._lock:
            before = self.snapshot
            if before is not None and candidate.ticket < before.ticket:
                return before
            generation = before.catalog.generation + 1 if before is not None else 1
            catalog = candidate.build.finish(generation=generation, members=members)
            log_catalog(LOGGER, catalog, self._options.diagnostics.silence)
            log_offered_around(candidate.build.offered_around)
            walked = candidate.build.walked
            log_oversights(oversights(catalog, self._options, walked, self._paths))
            if catalog.fatal:
                raise (CatalogReloadError if before else CatalogError)(catalog.diagnostics)
            snapshot = self.snapshot = self._snapshot(catalog, candidate.ticket, members)
        if before is not None:
            _tell(self._committed)
        return snapshot

    def _snapshot(self, catalog: Catalog, ticket: int, members: SourceStates) -> Snapshot:
        index = SearchIndex(
            documents_from_tools(catalog.tools),
            self._ranker.builtin if self._ranker is not None else None,
            exact_name_first=self._options.search.exact_name_first,
        )
        served = Served(catalog=catalog, index=index, viewer=Viewer(catalog.tools))
        return Snapshot(served=served, ticket=ticket, members=members)

    def _waiting(self) -> Settle:
        """How this thread waits: on the host's loop where another thread runs it."""
        loop = self._loop
        if loop is None or not loop.is_running() or loop is _running_loop():
            return settle_in_thread

        async def on_loop(work: Coroutine[Any, Any, Any]) -> Any:
            return asyncio.run_coroutine_threadsafe(work, loop).result()

        return on_loop


def _never(_: Source) -> bool:
    return False


def _members_of(state: SourceState | None) -> tuple[Any, ...] | None:
    return None if state is None else state.members


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _tell(listeners: Iterable[Callable[[], None]]) -> None:
    for tell in listeners:
        tell()
