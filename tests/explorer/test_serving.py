"""The explorer on a port of its own."""

import io
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from sezzlee_py import explorer
from sezzlee_py.cli.host import Host
from sezzlee_py.explorer import Explorer, ExplorerWSGIApp, serving
from sezzlee_py.explorer.serving import server_of
from tests.explorer.shop import MAKERS, PAGE, TOKEN


@contextmanager
def served(host: Host) -> Iterator[str]:
    with server_of(host) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_an_application_is_explored_from_outside_of_it(make: Callable[..., Any]) -> None:
    host = Host(make())
    host.start()
    try:
        with served(host) as url, httpx.Client(base_url=url, trust_env=False) as client:
            assert client.get("/").text.startswith("<!doctype html>")
            assert client.head("/").content == b""
            assert client.get("/static/main.js").status_code == 200
            call = {
                "name": "cancel_order",
                "arguments": {"order_id": 7},
                "headers": {"authorization": TOKEN},
            }
            answer = client.post("/api/call", json=call, headers=PAGE)
            assert answer.json()["payload"]["body"] == {"cancelled": 7, "by": "ada"}
            assert client.post("/api/call", json=call).status_code == 403
            large = b" " * 4_194_305
            assert client.post("/api/call", content=large, headers=PAGE).status_code == 413
    finally:
        host.stop()


def test_the_command_serves_until_it_is_interrupted() -> None:
    words = [sys.executable, "-m", "sezzlee_py", "explore", "tests.explorer.shop:make_flask"]
    process = subprocess.Popen(
        [*words, "--factory"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background has the signal ignored, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert process.stderr is not None
        told = next(line for line in process.stderr if "the explorer is at" in line)
        url = told.split(" at ")[1].split()[0]
        assert httpx.get(url, trust_env=False).text.startswith("<!doctype html>")
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, rest, errors) == (0, "", "stopped\n")


def test_a_length_that_is_no_number_is_a_body_over_the_limit() -> None:
    app = ExplorerWSGIApp(Explorer(Host(MAKERS["flask"]()).engine))
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/search",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "localhost",
        "HTTP_X_SEZZLEE_EXPLORER": "1",
        "CONTENT_TYPE": "application/json",
        "wsgi.input": io.BytesIO(b"{}"),
    }
    for length in ("x", "-1", "\u0663", "1" * 40):
        assert app.respond({**environ, "CONTENT_LENGTH": length}).status == 413


def test_serving_tells_where_it_is_and_stops_when_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(self: Any, poll_interval: float = 0.5) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving._Server, "serve_forever", interrupted)
    told: list[str] = []
    explorer.serve(Host(MAKERS["fastapi"]()), tell=told.append)
    assert told[0].startswith("the explorer is at http://127.0.0.1:")
    assert told[1] == "stopped"
