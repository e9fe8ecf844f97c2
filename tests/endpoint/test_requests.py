"""What a request must be, and what every malformed one is answered (spec: transport 2)."""

import json

import pytest

from sezzlee_py.invoke.dispatch import fresh_context, marks
from tests.endpoint.drive import JSON_HEADERS, App, call, modern, modern_request, send
from tests.endpoint.stub import StubService, asgi_app, wsgi_app

PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
CONTENT = ("content-type", "application/json")


def test_a_request_is_answered_with_one_json_response(app: App) -> None:
    reply = send(app, PING)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.document == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert reply.headers["content-length"] == str(len(reply.body))
    assert "mcp-session-id" not in reply.headers


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
    ],
)
def test_what_needs_no_answer_is_accepted_empty(app: App, message: object) -> None:
    # The validator wants a content type even where there is no content.
    reply = send(app, json.dumps(message).encode(), facts={"unchecked": True})
    assert (reply.status, reply.body) == (202, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS"])
def test_other_methods_are_told_to_post(app: App, method: str) -> None:
    reply = send(app, b"", JSON_HEADERS, method=method, facts={"unchecked": True})
    assert (reply.status, reply.headers["allow"]) == (405, "POST")
    assert (reply.body == b"") == (method == "HEAD")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("content-type", "application/json; charset=utf-8")], 200),
        ([("content-type", "Application/JSON")], 200),
        ([("content-type", "text/json")], 415),
        ([("content-type", "application/jsonp")], 415),
        ([("content-type", "application/x-www-form-urlencoded")], 415),
        ([], 415),
        ([CONTENT, ("content-encoding", "gzip")], 415),
        ([CONTENT, ("content-encoding", "identity")], 200),
        ([CONTENT, ("accept", "application/json, text/event-stream")], 200),
        ([CONTENT, ("accept", "text/html, */*;q=0.1")], 200),
        ([CONTENT, ("accept", "application/*")], 200),
        ([CONTENT, ("accept", "")], 200),
        ([CONTENT, ("accept", "text/event-stream")], 406),
        ([CONTENT, ("accept", "application/json;q=0")], 406),
        ([CONTENT, ("accept", "application/json; q=0.000, text/html")], 406),
        ([CONTENT, ("last-event-id", "7"), ("mcp-session-id", "x")], 200),
    ],
)
def test_the_head_decides_before_the_body_is_read(
    app: App, headers: list[tuple[str, str]], status: int
) -> None:
    reply = send(app, PING, headers)
    assert reply.status == status
    assert status == 200 or reply.code == -32600


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe{}", -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-32"), -32700),
        (b"\xef\xbb\xbf" + PING, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-Infinity}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}', -32700),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700),
        (b"[" * 200_000, -32700),
        (b'{"a":' * 200_000, -32700),
        (b"[" + PING + b"]", -32600),
        (b"[]", -32600),
        (b"null", -32600),
        (b'"ping"', -32600),
        (b"7", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":0}', -32600),
        (b'{"jsonrpc":"2.0","method":"notifications/x","params":[]}', -32600),
    ],
)
def test_a_malformed_message_is_a_coded_error(app: App, body: bytes, code: int) -> None:
    reply = send(app, body)
    assert (reply.status, reply.code) == (400, code)


def test_the_id_of_a_malformed_request_comes_back_where_it_can_be_read(app: App) -> None:
    assert send(app, b'{"jsonrpc":"2.0","id":"a","method":7}').document["id"] == "a"
    assert send(app, b'{"jsonrpc":"2.0","id":[],"method":"ping"}').document["id"] is None


@pytest.mark.parametrize("id", [0, -1, "", "ü\u2028", "1", 10**300, "x" * 100_000])
def test_an_id_comes_back_as_it_came(app: App, id: object) -> None:
    assert call(app, "ping", id=id).document == {"jsonrpc": "2.0", "id": id, "result": {}}


def test_the_last_of_repeated_members_counts(app: App) -> None:
    reply = send(app, b'{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}')
    assert reply.document == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_a_lone_surrogate_becomes_the_replacement_character(app: App) -> None:
    reply = send(app, rb'{"jsonrpc":"2.0","id":"\ud83d\ude00 \ud800","method":"ping"}')
    assert reply.document["id"] == "\U0001f600 \ufffd"


