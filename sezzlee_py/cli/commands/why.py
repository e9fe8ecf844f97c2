"""`sezzlee why`: the way of one route, or of one tool's, to agents, stage by stage."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sezzlee_py.cli.command import Source, app_command, headers_option, warn_of_headers_left
from sezzlee_py.cli.console import Console
from sezzlee_py.cli.failure import FINDINGS

if TYPE_CHECKING:
    from sezzlee_py.cli.host import Host
    from sezzlee_py.cli.route_story import RouteStory, Stage
    from sezzlee_py.cli.sheet import Sheet


@app_command(
    click.argument("method", metavar="METHOD"),
    click.argument("path", metavar="PATH", required=False),
    headers_option,
)
def command(
    console: Console, source: Source, method: str, path: str | None, headers: Mapping[str, str]
) -> None:
    """Tell why METHOD PATH of APP is a tool or not, for whom it is visible, and what finds it.

    PATH is a route (/orders/{id}) or the path of a request (/orders/7). The name of a tool in place
    of both means its route. Exits with 1 when the application has no such route.
    """
    from sezzlee_py.catalog.adapter import METHODS
    from sezzlee_py.cli.documents import find_tool
    from sezzlee_py.cli.route_lookup import Walked
    from sezzlee_py.cli.route_story import tell_route, word_stages
    from sezzlee_py.cli.visible import visible_stages

    if path is None and method.upper() in METHODS:
        raise click.UsageError(f"{method} of which PATH?")
    with source.opened(console, tells=["oversight"]) as host:
        found: Host = host
        warn_of_headers_left(console, host, headers)
        walked = Walked(
            discovery=found.discovery,
            catalog=found.catalog,
            options=found.engine.options,
            adapter=found.engine.adapter,
        )
        if path is None:
            tool = find_tool(found.catalog, method)
            method, path = tool.method, tool.route
        story = tell_route(walked, method, path)
        stages = list(story.stages)
        if story.tools:
            stages += visible_stages(found, story.tools, headers)
            stages += word_stages(story.tools)
        console.result(_document(story, stages), _sheet(story, stages))
        if not story.is_known:
            sys.exit(FINDINGS)


def _document(story: RouteStory, stages: list[Stage]) -> dict[str, Any]:
    from sezzlee_py.explorer.documents import finding_document

    return {
        "method": story.method,
        "path": story.path,
        "operation": story.operation,
        "is_tool": bool(story.tools),
        "tools": [tool.name for tool in story.tools],
        "stages": [
            {"stage": stage.name, "ok": stage.ok, "why": stage.why, **stage.data}
            for stage in stages
        ],
        "diagnostics": [finding_document(found) for found in story.findings],
    }


def _sheet(story: RouteStory, stages: list[Stage]) -> Sheet:
    from sezzlee_py.cli.documents import write_findings
    from sezzlee_py.cli.sheet import Sheet

    sheet = Sheet()
    names = ", ".join(tool.name for tool in story.tools)
    verdict = f"is the tool {names}" if len(story.tools) == 1 else f"is the tools {names}"
    sheet.line(
        f"{story.operation or f'{story.method} {story.path}'} "
        + (verdict if story.tools else "is no tool")
    )
    sheet.line()
    marks = {True: "yes", False: "no", None: ""}
    sheet.table(("stage", "", "why"), [(s.name, marks[s.ok], s.why) for s in stages])
    write_findings(sheet, story.findings)
    return sheet
