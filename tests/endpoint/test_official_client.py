"""The official client against the endpoint, in process."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from sezzlee_py.mcp.revisions import LATEST, LATEST_HANDSHAKE
from tests.endpoint.stub import StubService, asgi_app, tool, wsgi_app

URL = "http://127.0.0.1/mcp"
MODES = {"auto": LATEST, "legacy": LATEST_HANDSHAKE, LATEST: LATEST}


@asynccontextmanager
async def connected(app: Any, mode: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(transport=transport(app)) as http,
        Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
    ):
        yield client


def transport(app: Any) -> Any:
    if type(app).__name__ == "MCPASGIApp":
        return httpx2.ASGITransport(app=app)
    return InThread(httpx2.WSGITransport(app=app))


class InThread(httpx2.AsyncBaseTransport):
    """A WSGI application for a client that is asynchronous; it answers at once."""

    def __init__(self, inner: httpx2.WSGITransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        whole = httpx2.Request(
            request.method, request.url, headers=request.headers, content=await request.aread()
        )
        answer = self._inner.handle_request(whole)
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.read())


def text_of(result: Any) -> Any:
    (block,) = result.content
    return json.loads(block.text)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
async def test_the_client_lists_searches_loads_and_invokes(make: Any, mode: str) -> None:
    service = StubService()
    async with connected(make(service), mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["search_tools", "load_tool", "invoke_tool"]
        found = await client.call_tool("search_tools", {"query": "größe", "limit": 3})
        assert text_of(found)["query"] == "größe"
        assert text_of(await client.call_tool("load_tool", {"name": "x"}))["name"] == "x"
        arguments = {"name": "x", "arguments": {"a": [1, None]}, "version": "v"}
        assert text_of(await client.call_tool("invoke_tool", arguments))["arguments"] == {
            "a": [1, None]
        }
        refused = await client.call_tool("load_tool", {"nam": "x"})
        assert (refused.is_error, text_of(refused)["error"]) == (True, "unknown_argument")
        assert client.session.protocol_version == MODES[mode]
    assert len(service.seen) == 4


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
async def test_the_client_reads_the_title_and_the_instructions(make: Any, mode: str) -> None:
    told = "Books are sold by the copy."
    app = make(StubService(), title="Book shop", instructions=told)
    async with connected(app, mode) as client:
        assert client.server_info is not None
        assert (client.server_info.title, client.instructions) == ("Book shop", told)


@pytest.mark.parametrize("mode", MODES)
async def test_the_client_takes_direct_listing_with_its_pages_and_structured_content(
    mode: str,
) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    wrapped = {
        "type": "object",
        "properties": {"result": {"type": "array"}},
        "required": ["result"],
    }
    catalog = [tool(f"tool_{i:03}", output_schema=schema) for i in range(150)]
    catalog.append(tool("list_all", output_schema=wrapped))
    async with connected(asgi_app(StubService(catalog=catalog), listing="direct"), mode) as client:
        first = await client.list_tools()
        second = await client.list_tools(cursor=first.next_cursor)
        assert [len(first.tools), len(second.tools), second.next_cursor] == [100, 51, None]
        answered = await client.call_tool("tool_001", {"id": 7})
        assert answered.structured_content == {"id": 7}
        listed = await client.call_tool("list_all", {"body": [1, 2]})
        assert listed.structured_content == {"result": [1, 2]}
        missing = await client.call_tool("nope", {})
        assert (missing.is_error, text_of(missing)["error"]) == (True, "unknown_tool")
