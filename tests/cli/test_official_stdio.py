"""A desktop client's transport: the official client starts the process and speaks to it."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli import shop
from tests.cli.running import SHOP

# The official client wants newer frameworks than the oldest supported ones.
pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT = Path(__file__).parents[2]
HEADER = ("--header", "Authorization: $SHOP_TOKEN")


def texts(result: Any) -> Any:
    (block,) = result.content
    return json.loads(block.text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("app", ["app", "flask_app"])
async def test_the_official_client_speaks_to_the_process(
    app: str, mode: Any, tmp_path: Path
) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=[
            "-m",
            "sezzlee_py",
            "stdio",
            f"{SHOP}:{app}",
            "--header",
            "Authorization: $SHOP_TOKEN",
        ],
        env={**os.environ, "SHOP_TOKEN": shop.TOKEN},
        cwd=ROOT,
    )
    with (tmp_path / "log").open("w") as log:
        async with Client(stdio_client(server, errlog=log), mode=mode) as client:
            listed = await client.list_tools()
            assert [t.name for t in listed.tools] == ["search_tools", "load_tool", "invoke_tool"]
            found = texts(await client.call_tool("search_tools", {"query": "fetch order"}))
            assert found["results"][0]["name"] == "get_order"
            call = {"name": "get_order", "arguments": {"order_id": 7}}
            assert texts(await client.call_tool("invoke_tool", call))["body"]["id"] == 7
            if app == "app":
                call = {"name": "cancel_order", "arguments": {"order_id": 7}}
                answer = texts(await client.call_tool("invoke_tool", call))
                assert answer == {"status": 200, "body": {"cancelled": 7}}
    if app == "app":
        assert "the shop opens" in (tmp_path / "log").read_text()
