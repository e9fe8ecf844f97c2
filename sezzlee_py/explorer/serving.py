"""The explorer on a port of its own, on loopback."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from socketserver import ThreadingMixIn
from typing import Any, Final, Protocol, TypeVar
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from sezzlee_py.explorer.explorer import Explorer
from sezzlee_py.explorer.wsgi import ExplorerWSGIApp
from sezzlee_py.toolkit import Engine

T = TypeVar("T")

_LOOPBACK: Final = "127.0.0.1"


class Host(Protocol):
    """An application that is looked at."""

    @property
    def engine(self) -> Engine:
        """The engine behind its endpoint, or one made for it."""

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, run where the application's own requests run."""


def serve(host: Host, port: int = 0, *, tell: Callable[[str], None] = print) -> None:
    """Serve the explorer of an application on loopback until interrupted.

    Args:
        host: the application, started.
        port: where; 0 takes a free one.
        tell: is given the address, once it answers there.
    """
    with server_of(host, port) as server:
        tell(f"the explorer is at http://{_LOOPBACK}:{server.server_port}/ (Ctrl+C stops it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            tell("stopped")


def server_of(host: Host, port: int = 0) -> WSGIServer:
    """Return the server, which holds its port and answers nothing yet."""
    app = ExplorerWSGIApp(Explorer(host.engine), host.run)
    return make_server(
        _LOOPBACK,
        port,
        app,
        server_class=_Server,
        handler_class=_Handler,
    )


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: the page asks often, and its answers are shown on it."""
