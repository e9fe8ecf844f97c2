"""The official client of before 2.0 against a running endpoint; needs `mcp<2` and nothing of ours.

    python tests/endpoint/legacy_client.py http://127.0.0.1:8000/mcp "list books" \\
        --invoke list_books '{"limit": 1}' --bearer token

Lists the tools, searches, loads and invokes. Exits 0 when every answer is what it should be.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

TOOLS = ["search_tools", "load_tool", "invoke_tool"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("query")
    parser.add_argument("--invoke", nargs=2, metavar=("NAME", "ARGUMENTS"), required=True)
    parser.add_argument("--bearer", help="token of the caller")
    return parser.parse_args()


async def call(session: ClientSession, tool: str, given: dict[str, Any]) -> Any:
    result = await session.call_tool(tool, given)
    (block,) = result.content
    payload = json.loads(block.text)  # type: ignore[union-attr]  # a text block, or it fails here
    print(f"{tool}({json.dumps(given)}) -> {block.text[:200]}")  # type: ignore[union-attr]  # same
    assert bool(result.isError) == ("error" in payload), result
    return payload


async def converse(session: ClientSession, query: str, name: str, given: dict[str, Any]) -> None:
    initialized = await session.initialize()
    print(f"revision {initialized.protocolVersion}, server {initialized.serverInfo}")
    await session.send_ping()
    listed = await session.list_tools()
    assert [tool.name for tool in listed.tools] == TOOLS, listed
    found = await call(session, "search_tools", {"query": query})
    assert "error" not in found, found
    loaded = await call(session, "load_tool", {"name": name})
    assert "error" not in loaded, loaded
    invocation = {"name": name, "arguments": given}
    if "version" in loaded:
        invocation["version"] = loaded["version"]
    answered = await call(session, "invoke_tool", invocation)
    assert "error" not in answered, answered
    refused = await call(session, "load_tool", {"tool": name})
    assert refused["error"] == "unknown_argument", refused


async def main() -> None:
    parsed = arguments()
    headers = {"Authorization": f"Bearer {parsed.bearer}"} if parsed.bearer else {}
    name, given = parsed.invoke
    async with (
        streamablehttp_client(parsed.url, headers=headers) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await converse(session, parsed.query, name, json.loads(given))


if __name__ == "__main__":
    asyncio.run(main())
    sys.exit(0)
