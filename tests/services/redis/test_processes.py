"""Two real servers under uvicorn, and forked workers under gunicorn."""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.endpoint.drive import modern_request
from tests.services.processes import free_port, started, wait_until
from tests.services.redis.conftest import RedisServer

MODULE = "tests.services.redis.served"
CHANGED = "notifications/tools/list_changed"


@pytest.fixture(params=["memory", "redis"])
def env(request: pytest.FixtureRequest, server: RedisServer, tmp_path: Path) -> dict[str, str]:
    bosses = tmp_path / "bosses"
    bosses.write_text("grace", encoding="utf-8")
    return {"BOSSES": str(bosses), "REDIS_URL": server.url, "STORE": request.param}


def uvicorn_on(port: int) -> list[str]:
    command = [sys.executable, "-m", "uvicorn", "--factory", f"{MODULE}:fastapi_app"]
    return [*command, "--port", str(port), "--log-level", "warning"]


def gunicorn_on(port: int) -> list[str]:
    command = [sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--threads", "2"]
    return [*command, "--bind", f"127.0.0.1:{port}", f"{MODULE}:flask_app()"]


def find(port: int, user: str = "ada") -> tuple[list[str], str]:
    """Return what a caller finds over a new connection, and which process said so."""
    search = {"name": "search_tools", "arguments": {"query": ""}}
    body, headers = modern_request("tools/call", search)
    headers["authorization"] = f"Bearer {user}"
    reply = httpx.post(f"http://127.0.0.1:{port}/mcp", json=body, headers=headers, timeout=20)
    answer = json.loads(reply.json()["result"]["content"][0]["text"])
    return [card["name"] for card in answer["results"]], reply.headers.get("x-process", "")


@contextmanager
def listening(port: int) -> Iterator[queue.SimpleQueue[str]]:
    """Give what a listen stream tells; its first is the acknowledgement."""
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    body, headers = modern_request(
        "subscriptions/listen", {"notifications": {"toolsListChanged": True}}
    )
    headers["accept"] = "text/event-stream, application/json"

    def listen() -> None:
        with httpx.stream(
            "POST", f"http://127.0.0.1:{port}/mcp", json=body, headers=headers, timeout=60
        ) as reply:
            for line in reply.iter_lines():
                if line.startswith("data: "):
                    told.put(json.loads(line.removeprefix("data: ")).get("method", "end"))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert told.get(timeout=20) == "notifications/subscriptions/acknowledged"
    yield told
    thread.join(20)
    assert not thread.is_alive()


def post(port: int, path: str) -> None:
    httpx.post(f"http://127.0.0.1:{port}{path}", timeout=20).raise_for_status()


def drained(told: queue.SimpleQueue[str]) -> list[str]:
    said: list[Any] = []
    while not told.empty():
        said.append(told.get())
    return said


def test_two_servers_tell_each_other_s_clients_once(env: dict[str, str], tmp_path: Path) -> None:
    one, other = free_port(), free_port()
    with (
        started(uvicorn_on(one), port=one, log=tmp_path / "one.log", env=env) as first,
        listening(one) as at_one,
        started(uvicorn_on(other), port=other, log=tmp_path / "other.log", env=env) as second,
        listening(other) as at_other,
    ):
        for origin in (one, other, one):
            post(origin, "/reload")
            assert [at_one.get(timeout=20), at_other.get(timeout=20)] == [CHANGED, CHANGED]
        assert find(one) == find(other) == (["own"], "")
        Path(env["BOSSES"]).write_text("grace ada", encoding="utf-8")
        post(one, "/invalidate/ada")
        assert find(one) == (["fire", "own"], "")
        wait_until(lambda: find(other) == (["fire", "own"], ""), within_s=10)
        # What came twice would have come by now: changes are heard in their order.
        assert [drained(at_one), drained(at_other)] == [[], []]
        began = time.monotonic()
        for process in (first, second):
            process.terminate()
        codes = [first.wait(20), second.wait(20)]
        assert set(codes) <= {0, -15}
        assert time.monotonic() - began < 15


def test_forked_workers_hear_what_one_of_them_was_told(env: dict[str, str], tmp_path: Path) -> None:
    port = free_port()
    with started(gunicorn_on(port), port=port, log=tmp_path / "gunicorn.log", env=env) as master:
        workers: set[str] = set()

        def both_know() -> bool:
            found, process = find(port)
            assert found == ["own"]
            workers.add(process)
            return len(workers) == 2

        wait_until(both_know)
        Path(env["BOSSES"]).write_text("grace ada", encoding="utf-8")
        post(port, "/invalidate/ada")
        heard: dict[str, list[str]] = {}

        def both_heard() -> bool:
            found, process = find(port)
            heard[process] = found
            return heard == {worker: ["fire", "own"] for worker in workers}

        wait_until(both_heard, within_s=10)
        assert {tuple(find(port)[0]) for _ in range(20)} == {("fire", "own")}
        began = time.monotonic()
        master.terminate()
        master.wait(20)
        assert time.monotonic() - began < 15
