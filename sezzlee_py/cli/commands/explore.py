"""`sezzlee explore`: the explorer page."""

from __future__ import annotations

from importlib import import_module

import click

from sezzlee_py.cli.command import Source, app_command
from sezzlee_py.cli.console import Console
from sezzlee_py.cli.failure import Failure


@app_command(
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one."),
)
def command(console: Console, source: Source, port: int) -> None:
    """Serve the explorer page of APP on loopback until interrupted."""
    from sezzlee_py.cli.loading import load_app

    try:
        explorer = import_module("sezzlee_py.explorer")
    except ModuleNotFoundError as missing:
        package = "uvicorn" if missing.name == "sezzlee_py.explorer" else missing.name
        raise Failure(
            "no_explorer",
            f"the explorer is not installed; try: pip install 'sezzlee-py[cli]' {package}",
        ) from None
    explorer.serve(load_app(source.spec, factory=source.factory), port)
