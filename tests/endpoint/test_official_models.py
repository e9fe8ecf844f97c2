"""Replies of every kind against the official models of their revision."""

import json
from typing import Any

import pytest
from mcp_types import JSONRPCError, JSONRPCResponse
from mcp_types.methods import validate_client_request, validate_server_result
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from sezzlee_py.mcp.revisions import HANDSHAKE_REVISIONS, LATEST, REVISIONS
from tests.endpoint.drive import App, Reply, call, modern, modern_request, send
from tests.endpoint.stub import StubService, asgi_app, tool, wsgi_app

CALLS: list[tuple[str, dict[str, Any] | None]] = [
    ("tools/list", None),
    ("tools/call", {"name": "search_tools", "arguments": {"query": "x"}}),
    ("tools/call", {"name": "search_tools", "arguments": {"q": "x"}}),
]


def test_the_revisions_are_the_official_ones() -> None:
    assert REVISIONS == KNOWN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
@pytest.mark.parametrize(
    ("method", "params"),
    [
        *CALLS,
        ("ping", None),
        (
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        ),
    ],
)
def test_results_fit_the_models_of_a_revision_with_handshake(
    app: App, revision: str, method: str, params: dict[str, Any] | None
) -> None:
    validate_client_request(method, revision, params)
    reply = call(app, method, params, headers=[("mcp-protocol-version", revision)])
    response = JSONRPCResponse.model_validate_json(reply.body)
    validate_server_result(method, revision, response.result)


@pytest.mark.parametrize(("method", "params"), [*CALLS, ("server/discover", None)])
def test_results_fit_the_models_of_the_newest_revision(
    app: App, method: str, params: dict[str, Any] | None
) -> None:
    body, _ = modern_request(method, params)
    validate_client_request(method, LATEST, body["params"])
    response = JSONRPCResponse.model_validate_json(modern(app, method, params).body)
    validate_server_result(method, LATEST, response.result)


@pytest.mark.parametrize("make", [asgi_app, wsgi_app])
def test_direct_listing_fits_the_models(make: Any) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    service = StubService(catalog=[tool("get_order", output_schema=schema)])
    app = make(service, listing="direct")
    for method, params in (
        ("tools/list", None),
        ("tools/call", {"name": "get_order", "arguments": {"id": 7}}),
        ("tools/call", {"name": "missing", "arguments": {}}),
    ):
        old, new = call(app, method, params), modern(app, method, params)
        validate_server_result(method, "2025-11-25", old.document["result"])
        validate_server_result(method, LATEST, new.document["result"])


def errors(app: App, service: StubService) -> list[Reply]:
    replies = [
        send(app, b"{"),
        send(app, b"[]"),
        send(app, b"", [("content-type", "text/plain")]),
        send(app, b"", method="GET", facts={"unchecked": True}),
        call(app, "x/y"),
        call(app, "tools/call", {}),
        call(app, "ping", headers=[("mcp-protocol-version", "1")]),
        modern(app, "x/y"),
        modern(app, "tools/list", headers={"mcp-method": "x"}),
        modern(app, "tools/call", {"name": "x"}),
    ]
    service.raises = RuntimeError()
    return [*replies, modern(app, "tools/list"), call(app, "tools/list")]


def test_errors_fit_the_models(app: App, service: StubService) -> None:
    for reply in errors(app, service):
        assert JSONRPCError.model_validate_json(reply.body).error.message
        assert set(json.loads(reply.body)) == {"jsonrpc", "id", "error"}
