"""One Flask application's catalog and calls, for the host's own code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from flask import Flask

from sezzlee_flask.installation import Installation, install, installation_of
from sezzlee_py import Catalog, Options
from sezzlee_py.callers import CallerScope
from sezzlee_py.invoke.settle import drive
from sezzlee_py.invoke.wsgi import WSGIApp
from sezzlee_py.mcp.binding import LoadCall, MetaCall
from sezzlee_py.toolkit.endpoint_paths import DEFAULT_PATH
from sezzlee_py.toolkit.host_calls import invoke_call, outer_of, search_call


class Sezzlee:
    """What `mount_mcp` returns, and a Flask extension: the catalog of one application.

    As an extension it is made first and given the application later; of several applications it
    speaks for the one given last.

    Example:
        >>> mcp = Sezzlee(options=Options(selection={"default": "include"}))
        >>> mcp.init_app(app)

    Args:
        app: the application, where there is one already.
        path: where the endpoint is.
        options: the host's options.
        ranker: see `mount_mcp`.
        dispatch_app: see `mount_mcp`.
    """

    def __init__(
        self,
        app: Flask | None = None,
        path: str = DEFAULT_PATH,
        options: Options | None = None,
        *,
        ranker: Any = None,
        dispatch_app: WSGIApp | None = None,
    ) -> None:
        self._path = path
        self._options = options
        self._ranker = ranker
        self._dispatch_app = dispatch_app
        self._app: Flask | None = None
        if app is not None:
            self.init_app(app)

    def init_app(self, app: Flask) -> None:
        """Serve the tools of `app` to agents; see `mount_mcp`.

        Raises:
            OptionsError: an option is wrong, or the path already has an endpoint.
            TypeError: `app` is no application.
        """
        install(
            *(app, self._path, self._options),
            ranker=self._ranker,
            dispatch_app=self._dispatch_app,
        )
        self._app = app

    @classmethod
    def of(cls, app: Flask) -> Sezzlee:
        """Return the object that speaks for an application with an endpoint."""
        found = cls()
        found._app = app
        return found

    @property
    def options(self) -> Options:
        """The options in force; a change counts from the next build."""
        return self._installation.engine.options

    @property
    def catalog(self) -> Catalog:
        """The catalog that is served, built now if it was not yet.

        Raises:
            CatalogError: it has fatal findings.
        """
        return self._installation.engine.catalog

    def build(self) -> Catalog:
        """Build the catalog now if it is not built.

        Raises:
            CatalogError: it has fatal findings.
        """
        return self.catalog

    def reload(self) -> Catalog:
        """Rebuild and swap; calls in flight finish on the old catalog.

        Raises:
            CatalogReloadError: the new catalog has fatal findings; the old one is still served.
        """
        return self._installation.engine.reload()

    def invalidate_caller(self, scope: CallerScope | str) -> None:
        """Forget what is remembered about one caller, so that its next request is asked anew.

        Args:
            scope: `McpCaller.scope_key`, or the scope or key that `cache.scope_resolver` gave.
        """
        self._installation.engine.invalidate_caller(scope)

    def invalidate_tag(self, tag: str) -> None:
        """Forget every caller whose scope carries `tag`, such as `user:42`."""
        self._installation.engine.invalidate_tag(tag)

    def invalidate_all(self) -> None:
        """Forget every caller."""
        self._installation.engine.invalidate_all()

    def search(
        self,
        query: str = "",
        *,
        limit: int = 20,
        detail: str = "card",
        tags: Iterable[str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return exactly what an agent with these headers gets from `search_tools`."""
        return self._ask(search_call(query, limit, detail, tags), headers)

    def load(self, name: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return exactly what an agent with these headers gets from `load_tool`."""
        return self._ask(LoadCall(name=name), headers)

    def invoke(
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
        return self._ask(invoke_call(name, arguments, version), headers)

    def _ask(self, call: MetaCall, headers: Mapping[str, str] | None) -> dict[str, Any]:
        installation = self._installation
        engine = installation.engine
        # An application context is pushed, and torn down, for whom it serves alone.
        with installation.around() if engine.asks_host(call) else nullcontext():
            return drive(engine.call(call, outer_of(headers))).payload

    @property
    def _installation(self) -> Installation:
        if self._app is None:
            raise RuntimeError("this extension has no application yet; call init_app(app)")
        return installation_of(self._app)
