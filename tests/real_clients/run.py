"""Drives the bookshop over loopback with the official clients: 2.x in three modes, and 1.x.

    python -m tests.real_clients.run

The 1.x client gets a virtual environment of its own. Exits 0 when every conversation went well.
"""

import asyncio
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from examples.demo import APPLICATIONS, running

ROOT = Path(__file__).parents[2]
LEGACY = ROOT / ".venv-mcp1"
QUERY, TOOL, ARGUMENTS = "list books", "list_books", {"limit": 1}
TOKEN = "ada-token"
MODES = ("auto", "legacy", "2026-07-28")


async def converse(url: str, mode: str) -> None:
    """List, search, load and invoke in one mode of the 2.x client."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == ["search_tools", "load_tool", "invoke_tool"], listed
        found = await call(client, "search_tools", {"query": QUERY})
        assert found["results"][0]["name"] == TOOL, found
        loaded = await call(client, "load_tool", {"name": TOOL})
        answer = await call(
            client,
            "invoke_tool",
            {"name": TOOL, "arguments": ARGUMENTS, "version": loaded["version"]},
        )
        assert answer["status"] == 200, answer
        print(f"mcp 2.x, mode {mode}: protocol {client.protocol_version}, ok", flush=True)


async def call(client: Client, tool: str, arguments: dict[str, object]) -> dict[str, object]:
    """Return the payload of one call."""
    result = await client.call_tool(tool, arguments)
    payload: dict[str, object] = json.loads(result.content[0].text)  # type: ignore[union-attr]  # text
    return payload


def legacy_python() -> Path:
    """Return the interpreter of an environment with the 1.x client, made where there is none."""
    python = LEGACY / "bin" / "python"
    if not python.exists():
        venv.create(LEGACY, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "mcp<2"], check=True)
    return python


def main() -> None:
    """Run every client against the application named by `FRAMEWORK`."""
    application = APPLICATIONS[os.environ.get("FRAMEWORK", "fastapi")]
    with running(application) as base:
        for mode in MODES:
            asyncio.run(converse(f"{base}/mcp", mode))
        script = ROOT / "tests" / "endpoint" / "legacy_client.py"
        invoke = ["--invoke", TOOL, json.dumps(ARGUMENTS), "--bearer", TOKEN]
        subprocess.run(
            [str(legacy_python()), str(script), f"{base}/mcp", QUERY, *invoke], check=True
        )
        print("mcp 1.x: ok", flush=True)


if __name__ == "__main__":
    sys.exit(main())
