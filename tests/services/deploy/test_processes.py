"""Several processes of one application: what each has for itself, and how they end together."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.deploy.cluster import ROOT, server_options
from tests.services.deploy.test_behind_nginx import event, payload, posted, reloaded
from tests.services.processes import free_port, started, wait_until

LISTEN = {"notifications": {"toolsListChanged": True}}
SERVERS = {
    "uvicorn": ["uvicorn", "--factory", "tests.services.deploy.shop:v1", "--workers", "2"],
    "gunicorn": [
        *("gunicorn", "tests.services.deploy.shop:v1()", "--workers", "2"),
        *("--worker-class", "uvicorn.workers.UvicornWorker", "--graceful-timeout", "35"),
    ],
}


@pytest.fixture(params=SERVERS)
def server(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port and the process of two workers."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", *SERVERS[request.param]]
    if request.param == "uvicorn":
        command += ["--port", str(port), *server_options("uvicorn")]
    else:
        command += ["--bind", f"127.0.0.1:{port}"]
    env = {"SHOP_LEDGER": str(tmp_path / "ledger"), "PYTHONPATH": str(ROOT)}
    with started(command, port=port, log=tmp_path / "log", env=env) as process:
        yield port, process


def generation(port: int) -> int:
    """The generation of whichever worker takes the connection."""
    with posted(port, "tools/list", {}) as response:
        document: Any = response.read()
    return int(document.partition(b'"sezzlee/catalogGeneration":')[2].partition(b"}")[0])


def test_a_reload_reaches_one_process_of_two_and_both_serve_the_same_versions(
    server: tuple[int, subprocess.Popen[bytes]],
) -> None:
    port, _ = server
    assert reloaded(port) == 2
    seen: set[int] = set()
    versions: set[str] = set()

    def both_have_answered() -> bool:
        seen.add(generation(port))
        versions.add(payload(port, "load_tool", {"name": "get_order"})["version"])
        return len(seen) == 2

    wait_until(both_have_answered)
    assert seen == {1, 2}
    assert len(versions) == 1


def test_listening_clients_do_not_hold_up_the_end_of_their_processes(
    server: tuple[int, subprocess.Popen[bytes]],
) -> None:
    port, process = server
    with posted(port, "subscriptions/listen", LISTEN) as stream:
        assert event(stream)["method"] == "notifications/subscriptions/acknowledged"
        told = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert event(stream)["id"] == 1
        process.wait(20)
        # Well before the time that a server gives to calls that are still running.
        assert time.monotonic() - told < 10
