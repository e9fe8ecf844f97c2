"""The protocol revisions spoken here; no other place names one (spec: transport 3)."""

from __future__ import annotations

from typing import Final

REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")

# The newest stands alone: it has no handshake, and every request states its revision itself.
LATEST: Final = REVISIONS[-1]
HANDSHAKE_REVISIONS: Final = REVISIONS[:-1]
LATEST_HANDSHAKE: Final = HANDSHAKE_REVISIONS[-1]
