"""The outermost ASGI layer of a host: it watches the lifespan and changes nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


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
