"""Answers of the meta-tools before and after the budget (spec: results 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sezzlee_py.model.quick import quick


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """An answer as a JSON object, not yet measured; `is_error` travels as MCP's `isError`.

    `oversized` is the count of bytes at which reading stopped: the payload lacks its body, and
    the gate refuses it. `cut_kind` is what that body begins as: `array`, `object` or `text`.
    """

    payload: dict[str, Any]
    is_error: bool = False
    oversized: int | None = None
    cut_kind: str = "text"


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Emission:
    """An answer that passed the gate: its JSON text, and the object the text was written from."""

    text: str
    payload: dict[str, Any]
    is_error: bool = False
