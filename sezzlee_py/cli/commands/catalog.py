"""`sezzlee catalog`: every tool of an application."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from sezzlee_py.cli.command import Source, app_command
from sezzlee_py.cli.console import Console
from sezzlee_py.cli.failure import FINDINGS

if TYPE_CHECKING:
    from sezzlee_py.catalog.snapshot import Catalog
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.model import ToolDefinition


@app_command(
    click.option(
        "--include-all", is_flag=True, help="Offer every route that nothing excludes, as a preview."
    ),
    click.option("--tag", "tags", multiple=True, help="Only tools with this tag; all of several."),
)
def command(console: Console, source: Source, include_all: bool, tags: tuple[str, ...]) -> None:
    """List the tools of APP, with tags, counts and findings."""
    from sezzlee_py.explorer.documents import finding_document, tag_counts, tool_document
    from sezzlee_py.model.text import fold

    with source.opened(console) as host:
        catalog: Catalog = host.whole_catalog() if include_all else host.catalog
        wanted = {fold(tag) for tag in tags}
        tools = [tool for tool in catalog if wanted <= {fold(tag) for tag in tool.tags}]
        document = {
            "app": source.spec,
            "framework": host.framework,
            "mounted": host.is_mounted,
            "version": catalog.version,
            "counts": {
                "discovered": catalog.discovered,
                "selected": catalog.selected,
                "tools": len(catalog),
                "listed": len(tools),
            },
            "tags": tag_counts(tools),
            "tools": [tool_document(tool) for tool in tools],
            "diagnostics": [finding_document(found) for found in catalog.diagnostics],
        }
        console.result(document, _sheet(catalog, document, tools))
        if catalog.fatal:
            sys.exit(FINDINGS)


def _sheet(catalog: Catalog, document: Mapping[str, Any], tools: Sequence[ToolDefinition]) -> Sheet:
    from sezzlee_py.cli.documents import operation_of, place_of, write_findings
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.model.counts import counted

    sheet = Sheet()
    sheet.line(
        f"{document['app']} ({document['framework']}): "
        f"{counted(catalog.discovered, 'operation')} discovered, "
        f"{catalog.selected} selected, {counted(len(catalog), 'tool')}"
    )
    if not document["mounted"]:
        sheet.line("mount_mcp was not called; these would be the tools with default options")
    if tools:
        listed = "" if len(tools) == len(catalog) else f", {len(tools)} of {len(catalog)}"
        sheet.heading(f"Tools{listed}")
    sheet.table(
        ("name", "operation", "tags", "declared"),
        [(t.name, operation_of(t), ", ".join(t.tags), place_of(t.source, t.line)) for t in tools],
    )
    if document["tags"]:
        sheet.heading("Tags")
        sheet.table(("tag", "tools"), document["tags"].items())
    write_findings(sheet, catalog.diagnostics)
    if not catalog.tools and not catalog.fatal:
        sheet.line()
        sheet.line(f"No tools: {_why_none(catalog)}.")
    return sheet


def _why_none(catalog: Catalog) -> str:
    if catalog.selected:
        return "the findings above say why what is declared is left out"
    return "decorate a handler with @mcp_tool, or preview with --include-all"
