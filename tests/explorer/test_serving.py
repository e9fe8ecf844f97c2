"""The explorer on a port of its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from sezzlee_py import explorer
from sezzlee_py.cli.host import Host
from sezzlee_py.explorer import serving
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
