"""The outermost ASGI layers of a host: the lifespan, and the endpoint as a protected resource."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, Protocol

from starlette.applications import Starlette

from sezzlee_py.invoke.asgi import ASGIApp, Message, Receive, Scope, Send
from sezzlee_py.mcp.resource_server import ProtectedResource, ResourceServerASGI


class LifespanListener(Protocol):
    """What is told about the application's life."""

    def starting(self) -> None:
        """The application's own startup begins."""

    async def started(self, state: MutableMapping[str, Any]) -> None:
        """The application's own startup ended; an exception fails the startup."""

    async def stopping(self) -> None:
        """The application is about to shut down."""


class LifespanLayer:
    """Middleware that tells a listener when the application started, with its lifespan state.

    It stands outside the application's own lifespan, so every router's startup is over when the
    catalog is built, and nothing has to be put into the host's lifespan function. Where no
    lifespan runs, nothing is told and the catalog is built at first use.
    """

    def __init__(self, app: ASGIApp, listener: LifespanListener) -> None:
        self._app = app
        self._listener = listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass requests through; stand between server and application for the lifespan."""
        if scope["type"] == "lifespan":
            await self._watch(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _watch(self, scope: Scope, receive: Receive, send: Send) -> None:
        failed = False

        async def incoming() -> Message:
            # The server does not send a shutdown after a failed startup, but the application's
            # own startup succeeded and its resources want closing.
            message = {"type": "lifespan.shutdown"} if failed else await receive()
            if message["type"] == "lifespan.shutdown":
                await self._listener.stopping()
            return message

        async def outgoing(message: Message) -> None:
            nonlocal failed
            if failed:
                return
            if message["type"] == "lifespan.startup.complete":
                try:
                    await self._listener.started(scope.get("state", {}))
                except Exception as fault:
                    failed = True
                    await send({"type": "lifespan.startup.failed", "message": str(fault)})
                    return
            await send(message)

        self._listener.starting()
        await self._app(scope, incoming, outgoing)


class Outside:
    """What stands around a host's whole middleware stack, whatever is added to it later."""

    def __init__(self, listener: LifespanListener) -> None:
        self._listener = listener
        self._layers: list[Callable[[ASGIApp], ASGIApp]] = []
        self.resources: list[ProtectedResource] = []
        self.prefix = ""

    def surround(self, app: Starlette) -> None:
        """Stand outside of the stack of `app`, built or not."""
        build = app.build_middleware_stack
        # Middleware that the host adds after this call goes to the front of its list; around the
        # finished stack nothing of it stands before the metadata document or an undecorated 401.
        app.build_middleware_stack = (  # type: ignore[method-assign]  # the one place to stand
            lambda: self._around(build())
        )
        if app.middleware_stack is not None:
            app.middleware_stack = self._around(app.middleware_stack)

    def protect(
        self, resource: ProtectedResource, app: Starlette, *, host_serves: Callable[[], bool]
    ) -> None:
        """Serve the resource's metadata and complete its 401."""

        def layer(inner: ASGIApp) -> ASGIApp:
            return ResourceServerASGI(self._noting(inner), resource, host_serves=host_serves)

        self.resources.append(resource)
        self._layers.append(layer)
        if app.middleware_stack is not None:
            app.middleware_stack = layer(app.middleware_stack)

    def _around(self, stack: ASGIApp) -> ASGIApp:
        for layer in self._layers:
            stack = layer(stack)
        return LifespanLayer(stack, self._listener)

    def _noting(self, inner: ASGIApp) -> ASGIApp:
        async def noting(scope: Scope, receive: Receive, send: Send) -> None:
            # Where an application is mounted is known only once it is asked for something.
            self.prefix = self.prefix or scope.get("root_path", "")
            await inner(scope, receive, send)

        return noting
