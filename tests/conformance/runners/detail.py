"""Kind `detail`: the contract of a tool as loading shows it."""

from typing import Any

from sezzlee_py.catalog.projection import loaded_shape
from tests.conformance.runners.card import is_uncertain, read_tool


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    shown = loaded_shape(read_tool(case["tool"]), auth_uncertain=is_uncertain(case))
    del shown["version"]
    assert shown == expected
