"""The endpoint as an ASGI application."""

from __future__ import annotations

import asyncio
import logging
import types
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import aclosing, suppress
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from sezzlee_py.invoke.dispatch import is_inside_dispatch, is_sezzlee_request
from sezzlee_py.mcp.head import HTTPReply, accepts, crashed, log_refused, nested, not_acceptable
from sezzlee_py.mcp.protocol import (
    Ask,
    DirectCall,
    ListenRequest,
    MCPProtocol,
    MetaToolCall,
    ToolsList,
    with_message,
)
from sezzlee_py.mcp.service import AsyncService
from sezzlee_py.mcp.subscriptions import STREAM_HEADERS, Subscriptions
from sezzlee_py.model import Headers, OuterRequest

LOGGER: Final = logging.getLogger("sezzlee_py")

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
_T = TypeVar("_T")

_WATCH_AFTER_S: Final = 0.01
_EVENT_STREAM: Final = frozenset({"text/event-stream", "text/*", "*/*"})


class ClientGone(Exception):  # noqa: N818 - an outcome, not a fault
    """The client left before it was answered."""


class MCPASGIApp:
    """Serves one endpoint; answers whatever path it is reached by, and never raises to the server.

    Args:
        protocol: made with `streams` when `subscriptions` are given.
        service: answers the calls.
        subscriptions: the open listen streams.
        mount_path: the part of `root_path` that is the endpoint's own mount, not the application's.
    """

    def __init__(
        self,
        protocol: MCPProtocol,
        service: AsyncService,
        *,
        subscriptions: Subscriptions | None = None,
        mount_path: str = "",
    ) -> None:
        self._protocol = protocol
        self._service = service
        self._subscriptions = subscriptions or Subscriptions()
        self._mount_path = mount_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; other kinds of connection than HTTP are declined."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1000})
            return
        try:
            answer = await self._answer(scope, receive)
            if isinstance(answer, HTTPReply):
                await send_reply(send, answer)
            else:
                await _unless_gone(receive, self._stream(answer, send))
        except ClientGone:
            LOGGER.debug("the client left before it was answered")
        except Exception:
            # A server answers an escaping exception with a traceback page or a closed connection.
            LOGGER.exception("the reply could not be sent")

    async def _answer(self, scope: Scope, receive: Receive) -> HTTPReply | ListenRequest:
        try:
            outer = outer_request(scope, self._mount_path)
            if is_sezzlee_request(scope) or is_inside_dispatch():
                return nested()
            refused = self._protocol.head.check(outer.method, outer.headers)
            if refused is not None:
                log_refused(refused)
                return refused
            body = await read_body(receive, self._protocol.head.max_bytes)
            if body is None:
                return self._protocol.head.too_large()
            step = self._protocol.receive(outer.headers, body)
            if isinstance(step, HTTPReply):
                return step
            if isinstance(step, ListenRequest):
                return (
                    step
                    if accepts(outer.headers, _EVENT_STREAM)
                    else not_acceptable("text/event-stream")
                )
            return await _unless_gone(receive, self._perform(step, outer))
        except ClientGone:
            raise
        except Exception:
            LOGGER.exception("the endpoint failed")
            return crashed()

    async def _perform(
        self, ask: ToolsList | MetaToolCall | DirectCall, outer: OuterRequest
    ) -> HTTPReply:
        protocol, service = self._protocol, self._service
        outer = with_message(outer, ask)
        try:
            match ask:
                case MetaToolCall():
                    return protocol.complete(ask, await service.call(ask.call, outer))
                case DirectCall():
                    answer = await service.call_tool(ask.call, outer)
                    return protocol.complete(ask, answer.emission, structured=answer.structured)
                case ToolsList():
                    tools = await service.tools(outer) if protocol.lists_directly else ()
                    return protocol.listed(ask, await service.generation(), tools)
        except Exception as error:
            return self._fault(ask, error)

    def _fault(self, ask: Ask, error: Exception) -> HTTPReply:
        LOGGER.error("the tool layer failed", exc_info=error)
        return self._protocol.fault(ask, error)

    async def _stream(self, listen: ListenRequest, send: Send) -> None:
        await send(_start(200, STREAM_HEADERS))
        async with aclosing(self._subscriptions.frames(listen)) as frames:
            async for frame in frames:
                await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def outer_request(scope: Mapping[str, Any], mount_path: str = "") -> OuterRequest:
    """Return the MCP request as the layers below read it."""
    client, server = scope.get("client"), scope.get("server")
    return OuterRequest(
        method=scope["method"],
        headers=_headers(scope["headers"]),
        client=(client[0], client[1]) if client else None,
        scheme=scope.get("scheme", "http"),
        server=(server[0], server[1]) if server else None,
        http_version=scope.get("http_version", "1.1"),
        root_path=scope.get("root_path", "").removesuffix(mount_path),
        native=scope,
    )


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    names, values = list(zip(*raw, strict=True)) or ((), ())
    return tuple(zip(map(str.lower, _texts(names)), _texts(values), strict=True))


