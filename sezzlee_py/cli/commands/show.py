"""`sezzlee show`: one tool, as an agent gets it and as the backend declares it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sezzlee_py.cli.command import Source, app_command, headers_option, warn_of_headers_left
from sezzlee_py.cli.console import Console

if TYPE_CHECKING:
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.model import ToolDefinition


@app_command(click.argument("name"), headers_option)
def command(console: Console, source: Source, name: str, headers: Mapping[str, str]) -> None:
    """Show tool NAME of APP: its card, its contract, and where its route is declared.

    With --header, as the caller who sends it gets them.
    """
    from sezzlee_py.cli.documents import find_tool
    from sezzlee_py.explorer.documents import sight_of, whole_tool_document
    from sezzlee_py.toolkit.host_calls import outer_of

    with source.opened(console) as host:
        tool = find_tool(host.catalog, name)
        warn_of_headers_left(console, host, headers)
        # A catalog that is refused shows nobody anything, so nothing is uncertain.
        is_served = not host.catalog.fatal
        view = host.run(host.engine.seen_by(outer_of(headers)))[1] if is_served else None
        sight = "deny" if view is None else sight_of(name, view)
        document = whole_tool_document(tool, sight=sight)
        console.result(document, _sheet(tool, document))


def _sheet(tool: ToolDefinition, document: Mapping[str, Any]) -> Sheet:
    from sezzlee_py.cli.console import json_text
    from sezzlee_py.cli.documents import operation_of, place_of
    from sezzlee_py.cli.sheet import Sheet

    sheet = Sheet()
    sheet.line(tool.name)
    facts = {
        "operation": operation_of(tool),
        "also reached at": ", ".join(tool.alternate_routes),
        "declared": place_of(tool.source, tool.line),
        "tags": ", ".join(map(_spelled, tool.tags)),
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
    sheet.line(json_text(document["card"], ascii_only=False))
    sheet.heading("Contract, as loading shows it")
    sheet.line(json_text(document["loaded"], ascii_only=False))
    return sheet


def _spelled(tag: str) -> str:
    """A tag as it is declared, and as agents read it where that differs."""
    from sezzlee_py.model.text import fold

    return tag if fold(tag) == tag else f"{tag} (agents read {fold(tag)})"
