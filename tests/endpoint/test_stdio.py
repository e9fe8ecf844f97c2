"""The endpoint over lines of text."""

import asyncio
import io
import json
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import contextmanager
from typing import Any

import pytest

from sezzlee_py.errors import CatalogError
from sezzlee_py.mcp.meta_tools import META_ARGUMENTS
from sezzlee_py.mcp.protocol import MCPProtocol
from sezzlee_py.mcp.stdio import StdioServer, ThreadedService, lines_of
from sezzlee_py.model import OuterRequest
from sezzlee_py.options import TransportOptions
from tests.endpoint.stub import StubService, SyncStubService, tool

OUTER = OuterRequest(headers=(("authorization", "Bearer t"),))


def call(number: Any, name: str, arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def search(number: Any, query: str) -> dict[str, Any]:
    return call(number, "search_tools", {"query": query})


async def lines(messages: Iterable[Any]) -> AsyncIterator[bytes | None]:
    for message in messages:
        if message is None or isinstance(message, bytes):
            yield message
        else:
            yield json.dumps(message).encode() + b"\n"
        # A real client's lines come one by one.
        await asyncio.sleep(0)


async def answers(service: Any, *messages: Any, **options: Any) -> list[Any]:
    """What the client reads, by the order in which it was written."""
    written: list[bytes] = []
    protocol = MCPProtocol(TransportOptions(**options))
    await StdioServer(protocol, service, OUTER, written.append).serve(lines(messages))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in written)
    return [json.loads(line) for line in written]


def texts(documents: list[Any]) -> dict[Any, Any]:
    return {
        document["id"]: json.loads(document["result"]["content"][0]["text"])
        for document in documents
    }


async def test_the_handshake_and_calls_are_answered_one_line_each() -> None:
    initialize = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    service = StubService()
    read = await answers(
        service,
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        b"  \n",
        search("two", "line\nbreak"),
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
    )
    by_id = {document["id"]: document for document in read}
    assert by_id[0]["result"]["protocolVersion"] == "2025-06-18"
    assert by_id[0]["result"]["capabilities"] == {"tools": {"listChanged": False}}
    assert [t["name"] for t in by_id[1]["result"]["tools"]] == list(META_ARGUMENTS)
    assert texts([by_id["two"]])["two"]["query"] == "line\nbreak"
    assert by_id[3]["result"] == {}
    assert set(by_id) == {0, 1, "two", 3}


async def test_the_caller_is_the_same_for_every_request() -> None:
    service = StubService()
    await answers(service, search(1, "a"), search(2, "b"))
    assert [outer for _, outer in service.seen] == [OUTER, OUTER]


async def test_both_eras_are_spoken() -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}
    [document] = await answers(StubService(), discover)
    assert "2026-07-28" in document["result"]["supportedVersions"]


async def test_direct_listing_is_served() -> None:
    service = StubService(catalog=[tool("get_order")])
    read = await answers(
        service,
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        call(2, "get_order", {"body": 1}),
        listing="direct",
    )
    by_id = {document["id"]: document["result"] for document in read}
    assert [t["name"] for t in by_id[1]["tools"]] == ["get_order"]
    assert json.loads(by_id[2]["content"][0]["text"]) == {"status": 200, "body": 1}


@pytest.mark.parametrize(
    ("line", "code"), [(b"{\n", -32700), (b"[]\n", -32600), (b"\xff\n", -32700), (None, -32600)]
)
async def test_what_is_no_message_is_answered_with_an_error(line: Any, code: int) -> None:
    read = await answers(StubService(), line, search(1, "after"))
    assert [(d["id"], d.get("error", {}).get("code")) for d in read] == [(None, code), (1, None)]


