from typing import Any

import pytest

from sezzlee_py.catalog.schema.body_root import settle_body_root

NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("given", "expected", "optional"),
    [
        (
            {"type": ["object", "null"], "properties": {}},
            {"type": "object", "properties": {}},
            True,
        ),
        ({"type": ["string", "integer", "null"]}, {"type": ["string", "integer"]}, True),
        ({"type": ["null"]}, {"type": ["null"]}, False),
        (
            {"anyOf": [{"enum": [1]}, NULL], "description": "d"},
            {"enum": [1], "description": "d"},
            True,
        ),
        (
            {"oneOf": [{"enum": [1]}, {"enum": [2]}, NULL]},
            {"oneOf": [{"enum": [1]}, {"enum": [2]}]},
            True,
        ),
        (
            {"anyOf": [{"enum": [1]}, NULL], "minimum": 0, "$defs": {"A": {}}},
            {"enum": [1], "minimum": 0, "$defs": {"A": {}}},
            True,
        ),
        ({"anyOf": [NULL]}, {"type": "object", "additionalProperties": True}, True),
        ({"anyOf": [True, NULL]}, {"type": "object", "additionalProperties": True}, True),
        ({}, {"type": "object", "additionalProperties": True}, False),
        (
            {"description": "d"},
            {"type": "object", "additionalProperties": True, "description": "d"},
            False,
        ),
        ({"type": "array"}, {"type": "array"}, False),
    ],
)
def test_a_body_root_says_no_null_and_something(
    given: dict[str, Any], expected: dict[str, Any], optional: bool
) -> None:
    assert settle_body_root(given) == (expected, optional)


def test_a_root_that_is_not_json_stays_silent() -> None:
    assert settle_body_root({}, open_root=False) == ({}, False)
