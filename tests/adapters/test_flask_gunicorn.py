"""Flask under gunicorn, two processes of threads or greenlets, by the official client."""

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

httpx2 = pytest.importorskip("httpx2")
mcp = pytest.importorskip("mcp")

from mcp.client.streamable_http import streamable_http_client  # noqa: E402 - after the skip

ROOT = Path(__file__).parents[2]
APPLICATION = "tests.adapters.apps.served_app:create_app()"


GEVENT = ("--worker-class", "gevent")


@pytest.fixture(
    params=[(), ("--preload",), GEVENT], ids=["forked first", "forked last", "greenlets"]
)
def base(request: pytest.FixtureRequest) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--workers", "2", "--threads", "4"]
    command += ["--bind", f"127.0.0.1:{port}", "--log-level", "error", *request.param, APPLICATION]
    server = subprocess.Popen(command, cwd=ROOT)
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        assert server.wait(20) == 0


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
    pytest.fail("the server did not start")


async def calls_of(base: str, user: str, count: int) -> list[dict[str, Any]]:
    """What one user's client finds and is answered."""
    async with (
        httpx2.AsyncClient(headers={"authorization": user}, timeout=30) as http,
        mcp.Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        found = await client.call_tool("search_tools", {"query": "who is it"})
        assert json.loads(found.content[0].text)["results"][0]["name"] == "whoami"
        answers = []
        for number in range(count):
            call = {"name": "whoami", "arguments": {"number": number}}
            answer = await client.call_tool("invoke_tool", call)
            answers.append(json.loads(answer.content[0].text)["body"])
        return answers


async def test_processes_and_threads_serve_many_callers_at_once(base: str) -> None:
    users = [f"user {number}" for number in range(16)]
    processes: set[int] = set()
    # On a quiet machine the first worker may take a whole round before the second is up.
    for _ in range(20):
        answers = await asyncio.gather(*[calls_of(base, user, 6) for user in users])
        processes |= {answer.pop("process") for given in answers for answer in given}
        assert answers == [
            [
                {"user": user, "tenant": f"tenant of {user}", "number": n, "address": "127.0.0.1"}
                for n in range(6)
            ]
            for user in users
        ]
        if len(processes) == 2:
            return
    pytest.fail("only one process ever answered")
