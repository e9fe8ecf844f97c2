"""The endpoint as a WSGI application."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeAlias

from sezzlee_py.invoke.dispatch import is_inside_dispatch, is_sezzlee_request
from sezzlee_py.mcp.head import HTTPReply, crashed, log_refused, nested
from sezzlee_py.mcp.protocol import (
    DirectCall,
    MCPProtocol,
    MetaToolCall,
    Step,
    ToolsList,
    with_message,
)
from sezzlee_py.mcp.service import SyncService
from sezzlee_py.model import Headers, OuterRequest

LOGGER: Final = logging.getLogger("sezzlee_py")

Environ: TypeAlias = Mapping[str, Any]
StartResponse: TypeAlias = Callable[..., Any]

_CHUNK: Final = 65_536
# Some servers write these beside the keys that PEP 3333 has for them.
_REPEATED: Final = frozenset({"HTTP_CONTENT_TYPE", "HTTP_CONTENT_LENGTH"})


class Stream(Protocol):
    """What a body is read from."""

    def read(self, count: int, /) -> bytes:
        """Return up to `count` bytes, none at the end."""


class MCPWSGIApp:
    """Serves one endpoint; answers whatever path it is reached by, and never raises to the server.

    Args:
        protocol: made without `streams`: a WSGI server cannot hold one.
        service: answers the calls, on the server's own thread.
        mount_path: the part of `SCRIPT_NAME` that is the endpoint's own mount, not the
            application's.
    """

    def __init__(
        self, protocol: MCPProtocol, service: SyncService, *, mount_path: str = ""
    ) -> None:
        self._protocol = protocol
        self._service = service
        self._mount_path = mount_path

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request as PEP 3333 has it."""
        reply = self.respond(environ)
        status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        start_response(status, [*reply.headers, ("content-length", str(len(reply.body)))])
        return [reply.body]

    def respond(self, environ: Environ, stream: Stream | None = None) -> HTTPReply:
        """Return the reply, for a framework that writes its own responses.

        Args:
            environ: the request's.
            stream: what the body is read from, where it is not the server's own `wsgi.input`.
        """
        try:
            if is_sezzlee_request(environ) or is_inside_dispatch():
                return nested()
            outer = outer_request(environ, self._mount_path)
            head = self._protocol.head
            refused = head.check(outer.method, outer.headers)
            if refused is not None:
                log_refused(refused)
                return refused
            body = read_body(environ, head.max_bytes, stream)
            if body is None:
                return head.too_large()
            return self._perform(self._protocol.receive(outer.headers, body), outer)
        except Exception:
            LOGGER.exception("the endpoint failed")
            return crashed()

    def _perform(self, step: Step, outer: OuterRequest) -> HTTPReply:
        if isinstance(step, HTTPReply):
            return step
        protocol, service = self._protocol, self._service
        outer = with_message(outer, step)
        try:
            match step:
                case MetaToolCall():
                    return protocol.complete(step, service.call(step.call, outer))
                case DirectCall():
                    answer = service.call_tool(step.call, outer)
                    return protocol.complete(step, answer.emission, structured=answer.structured)
                case ToolsList():
                    tools = service.tools(outer) if protocol.lists_directly else ()
                    return protocol.listed(step, service.generation(), tools)
            raise TypeError("a WSGI server holds no stream: make the protocol without `streams`")
        except Exception as error:
            LOGGER.error("the tool layer failed", exc_info=error)
            return protocol.fault(step, error)


def outer_request(environ: Environ, mount_path: str = "") -> OuterRequest:
    """Return the MCP request as the layers below read it."""
    address, port = environ.get("REMOTE_ADDR"), str(environ.get("REMOTE_PORT", ""))
    server, server_port = environ.get("SERVER_NAME"), str(environ.get("SERVER_PORT", ""))
    return OuterRequest(
        method=environ["REQUEST_METHOD"],
        headers=_headers(environ),
        client=(address, int(port) if port.isdecimal() else 0) if address else None,
        scheme=environ.get("wsgi.url_scheme", "http"),
        server=(server, int(server_port) if server_port.isdecimal() else None) if server else None,
        http_version=environ.get("SERVER_PROTOCOL", "HTTP/1.1").removeprefix("HTTP/"),
        root_path=environ.get("SCRIPT_NAME", "").removesuffix(mount_path),
        native=environ,
    )


def _headers(environ: Environ) -> Headers:
    named = [(name, value) for key, value in environ.items() if (name := _field_name(key))]
    for key, name in (("CONTENT_TYPE", "content-type"), ("CONTENT_LENGTH", "content-length")):
        # Servers write an empty string for a header that is not there.
        if environ.get(key):
            named.append((name, environ[key]))
    return tuple(named)


# Clients choose the names, so not all of them are kept.
@lru_cache(maxsize=512)
def _field_name(key: str) -> str | None:
    """The header that a key holds."""
    is_header = key.startswith("HTTP_") and key not in _REPEATED
    return key[5:].replace("_", "-").lower() if is_header else None


def read_body(environ: Environ, limit: int, stream: Stream | None = None) -> bytes | None:
    """Return the body, or `None` when it is over the limit.

    Without a length only a terminated input says where it ends; reading any other would wait for
    the client.

    Args:
        environ: the request's.
        limit: bytes that a body may have.
        stream: what is read, where it is not the server's own `wsgi.input`.
    """
    stream = environ["wsgi.input"] if stream is None else stream
    length = environ.get("CONTENT_LENGTH")
    if length:
        return _read(stream, int(length))
    if not environ.get("wsgi.input_terminated"):
        return b""
    body = _read(stream, limit + 1)
    return None if len(body) > limit else body


def _read(stream: Stream, count: int) -> bytes:
    chunks: list[bytes] = []
    while count > 0:
        chunk = stream.read(min(count, _CHUNK))
        if not chunk:
            break
        chunks.append(chunk)
        count -= len(chunk)
    return b"".join(chunks)
