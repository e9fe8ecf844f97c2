"""What an agent's context pays for the catalog: three tools, against listing every operation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from sezzlee_py.catalog.projection import definition, loaded_shape
from sezzlee_py.explorer.writing import write_json
from sezzlee_py.mcp.meta_tools import meta_tool_definitions
from sezzlee_py.model import ToolDefinition

BYTES_PER_TOKEN: Final = 4
METHOD: Final = (
    "Estimated: one token for every 4 bytes of the JSON as it is sent, rounded up. The bytes are "
    "exact; a model's own tokenizer gives other numbers."
)


def costs(tools: Sequence[ToolDefinition], generation: int, *, search_bytes: int) -> dict[str, Any]:
    """Return bytes and estimated tokens of both ways to offer `tools` to an agent.

    Args:
        tools: what one caller sees.
        generation: of the catalog.
        search_bytes: the size of a search's answer, a full page of cards.
    """
    shapes = [len(write_json(loaded_shape(tool))) for tool in tools]
    meta_tools = len(write_json({"tools": meta_tool_definitions(generation)}))
    everything = len(write_json({"tools": [definition(tool) for tool in tools]}))
    load = int(median(shapes)) if shapes else 0
    return {
        "method": METHOD,
        "tools": len(tools),
        "meta_tools": _cost(meta_tools),
        "search": _cost(search_bytes),
        "load": _cost(load),
        "task": _cost(meta_tools + search_bytes + load),
        "everything": _cost(everything),
    }


def estimated_tokens(size: int) -> int:
    """Return how many tokens `size` bytes of JSON are, by the rule that `METHOD` tells."""
    return -(-size // BYTES_PER_TOKEN)


def cost_of(value: Any) -> dict[str, int]:
    """Return bytes and estimated tokens of one JSON value."""
    return _cost(len(write_json(value)))


def _cost(size: int) -> dict[str, int]:
    return {"bytes": size, "tokens": estimated_tokens(size)}
