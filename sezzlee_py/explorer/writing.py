"""The explorer's documents as bytes, which are what a client of the endpoint would be sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sezzlee_py.model.json import compact_writer


def write_json(value: Any) -> bytes:
    """Return `value` as compact JSON in UTF-8; what JSON cannot hold is text in it."""
    return _write(value).encode("utf-8", "replace")


def _plain(value: object) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


_write: Final = compact_writer(_plain)
