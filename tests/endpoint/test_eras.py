"""Both protocol eras on one endpoint (spec: transport 3, 5)."""

import base64
import json
from typing import Any

import pytest

from sezzlee_py._version import __version__
from sezzlee_py.mcp.revisions import HANDSHAKE_REVISIONS, LATEST, LATEST_HANDSHAKE, REVISIONS
from tests.endpoint.drive import App, call, modern, modern_request, send
from tests.endpoint.stub import StubService, asgi_app, wsgi_app

SERVER = {"name": "sezzlee_py", "version": __version__}
SEARCH = {"name": "search_tools", "arguments": {"query": "x"}}


def listens(app: App) -> bool:
    return type(app).__name__ == "MCPASGIApp"


@pytest.mark.parametrize("wanted", [*HANDSHAKE_REVISIONS, LATEST, "1999-01-01", "", "x" * 9999])
def test_initialize_echoes_a_revision_it_knows_and_offers_the_newest_otherwise(
    app: App, wanted: str
) -> None:
    params = {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {}}
    assert call(app, "initialize", params).document["result"] == {
        "protocolVersion": wanted if wanted in HANDSHAKE_REVISIONS else LATEST_HANDSHAKE,
        "capabilities": {"tools": {"listChanged": listens(app)}},
        "serverInfo": SERVER,
    }


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": None}, {"protocolVersion": 7}])
def test_initialize_without_a_revision_is_refused(app: App, params: Any) -> None:
    reply = call(app, "initialize", params)
    assert (reply.status, reply.code) == (200, -32602)


@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
def test_an_older_revision_is_served_without_a_handshake(app: App, revision: str) -> None:
    headers = [("mcp-protocol-version", revision)]
    assert call(app, "ping", headers=headers).document["result"] == {}
    listed = call(app, "tools/list", headers=headers).document["result"]
    assert set(listed) == {"tools"}
    result = call(app, "tools/call", SEARCH, headers=headers).document["result"]
    assert set(result) == {"content"}


@pytest.mark.parametrize("headers", [[], [("mcp-protocol-version", LATEST_HANDSHAKE)]])
@pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen"])
def test_the_newest_revisions_methods_do_not_exist_before_it(
    app: App, method: str, headers: list[tuple[str, str]]
) -> None:
    reply = call(app, method, {"notifications": {}}, headers=headers)
    assert (reply.status, reply.code) == (200, -32601)


def test_an_unknown_revision_is_refused_with_the_known_ones(app: App) -> None:
    reply = call(app, "ping", id="a", headers=[("mcp-protocol-version", "1999-01-01")])
    assert (reply.status, reply.document) == (
        400,
        {
            "jsonrpc": "2.0",
            "id": "a",
            "error": {
                "code": -32022,
                "message": "Unsupported protocol version",
                "data": {"supported": list(REVISIONS), "requested": "1999-01-01"},
            },
        },
    )


def test_a_notification_of_an_unknown_revision_is_refused(app: App) -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    headers = [("content-type", "application/json"), ("mcp-protocol-version", "1999-01-01")]
    reply = send(app, body, headers)
    assert (reply.status, reply.code, reply.document["id"]) == (400, -32022, None)


def test_discover_tells_revisions_capabilities_and_server(app: App) -> None:
    assert modern(app, "server/discover").document["result"] == {
        "supportedVersions": list(REVISIONS),
        "capabilities": {"tools": {"listChanged": listens(app)}},
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": SERVER},
    }


@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
def test_a_client_is_told_the_title_and_what_the_host_says_of_its_application(make: Any) -> None:
    told = "Books are sold by the copy."
    app = make(title="Book shop", instructions=told)
    server = SERVER | {"title": "Book shop"}
    params = {"protocolVersion": LATEST_HANDSHAKE, "capabilities": {}, "clientInfo": {}}
    greeting = call(app, "initialize", params).document["result"]
    assert (greeting["serverInfo"], greeting["instructions"]) == (server, told)
    meta = {"io.modelcontextprotocol/serverInfo": server}
    found = modern(app, "server/discover").document["result"]
    assert (found["_meta"], found["instructions"]) == (meta, told)
    assert modern(app, "tools/list").document["result"]["_meta"] == meta


