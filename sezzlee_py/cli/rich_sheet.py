"""A sheet for a terminal, by rich."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from sezzlee_py.cli.sheet import Block, Heading, Line, Sheet


def render(sheet: Sheet, *, width: int | None = None) -> str:
    """Return a sheet as text with the terminal's own controls for colour and weight."""
    console = Console(force_terminal=True, width=width, highlight=False)
    with console.capture() as captured:
        for block in sheet.blocks:
            console.print(_renderable(block), soft_wrap=isinstance(block, Line))
    return captured.get()


def _renderable(block: Block) -> RenderableType:
    # Text, never markup: brackets in a description are brackets.
    if isinstance(block, Heading):
        return Text(f"\n{block.text}", style="bold")
    if isinstance(block, Line):
        return Text(block.text)
    table = RichTable(box=None, header_style="dim", pad_edge=False)
    for column in block.columns:
        table.add_column(Text(column), overflow="fold")
    for row in block.rows:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 0, 0, 2))
