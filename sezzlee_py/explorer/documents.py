"""Tools and findings as documents for the application's owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sezzlee_py.callers.visibility import View
from sezzlee_py.catalog.projection import card, loaded_shape
from sezzlee_py.model import Diagnostic, ToolDefinition


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


def whole_tool_document(tool: ToolDefinition, *, sight: str) -> dict[str, Any]:
    """Return a tool with what its owner declared and what an agent gets of it.

    Args:
        tool: the tool.
        sight: what the caller gets of it, as `sight_of` has it.
    """
    is_uncertain = sight == "unknown"
    return {
        **tool_document(tool),
        "search_terms": list(tool.search_terms),
        "slots": [
            {
                "argument": slot.argument,
                "name": slot.name,
                "location": slot.location,
                "required": slot.required,
            }
            for slot in tool.slots
        ],
        "card": card(tool, auth_uncertain=is_uncertain),
        "loaded": loaded_shape(tool, auth_uncertain=is_uncertain),
    }


def finding_document(found: Diagnostic) -> dict[str, Any]:
    """Return a finding with every field that says something."""
    fields = ("code", "severity", "message", "operation", "route", "source", "line", "pointer")
    values = {name: getattr(found, name) for name in fields}
    return {name: value for name, value in values.items() if value is not None}


def tag_counts(tools: Iterable[ToolDefinition]) -> Mapping[str, int]:
    """Return how many tools carry each tag, by tag."""
    counts = Counter(tag for tool in tools for tag in tool.tags)
    return dict(sorted(counts.items()))


def sight_of(name: str, view: View) -> str:
    """Return what a caller gets of a tool: `allow`, `unknown` (shown), `hidden` or `deny`."""
    if name in view.uncertain:
        return "unknown"
    if name in view.visible:
        return "allow"
    return "deny" if name in view.denied else "hidden"
