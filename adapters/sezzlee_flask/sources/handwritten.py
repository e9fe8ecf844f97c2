"""What people write into documents by hand, in the words of JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# Python's names, which flasgger shows as they are written.
_TYPES: Final = {
    "bool": "boolean",
    "dict": "object",
    "float": "number",
    "int": "integer",
    "list": "array",
    "str": "string",
    "text": "string",
}
_NOT_SCHEMAS: Final = frozenset({"example", "examples", "default", "enum", "const"})


def repaired(node: Any) -> Any:
    """Return a part of a document with types that have names.

    An `id` in a schema is where flasgger files it, and no keyword of the schema.
    """
    if isinstance(node, list):
        return [repaired(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    made = {
        key: value if key in _NOT_SCHEMAS else repaired(value)
        for key, value in node.items()
        if not (key == "schema" and value is None)
    }
    if isinstance(made.get("type"), str):
        made["type"] = _TYPES.get(made["type"], made["type"])
    return made
