"""Numbers of things, as people read them."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return `1 tool`, `2 tools`; nouns whose plural takes an `s` alone."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
