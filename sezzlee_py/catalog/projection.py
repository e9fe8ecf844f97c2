"""What an agent sees of a tool: the card and the loaded shape (spec: tool-definition 7 and 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from sezzlee_py.model import JSONObject, JSONValue, ToolDefinition

_BUDGET: Final = 160
_ELLIPSIS: Final = "…"
_ARRAY_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_LARGEST_INDEX: Final = 2**32 - 2


def card(tool: ToolDefinition, *, auth_uncertain: bool = False) -> dict[str, Any]:
    """Return the card of `tool`, as a search result shows it.

    Args:
        tool: any tool; a malformed schema makes an empty list of parameters.
        auth_uncertain: whether it is shown although nobody could tell that the caller may use it.
    """
    known = tool.memo.get("card")
    if known is None:
        known = tool.memo["card"] = _card(tool)
    return {**known, "authUncertain": True} if auth_uncertain else dict(known)


def loaded_shape(tool: ToolDefinition, *, auth_uncertain: bool = False) -> dict[str, Any]:
    """Return the contract of `tool` with its `version`, as loading and a detailed search show it.

    Args:
        tool: any tool; its schemas are handed over as they are.
        auth_uncertain: as for the card.
    """
    known = tool.memo.get("shape")
    if known is None:
        known = tool.memo["shape"] = definition(tool)
    flag = {"authUncertain": True} if auth_uncertain else {}
    return {**known, **flag, "version": tool.version}


def definition(tool: ToolDefinition) -> dict[str, Any]:
    """Return what the version of `tool` is made from: its shape, the same for every caller."""
    return shape_of(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=tool.annotations,
        deprecated=tool.deprecated,
    )


def shape_of(
    *,
    name: str,
    description: str,
    input_schema: JSONObject,
    output_schema: JSONObject | None,
    annotations: Mapping[str, bool],
    deprecated: bool,
) -> dict[str, Any]:
    """Return the shape of a tool with these facts."""
    shape: dict[str, Any] = {
        "name": name,
        "description": description,
        "inputSchema": input_schema,
    }
    if output_schema is not None:
        shape["outputSchema"] = output_schema
    shape["annotations"] = dict(annotations)
    if deprecated:
        shape["deprecated"] = True
    return shape


def short_description(text: str) -> str:
    """Return `text` cut to the budget of a card, counted in UTF-16 units."""
    units = _utf16_units(text[: _BUDGET + 1])
    if len(units) <= _BUDGET:
        return text
    cut = units.rfind(" ", 0, _BUDGET + 1)
    if cut < _BUDGET // 2:
        cut = _BUDGET
        if "\ud800" <= units[cut - 1] <= "\udbff" and "\udc00" <= units[cut] <= "\udfff":
            cut -= 1
    return _from_utf16_units(units[:cut]).rstrip() + _ELLIPSIS


def parameter_list(schema: JSONValue) -> str:
    """Return the root properties of any JSON value as `name: type (required), ...`."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return ""
    required = _required(schema.get("required"))
    return ", ".join(
        [
            f"{name}: {_type_name(properties[name])}{' (required)' if name in required else ''}"
            for name in _ordered(properties)
        ]
    )


def _card(tool: ToolDefinition) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": tool.name,
        "description": short_description(tool.description),
        "parameters": parameter_list(tool.input_schema),
    }
    if tool.deprecated:
        shown["deprecated"] = True
    return shown


def _required(names: JSONValue) -> frozenset[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return frozenset()
    return frozenset(names)


def _ordered(properties: Mapping[str, JSONValue]) -> list[str]:
    # Other languages' objects hold integer-like keys first; a card reads alike everywhere.
    indices = [name for name in properties if _is_index(name)]
    if not indices:
        return list(properties)
    rest = [name for name in properties if not _is_index(name)]
    return sorted(indices, key=int) + rest


def _is_index(name: str) -> bool:
    return _ARRAY_INDEX.fullmatch(name) is not None and int(name) <= _LARGEST_INDEX


def _type_name(member: JSONValue) -> str:
    declared = member.get("type") if isinstance(member, Mapping) else None
    if isinstance(declared, str):
        return declared
    names = declared if isinstance(declared, list) else ()
    return next((name for name in names if isinstance(name, str) and name != "null"), "any")


def _utf16_units(text: str) -> str:
    """`text` with each astral character as the two surrogates that UTF-16 writes."""
    if text.isascii():
        return text
    return "".join(char if char <= "\uffff" else _surrogates(ord(char)) for char in text)


def _surrogates(code: int) -> str:
    high, low = divmod(code - 0x10000, 0x400)
    return chr(0xD800 + high) + chr(0xDC00 + low)


def _from_utf16_units(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
