"""Streams of list changes, one per listening client (spec: transport 5)."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any, Final

from sezzlee_py.mcp.eras import SUBSCRIPTION_KEY
from sezzlee_py.mcp.jsonrpc import RequestId, write_document
from sezzlee_py.mcp.protocol import ListenRequest
from sezzlee_py.model import Headers

# Further changes coalesce: a client that is behind lists the tools once more, not once per change.
QUEUE_LIMIT: Final = 16
PING_S: Final = 15.0

STREAM_HEADERS: Final[Headers] = (
    ("content-type", "text/event-stream"),
    ("cache-control", "no-cache, no-transform"),
    ("x-accel-buffering", "no"),
)

_PING: Final = b": ping\n\n"
_LEAVING_CHECK_S: Final = 1.0


def server_is_leaving() -> bool:
    """Whether the server was told to exit and waits for its open responses.

    uvicorn tells the application of a shutdown only after the last response has ended, so a stream
    that waited for that would keep the server alive. Its signal handler is a method of the server,
    whose `should_exit` is public; of another server nothing is known here, and it ends its
    connections by its own timeout.
    """
    handlers = (signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM))
    servers = (getattr(handler, "__self__", None) for handler in handlers)
    return any(getattr(server, "should_exit", False) is True for server in servers)


class _Event(Enum):
    CHANGED = auto()
    QUIET = auto()
    CLOSED = auto()


class Subscriptions:
    """The open listen streams of this process.

    Args:
        ping_s: seconds of silence after which a stream gets a comment.
        is_leaving: whether the server waits for its streams to end.
        opening: called before a stream opens, for what has to hear of changes by then.
    """

    def __init__(
        self,
        *,
        ping_s: float = PING_S,
        is_leaving: Callable[[], bool] | None = None,
        opening: Callable[[], None] = lambda: None,
    ) -> None:
        self._ping_s = ping_s
        self._opening = opening
        self._is_leaving = is_leaving or server_is_leaving
        self._lock = threading.Lock()
        self._open: set[_Subscription] = set()

    def notify_list_changed(self) -> None:
        """Tell every open stream once that the tools have changed; any thread may call it."""
        for subscription in self._snapshot():
            subscription.post(_Event.CHANGED)

    def close(self) -> None:
        """End every open stream, as at shutdown; streams that open later are not affected."""
        for subscription in self._snapshot():
            subscription.post(_Event.CLOSED)

    async def frames(self, listen: ListenRequest) -> AsyncGenerator[bytes, None]:
        """Yield the stream's frames: acknowledged first, then list changes and pings."""
        identity = {SUBSCRIPTION_KEY: listen.exchange.id}
        with self._subscribed(listen) as subscription:
            honoured = {"toolsListChanged": True} if listen.tools else {}
            yield _notification(
                "subscriptions/acknowledged", {"_meta": identity, "notifications": honoured}
            )
            async for event in self._events(subscription):
                if event is _Event.QUIET:
                    yield _PING
                else:
                    yield _notification("tools/list_changed", {"_meta": identity})
        yield _frame(_end(listen.exchange.id, identity, listen.exchange.era.result_members))

    async def _events(self, subscription: _Subscription) -> AsyncGenerator[_Event, None]:
        """Changes, and silence of the length of a ping; ends with the stream."""
        patience_s = min(self._ping_s, _LEAVING_CHECK_S)
        silent_s = 0.0
        while (event := await subscription.next(patience_s)) is not _Event.CLOSED:
            silent_s = silent_s + patience_s if event is _Event.QUIET else 0.0
            if event is _Event.CHANGED or silent_s >= self._ping_s:
                silent_s = 0.0
                yield event
            elif self._is_leaving():
                return

    @contextmanager
    def _subscribed(self, listen: ListenRequest) -> Iterator[_Subscription]:
        # Before the acknowledgement is written, so that a change in between is not lost.
        subscription = _Subscription(asyncio.get_running_loop(), wants_changes=listen.tools)
        self._opening()
        with self._lock:
            self._open.add(subscription)
        try:
            yield subscription
        finally:
            with self._lock:
                self._open.discard(subscription)

    def _snapshot(self) -> tuple[_Subscription, ...]:
        with self._lock:
            return tuple(self._open)


class _Subscription:
    """What one stream has yet to write; `post` may be called from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, wants_changes: bool) -> None:
        self._loop = loop
        self._wants_changes = wants_changes
        self._pending = 0
        self._closed = False
        self._wake = asyncio.Event()

    def post(self, event: _Event) -> None:
        try:
            self._loop.call_soon_threadsafe(self._take, event)
        except RuntimeError:
            # The loop is closed, and the stream with it.
            self._closed = True

    def _take(self, event: _Event) -> None:
        if event is _Event.CLOSED:
            self._closed = True
        elif self._wants_changes:
            self._pending = min(self._pending + 1, QUEUE_LIMIT)
        if self._pending or self._closed:
            self._wake.set()

    async def next(self, patience_s: float) -> _Event:
        """Return what to write next; `QUIET` when nothing came in time."""
        if not (self._pending or self._closed):
            self._wake.clear()
            try:
                async with asyncio.timeout(patience_s):
                    await self._wake.wait()
            except TimeoutError:
                return _Event.QUIET
        if not self._pending:
            return _Event.CLOSED
        self._pending -= 1
        return _Event.CHANGED


def _notification(method: str, params: Mapping[str, Any]) -> bytes:
    return _frame({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params})


def _end(request_id: RequestId, identity: Mapping[str, Any], members: Mapping[str, Any]) -> Any:
    result = {**members, "_meta": identity}
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def _frame(document: Mapping[str, Any]) -> bytes:
    return b"event: message\ndata: " + write_document(document) + b"\n\n"
