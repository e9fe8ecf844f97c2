"""One HTTP exchange with either shell, in process and without a framework."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

from sezzlee_py.mcp import MCPASGIApp, MCPWSGIApp
from sezzlee_py.mcp.revisions import LATEST

App = MCPASGIApp | MCPWSGIApp
HeaderPairs = Iterable[tuple[str, str]]
JSON_HEADERS = (("content-type", "application/json"), ("accept", "application/json"))


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> int | None:
        """The JSON-RPC error code."""
        return self.document["error"]["code"] if self.body else None


def send(
    app: App,
    body: bytes = b"",
    headers: HeaderPairs = JSON_HEADERS,
    *,
    method: str = "POST",
    chunked: bool = False,
    facts: Mapping[str, Any] | None = None,
) -> Reply:
    """One exchange; `facts` are added to the scope or environ."""
    pairs = [("host", "localhost:8000"), *headers]
    if any(name == "host" for name, _ in headers):
        pairs = list(headers)
    if not chunked and not any(name == "content-length" for name, _ in headers):
        pairs.append(("content-length", str(len(body))))
    if isinstance(app, MCPASGIApp):
        return asyncio.run(_asgi(app, method, pairs, body, facts or {}))
    return _wsgi(app, method, pairs, body, facts or {}, chunked)


def call(app: App, method: str, params: Any = None, *, id: Any = 1, headers: Any = ()) -> Reply:
    """A request of the handshake era."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    return send(app, json.dumps(message).encode(), (*JSON_HEADERS, *headers))


def modern_request(method: str, params: Any = None, **changed: Any) -> tuple[Any, dict[str, str]]:
    """Body and headers of a request of the newest revision; `changed` replaces `_meta` entries."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": LATEST,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {**(params or {}), "_meta": meta | changed}
    headers = {**dict(JSON_HEADERS), "mcp-protocol-version": LATEST, "mcp-method": method}
    if method == "tools/call" and isinstance(params.get("name"), str):
        headers["mcp-name"] = params["name"]
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers


def modern(app: App, method: str, params: Any = None, *, headers: Any = ()) -> Reply:
    """A request of the newest revision; `headers` replace or add some."""
    body, stated = modern_request(method, params)
    stated.update(headers)
    return send(app, json.dumps(body).encode(), tuple(stated.items()))


async def _asgi(
    app: MCPASGIApp, method: str, headers: HeaderPairs, body: bytes, facts: Mapping[str, Any]
) -> Reply:
    sent: list[Any] = []
    answered = asyncio.Event()
    # Two messages, as a server hands on what it reads.
    half = len(body) // 2
    incoming = [
        {"type": "http.request", "body": body[:half], "more_body": True},
        {"type": "http.request", "body": body[half:], "more_body": False},
    ]

    async def receive() -> Any:
        if incoming:
            return incoming.pop(0)
        await answered.wait()
        return {"type": "http.disconnect"}

    async def collect(message: Any) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered.set()

    scope = {
        "type": "http",
        "method": method,
        "path": "/mcp",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        **facts,
    }
    await app(scope, receive, collect)
    start, *parts = sent
    return Reply(
        status=start["status"],
        headers={name.decode(): value.decode() for name, value in start["headers"]},
        body=b"".join(part["body"] for part in parts),
    )


def _wsgi(
    app: MCPWSGIApp,
    method: str,
    headers: HeaderPairs,
    body: bytes,
    facts: Mapping[str, Any],
    chunked: bool,
) -> Reply:
    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    environ.pop("HTTP_HOST")
    environ.update({"REQUEST_METHOD": method, "QUERY_STRING": "", "wsgi.input": io.BytesIO(body)})
    for name, value in headers:
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    if chunked:
        environ["wsgi.input_terminated"] = True
    environ.update(facts)
    started: list[Any] = []

    def start_response(status: str, fields: Any, exc_info: Any = None) -> Callable[[bytes], Any]:
        started.append((status, fields))
        return lambda data: None

    checked: Any = app if facts.get("unchecked") else validator(app)
    result = checked(environ, start_response)
    try:
        content = b"".join(result)
    finally:
        if hasattr(result, "close"):
            result.close()
    status, fields = started[0]
    return Reply(status=int(status[:3]), headers=dict(fields), body=content)
