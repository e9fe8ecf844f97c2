"""The endpoint as a Flask view."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Protocol

from flask import Request, Response, request
from werkzeug.exceptions import HTTPException

from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER
from sezzlee_py.mcp.head import HTTPReply


class Shell(Protocol):
    """What answers a WSGI request with a whole reply."""

    def respond(self, environ: dict[str, Any], /) -> HTTPReply:
        """Return the reply."""


def endpoint_view(shell: Shell) -> Callable[..., Response]:
    """Return the view that answers by `shell`; a host or subdomain of its rule is no input."""

    def sezzlee_mcp(**_: object) -> Response:
        body = _Body(request)
        reply = shell.respond({**request.environ, "wsgi.input": body})
        if body.refusal is not None:
            raise body.refusal
        response = Response(reply.body, status=reply.status, headers=list(reply.headers))
        if not reply.body:
            # Of nothing there is no type, whatever Flask's default is.
            del response.headers["content-type"]
        return response

    setattr(sezzlee_mcp, OWN_ROUTE_MARKER, True)
    return sezzlee_mcp


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
            body = environ["wsgi.input"].read(count)
            self._kept, environ["wsgi.input"] = io.BytesIO(body), io.BytesIO(body)
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
        limit = current.max_content_length
        return (
            current.content_length == count
            and (limit is None or count <= limit)
            # Where Flask keeps the stream it has made.
            and "stream" not in vars(current)
        )
