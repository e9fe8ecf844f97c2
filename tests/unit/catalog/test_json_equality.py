from typing import Any

import pytest

from sezzlee_py.catalog.json_equality import same_json


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        (False, False, True),
        ("1", 1, False),
        (None, None, True),
        (None, False, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([], (), True),
        ([], {}, False),
        (2**53 + 1, 2**53 + 1, True),
    ],
)
def test_values_are_equal_as_json(left: Any, right: Any, same: bool) -> None:
    assert same_json(left, right) is same
    assert same_json(right, left) is same
