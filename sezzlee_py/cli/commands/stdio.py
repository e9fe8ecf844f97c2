"""`sezzlee stdio`: the endpoint for a desktop client that starts this process."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sezzlee_py.cli.command import Source, headers_option, warn_of_headers_left
from sezzlee_py.cli.console import Console, claimed_stdout

if TYPE_CHECKING:
    from sezzlee_py.cli.host import Host
    from sezzlee_py.mcp.stdio import Chunks


@click.command("stdio")
@click.argument("app")
@headers_option
@click.option("--factory", is_flag=True, help="APP is a function that makes the app.")
def command(app: str, headers: Mapping[str, str], factory: bool) -> None:
    """Serve the endpoint of APP over standard input and output, for desktop clients.

    There is no HTTP request to take identity from: the headers given here are the caller's.
    """
    source = Source(spec=app, factory=factory, start=True)
    # A client that gives up on waiting for the end sends SIGTERM: the application is shut down.
    signal.signal(signal.SIGTERM, _leave)
    with (
        open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as read,
        claimed_stdout() as stream,
        source.opened(console := Console(stream, as_json=False)) as host,
    ):
        warn_of_headers_left(console, host, headers)
        try:
            _serve(host, headers, read, stream.buffer)
        except KeyboardInterrupt:
            sys.exit(0)


def _leave(signal_number: int, frame: Any) -> None:
    sys.exit(0)


def _serve(host: Host, headers: Mapping[str, str], read: Chunks, write: BinaryIO) -> None:
    from sezzlee_py.mcp.protocol import MCPProtocol
    from sezzlee_py.mcp.stdio import StdioServer, ThreadedService, lines_of
    from sezzlee_py.toolkit import ThreadEngine
    from sezzlee_py.toolkit.host_calls import outer_of

    protocol = MCPProtocol(host.engine.options.transport, title=host.engine.title)
    blocking = ThreadedService(ThreadEngine(host.engine), host.around)
    service = blocking if host.is_blocking else host.engine

    def send(line: bytes) -> None:
        write.write(line)
        write.flush()

    async def serve() -> None:
        server = StdioServer(protocol, service, outer_of(headers), send)
        await server.serve(lines_of(read, protocol.head.max_bytes))

    if host.is_blocking:
        asyncio.run(serve())
    else:
        host.run(serve())
