from typing import Any

import pytest

from sezzlee_py.catalog.references import points_at_its_root, property_pointer, relocate


@pytest.mark.parametrize(
    ("schema", "points"),
    [
        ({"items": {"$ref": "#"}}, True),
        ({"anyOf": [True, {"$ref": "#/properties/a"}]}, True),
        ({"items": {"$ref": "#/$defs/A"}}, False),
        ({"items": {"$ref": "#anchor"}}, False),
        ({"items": {"$ref": "https://example.net/#"}}, False),
        ({"items": {"$ref": 1}}, False),
        ({"$id": "https://example.net/a", "items": {"$ref": "#"}}, False),
        ({"properties": {"$ref": {"type": "string"}}}, False),
        ({"default": {"$ref": "#"}}, False),
        (True, False),
    ],
)
def test_only_references_that_move_are_found(schema: Any, points: bool) -> None:
    assert points_at_its_root(schema) is points


def test_references_follow_their_schema() -> None:
    moved = relocate(
        {
            "$ref": "#",
            "items": True,
            "not": {"$id": "https://example.net/a", "items": {"$ref": "#"}},
            "oneOf": [{"$ref": "#/properties/x"}, False],
            "$defs": {"A": {"$ref": "#/$defs/A"}},
            "enum": [{"$ref": "#"}],
        },
        "#/properties/b",
    )
    assert moved == {
        "$ref": "#/properties/b",
        "items": True,
        "not": {"$id": "https://example.net/a", "items": {"$ref": "#"}},
        "oneOf": [{"$ref": "#/properties/b/properties/x"}, False],
        "$defs": {"A": {"$ref": "#/$defs/A"}},
        "enum": [{"$ref": "#"}],
    }
    assert relocate(True, "#/properties/b") is True


def test_a_pointer_escapes_what_a_name_may_hold() -> None:
    assert property_pointer("a/b~c%") == "#/properties/a~1b~0c%25"
