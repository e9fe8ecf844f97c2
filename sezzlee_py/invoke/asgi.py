"""Dispatch into an ASGI application, in process (spec: identity 2 and 6, results 7)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextvars import Context
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote_to_bytes

from sezzlee_py.invoke.dispatch import LOGGER, DeadlineExpired, marks
from sezzlee_py.model import BackendRequest, BackendResponse

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

# Below 2.4 Starlette's streaming responses listen for the disconnect instead of waiting for
# their next send to fail, so a generator that sleeps is stopped at once.
_ASGI: Final = {"version": "3.0", "spec_version": "2.3"}
_BODILESS: Final = frozenset({204, 304})


class ASGIDispatcher:
    """Calls an ASGI application as a server would, once per request, each in a task of its own.

    Args:
        app: the outermost application object, so that its whole middleware stack runs.
        state: returns the lifespan state captured at startup; each request gets a shallow copy.
        cancel_grace_ms: milliseconds between the disconnect and cancelling the task; `None` never
            cancels.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        state: Callable[[], Mapping[str, Any]] = dict,
        cancel_grace_ms: int | None = 5_000,
    ) -> None:
        self._app = app
        self._state = state
        self._grace_s = None if cancel_grace_ms is None else cancel_grace_ms / 1_000
        # The loop holds tasks weakly; an abandoned call or a background task must run to its end.
        self._running: set[asyncio.Task[None]] = set()

    async def send(
        self,
        request: BackendRequest,
        *,
        max_bytes: int,
        deadline: float | None,
        context: Context,
        probe: bool = False,
    ) -> BackendResponse:
        """Return the application's answer; see `Dispatcher.send`."""
        loop = asyncio.get_running_loop()
        exchange = _Exchange(request, max_bytes, loop)
        scope = self._scope(request, probe)
        task = loop.create_task(exchange.run(self._app, scope), context=context)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        timer = (
            None
            if deadline is None
            else loop.call_later(max(0.0, deadline - time.monotonic()), exchange.expire)
        )
        try:
            return await exchange.answer
        except (DeadlineExpired, asyncio.CancelledError):
            self._abandon(exchange, task, loop)
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def _scope(self, request: BackendRequest, probe: bool) -> Scope:
        outer = request.outer
        root = outer.root_path
        raw_root = quote(root, safe="/-._~%").encode("ascii")
        raw_path = raw_root + request.path.encode("ascii")
        return {
            "type": "http",
            "asgi": dict(_ASGI),
            "http_version": outer.http_version,
            "scheme": outer.scheme,
            "server": outer.server,
            "client": outer.client,
            "method": request.method,
            "root_path": root,
            "path": root + unquote_to_bytes(request.path).decode("utf-8"),
            "raw_path": raw_path,
            "query_string": request.query.encode("ascii"),
            "headers": [
                (name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers
            ],
            "state": dict(self._state()),
            "extensions": {},
            **marks(probe=probe),
        }

    def _abandon(
        self, exchange: _Exchange, task: asyncio.Task[None], loop: asyncio.AbstractEventLoop
    ) -> None:
        exchange.disconnect()
        if self._grace_s is not None and not task.done():
            timer = loop.call_later(self._grace_s, task.cancel)
            task.add_done_callback(lambda _: timer.cancel())


class _Exchange:
    """One request and its answer: the `receive` and `send` the application is called with."""

    def __init__(
        self, request: BackendRequest, max_bytes: int, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.answer: asyncio.Future[BackendResponse] = loop.create_future()
        self._request = request
        self._max_bytes = max_bytes
        self._sent_request = False
        self._gone = asyncio.Event()
        self._abandoned = False
        self._start: Message | None = None
        self._body = bytearray()

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        try:
            await app(scope, self._receive, self._send)
        except asyncio.CancelledError:
            self._fail()
        # Whatever fault escapes becomes the bodiless 500 a server would have answered.
        except BaseException as fault:
            if not self._abandoned:
                LOGGER.error(
                    "the application raised while handling %s %s",
                    self._request.method,
                    scope["path"],
                    exc_info=fault,
                )
            self._fail()
            if not isinstance(fault, Exception):
                raise
        else:
            self._fail()
        finally:
            self._gone.set()

    def expire(self) -> None:
        """End the wait at the deadline."""
        if not self.answer.done():
            self.answer.set_exception(DeadlineExpired())

    def disconnect(self) -> None:
        """Let `receive` yield `http.disconnect` and refuse further output."""
        self._abandoned = True
        self._gone.set()
        if not self.answer.done():
            self.answer.cancel()

    async def _receive(self) -> Message:
        if not self._sent_request:
            self._sent_request = True
            return {
                "type": "http.request",
                "body": self._request.body or b"",
                "more_body": False,
            }
        # Answering at once would abort streaming responses that listen for a disconnect.
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        kind = message["type"]
        if self._gone.is_set():
            # What a server does after the client left; streaming responses stop on it.
            raise OSError("the caller no longer reads this response")
        if kind == "http.response.start":
            self._start = message
        elif kind == "http.response.body":
            self._collect(message)

    def _collect(self, message: Message) -> None:
        if self._start is None:
            raise RuntimeError("the application sent a body before the start of its response")
        chunk = message.get("body", b"")
        size = len(self._body) + len(chunk)
        if size > self._max_bytes:
            self._body.clear()
            self._abandoned = True
            self._finish(oversized=size)
            return
        self._body += chunk
        if not message.get("more_body", False):
            self._finish()

    def _finish(self, oversized: int | None = None) -> None:
        assert self._start is not None
        status = self._start["status"]
        bodiless = self._request.method == "HEAD" or status in _BODILESS
        body = b"" if bodiless else bytes(self._body)
        self._body.clear()
        self._gone.set()
        if self.answer.done():
            return
        self.answer.set_result(
            BackendResponse(
                status=status,
                headers=_headers(self._start.get("headers", ())),
                body=body,
                oversized=None if bodiless else oversized,
            )
        )

    def _fail(self) -> None:
        """End an exchange whose response did not end: a truncated answer is not an answer."""
        if not self.answer.done():
            self.answer.set_result(BackendResponse(status=500))


def _headers(pairs: Any) -> tuple[tuple[str, str], ...]:
    """Decode response headers; cookies of a replayed call belong to nobody else."""
    decoded = (
        (bytes(name).decode("latin-1").lower(), bytes(value).decode("latin-1"))
        for name, value in pairs
    )
    return tuple((name, value) for name, value in decoded if name != "set-cookie")
