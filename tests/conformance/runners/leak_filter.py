"""Kind `leak_filter`: whether a message may be forwarded, and the row that stopped it."""

from typing import Any

from sezzlee_py.invoke.leak_filter import is_forwardable, leak_pattern


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    pattern = leak_pattern(case["message"])
    outcome: dict[str, Any] = {"forwarded": is_forwardable(case["message"])}
    if pattern is not None:
        outcome["pattern"] = pattern
    assert outcome == expected