@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
def test_a_body_of_the_limit_passes_and_one_byte_more_is_too_large(make: object) -> None:
    limited = make(max_request_bytes=len(PING))  # type: ignore[operator]
    assert send(limited, PING).status == 200
    assert send(limited, PING + b" ").status == 413
    assert send(limited, PING, chunked=True).status == 200
    # Nothing declared: counted while it is read.
    assert send(limited, PING + b" ", chunked=True).status == 413


@pytest.mark.parametrize(
    ("length", "status"),
    [
        ("4194305", 413),
        ("0004194305", 413),
        ("9" * 5000, 413),
        ("-1", 400),
        ("1e3", 400),
        ("1\xb2", 400),
    ],
)
def test_a_declared_length_is_judged_before_reading(app: App, length: str, status: int) -> None:
    headers = (*JSON_HEADERS, ("content-length", length))
    assert send(app, PING, headers, facts={"unchecked": True}).status == status


def test_five_megabytes_are_refused(app: App) -> None:
    assert send(app, b" " * 5_000_000).status == 413
    assert send(app, b" " * 5_000_000, chunked=True).status == 413


def test_an_unknown_method_is_an_error_of_its_era(app: App) -> None:
    old, new = call(app, "resources/list"), modern(app, "resources/list")
    assert [(old.status, old.code), (new.status, new.code)] == [(200, -32601), (404, -32601)]
    assert new.document["id"] == 1


def test_a_flood_as_method_is_not_echoed(app: App) -> None:
    assert len(call(app, "x" * 1_000_000).body) < 300


def test_a_tool_that_calls_the_endpoint_is_refused(app: App, service: StubService) -> None:
    marked = send(app, PING, facts=marks(probe=False))
    # Through a client of its own, in process: no mark, but the call's context.
    inside = fresh_context().run(send, app, PING)
    for reply in (marked, inside):
        assert (reply.status, reply.code, service.seen) == (403, -32600, [])


def test_a_failing_service_is_an_internal_error_without_details(
    app: App, service: StubService
) -> None:
    service.raises = RuntimeError("postgres://user:secret@db")
    for reply in (
        call(app, "tools/list"),
        call(app, "tools/call", {"name": "load_tool", "arguments": {"name": "x"}}),
        modern(app, "tools/call", {"name": "load_tool", "arguments": {"name": "x"}}),
    ):
        assert (reply.status, reply.code) == (200, -32603)
        assert b"secret" not in reply.body


def test_the_endpoint_survives_its_own_failure(
    app: App, service: StubService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("sezzlee_py.mcp.protocol.read_message", fail)
    reply = send(app, PING)
    assert (reply.status, reply.code) == (500, -32603)


def test_deep_arguments_below_the_parsers_limit_reach_the_service(
    app: App, service: StubService
) -> None:
    deep: object = []
    for _ in range(300):
        deep = [deep]
    arguments = {"name": "x", "arguments": {"a": deep}}
    assert call(app, "tools/call", {"name": "invoke_tool", "arguments": arguments}).status == 200
    assert len(service.seen) == 1


def test_the_request_reaches_the_service_as_it_was(app: App, service: StubService) -> None:
    body, headers = modern_request("tools/call", {"name": "load_tool", "arguments": {"name": "x"}})
    facts = {
        "unchecked": True,
        "root_path": "/api",
        "client": ("10.0.0.9", 4711),
        "server": ("localhost", 8000),
        "scheme": "https",
        "SCRIPT_NAME": "/api",
        "REMOTE_ADDR": "10.0.0.9",
        "REMOTE_PORT": "4711",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "https",
    }
    headers["authorization"] = "Bearer t"
    assert send(app, json.dumps(body).encode(), tuple(headers.items()), facts=facts).status == 200
    _, outer = service.seen[0]
    assert outer.header("authorization") == "Bearer t"
    assert (outer.method, outer.client, outer.server, outer.scheme, outer.http_version) == (
        "POST",
        ("10.0.0.9", 4711),
        ("localhost", 8000),
        "https",
        "1.1",
    )
    assert (outer.root_path, outer.native["root_path"]) == ("/api", "/api")


@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
def test_the_endpoints_own_mount_is_not_part_of_the_applications_prefix(make: object) -> None:
    service = StubService()
    mounted = make(service, mount_path="/mcp")  # type: ignore[operator]
    body, headers = modern_request("tools/call", {"name": "load_tool", "arguments": {"name": "x"}})
    facts = {"root_path": "/api/mcp", "SCRIPT_NAME": "/api/mcp", "PATH_INFO": ""}
    send(mounted, json.dumps(body).encode(), tuple(headers.items()), facts=facts)
    assert service.seen[0][1].root_path == "/api"
