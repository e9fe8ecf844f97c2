"""Puts the MCP endpoint into a Starlette application, or anything built on one."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route

from sezzlee_py import Options, Sezzlee
from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER
from sezzlee_py.invoke.asgi import ASGIApp, ASGIDispatcher
from sezzlee_py.invoke.runtime import LoopRuntime
from sezzlee_py.mcp.asgi import MCPASGIApp
from sezzlee_py.mcp.protocol import MCPProtocol
from sezzlee_py.mcp.resource_server import (
    ProtectedResource,
    prefix_findings,
    protected_resource,
)
from sezzlee_py.mcp.subscriptions import Subscriptions
from sezzlee_py.model import Diagnostic
from sezzlee_py.options import options_of
from sezzlee_py.toolkit import Engine
from sezzlee_py.toolkit.applications import check_application
from sezzlee_py.toolkit.endpoint_paths import DEFAULT_PATH, EndpointPaths, refuse_second_settings
from sezzlee_py.toolkit.rankers import BoundRanker
from sezzlee_starlette.discovery import StarletteAdapter
from sezzlee_starlette.layer import Outside
from sezzlee_starlette.routes import Settings

_ATTRIBUTE = "_sezzlee_installation"


def mount_mcp(
    app: Starlette,
    path: str = DEFAULT_PATH,
    options: Options | None = None,
    *,
    ranker: Any = None,
    dispatch_app: ASGIApp | None = None,
) -> Sezzlee:
    """Serve the tools of `app` to agents at `path`; nothing is a tool until it is declared.

    May be called before or after the routes are declared: the catalog is built when the
    application has started, or at the first request where no lifespan runs.

    Args:
        app: the application.
        path: where the endpoint is; a second call with another path serves the same catalog there.
        options: the host's options, given by the first call.
        ranker: an object with `rank`, a class or factory of one, or a factory of an async context
            manager, entered at startup; it beats `options.search.ranker`.
        dispatch_app: the application as it is really served, where the host wrapped it from
            outside; calls enter there. A path value cannot reach what routers in it, as far as
            they can be read, serve beside `app`.

    Raises:
        OptionsError: an option is wrong, or `path` already has an endpoint.
        TypeError: `app` is no application.
    """
    check_application("mount_mcp", app, Starlette)
    installation = installation_of(
        app, options, ranker=ranker, dispatch_app=dispatch_app, adapter=StarletteAdapter
    )
    path = installation.claim(path)
    installation.serve(path, Route(path, endpoint=installation.shell, include_in_schema=False))
    return installation.sezzlee


class Installation:
    """One application's engine and endpoint, and its part in the application's life."""

    def __init__(
        self,
        app: Starlette,
        options: Options,
        *,
        ranker: Any,
        dispatch_app: ASGIApp | None,
        adapter: Callable[..., StarletteAdapter],
    ) -> None:
        self._app = app
        self._prefix: str | None = None
        self._paths = EndpointPaths(options.transport)
        self._routes: list[BaseRoute] = []
        self._state: MutableMapping[str, Any] = {}
        self._ranker = BoundRanker(ranker, options.search) if ranker is not None else None
        self._subscriptions = Subscriptions(opening=lambda: self.engine.attend())
        self._outside = Outside(self)
        outermost = dispatch_app or options.dispatch_app or app
        dispatcher = ASGIDispatcher(
            outermost,
            state=lambda: self._state,
            cancel_grace_ms=options.invoke.cancel_grace_ms,
        )
        self._adapter = adapter(
            app,
            own_routes=self._routes,
            settings=lambda: _settings_of(options),
            outermost=outermost,
        )
        self.engine = Engine(
            self._adapter,
            dispatcher,
            LoopRuntime(),
            options,
            self._ranker,
            findings=self._findings,
            paths=self._paths,
            title=title_of(app),
        )
        self.engine.on_reload(self._subscriptions.notify_list_changed)
        self.sezzlee = Sezzlee(self.engine)
        self.shell = MCPASGIApp(
            MCPProtocol(options.transport, streams=True, title=self.engine.title),
            self.engine,
            subscriptions=self._subscriptions,
        )
        # Another application's catalog may walk this one; the endpoint is nobody's tool.
        setattr(self.shell, OWN_ROUTE_MARKER, True)
        self._outside.surround(app)

    def claim(self, path: str) -> str:
        """Return the path to serve; the option counts where the argument is left at its default.

        Raises:
            OptionsError: the path is malformed or taken.
        """
        return self._paths.claim(path)

    def serve(self, path: str, route: BaseRoute) -> None:
        """Put the endpoint's route first, so that no catch-all of the host stands before it.

        Raises:
            OptionsError: the resource server's metadata lack something.
        """
        resource = protected_resource(self.engine.options.resource_server, path)
        if resource is not None:
            self._outside.protect(resource, self._app, host_serves=self._host_serves(resource))
        self._routes.append(route)
        routes = self._app.router.routes
        if route in routes:
            routes.remove(route)
        routes.insert(0, route)

    # --- the application's life (layer.LifespanListener) ----------------------------------------

    def starting(self) -> None:
        """Refuse calls until the application has started."""
        self.engine.starting()

    async def started(self, state: MutableMapping[str, Any]) -> None:
        """Keep the lifespan state and build the catalog."""
        self._state = state
        if self._ranker is not None:
            await self._ranker.enter()
        await self.engine.started()

    async def stopping(self) -> None:
        """Close what is open towards clients, and the host's ranker."""
        self._subscriptions.close()
        self.engine.stopping()
        if self._ranker is not None:
            await self._ranker.leave()

    def _host_serves(self, resource: ProtectedResource) -> Callable[[], bool]:
        return lambda: self._adapter.spells_out("GET", resource.document_path)

    def _findings(self) -> tuple[Diagnostic, ...]:
        # FastAPI is told where it is served; of a mounted application, whose lifespan nobody runs,
        # the first request tells. What a server says of a running application fails no reload.
        if self._prefix is None:
            self._prefix = getattr(self._app, "root_path", "") or self._outside.prefix
        resources = self._outside.resources
        return prefix_findings(resources[0], self._prefix) if resources else ()


