"""Dispatch into a WSGI application, in process (spec: identity 3 and 6, results 7)."""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextvars import Context
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias
from urllib.parse import unquote_to_bytes

from sezzlee_py.background.workers import Workers
from sezzlee_py.invoke.dispatch import (
    LOGGER,
    PEEKED_BYTES,
    DeadlineExpired,
    NeverStarted,
    backend_response,
    marks,
)
from sezzlee_py.model import BackendRequest, BackendResponse

Environ: TypeAlias = dict[str, Any]
WSGIApp: TypeAlias = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

CANCELLED: Final = "sezzlee.cancelled"

_FROM_OUTER: Final = (
    "SERVER_NAME",
    "SERVER_PORT",
    "SERVER_PROTOCOL",
    "REMOTE_ADDR",
    "REMOTE_PORT",
    "wsgi.url_scheme",
    "wsgi.errors",
    "wsgi.multiprocess",
)
# What is the same of every call, the first four where no server's own environ says otherwise.
_FIXED: Final[Environ] = {
    "SERVER_NAME": "localhost",
    "SERVER_PORT": "80",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "wsgi.multiprocess": False,
    "wsgi.version": (1, 0),
    "wsgi.multithread": True,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
}


class WSGIDispatcher:
    """Calls a WSGI application as a server would, each request in a thread and context of its own.

    Args:
        app: the outermost application callable.
        environ_names: keys of the outer environ that are copied because the host named them
            (`identity.environ`), such as `REMOTE_USER`.
    """

    def __init__(self, app: WSGIApp, *, environ_names: tuple[str, ...] = ()) -> None:
        self._app = app
        self._copied = _FROM_OUTER + environ_names
        self._workers = Workers("sezzlee-call")

    async def send(
        self,
        request: BackendRequest,
        *,
        max_bytes: int,
        deadline: float | None,
        context: Context,
        probe: bool = False,
    ) -> BackendResponse:
        """Return the application's answer; blocks the calling thread, never suspends."""
        cancelled = threading.Event()
        environ = self._environ(request, cancelled, probe)
        call = _Call(self._app, request, environ, max_bytes, cancelled)
        pending = self._workers.submit(partial(context.run, call.run))
        if pending.wait(None if deadline is None else deadline - time.monotonic()):
            return pending.result()
        # A thread cannot be stopped: the view is told, and its late answer is dropped.
        cancelled.set()
        raise NeverStarted if pending.give_up() else DeadlineExpired

    def _environ(self, request: BackendRequest, cancelled: threading.Event, probe: bool) -> Environ:
        outer = request.outer.native
        environ: Environ = {
            **_FIXED,
            "wsgi.url_scheme": request.outer.scheme,
            "wsgi.errors": sys.stderr,
        }
        # Host code calls without any environ of a server's.
        if outer:
            environ |= {name: outer[name] for name in self._copied if name in outer}
        environ["REQUEST_METHOD"] = request.method
        environ["SCRIPT_NAME"] = request.outer.root_path
        environ["PATH_INFO"] = _path_info(request.path)
        environ["QUERY_STRING"] = request.query
        environ["wsgi.input"] = io.BytesIO(request.body or b"")
        environ[CANCELLED] = cancelled
        environ |= marks(probe=probe)
        _write_headers(environ, request)
        return environ


def _path_info(path: str) -> str:
    # WSGI carries decoded bytes in a Latin-1 string (PEP 3333).
    return unquote_to_bytes(path).decode("latin-1") if "%" in path else path


def _write_headers(environ: Environ, request: BackendRequest) -> None:
    for name, value in request.headers:
        key = _environ_key(name)
        if key in environ:
            value = f"{environ[key]}{'; ' if name == 'cookie' else ','}{value}"
        environ[key] = value


# The names are the SDK's, the host's and those of declared parameters.
@lru_cache(maxsize=256)
def _environ_key(name: str) -> str:
    key = name.upper().replace("-", "_")
    return key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"


class _Call:
    """One call of the application: the status and headers it started, the bytes it gave."""

    __slots__ = (
        *("_app", "_request", "_environ", "_max_bytes", "_cancelled"),
        *("_status", "_headers", "_body", "_cut_off_at", "_is_complete"),
    )

    def __init__(
        self,
        app: WSGIApp,
        request: BackendRequest,
        environ: Environ,
        max_bytes: int,
        cancelled: threading.Event,
    ) -> None:
        self._app = app
        self._request = request
        self._environ = environ
        self._max_bytes = max_bytes
        self._cancelled = cancelled
        self._status = 0
        self._headers: list[tuple[str, str]] = []
        self._body = bytearray()
        self._cut_off_at: int | None = None
        self._is_complete = False

    def run(self) -> BackendResponse:
        """Return the application's answer, whatever it does."""
        try:
            self._collect()
        # Whatever escapes (PROPAGATE_EXCEPTIONS, TESTING and DEBUG let exceptions) becomes the
        # bodiless 500 a server would have answered; `sys.exit` in a view does not end a server
        # either.
        except BaseException as fault:
            LOGGER.error(
                "the application raised while handling %s %s",
                self._request.method,
                self._request.path,
                exc_info=fault,
            )
            if not self._is_complete:
                return BackendResponse(status=500)
        if self._cancelled.is_set():
            # What is cut short because nobody waits any more says nothing about the application.
            return BackendResponse(status=500)
        if not self._status:
            LOGGER.error("the application ended without starting a response")
            return BackendResponse(status=500)
        return backend_response(
            self._request,
            self._status,
            self._headers,
            bytes(self._body),
            cut_off_at=self._cut_off_at,
        )

    def _collect(self) -> None:
        answer = self._app(self._environ, self._start_response)
        try:
            for chunk in answer:
                # An endless stream that nobody reads any more frees its thread.
                if self._cancelled.is_set():
                    break
                self._write(chunk)
                if self._cut_off_at is not None:
                    break
            # What closing raises comes after the last byte; a client has its answer by then.
            self._is_complete = True
        finally:
            close = getattr(answer, "close", None)
            if close is not None:
                close()

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        if self._status and exc_info is None:
            raise RuntimeError("start_response was called twice")
        if exc_info is not None:
            self._body.clear()
        self._status = int(status.split(" ", 1)[0])
        self._headers = [(name.lower(), value) for name, value in headers]
        return self._write

    def _write(self, chunk: bytes) -> None:
        if self._cut_off_at is not None:
            return
        size = len(self._body) + len(chunk)
        if size > self._max_bytes:
            self._cut_off_at = size
            self._body = self._body[:PEEKED_BYTES] + chunk[:PEEKED_BYTES]
        else:
            self._body += chunk
