"""An agent's client for tests: the real endpoint, in process, parsed answers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from sezzlee_py._version import __version__
from sezzlee_py.mcp.revisions import HANDSHAKE_REVISIONS, LATEST
from sezzlee_py.testing.in_process import HTTPAnswer, transport_for

_INFO: Final = {"name": "sezzlee_py AgentClient", "version": __version__}


class AgentError(Exception):
    """The endpoint answered with a JSON-RPC error or an HTTP status that carries no result.

    Attributes:
        code: the JSON-RPC code, or the HTTP status where there is no JSON-RPC answer.
        data: the error's `data`, if any.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code = code
        self.data = data
        super().__init__(f"{code}: {message}")


class AgentClient:
    """Speaks MCP to an application as an agent would; use it as a context manager.

    Args:
        app: an ASGI or WSGI application with a mounted endpoint.
        path: where the endpoint is.
        headers: sent with every request, such as `{"authorization": "Bearer t"}`.
        revision: the protocol revision to speak; default the newest.

    Example:
        >>> with AgentClient(app) as agent:
        ...     agent.search("cancel an order")["results"][0]["name"]
        'cancel_order'
    """

    def __init__(
        self,
        app: Any,
        path: str = "/mcp",
        headers: Mapping[str, str] | None = None,
        *,
        revision: str = LATEST,
    ) -> None:
        self._transport = transport_for(app)
        self._path = path
        self._headers = {name.lower(): value for name, value in (headers or {}).items()}
        self._revision = revision
        self._ids = itertools.count(1)

    def __enter__(self) -> Self:
        self._transport.open()
        try:
            if self._revision in HANDSHAKE_REVISIONS:
                self._initialize()
        except BaseException:
            self._transport.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._transport.close()

    def tools(self) -> list[dict[str, Any]]:
        """Return what `tools/list` shows, every page."""
        shown: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self.request("tools/list", {"cursor": cursor} if cursor else {})
            shown += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return shown

    def search(
        self,
        query: str = "",
        *,
        limit: int = 20,
        detail: str = "card",
        tags: Iterable[str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return the answer of `search_tools`."""
        arguments: dict[str, Any] = {"query": query, "limit": limit, "detail": detail}
        if tags is not None:
            arguments["tags"] = list(tags)
        return self.call("search_tools", arguments, headers=headers)

    def load(self, name: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the answer of `load_tool`; an unknown name comes back with an `error` key."""
        return self.call("load_tool", {"name": name}, headers=headers)

    def invoke(
        self,
        name: str,
        arguments: Any = None,
        *,
        version: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return the answer of `invoke_tool`; a refused call comes back with an `error` key."""
        call: dict[str, Any] = {"name": name, "arguments": arguments}
        if version is not None:
            call["version"] = version
        return self.call("invoke_tool", call, headers=headers)

    def call(
        self, tool: str, arguments: Any, *, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the parsed payload of one `tools/call`."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments}, headers=headers)
        payload: dict[str, Any] = json.loads(result["content"][0]["text"])
        return payload

    def request(
        self, method: str, params: dict[str, Any], *, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the result of one JSON-RPC request.

        Raises:
            AgentError: the answer is a JSON-RPC error, or not JSON-RPC at all.
        """
        answer = self.post(
            {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params},
            headers=headers,
        )
        if not answer.headers.get("content-type", "").startswith("application/json"):
            raise _unread(answer)
        document = _document(answer.body)
        error, result = document.get("error"), document.get("result")
        if isinstance(error, dict) and isinstance(error.get("code"), int):
            raise AgentError(error["code"], str(error.get("message", "")), error.get("data"))
        if not isinstance(result, dict):
            # A guard of the application may answer before the endpoint, in JSON of its own.
            raise _unread(answer)
        return result

    def post(
        self, message: dict[str, Any], *, headers: Mapping[str, str] | None = None
    ) -> HTTPAnswer:
        """Return the raw HTTP answer to one message, dressed as the revision asks."""
        fields = {
            "host": "127.0.0.1",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self._revision,
        }
        if self._revision not in HANDSHAKE_REVISIONS:
            message = self._self_contained(message, fields)
        fields |= self._headers | {k.lower(): v for k, v in (headers or {}).items()}
        body = json.dumps(message).encode()
        fields["content-length"] = str(len(body))
        return self._transport.request("POST", self._path, fields, body)

    def _self_contained(self, message: dict[str, Any], fields: dict[str, str]) -> dict[str, Any]:
        params = dict(message.get("params", {}))
        fields["mcp-method"] = message["method"]
        if message["method"] == "tools/call":
            fields["mcp-name"] = params["name"]
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": self._revision,
            "io.modelcontextprotocol/clientInfo": _INFO,
            "io.modelcontextprotocol/clientCapabilities": {},
        } | params.get("_meta", {})
        return {**message, "params": params}

    def _initialize(self) -> None:
        answer = self.request(
            "initialize",
            {"protocolVersion": self._revision, "capabilities": {}, "clientInfo": _INFO},
        )
        self._revision = answer["protocolVersion"]
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})


def _document(body: bytes) -> dict[str, Any]:
    """What a JSON-RPC answer holds; an empty one for a body that is none."""
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    is_answer = isinstance(document, dict) and document.get("jsonrpc") == "2.0"
    return document if is_answer else {}


def _unread(answer: HTTPAnswer) -> AgentError:
    return AgentError(answer.status, answer.body[:200].decode("utf-8", "replace"))
