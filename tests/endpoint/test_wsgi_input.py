"""What only a WSGI server can do to a request."""

import io
import json
from typing import Any

from sezzlee_py.mcp import MCPProtocol, MCPWSGIApp
from sezzlee_py.options import TransportOptions
from tests.endpoint.drive import modern_request
from tests.endpoint.stub import StubService, SyncStubService, wsgi_app

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


class Drip(io.RawIOBase):
    """An input that gives one byte at a time, and fails when it is asked for more than it has."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, size: int = -1) -> bytes:
        assert self.data, "reading on would wait for the client"
        piece, self.data = self.data[:1], self.data[1:]
        return piece


def environ(source: Any, **facts: Any) -> dict[str, Any]:
    base = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/json", "wsgi.input": source}
    return base | facts


def test_exactly_the_declared_bytes_are_read_however_they_arrive() -> None:
    reply = wsgi_app().respond(environ(Drip(PING), CONTENT_LENGTH=str(len(PING))))
    assert (reply.status, json.loads(reply.body)["result"]) == (200, {})


def test_without_length_an_open_input_is_not_read() -> None:
    for facts in ({}, {"CONTENT_LENGTH": ""}):
        reply = wsgi_app().respond(environ(Drip(b""), **facts))
        assert (reply.status, json.loads(reply.body)["error"]["code"]) == (400, -32700)


def test_a_body_that_stops_short_is_no_json() -> None:
    reply = wsgi_app().respond(environ(io.BytesIO(PING[:-1]), CONTENT_LENGTH=str(len(PING))))
    assert (reply.status, json.loads(reply.body)["error"]["code"]) == (400, -32700)


def test_a_failing_input_is_a_server_error() -> None:
    reply = wsgi_app().respond(environ(None, CONTENT_LENGTH="5"))
    assert reply.status == 500


def test_an_unknown_client_and_server_are_none() -> None:
    service = StubService()
    body, headers = modern_request("tools/call", {"name": "load_tool", "arguments": {"name": "x"}})
    data = json.dumps(body).encode()
    named = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in headers.items()}
    wsgi_app(service).respond(
        environ(io.BytesIO(data), **named, CONTENT_LENGTH=str(len(data)), SERVER_PORT="x")
    )
    _, outer = service.seen[0]
    assert (outer.client, outer.server, outer.root_path) == (None, None, "")


def test_a_stream_that_wsgi_cannot_hold_is_an_internal_error() -> None:
    protocol = MCPProtocol(TransportOptions(), streams=True)
    app = MCPWSGIApp(protocol, SyncStubService(StubService()))
    body, headers = modern_request("subscriptions/listen", {"notifications": {}})
    data = json.dumps(body).encode()
    named = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in headers.items()}
    reply = app.respond(environ(io.BytesIO(data), **named, CONTENT_LENGTH=str(len(data))))
    assert json.loads(reply.body)["error"]["code"] == -32603
