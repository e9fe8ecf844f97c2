"""One Flask application's engine and endpoint."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, cast

from flask import Flask

from sezzlee_flask.discovery import FlaskAdapter
from sezzlee_flask.view import endpoint_view
from sezzlee_py import Options
from sezzlee_py.invoke.runtime import ThreadRuntime
from sezzlee_py.invoke.wsgi import WSGIApp, WSGIDispatcher
from sezzlee_py.mcp.protocol import MCPProtocol
from sezzlee_py.mcp.resource_server import (
    ProtectedResource,
    ResourceServerWSGI,
    prefix_findings,
    protected_resource,
)
from sezzlee_py.mcp.wsgi import MCPWSGIApp
from sezzlee_py.model import Diagnostic
from sezzlee_py.options import options_of
from sezzlee_py.toolkit import Engine, ThreadEngine
from sezzlee_py.toolkit.applications import check_application
from sezzlee_py.toolkit.endpoint_paths import EndpointPaths, refuse_second_settings
from sezzlee_py.toolkit.thread_rankers import ThreadBoundRanker

ENDPOINT: Final = "sezzlee_mcp"

_EXTENSION: Final = "sezzlee"
# OPTIONS is left to Flask and to what the host has for CORS.
_METHODS: Final = ("POST", "GET", "DELETE", "PUT", "PATCH")
_ANY_DOMAIN: Final = "<sezzlee_domain>"


def install(
    app: Flask,
    path: str,
    options: Options | None,
    *,
    ranker: Any = None,
    dispatch_app: WSGIApp | None = None,
) -> None:
    """Serve the one endpoint of `app` at `path`; the first call makes it.

    Raises:
        OptionsError: an option is wrong, `path` already has an endpoint, or a later call brings
            settings of its own.
        TypeError: `app` is no application.
    """
    check_application("mount_mcp", app, Flask)
    known = app.extensions.get(_EXTENSION)
    if known is None:
        given = options_of(options)
        known = Installation(app, given, ranker=ranker, dispatch_app=dispatch_app)
        app.extensions[_EXTENSION] = known
    elif (
        (options is not None and options is not known.engine.options)
        or ranker is not None
        or dispatch_app is not None
    ):
        raise refuse_second_settings()
    known.serve(path)


def installation_of(app: Flask) -> Installation:
    """Return what `install` made for an application."""
    return cast("Installation", app.extensions[_EXTENSION])


def known_installation(app: Flask) -> Installation | None:
    """Return what `install` made for an application, or `None` before it is called."""
    return cast("Installation | None", app.extensions.get(_EXTENSION))


class Installation:
    """The engine and the endpoint of one application."""

    def __init__(
        self, app: Flask, options: Options, *, ranker: Any, dispatch_app: WSGIApp | None
    ) -> None:
        self._app = app
        self._paths = EndpointPaths(options.transport)
        self._resource: ProtectedResource | None = None
        self._first_prefix = ""
        self._prefix: str | None = None
        chosen = ranker if ranker is not None else options.search.ranker
        outermost = dispatch_app or options.dispatch_app or app
        self.engine = Engine(
            FlaskAdapter(app, options, outermost=outermost),
            WSGIDispatcher(outermost, environ_names=options.identity.environ),
            ThreadRuntime(self.around),
            options,
            None if chosen is None else ThreadBoundRanker(chosen, options.search, self.around),
            findings=self._findings,
            paths=self._paths,
            title=app.name,
        )
        protocol = MCPProtocol(options.transport, title=self.engine.title)
        shell = MCPWSGIApp(protocol, ThreadEngine(self.engine))
        # Flask takes one view function per endpoint, the same one for each of its rules.
        self._view: Callable[..., Any] = endpoint_view(shell)

    def around(self) -> AbstractContextManager[Any]:
        """Return what the host's own functions run in."""
        return self._app.app_context()

    def serve(self, path: str) -> None:
        """Add the endpoint at `path`, whatever host or subdomain the application is asked by.

        Raises:
            OptionsError: the path is malformed or taken, or the resource server's metadata lack
                something.
        """
        path = self._paths.claim(path)
        resource = protected_resource(self.engine.options.resource_server, path)
        if resource is not None:
            self._protect(resource)
        for domain in domains_of(self._app):
            self._app.add_url_rule(path, ENDPOINT, self._view, methods=_METHODS, **domain)

    def _protect(self, resource: ProtectedResource) -> None:
        """Serve the metadata document and complete the 401, outside of what is there by now."""
        self._resource = self._resource or resource
        app = self._app
        layer = ResourceServerWSGI(
            self._noting(app.wsgi_app), resource, host_serves=lambda: _spells_out(app, resource)
        )
        app.wsgi_app = layer  # type: ignore[method-assign]  # Flask's place for WSGI middleware

    def _noting(self, inner: WSGIApp) -> Callable[..., Any]:
        def noting(environ: dict[str, Any], start_response: Any) -> Any:
            # Where an application is served is known only once it is asked for something.
            self._first_prefix = self._first_prefix or environ.get("SCRIPT_NAME", "")
            return inner(environ, start_response)

        noting.app = inner  # type: ignore[attr-defined]  # as WSGI middleware keeps what it wraps
        return noting

    def _findings(self) -> tuple[Diagnostic, ...]:
        if self._resource is None:
            return ()
        # What a server says of a running application fails no reload.
        if self._prefix is None:
            self._prefix = self._first_prefix
        known = str(self._app.config["APPLICATION_ROOT"]).rstrip("/")
        return prefix_findings(self._resource, known or self._prefix)


def _spells_out(app: Flask, resource: ProtectedResource) -> bool:
    """Whether the host has a route for the document itself, beyond any catch-all."""
    path = resource.document_path
    return any(
        rule.rule == path and "GET" in (rule.methods or ("GET",))
        for rule in app.url_map.iter_rules()
    )


def domains_of(app: Flask) -> tuple[dict[str, Any], ...]:
    """Return what a rule needs to be met under whatever host the application is asked by."""
    # A call keeps the caller's host, so tools of one subdomain are called from there.
    if app.url_map.host_matching:
        return ({"host": _ANY_DOMAIN},)
    if app.subdomain_matching:
        return ({}, {"subdomain": _ANY_DOMAIN})
    return ({},)
