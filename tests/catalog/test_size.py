"""What a large application costs in memory."""

from __future__ import annotations

from benchmarks.memory import TARGET_BYTES, bytes_per_tool


def test_a_tool_with_its_index_keeps_less_than_thirty_kibibytes() -> None:
    assert bytes_per_tool(200) < TARGET_BYTES
