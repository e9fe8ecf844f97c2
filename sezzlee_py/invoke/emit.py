"""The one place where a `CallToolResult` is built (spec: results)."""

from __future__ import annotations

from typing import Any

from sezzlee_py.model import Emission, JSONObject


def call_tool_result(emission: Emission, *, structured: JSONObject | None = None) -> dict[str, Any]:
    """Return the MCP result of an answer: one text block, and `isError` for an error alone.

    Args:
        emission: the answer as it left the gate.
        structured: the value for `structuredContent`, where a tool is listed with a schema for it.
    """
    result: dict[str, Any] = {"content": [{"type": "text", "text": emission.text}]}
    if structured is not None:
        result["structuredContent"] = structured
    if emission.is_error:
        result["isError"] = True
    return result
