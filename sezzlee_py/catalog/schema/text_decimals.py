"""How the installed pydantic spells a `Decimal` that may come as text."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from pydantic import TypeAdapter


@cache
def pydantic_writes_bare_decimals() -> bool:
    """Whether the text half of a `Decimal` is a plain string, without the pattern of old."""
    members = TypeAdapter(Decimal).json_schema().get("anyOf", [])
    return {"type": "string"} in members
