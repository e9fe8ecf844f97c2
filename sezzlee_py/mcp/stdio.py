"""The endpoint over lines of text, as desktop clients speak to a process they start."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from sezzlee_py.mcp.binding import InvokeCall, MetaCall
from sezzlee_py.mcp.head import HTTPReply, refusal
from sezzlee_py.mcp.jsonrpc import RequestId, RPCCode, RPCFault, as_request_id
from sezzlee_py.mcp.protocol import (
    DirectCall,
    MCPProtocol,
    MetaToolCall,
    ToolsList,
    with_message,
)
from sezzlee_py.mcp.service import AsyncService, SyncService, ToolAnswer
from sezzlee_py.model import Emission, OuterRequest, ToolDefinition, read_json

LOGGER: Final = logging.getLogger("sezzlee_py")

T = TypeVar("T")

_CHUNK: Final = 65_536

Write: TypeAlias = Callable[[bytes], None]
# A line, or `None` for one over the limit, which was skipped.
Lines: TypeAlias = AsyncIterator[bytes | None]


class StdioServer:
    """Answers one client, its requests side by side; an answer is one line of JSON.

    There are no headers on this channel, so the caller is the same for every request.

    Args:
        protocol: made without `streams`.
        service: answers the calls.
        outer: the caller, as the layers below read it.
        write: writes one line to the client.
    """

    def __init__(
        self, protocol: MCPProtocol, service: AsyncService, outer: OuterRequest, write: Write
    ) -> None:
        self._protocol = protocol
        self._service = service
        self._outer = outer
        self._write = write
        self._tasks: set[asyncio.Task[None]] = set()
        # The latest of an id: a client that repeats one has only that to give up.
        self._by_id: dict[RequestId, asyncio.Task[None]] = {}

    async def serve(self, lines: Lines) -> None:
        """Answer until the client closes its end; what was asked before that is still answered."""
        async for line in lines:
            if line is None:
                limit = self._protocol.head.max_bytes
                text = f"The message is larger than {limit} bytes."
                self._send(refusal(413, RPCFault(RPCCode.INVALID_REQUEST, text)))
            elif line.strip():
                self._receive(line)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _receive(self, line: bytes) -> None:
        step = self._protocol.receive(None, line)
        if isinstance(step, HTTPReply):
            if step.body:
                self._send(step)
            else:
                self._notified(line)
            return
        if not isinstance(step, MetaToolCall | DirectCall | ToolsList):
            raise TypeError("this channel holds no stream: make the protocol without `streams`")
        request_id = step.exchange.id
        task = asyncio.get_running_loop().create_task(self._answer(step))
        self._tasks.add(task)
        self._by_id[request_id] = task
        task.add_done_callback(lambda done: self._forget(request_id, done))

    async def _answer(self, step: MetaToolCall | DirectCall | ToolsList) -> None:
        protocol, service = self._protocol, self._service
        outer = with_message(self._outer, step, is_piped=True)
        try:
            match step:
                case MetaToolCall():
                    reply = protocol.complete(step, await service.call(step.call, outer))
                case DirectCall():
                    answer = await service.call_tool(step.call, outer)
                    reply = protocol.complete(step, answer.emission, structured=answer.structured)
                case ToolsList():
                    tools = await service.tools(outer) if protocol.lists_directly else ()
                    reply = protocol.listed(step, await service.generation(), tools)
        except Exception as error:
            LOGGER.error("the tool layer failed", exc_info=error)
            reply = protocol.fault(step, error)
        self._send(reply)

    def _notified(self, line: bytes) -> None:
        """End a request that its client has given up; such a one is not answered."""
        message = read_json(line.decode("utf-8"))
        if message.get("method") != "notifications/cancelled":
            return
        params = message.get("params")
        # `true` would be found as 1.
        wanted = as_request_id(params.get("requestId")) if isinstance(params, dict) else None
        if wanted in self._by_id:
            self._by_id[wanted].cancel()

    def _forget(self, request_id: RequestId, done: asyncio.Task[None]) -> None:
        self._tasks.discard(done)
        if self._by_id.get(request_id) is done:
            del self._by_id[request_id]

    def _send(self, reply: HTTPReply) -> None:
        try:
            self._write(reply.body + b"\n")
        except (OSError, ValueError):
            LOGGER.debug("the client has closed its end")


class Chunks(Protocol):
    """A blocking stream that gives what is there, as an unbuffered one does."""

    def read(self, size: int, /) -> bytes | None:
        """Return at most `size` bytes; nothing is the end."""


async def lines_of(stream: Chunks, limit: int) -> AsyncIterator[bytes | None]:
    """Yield the lines of a blocking stream, `None` for each that is longer than `limit`.

    A thread reads, which nobody waits for at the end: a client that keeps its end open would keep
    the process alive. Give an unbuffered stream, whose lock no thread can hold at exit.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        chunk = b""
        # The loop may be closed: the server has gone first. The stream may be, too.
        with suppress(RuntimeError, OSError, ValueError):
            while chunk := stream.read(_CHUNK) or b"":
                loop.call_soon_threadsafe(queue.put_nowait, chunk)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, b"")

    threading.Thread(target=read, name="sezzlee-stdio", daemon=True).start()
    splitter = _Splitter(limit)
    while chunk := await queue.get():
        for line in splitter.feed(chunk):
            yield line
    for line in splitter.end():
        yield line


class _Splitter:
    """Cuts a stream into lines and keeps no more than one line within the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yield the lines that `chunk` ends."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._keep(piece)
            yield from self.end()
        self._keep(rest)

    def end(self) -> Iterator[bytes | None]:
        """Yield the line that has no end, if there is one."""
        if self._size:
            yield None if self._size > self._limit else b"".join(self._kept)
        self._kept, self._size = [], 0

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._kept = []
        else:
            self._kept.append(piece)


class ThreadedService:
    """A service that blocks, asked from an event loop: each call in a thread of its own.

    Args:
        service: the blocking one.
        around: what the host's own functions run in, such as an application context.
    """

    def __init__(
        self,
        service: SyncService,
        around: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self._service = service
        self._around = around

    async def generation(self) -> int:
        """Return the generation of the catalog."""
        return await self._ask(self._service.generation)

    async def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        """Return the gated answer of a meta-tool."""
        return await self._ask(self._service.call, call, outer)

    async def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        """Return the tools this caller sees, for direct listing."""
        return await self._ask(self._service.tools, outer)

    async def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        """Return the gated answer of a tool that is listed directly."""
        return await self._ask(self._service.call_tool, call, outer)

    async def _ask(self, method: Callable[..., T], *arguments: Any) -> T:
        def ask() -> T:
            with self._around():
                return method(*arguments)

        return await asyncio.to_thread(ask)
