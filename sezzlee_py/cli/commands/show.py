"""`sezzlee show`: one tool, as an agent gets it and as the backend declares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sezzlee_py.cli.command import Source, app_command
from sezzlee_py.cli.console import Console

if TYPE_CHECKING:
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.model import ToolDefinition


@app_command(click.argument("name"))
def command(console: Console, source: Source, name: str) -> None:
    """Show tool NAME of APP: its card, its contract, and where its route is declared."""
    from sezzlee_py.cli.documents import find_tool
    from sezzlee_py.explorer.documents import whole_tool_document

    with source.opened(console) as host:
        tool = find_tool(host.catalog, name)
        console.result(whole_tool_document(tool), _sheet(tool))


def _sheet(tool: ToolDefinition) -> Sheet:
    from sezzlee_py.catalog.projection import card, loaded_shape
    from sezzlee_py.cli.console import json_text
    from sezzlee_py.cli.documents import operation_of, place_of
    from sezzlee_py.cli.sheet import Sheet

    sheet = Sheet()
    sheet.line(tool.name)
    facts = {
        "operation": operation_of(tool),
        "also reached at": ", ".join(tool.alternate_routes),
        "declared": place_of(tool.source, tool.line),
        "tags": ", ".join(tool.tags),
        "search terms": ", ".join(tool.search_terms),
    }
    sheet.facts(facts)
    sheet.heading("Arguments")
    sheet.table(
        ("argument", "travels as", "in", "backend requires"),
        [(s.argument, s.name, s.location, "yes" if s.required else "no") for s in tool.slots],
    )
    if not tool.slots:
        sheet.line("  none")
    sheet.heading("Card, as a search shows it")
    sheet.line(json_text(card(tool), ascii_only=False))
    sheet.heading("Contract, as loading shows it")
    sheet.line(json_text(loaded_shape(tool), ascii_only=False))
    return sheet
