"""`sezzlee explore`: the explorer page."""

from __future__ import annotations

import click

from sezzlee_py.cli.command import Source, app_command
from sezzlee_py.cli.console import Console


@app_command(
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one."),
)
def command(console: Console, source: Source, port: int) -> None:
    """Serve the explorer page of APP on loopback until interrupted."""
    from sezzlee_py import explorer

    with source.opened(console) as host:
        explorer.serve(host, port)
