"""Sends HTTP requests to an ASGI or WSGI application in process, for tests."""

from __future__ import annotations

import asyncio
import inspect
import io
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast
from urllib.parse import unquote

from sezzlee_py.catalog.signatures import parameters_of
from sezzlee_py.invoke.settle import drive

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPAnswer:
    """The whole answer to one request; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Carries requests to one application between `open` and `close`."""

    def open(self) -> None:
        """Start the application."""

    def close(self) -> None:
        """Stop the application."""

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> HTTPAnswer:
        """Return the application's answer to one request."""

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, run where the application's own requests run."""


def transport_for(app: Any) -> Transport:
    """Return the transport that fits `app`.

    Raises:
        TypeError: `app` takes neither an ASGI scope nor a WSGI environ.
    """
    if not callable(app):
        raise TypeError(f"expected an ASGI or WSGI application, got {type(app).__name__}")
    call = app if inspect.isfunction(app) or inspect.ismethod(app) else type(app).__call__
    if inspect.iscoroutinefunction(call):
        return ASGITransport(app)
    positional = [
        parameter
        for parameter in parameters_of(app)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return WSGITransport(app) if len(positional) == 2 else ASGITransport(app)


class ASGITransport:
    """Runs an ASGI application, lifespan included, on an event loop in a thread of its own."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lifespan: _Lifespan | None = None

    def open(self) -> None:
        """Start the loop and run the application's startup.

        Raises:
            RuntimeError: the application failed to start.
        """
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._lifespan = _Lifespan(self._app)
        try:
            self.run(self._lifespan.startup())
        except BaseException:
            self._stop_loop()
            raise

    def close(self) -> None:
        """Run the application's shutdown and stop the loop."""
        assert self._lifespan is not None
        try:
            self.run(self._lifespan.shutdown())
        finally:
            self._stop_loop()

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> HTTPAnswer:
        """Return the application's answer to one request.

        Raises:
            RuntimeError: the application was not started.
        """
        if self._lifespan is None:
            raise RuntimeError("the application is not started: `with AgentClient(app) as agent:`")
        return self.run(self._request(method, path, headers, body))

    @property
    def state(self) -> dict[str, Any]:
        """What the application's startup left in the lifespan state."""
        return self._lifespan.state if self._lifespan is not None else {}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, run on the application's loop."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _stop_loop(self) -> None:
        assert self._loop is not None
        assert self._thread is not None

        async def cancel_rest() -> None:
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
            await asyncio.get_running_loop().shutdown_default_executor()

        self.run(cancel_rest())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> HTTPAnswer:
        assert self._lifespan is not None
        bare, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 50_000),
            "root_path": "",
            "path": unquote(bare),
            "raw_path": bare.encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": [(k.encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()],
            "state": dict(self._lifespan.state),
        }
        incoming = [{"type": "http.request", "body": body, "more_body": False}]
        ended = asyncio.Event()
        start: dict[str, Any] = {}
        chunks: list[bytes] = []

        async def receive() -> dict[str, Any]:
            if incoming:
                return incoming.pop()
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                chunks.append(bytes(message.get("body", b"")))
                if not message.get("more_body", False):
                    ended.set()

        await self._app(scope, receive, send)
        return HTTPAnswer(
            status=start["status"],
            headers={
                bytes(k).decode("latin-1").lower(): bytes(v).decode("latin-1")
                for k, v in start.get("headers", [])
            },
            body=b"".join(chunks),
        )


class _Lifespan:
    """One run of the ASGI lifespan protocol; an application without it just has no state."""

    def __init__(self, app: Any) -> None:
        self.state: dict[str, Any] = {}
        self._app = app
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def startup(self) -> None:
        self._task = asyncio.create_task(self._serve())
        await self._exchange("startup")

    async def shutdown(self) -> None:
        assert self._task is not None
        if not self._task.done():
            await self._exchange("shutdown")
            await self._task

    async def _serve(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": self.state}
        try:
            await self._app(scope, self._inbox.get, self._outbox.put)
        # An application that does not speak the protocol says so by raising anything at all.
        except Exception as fault:
            await self._outbox.put({"type": "lifespan.unsupported", "fault": fault})
        else:
            await self._outbox.put({"type": "lifespan.unsupported", "fault": None})

    async def _exchange(self, step: str) -> None:
        await self._inbox.put({"type": f"lifespan.{step}"})
        answer = await self._outbox.get()
        if answer["type"] == f"lifespan.{step}.failed":
            raise RuntimeError(f"the application's {step} failed: {answer.get('message', '')}")


class WSGITransport:
    """Calls a WSGI application in the caller's thread."""

    def __init__(self, app: Any) -> None:
        self._app = cast("Callable[[dict[str, Any], Any], Any]", app)

    def open(self) -> None:
        """WSGI has no startup."""

    def close(self) -> None:
        """WSGI has no shutdown."""

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns; under WSGI nothing of the pipeline suspends."""
        return drive(work)

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> HTTPAnswer:
        """Return the application's answer to one request."""
        bare, _, query = path.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote(bare),
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_PORT": "50000",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name, value in headers.items():
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        started: list[Any] = []
        chunks: list[bytes] = []

        def start_response(
            status: str, fields: list[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], None]:
            started[:] = [int(status.split(" ", 1)[0]), fields]
            return chunks.append

        answer = self._app(environ, start_response)
        try:
            chunks.extend(answer)
        finally:
            if hasattr(answer, "close"):
                answer.close()
        return HTTPAnswer(
            status=started[0],
            headers={name.lower(): value for name, value in started[1]},
            body=b"".join(chunks),
        )
