"""Tools and findings as documents for machines and rows for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sezzlee_py.cli.failure import Failure
from sezzlee_py.cli.sheet import Sheet
from sezzlee_py.model import Diagnostic, ToolDefinition
from sezzlee_py.search import SearchIndex, documents_from_tools


def operation_of(tool: ToolDefinition) -> str:
    """Return the operation that a tool calls, as diagnostics name it."""
    return f"{tool.method} {tool.route}"


def tool_document(tool: ToolDefinition) -> dict[str, Any]:
    """Return a tool as a listing has it, without its schemas."""
    return {
        "name": tool.name,
        "method": tool.method,
        "route": tool.route,
        "alternate_routes": list(tool.alternate_routes),
        "tags": list(tool.tags),
        "description": tool.description,
        "annotations": dict(tool.annotations),
        "deprecated": tool.deprecated,
        "version": tool.version,
        "source": tool.source,
        "line": tool.line,
    }


def finding_document(found: Diagnostic) -> dict[str, Any]:
    """Return a finding with every field that says something."""
    fields = ("code", "severity", "message", "operation", "route", "source", "line", "pointer")
    values = {name: getattr(found, name) for name in fields}
    return {name: value for name, value in values.items() if value is not None}


def write_findings(sheet: Sheet, findings: Iterable[Diagnostic]) -> None:
    """Add findings, gravest first."""
    ordered = sorted(findings, key=lambda found: -found.severity.rank)
    if ordered:
        sheet.heading(f"{len(ordered)} {'finding' if len(ordered) == 1 else 'findings'}")
    for found in ordered:
        sheet.line(f"  {found}")


def tag_counts(tools: Iterable[ToolDefinition]) -> Mapping[str, int]:
    """Return how many tools carry each tag, by tag."""
    counts = Counter(tag for tool in tools for tag in tool.tags)
    return dict(sorted(counts.items()))


def place_of(source: str | None, line: int | None) -> str:
    """Return where a handler stands."""
    return "" if source is None else f"{source}, line {line}" if line else source


def find_tool(tools: Iterable[ToolDefinition], name: str) -> ToolDefinition:
    """Return the tool of exactly this name.

    Raises:
        Failure: there is none; the message names those it may have been meant to be.
    """
    known = {tool.name: tool for tool in tools}
    if name in known:
        return known[name]
    near = near_names(known.values(), name)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    if not known:
        hint = "; the application offers no tools at all, see `sezzlee why APP METHOD PATH`"
    raise Failure("unknown_tool", f"there is no tool {name!r}{hint}", near=near)


def near_names(tools: Iterable[ToolDefinition], name: str) -> list[str]:
    """Return up to three names that look like `name`, or that its words find."""
    import difflib

    listed = list(tools)
    near = difflib.get_close_matches(name, [tool.name for tool in listed], n=3)
    if not near and listed:
        near = list(SearchIndex(documents_from_tools(listed)).search(name, limit=3).names)
    return near
