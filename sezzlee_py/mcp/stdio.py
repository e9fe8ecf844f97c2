"""The endpoint over lines of text, as desktop clients speak to a process they start."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, Final, TypeAlias

from sezzlee_py.mcp.binding import InvokeCall, MetaCall
from sezzlee_py.mcp.head import HTTPReply, refusal
from sezzlee_py.mcp.jsonrpc import RequestId, RPCCode, RPCFault
from sezzlee_py.mcp.protocol import DirectCall, MCPProtocol, MetaToolCall, ToolsList
from sezzlee_py.mcp.service import AsyncService, SyncService, ToolAnswer
from sezzlee_py.model import Emission, OuterRequest, ToolDefinition, read_json

LOGGER: Final = logging.getLogger("sezzlee_py")

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
        protocol, service, outer = self._protocol, self._service, self._outer
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
        wanted = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(wanted, str | int) and wanted in self._by_id:
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


async def lines_of(stream: BinaryIO, limit: int) -> AsyncIterator[bytes | None]:
    """Yield the lines of a blocking stream, `None` for each that is longer than `limit`.

    A thread reads, which nobody waits for at the end: a client that keeps its end open would keep
    the process alive.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | EOFError | None] = asyncio.Queue()

    def put(item: bytes | EOFError | None) -> None:
        try:
            loop.call_soon_threadsafe(queue.put_nowait, item)
        except RuntimeError:
            # The loop is closed: the server has gone first.
            raise SystemExit from None

    def read() -> None:
        try:
            while line := _read_line(stream, limit):
                put(None if len(line) > limit else line)
        except (OSError, ValueError):
            LOGGER.debug("standard input was closed")
        put(EOFError())

    threading.Thread(target=read, name="sezzlee-stdio", daemon=True).start()
    while not isinstance(item := await queue.get(), EOFError):
        yield item


def _read_line(stream: BinaryIO, limit: int) -> bytes:
    """One line; of one over the limit its beginning, and the rest is skipped."""
    line = stream.readline(limit + 1)
    if len(line) > limit:
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(limit)
    return line


class ThreadedService:
    """A service that blocks, asked from an event loop: each call in a thread of its own."""

    def __init__(self, service: SyncService) -> None:
        self._service = service

    async def generation(self) -> int:
        """Return the generation of the catalog."""
        return await asyncio.to_thread(self._service.generation)

    async def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        """Return the gated answer of a meta-tool."""
        return await asyncio.to_thread(self._service.call, call, outer)

    async def tools(self, outer: OuterRequest) -> list[ToolDefinition]:
        """Return the tools this caller sees, for direct listing."""
        return list(await asyncio.to_thread(self._service.tools, outer))

    async def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        """Return the gated answer of a tool that is listed directly."""
        return await asyncio.to_thread(self._service.call_tool, call, outer)