def title_of(app: Starlette) -> str | None:
    """Return what an application calls itself; FastAPI's do, once their developer has said it."""
    title = getattr(app, "title", None)
    return title if isinstance(title, str) and title.strip() not in {"", "FastAPI"} else None


def _settings_of(options: Options) -> Settings:
    return Settings(
        carriers=options.identity.carriers,
        cookies=options.identity.cookies,
        drop_read_only=options.schema.drop_read_only,
        type_shape=options.schema.type_shape,
        type_name=options.schema.type_name,
    )


def installation_of(
    app: Starlette,
    options: Options | None,
    *,
    ranker: Any,
    dispatch_app: ASGIApp | None,
    adapter: Callable[..., StarletteAdapter],
    as_ranker: Callable[[Any], Any] = lambda ranker: ranker,
) -> Installation:
    """Return the one installation of `app`, made by the first call.

    Args:
        app: the application.
        options: what the host gave.
        ranker: what the host gave; it beats the option.
        dispatch_app: where calls enter.
        adapter: makes the adapter of the framework.
        as_ranker: what the framework makes of a ranker that only it can resolve.

    Raises:
        OptionsError: a later call brings settings of its own.
    """
    known = known_installation(app)
    if known is None:
        given = options_of(options)
        chosen = ranker if ranker is not None else given.search.ranker
        known = Installation(
            app,
            given,
            ranker=as_ranker(chosen),
            dispatch_app=dispatch_app,
            adapter=adapter,
        )
        setattr(app, _ATTRIBUTE, known)
        return known
    same_options = options is None or options is known.engine.options
    if not same_options or ranker is not None or dispatch_app is not None:
        raise refuse_second_settings()
    return known


def known_installation(app: Starlette) -> Installation | None:
    """Return what `mount_mcp` made for an application, or `None` before it is called."""
    known: Installation | None = getattr(app, _ATTRIBUTE, None)
    return known
