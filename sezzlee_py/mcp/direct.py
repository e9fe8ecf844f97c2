"""Listing the operations themselves instead of the meta-tools (spec: transport 10)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sezzlee_py.mcp.jsonrpc import RPCCode, RPCFault
from sezzlee_py.mcp.meta_tools import GENERATION_KEY
from sezzlee_py.model import Emission, JSONObject, JSONValue, ToolDefinition

PAGE_SIZE: Final = 100

_CURSOR_MARK: Final = b"after:"
# Decoders overlook other characters, or take both alphabets, as the Python version has it.
_CURSOR: Final = re.compile(r"[A-Za-z0-9_-]*={0,2}")


def read_cursor(cursor: JSONValue) -> str | None:
    """Return the name a page begins after, `None` for the first page.

    Raises:
        RPCFault: the cursor was not issued here.
    """
    if cursor is None:
        return None
    fault = RPCFault(RPCCode.INVALID_PARAMS, "The cursor is not one of this server.")
    if not isinstance(cursor, str) or not _CURSOR.fullmatch(cursor):
        raise fault
    try:
        data = base64.urlsafe_b64decode(cursor)
        name = data.removeprefix(_CURSOR_MARK).decode("utf-8")
    except (binascii.Error, UnicodeError):
        raise fault from None
    if not data.startswith(_CURSOR_MARK):
        raise fault
    return name


def write_cursor(name: str) -> str:
    """Return the cursor of the page that begins after `name`."""
    return base64.urlsafe_b64encode(_CURSOR_MARK + name.encode("utf-8")).decode("ascii")


def list_page(
    tools: Iterable[ToolDefinition], *, after: str | None, generation: int
) -> dict[str, Any]:
    """Return one page of `tools` by name, with the cursor of the next when there is more.

    A page goes on after a name, not at a count, so a reload in between neither repeats nor skips.
    """
    rest = sorted(
        (tool for tool in tools if after is None or tool.name > after), key=lambda tool: tool.name
    )
    page = rest[:PAGE_SIZE]
    result: dict[str, Any] = {"tools": [_listed(tool, generation) for tool in page]}
    return (
        result if len(rest) == len(page) else result | {"nextCursor": write_cursor(page[-1].name)}
    )


def _listed(tool: ToolDefinition, generation: int) -> dict[str, Any]:
    listed: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        listed["outputSchema"] = tool.output_schema
    listed["annotations"] = dict(tool.annotations)
    listed["_meta"] = {GENERATION_KEY: generation}
    return listed


def structured_content(tool: ToolDefinition, emission: Emission) -> JSONObject | None:
    """Return what stock clients demand beside the text of a tool with an output schema.

    The JSON body of a success, wrapped as the schema is; `None` for a failure, for a body that is
    not JSON, and for a tool without an output schema.
    """
    payload = emission.payload
    # A body that is text or HTML travels with its content type; a JSON value without.
    has_value = "body" in payload and "contentType" not in payload
    if tool.output_schema is None or emission.is_error or not has_value:
        return None
    body = payload["body"]
    if isinstance(body, Mapping) and not _is_wrapper(tool.output_schema):
        return body
    return {"result": body}


def _is_wrapper(schema: JSONObject) -> bool:
    # The wrapper holds these and nothing else; a model's own schema has at least a title.
    return (
        set(schema) <= {"type", "properties", "required", "$defs"}
        and list(schema.get("properties", ())) == ["result"]
        and schema.get("required") == ["result"]
    )
