"""The explorer as a WSGI application."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from http import HTTPStatus
from typing import Any, TypeAlias

from sezzlee_py.explorer.explorer import MAX_BODY_BYTES, Explorer
from sezzlee_py.invoke.dispatch import is_inside_dispatch, is_sezzlee_request
from sezzlee_py.invoke.settle import drive
from sezzlee_py.mcp.head import HTTPReply, nested
from sezzlee_py.mcp.wsgi import Environ, StartResponse, Stream, outer_request, read_body

Run: TypeAlias = Callable[[Coroutine[Any, Any, HTTPReply]], HTTPReply]


class ExplorerWSGIApp:
    """Serves the explorer below the path it is mounted at.

    Args:
        explorer: what answers.
        run: finishes an answer where the application's own calls run.
    """

    def __init__(self, explorer: Explorer, run: Run = drive) -> None:
        self._explorer = explorer
        self._run = run

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request as PEP 3333 has it."""
        reply = self.respond(environ)
        status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        start_response(status, [*reply.headers, ("content-length", str(len(reply.body)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [reply.body]

    def respond(self, environ: Environ, stream: Stream | None = None) -> HTTPReply:
        """Return the reply, for a framework that writes its own responses.

        Args:
            environ: the request's.
            stream: what the body is read from, where it is not the server's own `wsgi.input`.
        """
        if is_sezzlee_request(environ) or is_inside_dispatch():
            return nested()
        request = outer_request(environ)
        path = environ.get("PATH_INFO", "").removeprefix(self._explorer.path)
        step = self._explorer.open(request, path)
        if isinstance(step, HTTPReply):
            return step
        length = request.header("content-length") or "0"
        if not (length.isascii() and length.isdigit() and len(length) < 10):
            return self._run(self._explorer.reply(step, None, request))
        is_read = int(length) <= MAX_BODY_BYTES
        body = read_body(environ, MAX_BODY_BYTES, stream) if is_read else None
        return self._run(self._explorer.reply(step, body, request))
