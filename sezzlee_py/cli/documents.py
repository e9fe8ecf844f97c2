"""Tools by name, and tools and findings as rows for people."""

from __future__ import annotations

from collections.abc import Iterable

from sezzlee_py.catalog.name_parts import snake_case
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.cli.failure import Failure
from sezzlee_py.cli.sheet import Sheet
from sezzlee_py.model import Diagnostic, Severity, ToolDefinition
from sezzlee_py.model.counts import counted
from sezzlee_py.search import SearchIndex, documents_from_tools


def operation_of(tool: ToolDefinition) -> str:
    """Return the operation that a tool calls, as diagnostics name it."""
    return f"{tool.method} {tool.route}"


def write_findings(sheet: Sheet, findings: Iterable[Diagnostic]) -> None:
    """Add findings, gravest first; one that is true of many places is said once."""
    groups: dict[tuple[Severity, str, str], list[Diagnostic]] = {}
    for found in sorted(findings, key=lambda found: (-found.severity.rank, found.code)):
        groups.setdefault((found.severity, found.code, found.message), []).append(found)
    count = sum(map(len, groups.values()))
    if count:
        sheet.heading(counted(count, "finding"))
    for (severity, code, message), places in groups.items():
        sheet.line(f"  {severity} {code}: {message}")
        for found in places:
            place = place_of(found.source, found.line) or found.pointer or ""
            told = ", at ".join(filter(None, (found.operation or found.route, place)))
            if told:
                sheet.line(f"      {told}")


def place_of(source: str | None, line: int | None) -> str:
    """Return where a handler stands."""
    return "" if source is None else f"{source}, line {line}" if line else source


def find_tool(catalog: Catalog, name: str) -> ToolDefinition:
    """Return the tool of exactly this name.

    Raises:
        Failure: there is none; the message tells what was dropped, or names those it may have been
            meant to be.
    """
    if name in catalog:
        return catalog[name]
    near = near_names(catalog.tools, name)
    dropped = _dropped(catalog.diagnostics, name)
    if dropped is not None:
        hint = f"an endpoint whose function is called so was dropped: {dropped}"
    elif catalog.fatal:
        hint = f"the catalog is not served: {catalog.fatal[0]}"
    elif not catalog.tools:
        hint = "the application offers no tools at all, see `sezzlee why APP METHOD PATH`"
    elif near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = "`sezzlee catalog APP` lists what there is"
    raise Failure("unknown_tool", f"there is no tool {name!r}; {hint}", near=near)


def _dropped(findings: Iterable[Diagnostic], name: str) -> Diagnostic | None:
    """The finding about an endpoint that the name ends with the function of."""
    for found in findings:
        if found.severity is Severity.ENDPOINT_DROPPED and found.source is not None:
            function = snake_case(found.source.rpartition(":")[2].rpartition(".")[2])
            if f"_{name}".endswith(f"_{function}"):
                return found
    return None


def near_names(tools: Iterable[ToolDefinition], name: str) -> list[str]:
    """Return up to three names that look like `name`, or that its words find."""
    import difflib

    listed = list(tools)
    near = difflib.get_close_matches(name, [tool.name for tool in listed], n=3)
    if not near and listed:
        near = list(SearchIndex(documents_from_tools(listed)).search(name, limit=3).names)
    return near
