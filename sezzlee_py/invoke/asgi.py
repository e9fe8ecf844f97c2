"""Dispatch into an ASGI application, in process (spec: identity 2 and 6, results 7)."""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, MutableMapping
from contextvars import Context
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

from sezzlee_py.invoke.dispatch import (
    LOGGER,
    PEEKED_BYTES,
    DeadlineExpired,
    backend_response,
    marks,
)
from sezzlee_py.model import BackendRequest, BackendResponse

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

# Below 2.4 Starlette's streaming responses listen for the disconnect instead of waiting for
# their next send to fail, so a generator that sleeps is stopped at once.
_ASGI: Final = {"version": "3.0", "spec_version": "2.3"}


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
        exchange = _Exchange(request, max_bytes)
        task = _start(exchange.run(self._app, self._scope(request, probe)), context)
        try:
            # Most handlers answer in the first step of their task: no timer and no future is made
            # for those, and the loop turns once where that step has not been made yet.
            if exchange.answer is None:
                await _next_turn()
            return exchange.answer or await exchange.wait(deadline)
        finally:
            if not task.done():
                self._leave(exchange, task)

    def _scope(self, request: BackendRequest, probe: bool) -> Scope:
        outer, path = request.outer, request.path
        root = outer.root_path
        raw_path = quote(root, safe="/-._~%") + path if root else path
        return {
            "type": "http",
            "asgi": dict(_ASGI),
            "http_version": outer.http_version,
            "scheme": outer.scheme,
            "server": outer.server,
            "client": outer.client,
            "method": request.method,
            "root_path": root,
            "path": root + (unquote(path) if "%" in path else path),
            "raw_path": raw_path.encode("ascii"),
            "query_string": request.query.encode("ascii"),
            "headers": [
                (name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers
            ],
            "state": dict(self._state()),
            "extensions": {},
            **marks(probe=probe),
        }

    def _leave(self, exchange: _Exchange, task: asyncio.Task[None]) -> None:
        """Let a task run on that has answered, and stop one that has not (spec: results 7)."""
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        if exchange.is_complete:
            return
        exchange.disconnect()
        if self._grace_s is not None:
            timer = task.get_loop().call_later(self._grace_s, task.cancel)
            task.add_done_callback(lambda _: timer.cancel())


class _Exchange:
    """One request and its answer: the `receive` and `send` the application is called with.

    Attributes:
        answer: the answer, once there is one.
        is_complete: whether the application has ended its response, or itself.
    """

    __slots__ = (
        *("answer", "is_complete"),
        *("_body", "_delivered", "_is_left", "_is_over", "_max_bytes", "_over", "_request"),
        *("_start", "_waiter"),
    )

    def __init__(self, request: BackendRequest, max_bytes: int) -> None:
        self.answer: BackendResponse | None = None
        self.is_complete = False
        self._request = request
        self._max_bytes = max_bytes
        self._waiter: asyncio.Future[BackendResponse] | None = None
        self._delivered = False
        self._is_over = False
        self._over: asyncio.Event | None = None
        self._is_left = False
        self._start: Message | None = None
        self._body = bytearray()

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Call the application and see that there is an answer when it ends."""
        try:
            await app(scope, self._receive, self._send)
        except asyncio.CancelledError:
            pass
        # Whatever escapes becomes the bodiless 500 a server would have answered; `sys.exit` in a
        # handler does not end a server either.
        except BaseException as fault:
            if self._is_left:
                # Nobody reads this traceback, and what it holds, such as the generator of a stream,
                # would stay open until the next collection of garbage.
                traceback.clear_frames(fault.__traceback__)
            else:
                self._log(fault)
            if isinstance(fault, KeyboardInterrupt | GeneratorExit):
                raise
        finally:
            self.is_complete = True
            if self.answer is None:
                # A response that was begun and not ended must not look like one.
                self._settle(BackendResponse(status=500))

    async def wait(self, deadline: float | None) -> BackendResponse:
        """Return the answer when it is there.

        Raises:
            DeadlineExpired: the deadline passed first.
        """
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        if deadline is None:
            return await self._waiter
        timer = loop.call_later(max(0.0, deadline - time.monotonic()), self._expire)
        try:
            return await self._waiter
        finally:
            timer.cancel()

    def disconnect(self) -> None:
        """Let `receive` yield `http.disconnect` and refuse further output."""
        self._is_left = True
        self._end()

    async def _receive(self) -> Message:
        if not self._delivered:
            self._delivered = True
            return {
                "type": "http.request",
                "body": self._request.body or b"",
                "more_body": False,
            }
        # Answering at once would abort streaming responses that listen for a disconnect.
        if not self._is_over:
            self._over = self._over or asyncio.Event()
            await self._over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        kind = message["type"]
        if self._is_over:
            raise _no_reader()
        if kind == "http.response.start":
            if self._start is not None:
                raise RuntimeError("the application started its response twice")
            self._start = message
        elif kind == "http.response.body":
            self._collect(message)
            if message.get("more_body", False):
                if not self._is_over:
                    # A stream that never waits would keep the loop, and the deadline, to itself.
                    await _next_turn()
                if self._is_over:
                    raise _no_reader()

    def _collect(self, message: Message) -> None:
        if self._start is None:
            raise RuntimeError("the application sent a body before the start of its response")
        chunk, ends = message.get("body", b""), not message.get("more_body", False)
        size = len(self._body) + len(chunk)
        if size > self._max_bytes:
            beginning = bytes(self._body[:PEEKED_BYTES] + chunk[:PEEKED_BYTES])
            self._finish(beginning, ends=ends, cut_off_at=size)
        elif not ends:
            self._body += chunk
        else:
            self._finish(bytes(self._body + chunk) if self._body else bytes(chunk), ends=True)

    def _finish(self, body: bytes, *, ends: bool, cut_off_at: int | None = None) -> None:
        assert self._start is not None
        headers = [
            (str(name, "latin-1").lower(), str(value, "latin-1"))
            for name, value in self._start.get("headers", ())
        ]
        answer = backend_response(
            self._request, self._start["status"], headers, body, cut_off_at=cut_off_at
        )
        self._body = bytearray()
        self.is_complete = ends
        self._is_left = not ends
        self._settle(answer)

    def _expire(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(DeadlineExpired())

    def _settle(self, answer: BackendResponse) -> None:
        self.answer = answer
        self._end()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(answer)

    def _end(self) -> None:
        self._is_over = True
        if self._over is not None:
            self._over.set()

    def _log(self, fault: BaseException) -> None:
        LOGGER.error(
            "the application raised while handling %s %s",
            self._request.method,
            self._request.path,
            exc_info=fault,
        )


def _no_reader() -> OSError:
    # What a server raises after the client left; streaming responses stop on it.
    return OSError("the caller no longer reads this response")


def _start(work: Coroutine[Any, Any, None], context: Context) -> asyncio.Task[None]:
    """Return the task of `work`, where Python can do it with its first step made."""
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12) and loop.get_task_factory() is None:
        return asyncio.Task(work, loop=loop, context=context, eager_start=True)
    return loop.create_task(work, context=context)


@types.coroutine
def _next_turn() -> Generator[None, None, None]:
    """Let everything run that is ready to; what `asyncio.sleep(0)` does, with less around it."""
    yield
