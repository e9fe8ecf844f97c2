"""What a proxy in front does to the endpoint, and what it leaves alone."""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py.options import TransportOptions
from tests.services.deploy.agent import ERAS, request_of
from tests.services.deploy.cluster import ROOT, Replicas, balancer, server_options
from tests.services.processes import free_port, started, wait_until

LIMIT = TransportOptions().max_request_bytes
MEBIBYTE = 1024 * 1024


@contextmanager
def posted(
    port: int,
    method: str,
    params: dict[str, Any],
    *,
    path: str = "/mcp",
    era: str = ERAS[1],
    source: str = "127.0.0.1",
    extra: dict[str, str] | None = None,
) -> Iterator[http.client.HTTPResponse]:
    """One request and its answer, still to be read."""
    body, headers = request_of(method, params, era)
    connection = http.client.HTTPConnection("127.0.0.1", port, 30, (source, 0))
    with closing(connection):
        connection.request("POST", path, json.dumps(body), headers | (extra or {}))
        with closing(connection.getresponse()) as response:
            yield response


def payload(port: int, tool: str, arguments: dict[str, Any], **how: Any) -> Any:
    """What an agent reads of a call."""
    with posted(port, "tools/call", {"name": tool, "arguments": arguments}, **how) as response:
        assert response.status == 200, response.read()
        return json.loads(json.load(response)["result"]["content"][0]["text"])


WHEREABOUTS = {"name": "tell_whereabouts", "arguments": {}}


@pytest.mark.parametrize("era", ERAS)
def test_a_call_has_the_address_and_scheme_that_the_proxy_saw(
    era: str, replicas: Replicas, tmp_path: Path
) -> None:
    with balancer(tmp_path / "nginx", [replicas.start("v1")]) as nginx:
        claimed = {"x-forwarded-for": "10.9.8.7", "x-forwarded-proto": "https"}
        answer = payload(
            nginx.port, "invoke_tool", WHEREABOUTS, era=era, source="127.0.0.2", extra=claimed
        )
    # What a client claims of itself does not count: uvicorn takes the last address it cannot trust.
    assert answer["body"] == {
        "client": "127.0.0.2",
        "scheme": "http",
        "host": f"127.0.0.1:{nginx.port}",
        "url": f"http://127.0.0.1:{nginx.port}/whereabouts",
    }


@pytest.mark.parametrize("era", ERAS)
def test_an_application_below_a_path_of_the_proxy_searches_loads_and_calls(
    era: str, replicas: Replicas, tmp_path: Path
) -> None:
    replica = replicas.start("v1", "--root-path", "/api")
    with balancer(tmp_path / "nginx", [replica], below=True) as nginx:
        how: dict[str, Any] = {"path": "/api/mcp", "era": era}
        found = payload(nginx.port, "search_tools", {"query": "tell the whereabouts"}, **how)
        loaded = payload(nginx.port, "load_tool", {"name": "tell_whereabouts"}, **how)
        call = {**WHEREABOUTS, "version": loaded["version"]}
        answer = payload(nginx.port, "invoke_tool", call, **how)
        with posted(nginx.port, "tools/list", {}, era=era) as outside:
            assert outside.status == 404
    assert found["results"][0]["name"] == "tell_whereabouts"
    assert answer["body"]["url"] == f"http://127.0.0.1:{nginx.port}/api/whereabouts"


def test_flask_below_a_path_has_address_scheme_and_path_of_the_proxy(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "tests.services.deploy.flask_shop:create_app()"]
    command += ["--bind", f"127.0.0.1:{port}", *server_options("gunicorn")]
    env = {"SCRIPT_NAME": "/api", "PYTHONPATH": str(ROOT)}
    # gunicorn takes the path off itself.
    changed = {"proxy_pass http://shop/;": "proxy_pass http://shop;"}
    with (
        started(command, port=port, log=tmp_path / "log", env=env),
        balancer(tmp_path / "nginx", [port], below=True, changed=changed) as nginx,
    ):
        how: dict[str, Any] = {"path": "/api/mcp", "source": "127.0.0.2"}
        answer = payload(nginx.port, "invoke_tool", WHEREABOUTS, **how)
    assert answer["body"] == {
        "client": "127.0.0.2",
        "scheme": "http",
        "host": f"127.0.0.1:{nginx.port}",
        "url": f"http://127.0.0.1:{nginx.port}/api/whereabouts",
    }


@pytest.mark.parametrize(
    ("allowed", "characters", "answer"),
    [
        ("client_max_body_size 5m;", LIMIT - MEBIBYTE, (200, "application/json")),
        ("client_max_body_size 5m;", LIMIT + 1, (413, "application/json")),
        ("client_max_body_size 5m;", 6 * MEBIBYTE, (413, "text/html")),
        ("", 2 * MEBIBYTE, (413, "text/html")),
    ],
    ids=["within both", "over the endpoint's", "over the proxy's", "over the proxy's default"],
)
def test_the_smaller_of_two_limits_refuses_a_large_request(
    allowed: str, characters: int, answer: tuple[int, str], replicas: Replicas, tmp_path: Path
) -> None:
    changed = {"client_max_body_size 5m;": allowed}
    with balancer(tmp_path / "nginx", [replicas.start("v1")], changed=changed) as nginx:
        arguments = {"query": "x" * characters}
        params = {"name": "search_tools", "arguments": arguments}
        with posted(nginx.port, "tools/call", params) as response:
            content_type = response.headers["content-type"].partition(";")[0]
            assert (response.status, content_type) == answer


@pytest.mark.parametrize("setting", ["", "proxy_buffering off;"], ids=["buffers", "does not"])
def test_list_changes_pass_at_once_whether_the_proxy_buffers_or_not(
    setting: str, replicas: Replicas, tmp_path: Path
) -> None:
    wanted = {"notifications": {"toolsListChanged": True}}
    changed = {"proxy_http_version 1.1;": f"proxy_http_version 1.1; {setting}"}
    replica = replicas.start("v1")
    with (
        balancer(tmp_path / "nginx", [replica], changed=changed) as nginx,
        posted(nginx.port, "subscriptions/listen", wanted) as stream,
    ):
        assert event(stream)["method"] == "notifications/subscriptions/acknowledged"
        for generation in (2, 3):
            assert reloaded(nginx.port) == generation
            assert event(stream)["method"] == "notifications/tools/list_changed"
        # A replica that stops says so, and the client listens at the next one.
        replicas.stop(replica)
        assert event(stream)["id"] == 1
        assert stream.read().strip() == b""


def event(stream: http.client.HTTPResponse) -> Any:
    """The next event of a stream; a ping is none."""
    while not (line := stream.readline()).startswith(b"data: "):
        assert line, "the stream has ended"
    return json.loads(line.removeprefix(b"data: "))


def reloaded(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, 30)
    with closing(connection):
        connection.request("POST", "/reload")
        return int(connection.getresponse().read())


def test_a_client_that_leaves_the_proxy_ends_its_call(replicas: Replicas, tmp_path: Path) -> None:
    with balancer(tmp_path / "nginx", [replicas.start("v1")]) as nginx:
        body, headers = request_of("tools/call", {"name": "invoke_tool", "arguments": WAIT})
        with closing(http.client.HTTPConnection("127.0.0.1", nginx.port, 30)) as connection:
            connection.request("POST", "/mcp", json.dumps(body), headers)
            wait_until(lambda: replicas.executed() == ["7 waits"])
        wait_until(lambda: replicas.executed() == ["7 waits", "7 ended"])


WAIT = {"name": "wait_long", "arguments": {"ref": 7}}