@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
def test_half_a_character_in_a_host_s_text_is_replaced_and_nothing_in_it_is_markup(
    make: Any,
) -> None:
    app = make(title='B\ud800"}\r\nx: y\0', instructions="I\udfff")
    params = {"protocolVersion": LATEST_HANDSHAKE, "capabilities": {}, "clientInfo": {}}
    greeting = call(app, "initialize", params).document["result"]
    assert greeting["serverInfo"] == SERVER | {"title": 'B\ufffd"}\r\nx: y\0'}
    assert greeting["instructions"] == "I\ufffd"


def test_the_newest_revision_marks_its_results(app: App) -> None:
    meta = {"io.modelcontextprotocol/serverInfo": SERVER}
    listed = modern(app, "tools/list").document["result"]
    del listed["tools"]
    assert listed == {
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": meta,
    }
    result = modern(app, "tools/call", SEARCH).document["result"]
    del result["content"]
    assert result == {"resultType": "complete", "_meta": meta}


@pytest.mark.parametrize(
    "method",
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "prompts/list", "x/y", ""],
)
def test_what_the_newest_revision_does_not_have_is_not_found(app: App, method: str) -> None:
    reply = modern(app, method, {"protocolVersion": LATEST})
    assert (reply.status, reply.code, reply.document["id"]) == (404, -32601, 1)


def test_a_wsgi_server_holds_no_stream() -> None:
    reply = modern(wsgi_app(), "subscriptions/listen", {"notifications": {}})
    assert (reply.status, reply.code) == (404, -32601)


def without(document: Any, *path: str) -> Any:
    *parents, last = path
    place = document
    for key in parents:
        place = place[key]
    del place[last]
    return document


VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INFO = "io.modelcontextprotocol/clientInfo"


@pytest.mark.parametrize(
    "meta",
    [
        None,
        [],
        "x",
        7,
        {},
        {VERSION: LATEST},
        {CAPABILITIES: {}},
        {VERSION: LATEST, CAPABILITIES: None},
        {VERSION: LATEST, CAPABILITIES: []},
        {VERSION: LATEST, CAPABILITIES: {}, INFO: "client"},
    ],
)
def test_a_stateless_request_owes_its_meta(app: App, meta: Any) -> None:
    body, headers = modern_request("server/discover")
    body["params"] = {"_meta": meta}
    reply = send(app, json.dumps(body).encode(), tuple(headers.items()))
    assert (reply.status, reply.code, reply.document["id"]) == (400, -32602, 1)


def test_a_client_need_not_introduce_itself(app: App) -> None:
    body, headers = modern_request("server/discover")
    without(body, "params", "_meta", INFO)
    assert send(app, json.dumps(body).encode(), tuple(headers.items())).status == 200


@pytest.mark.parametrize(
    "changed",
    [
        {"mcp-method": "tools/list"},
        {"mcp-method": "TOOLS/CALL"},
        {"mcp-method": "tools/call, tools/call"},
        {"mcp-method": None},
        {"mcp-name": "load_tool"},
        {"mcp-name": ""},
        {"mcp-name": None},
        {"mcp-name": "=?base64?!!!?="},
        {"mcp-name": "=?base64?/w==?="},
        {"mcp-name": "=?base64?c2VhcmNoX3Rvb2xzMR==?="},
        {"mcp-protocol-version": None},
        {"mcp-protocol-version": LATEST_HANDSHAKE},
        {"mcp-protocol-version": "1999-01-01"},
        {"mcp-protocol-version": f"{LATEST}, {LATEST}"},
    ],
)
def test_a_header_that_disagrees_with_the_body_is_a_mismatch(
    app: App, service: StubService, changed: dict[str, str | None]
) -> None:
    body, headers = modern_request("tools/call", SEARCH)
    stated = [(k, v) for k, v in (headers | changed).items() if v is not None]
    reply = send(app, json.dumps(body).encode(), stated)
    assert (reply.status, reply.code, reply.document["id"]) == (400, -32020, 1)
    assert service.seen == []


