"""Kind `floor`: the floor tool by tool, on the plain ranking."""

from typing import Any

from tests.conformance.runners import search


def check(data: dict[str, Any], expected: dict[str, Any]) -> None:
    outcome = search.index(data).search(data["query"], limit=None, floor=data["ratio"])
    assert list(outcome.names) == expected["names"]