def _texts(parts: Sequence[bytes]) -> list[str]:
    # All at once takes a third of one by one. No server lets a line break in; where one is there
    # for all that, the count of the texts tells.
    texts = b"\n".join(parts).decode("latin-1").split("\n")
    return texts if len(texts) == len(parts) else [part.decode("latin-1") for part in parts]


async def read_body(receive: Receive, limit: int) -> bytes | None:
    """Return the body, or `None` as soon as it is over the limit.

    Raises:
        ClientGone: the client left before it had sent everything.
    """
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


@types.coroutine
def _unless_gone(receive: Receive, work: Coroutine[Any, Any, _T]) -> Generator[Any, Any, _T]:
    """Return what `work` returns; it is cancelled when the client leaves.

    The client is watched from the first time on that `work` waits for something. Giving others a
    turn is not waiting: it is over before anybody could have left.

    Raises:
        ClientGone: the client left first.
    """
    watch: _Watch | None = None
    step: Callable[[Any], Any] = work.send
    argument: Any = None
    try:
        while True:
            try:
                waited_for = step(argument)
            except StopIteration as done:
                result: _T = done.value
                return result
            if waited_for is not None and watch is None:
                watch = _Watch(receive)
            try:
                argument = yield waited_for
                step = work.send
            except BaseException as fault:
                argument = fault
                step = work.throw
    except asyncio.CancelledError:
        # Of two cancellations the server's is not ours to swallow.
        if watch is not None and watch.has_cancelled():
            raise ClientGone from None
        raise
    finally:
        if watch is not None:
            watch.stop()


class _Watch:
    """Listens for the client's leaving while a call waits, and cancels the call."""

    def __init__(self, receive: Receive) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._receive = receive
        self._listening: asyncio.Task[None] | None = None
        self._gone = False
        # Most waits are short; a task to listen costs as much as they do.
        self._timer = asyncio.get_running_loop().call_later(_WATCH_AFTER_S, self._start)

    def stop(self) -> None:
        """Listen no longer."""
        self._timer.cancel()
        if self._listening is not None:
            self._listening.cancel()

    def has_cancelled(self) -> bool:
        """Whether the client left, and nobody else cancelled the call."""
        return self._gone and not self._task.uncancel()

    def _start(self) -> None:
        self._listening = asyncio.get_running_loop().create_task(self._listen())

    async def _listen(self) -> None:
        # After the body nothing but a disconnect may come, so once is enough.
        with suppress(Exception):
            self._gone = (await self._receive())["type"] == "http.disconnect"
        if self._gone:
            self._task.cancel()


def _start(status: int, headers: Headers, *more: tuple[bytes, bytes]) -> Message:
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [*_raw_headers(headers), *more],
    }


# The replies have a handful of headers between them.
@lru_cache(maxsize=32)
def _raw_headers(headers: Headers) -> tuple[tuple[bytes, bytes], ...]:
    return tuple([(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers])


async def send_reply(send: Send, reply: HTTPReply) -> None:
    """Send a whole reply."""
    body = reply.body
    await send(_start(reply.status, reply.headers, (b"content-length", b"%d" % len(body))))
    await send({"type": "http.response.body", "body": body, "more_body": False})