@pytest.mark.parametrize("name", ["mcp-method", "mcp-name", "mcp-protocol-version"])
def test_a_doubled_routing_header_is_a_mismatch(app: App, name: str) -> None:
    body, headers = modern_request("tools/call", SEARCH)
    stated = [*headers.items(), (name, headers[name])]
    reply = send(app, json.dumps(body).encode(), stated)
    assert (reply.status, reply.code) == (400, -32020)


def test_a_doubled_revision_is_a_mismatch_without_a_handshake_s_successor_too(app: App) -> None:
    stated = ("mcp-protocol-version", LATEST_HANDSHAKE)
    reply = call(app, "ping", headers=[stated, stated])
    assert (reply.status, reply.code) == (400, -32020)


def test_a_name_is_wrapped_in_one_spelling_only(app: App) -> None:
    call_of = {"name": "invoke_tool", "arguments": {"name": "x"}}
    statuses = [
        modern(app, "tools/call", call_of, headers={"mcp-name": f"=?base64?{text}?="}).status
        for text in ("aW52b2tlX3Rvb2w=", "aW52b2tlX3Rvb2x=", "aW52b2tlX3Rvb2w")
    ]
    assert statuses == [200, 400, 400]


def test_white_space_and_base64_around_a_name_do_not_count(app: App) -> None:
    encoded = base64.b64encode(b"search_tools").decode()
    for value in ("  search_tools\t", f"=?base64?{encoded}?="):
        assert modern(app, "tools/call", SEARCH, headers={"mcp-name": value}).status == 200


@pytest.mark.parametrize("claimed", [7, [], {}, True])
def test_a_revision_that_is_no_text_is_a_mismatch(app: App, claimed: Any) -> None:
    body, headers = modern_request("server/discover", **{VERSION: claimed})
    reply = send(app, json.dumps(body).encode(), tuple(headers.items()))
    assert (reply.status, reply.code) == (400, -32020)


def test_a_revision_unknown_to_header_and_body_alike_is_unsupported(app: App) -> None:
    body, headers = modern_request("server/discover", **{VERSION: "v999"})
    headers["mcp-protocol-version"] = "v999"
    reply = send(app, json.dumps(body).encode(), tuple(headers.items()))
    assert (reply.status, reply.code, reply.document["id"]) == (400, -32022, 1)


@pytest.mark.parametrize("name", [None, 7, [], {}])
def test_a_tool_name_that_is_no_text_is_invalid(app: App, name: Any) -> None:
    params = {"name": name, "arguments": {}}
    old, new = call(app, "tools/call", params), modern(app, "tools/call", params)
    assert [(old.status, old.code), (new.status, new.code)] == [(200, -32602), (400, -32602)]


def test_a_tool_that_is_not_listed_is_invalid(app: App) -> None:
    reply = call(app, "tools/call", {"name": "get_order", "arguments": {}})
    assert (reply.status, reply.code) == (200, -32602)


def test_a_channel_without_headers_takes_the_revision_from_the_body() -> None:
    protocol = asgi_app()._protocol

    def send_body(body: Any) -> Any:
        return protocol.receive(None, json.dumps(body).encode())

    body, _ = modern_request("server/discover")
    assert send_body(body).status == 200
    assert send_body({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 200
    assert send_body({"jsonrpc": "2.0", "method": "notifications/x"}).status == 202
    for claimed, code in (("v999", -32022), (7, -32602)):
        body, _ = modern_request("server/discover", **{VERSION: claimed})
        assert json.loads(send_body(body).body)["error"]["code"] == code
