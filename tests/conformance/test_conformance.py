"""Every case of the shared conformance suite, run against the part its kind names."""

import importlib
from typing import Any


def test_case(kind: str, case: Any) -> None:
    assert isinstance(case, dict), f"a case of kind {kind!r} is not an object"
    assert {"id", "input", "expected"} <= case.keys(), f"unreadable case of kind {kind!r}: {case}"
    try:
        runner = importlib.import_module(f"tests.conformance.runners.{kind}")
    except ModuleNotFoundError as fault:
        raise AssertionError(f"unknown kind {kind!r}") from fault
    runner.check(case["input"], case["expected"])
