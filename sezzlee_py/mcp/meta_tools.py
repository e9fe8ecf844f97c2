"""The three tools as an agent's client lists them (spec: tool-definition 10)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

SEARCH_TOOLS: Final = "search_tools"
LOAD_TOOL: Final = "load_tool"
INVOKE_TOOL: Final = "invoke_tool"

DEFAULT_LIMIT: Final = 20
MAX_LIMIT: Final = 50

GENERATION_KEY: Final = "sezzlee/catalogGeneration"

_READ_ONLY: Final = {"readOnlyHint": True}


def _tool(
    name: str,
    description: str,
    properties: dict[str, Any],
    required: list[str],
    annotations: dict[str, bool] | None = None,
) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    tool: dict[str, Any] = {"name": name, "description": description, "inputSchema": schema}
    return tool if annotations is None else tool | {"annotations": annotations}


_DEFINITIONS: Final = (
    _tool(
        SEARCH_TOOLS,
        "Find operations of this application by what they do. Keep the query short: two to four "
        "words that name the action and its object, such as 'cancel order', work better than a "
        "sentence. Answers with the best matches first, the number of operations ('total') and "
        "the tags in use. When 'results' is empty, search again with a shorter query, with other "
        "words, or with a tag from 'tags'; 'unmatched' lists the words that no operation knows. "
        "An empty query lists operations by name.",
        {
            "query": {
                "type": "string",
                "description": "A few words that name the action and its object; may be empty.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_LIMIT,
                "default": DEFAULT_LIMIT,
                "description": "The most results to return.",
            },
            "detail": {
                "type": "string",
                "enum": ["card", "schema"],
                "default": "card",
                "description": "'card' for short results, 'schema' for what load_tool returns.",
            },
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Only operations that carry all of these tags.",
            },
        },
        ["query"],
        _READ_ONLY,
    ),
    _tool(
        LOAD_TOOL,
        "Get the contract of one operation before invoking it: its full description, the JSON "
        "Schema of its arguments ('inputSchema') and its 'version'. Takes the exact name that "
        "search_tools returned; when there is none, search again with a short query.",
        {"name": {"type": "string", "description": "The exact name of the operation."}},
        ["name"],
        _READ_ONLY,
    ),
    _tool(
        INVOKE_TOOL,
        "Call one operation of this application as the current caller. Load it with load_tool "
        "first, and pass its 'version' and arguments that fit its 'inputSchema'. A failed call "
        "answers with 'error', 'message' and 'retryable'; 'fields' names the arguments to "
        "correct. When the answer is too large, narrow the call with the arguments it names.",
        {
            "name": {"type": "string", "description": "The exact name of the operation."},
            # No type: a wrong value must reach the SDK and come back as an envelope.
            "arguments": {
                "description": "A JSON object that fits the operation's inputSchema; all its "
                "arguments go in here, none beside it.",
            },
            "version": {
                "type": "string",
                "description": "The 'version' that load_tool returned; the call is refused when "
                "the operation has changed since.",
            },
        },
        ["name"],
    ),
)

# Per tool its arguments in published order, and whether each must be there.
META_ARGUMENTS: Final[Mapping[str, Mapping[str, bool]]] = MappingProxyType(
    {
        tool["name"]: {
            name: name in tool["inputSchema"]["required"]
            for name in tool["inputSchema"]["properties"]
        }
        for tool in _DEFINITIONS
    }
)

REQUIRED_META_ARGUMENTS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {tool["name"]: frozenset(tool["inputSchema"]["required"]) for tool in _DEFINITIONS}
)


def meta_tool_definitions(generation: int) -> list[dict[str, Any]]:
    """Return the three tools in listed order, marked with the catalog's generation."""
    return [tool | {"_meta": {GENERATION_KEY: generation}} for tool in _DEFINITIONS]


def meta_tool_schema(name: str) -> Mapping[str, Any]:
    """Return the published input schema of one of the three tools."""
    schema: Mapping[str, Any] = next(
        tool["inputSchema"] for tool in _DEFINITIONS if tool["name"] == name
    )
    return schema
