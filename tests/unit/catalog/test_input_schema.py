from typing import Any

import pytest

from sezzlee_py.model import OMIT, Constant, RequestBody
from tests.unit.catalog.builders import (
    ADDRESS,
    INTEGER,
    STRING,
    build,
    codes,
    dropped,
    endpoint,
    json_body,
    path,
    query,
    record,
    tool,
)


def published(*parameters: Any, **facts: Any) -> Any:
    return tool(endpoint(*parameters, **facts)).input_schema


def test_no_argument_gives_empty_lists() -> None:
    assert published() == {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }


def test_a_description_of_the_parameter_stands_in() -> None:
    schema = published(
        query("a", description="Of the parameter."),
        query("b", {"type": "string", "description": "Own."}, description="Of the parameter."),
        query("c", True, description="Anything."),
        query("d", False, description="Nothing."),
        query("e", True),
        query("f", description=""),
    )
    assert schema["properties"] == {
        "a": {"type": "string", "description": "Of the parameter."},
        "b": {"type": "string", "description": "Own."},
        "c": {"description": "Anything."},
        "d": {"not": {}, "description": "Nothing."},
        "e": True,
        "f": STRING,
    }


def test_renamed_arguments_keep_their_place_and_hidden_ones_leave_none() -> None:
    schema = published(
        path("id", INTEGER),
        query("trace"),
        query("page", INTEGER),
        request_body=json_body({"note": STRING, "source": STRING}, "note", "source"),
        arguments=(
            record("id", "order", "Order number."),
            record("trace", hidden=OMIT),
            record("note", "text"),
            record("source", hidden=Constant("agent")),
        ),
    )
    assert list(schema["properties"]) == ["order", "page", "text"]
    assert schema["required"] == ["order", "text"]
    assert schema["properties"]["order"] == {"type": "integer", "description": "Order number."}


def test_definitions_of_all_slots_meet_at_the_root() -> None:
    schema = published(
        query("a", {"type": "array", "items": {"$ref": "#/$defs/Z"}, "$defs": {"Z": STRING}}),
        query("b", {"$ref": "#/$defs/Z", "$defs": {"Z": {"type": "string"}}}),
        request_body=json_body({"x": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": ADDRESS}}),
    )
    assert list(schema["$defs"].items()) == [("A", ADDRESS), ("Z", STRING)]
    assert schema["properties"]["b"] == {"$ref": "#/$defs/Z"}


@pytest.mark.parametrize("other", [{"const": True}, {"const": "1"}, {"const": 1, "title": "x"}])
def test_one_key_with_two_meanings_is_a_conflict(other: Any) -> None:
    descriptor = endpoint(
        query("a", {"$defs": {"X": {"const": 1}}}), query("b", {"$defs": {"X": other}})
    )
    assert dropped(descriptor) == "schema_def_conflict"


def test_a_conflict_is_told_before_a_fault_that_may_follow_from_it() -> None:
    descriptor = endpoint(
        query("a", {"$ref": "#/$defs/X", "$defs": {"X": ADDRESS}}),
        request_body=json_body({}, **{"$defs": {"X": STRING}}),
    )
    assert dropped(descriptor) == "schema_def_conflict"
    assert dropped(endpoint(query("a", ADDRESS))) == "unsupported_object_style"


def test_definitions_under_an_own_id_are_no_conflict_beside_another_fault() -> None:
    descriptor = endpoint(
        query("a", {"type": "string", "$defs": {"X": STRING}}),
        query("b", {"type": "string", "$id": "https://example.net/b", "$defs": {"X": ADDRESS}}),
        query("c", ADDRESS),
    )
    assert dropped(descriptor) == "unsupported_object_style"


def test_hiding_one_side_ends_a_conflict() -> None:
    descriptor = endpoint(
        query("a", {"type": "string", "$defs": {"X": ADDRESS}}),
        request_body=json_body({"x": {"$ref": "#/$defs/X"}}, **{"$defs": {"X": STRING}}),
        arguments=(record("a", hidden=OMIT),),
    )
    assert tool(descriptor).input_schema["$defs"] == {"X": STRING}


def test_a_flattened_body_brings_its_definitions_even_when_the_user_is_hidden() -> None:
    schema = published(
        request_body=json_body({"x": {"$ref": "#/$defs/X"}}, **{"$defs": {"X": STRING}}),
        arguments=(record("x", hidden=OMIT),),
    )
    assert schema["$defs"] == {"X": STRING}


def test_definitions_under_an_own_id_stay_inside() -> None:
    inner = {"$id": "https://example.net/a", "type": "string", "$defs": {"X": STRING}}
    schema = published(query("a", inner))
    assert schema["properties"] == {"a": inner}
    assert "$defs" not in schema


def test_an_empty_bag_leaves_nothing() -> None:
    assert published(query("a", {"type": "string", "$defs": {}})) == published(query("a"))


def test_a_reference_to_the_slot_itself_follows_it() -> None:
    tree = {
        "type": "object",
        "properties": {
            "children": {"type": "array", "items": {"$ref": "#"}},
            "first": {"$ref": "#/properties/children"},
            "leaf": {"$ref": "#/$defs/Leaf"},
            "$ref": {"const": {"$ref": "#"}},
        },
        "$defs": {"Leaf": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
    }
    schema = published(request_body=RequestBody(schema=tree), arguments=(record("body", "tree"),))
    assert schema["properties"]["tree"]["properties"] == {
        "children": {"type": "array", "items": {"$ref": "#/properties/tree"}},
        "first": {"$ref": "#/properties/tree/properties/children"},
        "leaf": {"$ref": "#/$defs/Leaf"},
        "$ref": {"const": {"$ref": "#"}},
    }
    assert schema["$defs"] == {"Leaf": {"anyOf": [{"$ref": "#/properties/tree"}, {"type": "null"}]}}


def test_the_descriptor_is_never_changed() -> None:
    descriptor = endpoint(
        query("a", {"type": "string", "$defs": {"X": STRING}}, description="A."),
        request_body=json_body({"x": {"$ref": "#/$defs/X"}}, **{"$defs": {"X": STRING}}),
        arguments=(record("x", "y", "Why."),),
    )
    before = repr(descriptor)
    first, second = build(descriptor), build(descriptor)
    assert repr(descriptor) == before
    assert first == second
    assert codes(first) == []
