"""The endpoint as a Flask view."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from flask import Request, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.local import LocalProxy

from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER
from sezzlee_py.mcp.head import HTTPReply
from sezzlee_py.mcp.wsgi import Stream

_CONTENT_TYPE: Final = "content-type"


class Shell(Protocol):
    """What answers a WSGI request with a whole reply."""

    def respond(self, environ: dict[str, Any], stream: Stream, /) -> HTTPReply:
        """Return the reply; the body is read from `stream`."""


def endpoint_view(shell: Shell) -> Callable[..., Response]:
    """Return the view that answers by `shell`; a host or subdomain of its rule is no input."""

    def sezzlee_mcp(**_: object) -> Response:
        # Each look through the proxy costs as much as what is looked at.
        current = cast("LocalProxy[Request]", request)._get_current_object()
        body = _Body(current)
        reply = shell.respond(current.environ, body)
        if body.refusal is not None:
            raise body.refusal
        return _response(reply)

    setattr(sezzlee_mcp, OWN_ROUTE_MARKER, True)
    return sezzlee_mcp


def _response(reply: HTTPReply) -> Response:
    content_type = next((value for name, value in reply.headers if name == _CONTENT_TYPE), None)
    others = [pair for pair in reply.headers if pair[0] != _CONTENT_TYPE]
    response = Response(reply.body, reply.status, others, content_type=content_type)
    if not reply.body:
        # Of nothing there is no type, whatever Flask's default is.
        del response.headers[_CONTENT_TYPE]
    return response


class _Body:
    """The request's body for the endpoint, also where a guard of the host has read it before.

    Attributes:
        refusal: what Flask raised while the body was read, such as that it is over the limit.
    """

    def __init__(self, current: Request) -> None:
        self._request = current
        self._kept: io.BytesIO | None = None
        self._is_fresh = True
        self.refusal: HTTPException | None = None

    def read(self, count: int) -> bytes:
        """Return up to `count` bytes."""
        try:
            return self._read(count)
        except HTTPException as refusal:
            self.refusal = refusal
            return b""

    def _read(self, count: int) -> bytes:
        if self._kept is None and self._is_fresh and self._is_plain(count):
            # As Flask's own stream would read it, without making one; who asks for it later finds
            # it in its place.
            environ = self._request.environ
            body: bytes = environ["wsgi.input"].read(count)
            self._kept, environ["wsgi.input"] = io.BytesIO(), io.BytesIO(body)
            return body
        if self._kept is None:
            chunk = self._request.stream.read(count)
            if chunk or not self._is_fresh:
                self._is_fresh = False
                return chunk
            # Empty from the start: Flask keeps what somebody read before.
            self._kept = io.BytesIO(self._request.get_data())
        return self._kept.read(count)

    def _is_plain(self, count: int) -> bool:
        """Whether `count` bytes are the whole body, and nobody has asked Flask for any of them."""
        current = self._request
        # Where Flask keeps the stream it has made.
        if current.content_length != count or "stream" in vars(current):
            return False
        limit = current.max_content_length
        return limit is None or count <= limit
