"""One application's catalog and calls, for the host's own code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.mcp.binding import LoadCall, MetaCall
from sezzlee_py.options import Options
from sezzlee_py.toolkit.engine import Engine
from sezzlee_py.toolkit.host_calls import invoke_call, outer_of, search_call


class Sezzlee:
    """What `mount_mcp` returns: the catalog of one application, and its meta-tools as methods."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def options(self) -> Options:
        """The options in force; a change counts from the next build."""
        return self._engine.options

    @property
    def catalog(self) -> Catalog:
        """The catalog that is served, built now if it was not yet.

        Raises:
            CatalogError: it has fatal findings.
        """
        return self._engine.catalog

    def build(self) -> Catalog:
        """Build the catalog now if it is not built.

        Raises:
            CatalogError: it has fatal findings.
        """
        return self._engine.catalog

    def reload(self) -> Catalog:
        """Rebuild and swap; calls in flight finish on the old catalog.

        Raises:
            CatalogReloadError: the new catalog has fatal findings; the old one is still served.
        """
        return self._engine.reload()

    async def areload(self) -> Catalog:
        """Do what `reload` does, with async member sources on the running event loop.

        Raises:
            CatalogReloadError: the new catalog has fatal findings; the old one is still served.
        """
        return await self._engine.areload()

    def notify_list_changed(self) -> None:
        """Tell every listening client of this process that the tools have changed.

        For a host that knows of a change otherwise: a reload tells them anyway, and with
        `options.replicas.bus` those of the other processes too.
        """
        self._engine.notify_list_changed()

    def invalidate_caller(self, scope: CallerScope | str) -> None:
        """Forget what is remembered about one caller, so that its next request is asked anew.

        Args:
            scope: `McpCaller.scope_key`, or the scope or key that `cache.scope_resolver` gave.
        """
        self._engine.invalidate_caller(scope)

    def invalidate_tag(self, tag: str) -> None:
        """Forget every caller whose scope carries `tag`, such as `user:42`."""
        self._engine.invalidate_tag(tag)

    def invalidate_all(self) -> None:
        """Forget every caller."""
        self._engine.invalidate_all()

    async def search(
        self,
        query: str = "",
        *,
        limit: int = 20,
        detail: str = "card",
        tags: Iterable[str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return exactly what an agent with these headers gets from `search_tools`."""
        return await self._ask(search_call(query, limit, detail, tags), headers)

    async def load(self, name: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return exactly what an agent with these headers gets from `load_tool`."""
        return await self._ask(LoadCall(name=name), headers)

    async def invoke(
        self,
        name: str,
        arguments: Any = None,
        *,
        version: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return exactly what an agent with these headers gets from `invoke_tool`.

        An answer that an agent would get with `isError` is the same dict, with an `error` key.
        """
        return await self._ask(invoke_call(name, arguments, version), headers)

    async def _ask(self, call: MetaCall, headers: Mapping[str, str] | None) -> dict[str, Any]:
        return (await self._engine.call(call, outer_of(headers))).payload
