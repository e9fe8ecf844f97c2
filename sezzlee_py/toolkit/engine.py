"""The answers of the meta-tools for one application, and the catalog they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from sezzlee_py.callers.answers import (
    HostRank,
    Probe,
    SearchQuestion,
    Served,
    load_answer,
    search_answer,
)
from sezzlee_py.callers.cache import CLEAR, CallerCache, Drop
from sezzlee_py.callers.identity import McpCaller, identify, unprojected
from sezzlee_py.callers.probe import Asker, Prober
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.views import CallerViews, Sight
from sezzlee_py.callers.visibility import Decision, View
from sezzlee_py.catalog.adapter import Adapter, ReadingAdapter
from sezzlee_py.catalog.cuts import CuttingAdapter
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke.budget import SEARCH_NARROWING, NarrowingField, described_fields, gate
from sezzlee_py.invoke.dispatch import LOGGER, Dispatcher
from sezzlee_py.invoke.invoker import Invoker, ToolPlan
from sezzlee_py.invoke.runtime import Runtime
from sezzlee_py.invoke.sdk_errors import fault_envelope, sdk_error, unknown_tool_message
from sezzlee_py.mcp.binding import InvokeCall, LoadCall, MetaCall, RefusedCall, SearchCall
from sezzlee_py.mcp.direct import structured_content
from sezzlee_py.mcp.meta_tools import SEARCH_TOOLS, meta_tool_schema
from sezzlee_py.mcp.service import NotReady, ToolAnswer
from sezzlee_py.model import Diagnostic, Emission, Envelope, OuterRequest, ToolDefinition
from sezzlee_py.options import Options
from sezzlee_py.search import RankCatalog
from sezzlee_py.search.ranking import BuiltInRanker
from sezzlee_py.telemetry import instruments, is_logging
from sezzlee_py.toolkit.catalog_life import CatalogLife, Snapshot
from sezzlee_py.toolkit.left_credentials import LeftCredentials
from sezzlee_py.toolkit.observed import observed
from sezzlee_py.toolkit.rankers import BoundRanker
from sezzlee_py.toolkit.replicas import Replicas

_SEARCH_NARROWING: Final = described_fields(meta_tool_schema(SEARCH_TOOLS), SEARCH_NARROWING)


class Engine:
    """Answers calls from one catalog, which is built at first use and swapped on reload.

    Args:
        adapter: the application seen through its framework.
        dispatcher: the seam to the application.
        runtime: where the pipeline runs.
        options: the host's options, checked.
        ranker: the host's ranker, if any.
        findings: what else is found about the application at each build of the catalog.
        paths: where the endpoint is, read at each build.
        title: what the application calls itself, `None` where it has no name.
    """

    def __init__(
        self,
        adapter: Adapter,
        dispatcher: Dispatcher,
        runtime: Runtime,
        options: Options,
        ranker: BoundRanker | None = None,
        *,
        findings: Callable[[], tuple[Diagnostic, ...]] = tuple,
        paths: Iterable[str] = (),
        title: str | None = None,
    ) -> None:
        self.options = options
        self.title = title
        self.paths = paths
        self.ranker = ranker
        self.adapter = adapter
        self._runtime = runtime
        reads = adapter.reads if isinstance(adapter, ReadingAdapter) else None
        self._invoker = Invoker(
            dispatcher,
            runtime,
            options,
            self._identify,
            adapter.resolve,
            reads,
            at_once=self._unprojected,
        )
        self._life = CatalogLife(adapter, runtime, options, ranker, findings=findings, paths=paths)
        self._cache = CallerCache(options.cache, runtime)
        self._views = CallerViews(options, runtime, self._cache)
        self._prober = Prober(
            dispatcher,
            runtime,
            options,
            self._cache,
            resolve=adapter.resolve,
            cut=adapter.cut if isinstance(adapter, CuttingAdapter) else frozenset,
        )
        self._left = LeftCredentials(options.identity)
        self._listeners: list[Callable[[], None]] = []
        self._life.on_reload(self._reloaded)
        self._replicas = Replicas(
            options.replicas,
            forget=self._cache.invalidate,
            notify=self.notify_list_changed,
            reload=self._reload_what_is_served,
        )
        self._starting = False

    # --- the catalog ----------------------------------------------------------------------------

    @property
    def catalog(self) -> Catalog:
        """The catalog that is served, built now if it was not yet.

        Raises:
            CatalogError: it has fatal findings.
        """
        return self._life.build().catalog

    def reload(self) -> Catalog:
        """Build anew beside the served catalog and swap; calls in flight finish on the old one.

        Raises:
            CatalogReloadError: the new one has fatal findings; the old one is still served.
            CatalogError: the same where none was served.
        """
        return self._life.reload().catalog

    async def areload(self) -> Catalog:
        """Do what `reload` does, with async member sources on the running loop."""
        return (await self._life.areload()).catalog

    def on_reload(self, tell: Callable[[], None]) -> None:
        """Call `tell` after each committed reload."""
        self._listeners.append(tell)

    def notify_list_changed(self) -> None:
        """Tell whoever listens in this process that the tools have changed, as a reload does."""
        for tell in self._listeners:
            tell()

    def _reloaded(self) -> None:
        # The new catalog is served by now: what was computed for the old one is refused.
        self._cache.invalidate(CLEAR)
        self.notify_list_changed()
        self._replicas.tell("reloaded")

    def _reload_what_is_served(self) -> None:
        if self._life.snapshot is not None:
            self._life.reload()

    # --- the application's life -----------------------------------------------------------------

    def starting(self) -> None:
        """The application's startup begins; calls are refused until `started`."""
        self._starting = True

    async def started(self) -> None:
        """The application has started; a fatal catalog raises `CatalogError`."""
        self._starting = False
        self._replicas.attend()
        await self._life.ready()

    def attend(self) -> None:
        """Hear what other processes say, as is done anyway once something is asked."""
        self._replicas.attend()

    def stopping(self) -> None:
        """The application shuts down; other processes are heard no more."""
        self._replicas.leave()

    # --- what is remembered about callers -------------------------------------------------------

    def invalidate_caller(self, scope: CallerScope | str) -> None:
        """Forget one caller, by `McpCaller.scope_key` or what `cache.scope_resolver` returns."""
        self._invalidate(Drop.scope(scope))

    def invalidate_tag(self, tag: str) -> None:
        """Forget the callers whose scope carries a tag."""
        self._invalidate(Drop.tag(tag))

    def invalidate_all(self) -> None:
        """Forget every caller."""
        self._invalidate(CLEAR)

    def _invalidate(self, drop: Drop) -> None:
        self._cache.invalidate(drop)
        self._replicas.tell(drop.method, *drop.argument)

    # --- the service behind the endpoint (mcp.service.AsyncService) -----------------------------

    async def generation(self) -> int:
        """Return the generation of the catalog."""
        return (await self._ready()).catalog.generation

    async def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        """Return the gated answer of a meta-tool."""
        snapshot = self._served() or await self._life.ready()
        tracing = instruments()
        if tracing is None and not is_logging():
            return await self._answer(snapshot, call, outer)
        answer = partial(self._answer, snapshot, call, outer)
        return await observed(answer, call, outer, snapshot.catalog, tracing)

    def asks_host(self, call: MetaCall) -> bool:
        """Whether answering may run functions of the host's in this thread."""
        # Handlers and exporters are the host's too.
        if is_logging() or instruments() is not None:
            return True
        snapshot = self._life.snapshot
        plan = snapshot.plans.get(call.name) if snapshot and isinstance(call, InvokeCall) else None
        return plan is None or self._invoker.asks_host(plan)

    async def _answer(self, snapshot: Snapshot, call: MetaCall, outer: OuterRequest) -> Emission:
        try:
            match call:
                case InvokeCall():
                    plan = self._planned(snapshot, call)
                    if isinstance(plan, Envelope):
                        return self._gated(plan)
                    emission = await self._invoker.invoke(plan, call.arguments, outer)
                    self._left.answered(emission, outer)
                    return emission
                case SearchCall():
                    return self._gated(await self._search(snapshot, call, outer), _SEARCH_NARROWING)
                case LoadCall():
                    return self._gated(await self._load(snapshot, call, outer))
                case RefusedCall():
                    return self._gated(fault_envelope(call.error))
        except InvocationError as refused:
            return self._gated(fault_envelope(refused))
        except Exception as fault:
            LOGGER.error("a meta-tool failed in the tool layer", exc_info=fault)
            return self._gated(sdk_error(ErrorCode.INTERNAL_ERROR))

    async def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        """Return the tools this caller sees, by name."""
        snapshot = await self._ready()
        view = (await self._sight(snapshot, await self._identify(outer))).view
        return [tool for tool in snapshot.catalog if tool.name in view.visible]

    async def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        """Return the gated answer of a tool that is listed directly."""
        snapshot = await self._ready()
        answer = partial(self._answer, snapshot, call, outer)
        tracing = instruments()
        if tracing is None and not is_logging():
            emission = await answer()
        else:
            emission = await observed(
                answer, call, outer, snapshot.catalog, tracing, is_direct=True
            )
        tool = snapshot.catalog.get(call.name)
        structured = structured_content(tool, emission) if tool is not None else None
        return ToolAnswer(emission=emission, structured=structured)

    async def seen_by(self, outer: OuterRequest) -> tuple[Served, View]:
        """Return what is served, and what of it the caller of `outer` sees.

        Raises:
            CatalogError: the catalog has fatal findings.
        """
        snapshot = await self._ready()
        return snapshot.served, (await self._sight(snapshot, await self._identify(outer))).view

    # --- the three answers ----------------------------------------------------------------------

    async def _search(self, snapshot: Snapshot, call: SearchCall, outer: OuterRequest) -> Envelope:
        caller = await self._identify(outer)
        sight = await self._sight(snapshot, caller)
        return await search_answer(
            snapshot.served,
            SearchQuestion(
                query=call.query, limit=call.limit, full=call.detail == "schema", tags=call.tags
            ),
            sight.view,
            self.options.search,
            host_rank=self._host_rank(snapshot, outer),
            name_restricted=self.options.visibility.restricted == "name",
            probe=self._probe(snapshot, caller, outer, sight),
        )

    async def _load(self, snapshot: Snapshot, call: LoadCall, outer: OuterRequest) -> Envelope:
        caller = await self._identify(outer)
        sight = await self._sight(snapshot, caller)
        probe = self._probe(snapshot, caller, outer, sight)
        return await load_answer(snapshot.served, call.name, sight.view, probe=probe)

    def _planned(self, snapshot: Snapshot, call: InvokeCall) -> ToolPlan | Envelope:
        """The plan of the tool that is called, or why it is not."""
        tool = snapshot.catalog.get(call.name)
        if tool is None:
            message = unknown_tool_message(call.name, searchable=not self._lists_directly)
            return sdk_error(ErrorCode.UNKNOWN_TOOL, message)
        if call.version is not None and call.version != tool.version:
            return sdk_error(ErrorCode.TOOL_CHANGED, tool=call.name)
        plan = snapshot.plans.get(call.name) or self._plan(snapshot, tool)
        return plan or sdk_error(ErrorCode.NOT_INVOCABLE, tool=call.name)

    # --- parts ----------------------------------------------------------------------------------

    async def _ready(self) -> Snapshot:
        return self._served() or await self._life.ready()

    def _served(self) -> Snapshot | None:
        """What calls are answered from, `None` before the first of them."""
        if self._starting:
            raise NotReady("The application is still starting. Call again in a moment.")
        self._replicas.attend()
        return self._life.snapshot

    def _plan(self, snapshot: Snapshot, tool: ToolDefinition) -> ToolPlan | None:
        # Made at the first call of each tool; two threads may both make it, and it is the same.
        plans = snapshot.plans
        if tool.name not in plans:
            plans[tool.name] = self._invoker.plan(tool)
        return plans[tool.name]

    async def _identify(self, outer: OuterRequest) -> McpCaller:
        identity = self.options.identity
        return await identify(
            outer,
            identity.carriers,
            identity.project,
            self._runtime.settle,
            environ=identity.environ,
        )

    def _unprojected(self, outer: OuterRequest) -> McpCaller | None:
        identity = self.options.identity
        if identity.project is not None:
            return None
        return unprojected(outer, identity.carriers, identity.environ)

    async def _sight(self, snapshot: Snapshot, caller: McpCaller) -> Sight:
        return await self._views.sight(
            snapshot.served.viewer, caller, lambda: snapshot is self._life.snapshot
        )

    def _probe(
        self, snapshot: Snapshot, caller: McpCaller, outer: OuterRequest, sight: Sight
    ) -> Probe | None:
        if not (self.options.visibility.probe and sight.view.uncertain):
            return None
        asker = Asker(
            caller=caller,
            outer=outer,
            scope=sight.scope,
            epoch=sight.epoch,
            disabled=snapshot.unprobed,
        )

        async def probe(tools: Iterable[ToolDefinition]) -> Mapping[str, Decision]:
            return await self._prober.verdicts(tools, asker)

        return probe

    def _host_rank(self, snapshot: Snapshot, outer: OuterRequest) -> HostRank | None:
        if self.ranker is None or not self.ranker.is_host:
            return None
        ranker, served = self.ranker, snapshot.served
        catalog = RankCatalog(version=served.catalog.version, documents=served.index.documents)

        async def rank(query: str) -> Sequence[str] | BuiltInRanker | None:
            return await ranker.rank(query, catalog, served.catalog, outer)

        return rank

    @property
    def _lists_directly(self) -> bool:
        return self.options.transport.listing == "direct"

    def _gated(self, envelope: Envelope, narrowing: Sequence[NarrowingField] = ()) -> Emission:
        limit = self.options.invoke.max_response_bytes
        return gate(envelope, limit=limit, narrowing=narrowing)
