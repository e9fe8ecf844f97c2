"""Runs the bookshop on loopback and drives it with the official MCP client, transcript on stdout.

`make demo` calls this. Exit code 0 means every step answered as expected.
"""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

UVICORN = ("uvicorn", "--log-level", "warning", "--port", "{port}")
GUNICORN = ("gunicorn", "--log-level", "warning", "--threads", "4", "--bind", "127.0.0.1:{port}")
# The servers keep one process: each would have a shop, and a database, of its own.
APPLICATIONS = {
    "fastapi": (*UVICORN, "examples.bookshop_fastapi:app"),
    "starlette": (*UVICORN, "examples.bookshop_starlette:app"),
    "flask": (*GUNICORN, "examples.bookshop_flask:create_app()"),
}


def say(text: str) -> None:
    print(text, flush=True)


@contextlib.contextmanager
def running(command: Sequence[str]) -> Iterator[str]:
    """Serve an application on a free loopback port; give its base URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [word.format(port=port) for word in command]
    server = subprocess.Popen([sys.executable, "-m", *words])
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"the server stopped with exit code {server.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    sys.exit("the server did not start within 30 seconds")


class Agent:
    """The official client, speaking with one user's token and saying what it does."""

    def __init__(self, name: str, client: Client) -> None:
        self._name = name
        self._client = client

    async def list(self) -> list[str]:
        tools = (await self._client.list_tools()).tools
        say(f"{self._name} lists tools")
        for tool in tools:
            say(f"  {tool.name}")
        return [tool.name for tool in tools]

    async def call(self, tool: str, arguments: dict[str, Any], shown: int = 600) -> dict[str, Any]:
        say(f"{self._name} calls {tool} {json.dumps(arguments)}")
        result = await self._client.call_tool(tool, arguments)
        text = result.content[0].text  # type: ignore[union-attr]  # this server answers with text
        say(f"  {text if len(text) <= shown else text[:shown] + ' ...'}")
        answer: dict[str, Any] = json.loads(text)
        return answer


@contextlib.asynccontextmanager
async def agent(name: str, url: str, token: str) -> Any:
    """Connect the official client with a bearer token."""
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        say(f"\n{name} connects, protocol {client.protocol_version}")
        yield Agent(name, client)


def found_names(answer: dict[str, Any]) -> list[str]:
    return [result["name"] for result in answer["results"]]


def expect(claim: bool, what: str) -> None:
    if not claim:
        sys.exit(f"the demo expected: {what}")


async def demo(base: str) -> None:
    async with agent("ada (customer)", f"{base}/mcp", "ada-token") as ada:
        names = await ada.list()
        expect(names == ["search_tools", "load_tool", "invoke_tool"], "three meta-tools")

        found = await ada.call("search_tools", {"query": "buy a book"})
        expect(found["results"][0]["name"] == "place_order", "place_order found first")
        say("  (authUncertain: who may call it is declared nowhere, so the call will tell)")
        loaded = await ada.call("load_tool", {"name": "place_order"}, shown=2_000)
        expect("book_id" in loaded["inputSchema"]["properties"], "the body's fields as arguments")

        books = await ada.call(
            "invoke_tool",
            {"name": "list_books", "arguments": {"genre": "science fiction", "limit": 2}},
        )
        expect(books["status"] == 200, "a page of books")
        order = await ada.call(
            "invoke_tool",
            {
                "name": "place_order",
                "arguments": {"book_id": 1, "quantity": 2},
                "version": loaded["version"],
            },
        )
        expect(order["body"]["customer"] == "ada", "an order placed as ada herself")

        say("\n# What ada may not use she neither finds nor loads, as if there were no such tool.")
        restock = await ada.call("search_tools", {"query": "restock book"})
        expect("restock_book" not in found_names(restock), "no manager's tool for a customer")
        guessed = await ada.call("load_tool", {"name": "restock_book"})
        expect(guessed["error"] == "unknown_tool", "a guessed name that loads as unknown")

        say("\n# What the application refuses, the agent is refused: it alone decides on calls.")
        wrong = await ada.call(
            "invoke_tool", {"name": "place_order", "arguments": {"book_id": 1, "quantity": 99}}
        )
        expect(wrong["error"] == "validation_failed", "the application's own validation")
        missing = await ada.call(
            "invoke_tool", {"name": "get_book", "arguments": {"book_id": 4711}}
        )
        expect(missing["error"] == "not_found", "a missing book")
        misspelt = await ada.call("invoke_tool", {"name": "get_book", "arguments": {"bookid": 1}})
        expect(misspelt["error"] == "unknown_argument", "a misspelt argument")
        forbidden = await ada.call(
            "invoke_tool", {"name": "restock_book", "arguments": {"book_id": 4, "copies": 5}}
        )
        expect(forbidden["error"] == "forbidden", "a customer may not restock")
        flood = await ada.call("invoke_tool", {"name": "reports_export_catalogue"})
        expect(flood["error"] == "response_too_large", "an answer that would flood the agent")
        hidden = await ada.call("load_tool", {"name": "reports_close_year"})
        expect(hidden["error"] == "unknown_tool", "an endpoint nobody declared")

    async with agent("grace (manager)", f"{base}/mcp", "grace-token") as grace:
        found = await grace.call("search_tools", {"query": "restock book"})
        expect(found_names(found)[0] == "restock_book", "a manager finds her tool")
        restocked = await grace.call(
            "invoke_tool", {"name": "restock_book", "arguments": {"book_id": 4, "copies": 5}}
        )
        expect(restocked["body"]["stock"] == 5, "a manager may restock")
        nothing = await grace.call("search_tools", {"query": "translate poem to klingon"})
        expect(nothing["results"] == [], "an honest empty answer")

    async with agent("root (admin)", f"{base}/mcp", "root-token") as root:
        found = await root.call("search_tools", {"query": "remove book"})
        expect(found_names(found)[0] == "remove_book", "the admin finds what is the admin's")
    say("\nEvery step answered as expected.")


def main() -> None:
    framework = os.environ.get("FRAMEWORK", "fastapi")
    if framework not in APPLICATIONS:
        sys.exit(f"FRAMEWORK is one of {', '.join(APPLICATIONS)}, not {framework!r}")
    say(f"the bookshop on {framework}; FRAMEWORK={'|'.join(APPLICATIONS)} chooses")
    with running(APPLICATIONS[framework]) as base:
        asyncio.run(demo(base))


if __name__ == "__main__":
    main()
