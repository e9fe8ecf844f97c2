from typing import Any

import pytest

from sezzlee_py.catalog.schema.depth import truncate

OPEN = {"type": "object", "additionalProperties": True}
NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
}


@pytest.mark.parametrize(
    ("schema", "depth", "expected"),
    [
        ({"type": "string"}, 0, {"type": "string"}),
        (
            {"properties": {"a": {"type": "string"}, "b": {"properties": {}}}},
            0,
            {"properties": {"a": {"type": "string"}, "b": OPEN}},
        ),
        ({"items": {"items": {"items": {}}}}, 1, {"items": {"items": OPEN}}),
        ({"anyOf": [{"items": {"items": {}}}, True]}, 0, {"anyOf": [{"items": OPEN}, True]}),
        ({"prefixItems": [{"items": {}}]}, 0, {"prefixItems": [OPEN]}),
        ({"not": {"items": {"items": {}}}}, 0, {"not": {"items": OPEN}}),
    ],
)
def test_branches_below_the_limit_are_open(schema: Any, depth: int, expected: Any) -> None:
    assert truncate(schema, depth) == (expected, expected != schema)


def test_a_definition_is_cut_as_seen_from_its_nearest_use() -> None:
    schema = {
        "properties": {"a": {"items": {"$ref": "#/$defs/Node"}}, "b": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": NODE, "Unused": {}},
    }
    cut, was_cut = truncate(schema, 1)
    assert was_cut
    assert cut == {
        "properties": {"a": {"items": OPEN}, "b": {"$ref": "#/$defs/Node"}},
        "$defs": {
            "Node": {"type": "object", "properties": {"n": {"type": "integer"}, "next": OPEN}}
        },
    }


def test_a_cycle_is_finite_within_any_limit() -> None:
    schema = {**NODE, "$defs": {"Node": NODE}}
    assert truncate(schema, 50)[0] == schema