class Gated(StubService):
    """Answers a query when its gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: dict[str, asyncio.Event] = {}
        self.cancelled: list[str] = []

    async def call(self, call: Any, outer: Any) -> Any:
        gate = self.gates.setdefault(call.query, asyncio.Event())
        if call.query == "open":
            for other in self.gates.values():
                other.set()
        try:
            await gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(call.query)
            raise
        return await super().call(call, outer)


async def test_a_slow_call_holds_up_nobody_and_is_answered_after_the_end_of_input() -> None:
    read = await answers(
        Gated(),
        search(1, "slow"),
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        search(3, "open"),
    )
    assert read[0]["id"] == 2
    assert sorted(document["id"] for document in read) == [1, 2, 3]


async def test_a_call_that_was_given_up_is_cancelled_and_not_answered() -> None:
    service = Gated()
    given_up = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    unknown = {**given_up, "params": {"requestId": 99}}
    nothing = {**given_up, "params": {}}
    bare = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    read = await answers(service, search(1, "slow"), unknown, nothing, bare, given_up)
    assert (read, service.cancelled) == ([], ["slow"])


@pytest.mark.parametrize("named", [True, 1.0, "1", None, [1]])
async def test_what_is_not_the_id_of_a_call_gives_none_up(named: Any) -> None:
    service = Gated()
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": named}}
    read = await answers(
        service, search(1, "slow"), {"jsonrpc": "2.0", **cancelled}, search(2, "open")
    )
    assert (sorted(document["id"] for document in read), service.cancelled) == ([1, 2], [])


async def test_an_id_that_is_used_twice_is_answered_twice() -> None:
    read = await answers(Gated(), search(1, "slow"), search(1, "open"))
    assert [document["id"] for document in read] == [1, 1]


async def test_a_service_that_raises_is_an_internal_error() -> None:
    class Fatal(StubService):
        async def call(self, call: Any, outer: Any) -> Any:
            raise CatalogError(())

    [document] = await answers(Fatal(), search(1, "x"))
    assert document["error"]["code"] == -32603


async def test_a_client_that_left_fails_nothing() -> None:
    def gone(line: bytes) -> None:
        raise BrokenPipeError

    protocol = MCPProtocol(TransportOptions())
    await StdioServer(protocol, StubService(), OUTER, gone).serve(lines([search(1, "x")]))


async def test_a_protocol_with_streams_is_refused() -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"_meta": meta, "notifications": {"toolsListChanged": True}}
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    server = StdioServer(
        MCPProtocol(TransportOptions(), streams=True), StubService(), OUTER, lambda line: None
    )
    with pytest.raises(TypeError, match="without `streams`"):
        await server.serve(lines([listen]))


async def test_a_blocking_service_is_asked_in_threads_inside_what_it_needs() -> None:
    entered: list[int] = []
    home = threading.get_ident()

    @contextmanager
    def around() -> Any:
        entered.append(threading.get_ident())
        yield

    stub = StubService(catalog=[tool("get_order")])
    service = ThreadedService(SyncStubService(stub), around)
    await answers(service, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, search(2, "x"))
    read = await answers(
        service,
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        call(2, "get_order", {}),
        listing="direct",
    )
    assert sorted(document["id"] for document in read) == [1, 2]
    assert len(entered) == 5
    assert home not in entered


class Dripping:
    """A stream that gives its bytes in chunks of one size, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        self._stream = io.BytesIO(data)
        self._size = size

    def read(self, size: int, /) -> bytes:
        return self._stream.read(min(size, self._size))


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_lines_are_read_within_the_limit_and_longer_ones_skipped(size: int) -> None:
    data = b"short\n\n" + b"x" * 50 + b"\n" + b"y" * 10 + b"\nlast"
    read = [line async for line in lines_of(Dripping(data, size), 10)]
    assert read == [b"short", None, b"y" * 10, b"last"]
    assert [line async for line in lines_of(Dripping(b"z" * 50, size), 10)] == [None]


async def test_a_closed_stream_is_an_end() -> None:
    stream = io.BytesIO(b"x\n")
    stream.close()
    assert [line async for line in lines_of(stream, 10)] == []


def test_a_loop_that_is_gone_ends_the_reading_thread() -> None:
    gate = threading.Event()

    class Late:
        def read(self, size: int, /) -> bytes:
            gate.wait(20)
            return b"too late\n"

    async def begin() -> None:
        reading = lines_of(Late(), 10)
        task = asyncio.ensure_future(anext(reading))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(begin())
    thread = next(t for t in threading.enumerate() if t.name == "sezzlee-stdio")
    gate.set()
    thread.join(20)
    assert not thread.is_alive()
