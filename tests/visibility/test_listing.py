"""Lists that clients see: direct listing and list changes, with the official client."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

httpx2 = pytest.importorskip("httpx2")
pytest.importorskip("mcp")

from mcp.client.client import Client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from sezzlee_fastapi import mount_mcp  # noqa: E402
from sezzlee_py import Options, Sezzlee, mcp_tool  # noqa: E402
from tests.serving import served  # noqa: E402

bearer = HTTPBearer(auto_error=False)


class Thing(BaseModel):
    id: int


def boss(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> None:
    if credentials is None or credentials.credentials != "boss":
        raise HTTPException(403)


boss.__mcp_auth__ = {"anonymous": "no", "policies": ["boss"], "imperative": False}  # type: ignore[attr-defined]


class Shop:
    """An application with many tools, of which the last needs a boss."""

    def __init__(self, count: int, **transport: Any) -> None:
        self.app = FastAPI()
        for number in range(count):
            self.add(f"thing_{number:03}")
        self.app.delete("/things", dependencies=[Depends(boss)])(
            mcp_tool(name="remove_everything")(lambda: None)
        )
        options = Options(transport=transport)
        options.visibility.identity = lambda caller: "present" if caller.fields else "absent"
        options.visibility.evaluate_policy = lambda _, caller: (
            "allow" if caller.headers["authorization"] == "Bearer boss" else "deny"
        )
        self.sezzlee: Sezzlee = mount_mcp(self.app, options=options)

    def add(self, name: str) -> None:
        @self.app.get(f"/{name}/{{thing_id}}")
        @mcp_tool(name=name, read_only=True)
        def read(thing_id: int) -> Thing:
            """Read a thing."""
            return Thing(id=thing_id)

        @self.app.get(f"/{name}")
        @mcp_tool(name=f"{name}_list")
        def listed() -> list[Thing]:
            """List things."""
            return [Thing(id=1)]


@asynccontextmanager
async def connected(base: str, token: str = "") -> AsyncIterator[Any]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        yield client


async def listed(client: Any) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while True:
        page = await client.list_tools(cursor=cursor)
        assert len(page.tools) <= 100
        found += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return found


async def test_a_small_server_lists_its_tools_themselves_to_each_what_it_sees() -> None:
    shop = Shop(60, listing="direct")
    async with served(lambda _: shop.app) as base:
        async with connected(base) as client:
            names = [tool.name for tool in await listed(client)]
            assert names == sorted(names)
            assert len(names) == 120
            one = (await listed(client))[0]
            assert (one.name, one.title, one.description) == ("thing_000", None, "Read a thing.")
            assert one.annotations.read_only_hint is True
            assert one.input_schema["required"] == ["thing_id"]
            assert one.meta["sezzlee/catalogGeneration"] == 1
            read = await client.call_tool("thing_007", {"thing_id": 7})
            assert read.structured_content == {"id": 7}
            assert json.loads(read.content[0].text) == {"status": 200, "body": {"id": 7}}
            many = await client.call_tool("thing_007_list")
            assert many.structured_content == {"result": [{"id": 1}]}
            hidden = await client.call_tool("remove_everything")
            assert (hidden.is_error, json.loads(hidden.content[0].text)["error"]) == (
                True,
                "forbidden",
            )
            missing = await client.call_tool("search_tools", {"query": ""})
            assert json.loads(missing.content[0].text) == {
                "error": "unknown_tool",
                "message": "No operation named 'search_tools'.",
                "retryable": False,
            }
        async with connected(base, "boss") as client:
            assert len(await listed(client)) == 121


async def test_a_reload_is_told_exactly_once_and_an_invalidation_not_at_all() -> None:
    shop = Shop(1)
    async with (
        served(lambda _: shop.app) as base,
        connected(base) as client,
        client.listen(tools_list_changed=True) as stream,
    ):

        async def next_kind() -> str:
            return type(await asyncio.wait_for(anext(stream), 5)).__name__

        shop.sezzlee.invalidate_all()
        shop.sezzlee.invalidate_tag("user:1")
        shop.add("later")
        shop.sezzlee.reload()
        assert await next_kind() == "ToolsListChanged"
        assert shop.sezzlee.catalog.generation == 2
        shop.sezzlee.notify_list_changed()
        assert await next_kind() == "ToolsListChanged"
        shop.app.get("/clash")(mcp_tool(name="thing_000")(lambda: None))
        with pytest.raises(Exception, match="name_collision"):
            shop.sezzlee.reload()
        assert shop.sezzlee.catalog.generation == 2
        shop.app.router.routes.pop()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 0.2)


async def test_a_shutdown_ends_every_stream() -> None:
    shop = Shop(1)
    async with AsyncExitStack() as client_side, served(lambda _: shop.app) as base:
        client = await client_side.enter_async_context(connected(base))
        stream = await client_side.enter_async_context(client.listen(tools_list_changed=True))
        assert stream.honored.tools_list_changed is True
        # As at the end of the lifespan, which uvicorn runs once its responses have ended.
        shop.app._sezzlee_installation._subscriptions.close()
        assert [event async for event in stream] == []


async def test_a_server_that_is_told_to_stop_ends_its_streams_and_stops() -> None:
    command = [sys.executable, "-m", "uvicorn", "examples.bookshop_fastapi:app", "--port", "0"]
    server = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert server.stderr is not None
    try:
        async with asyncio.timeout(30):
            while b"running on" not in (line := await server.stderr.readline()):
                assert line, "the server did not start"
            base = re.search(rb"http://[\d.:]+", line)[0].decode()  # type: ignore[index]  # it is there
            async with connected(base) as client, client.listen(tools_list_changed=True) as stream:
                server.terminate()
                assert [event async for event in stream] == []
            assert await server.wait() in (0, -15)
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()
