from typing import Any

import pytest

from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.normalise import MAX_NESTING
from sezzlee_py.catalog.schema.slots import Direction, SlotKind
from tests.unit.schema.reading import codes, read, read_all, ref

RESPONSE = Direction.RESPONSE


def test_titles_and_defaults_go_and_properties_of_those_names_stay() -> None:
    schema = {
        "title": "T",
        "type": "object",
        "properties": {
            "title": {"type": "string", "title": "Title", "default": "x"},
            "default": {"type": "integer", "default": 1},
        },
    }
    assert read(schema) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "default": {"type": "integer"}},
    }


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
@pytest.mark.parametrize("kind", [SlotKind.PARAMETER, SlotKind.FORM, SlotKind.MULTIPART])
def test_a_slot_that_cannot_carry_null_loses_it(word: str, kind: SlotKind) -> None:
    union = {word: [{"type": "integer", "minimum": 1}, {"type": "null"}], "description": "d"}
    assert read(union, kind=kind) == {"type": "integer", "minimum": 1, "description": "d"}
    assert read({"type": ["string", "null"]}, kind=kind) == {"type": "string"}
    assert read({"type": "string", "nullable": True}, kind=kind) == {"type": "string"}


@pytest.mark.parametrize(
    ("alternative", "beside", "expected"),
    [
        ({"type": "string"}, {"format": "password"}, {"type": "string", "format": "password"}),
        (
            {"type": "integer", "minimum": 1},
            {"enum": [1, 2], "description": "d"},
            {"type": "integer", "minimum": 1, "enum": [1, 2], "description": "d"},
        ),
        (
            {"type": "integer", "minimum": 1},
            {"minimum": 2},
            {"allOf": [{"type": "integer", "minimum": 1}], "minimum": 2},
        ),
        (
            {"type": "array", "contains": {"const": 1}},
            {"minContains": 0},
            {"allOf": [{"type": "array", "contains": {"const": 1}}], "minContains": 0},
        ),
    ],
)
def test_what_stands_beside_the_sole_alternative_is_said_with_it(
    alternative: Any, beside: Any, expected: Any
) -> None:
    union = {"anyOf": [alternative, {"type": "null"}], **beside}
    assert read(union, kind=SlotKind.FORM) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
            {"type": ["string", "null"], "maxLength": 3},
        ),
        (
            {
                "anyOf": [{"type": "string", "description": "a"}, {"type": "null"}],
                "description": "b",
            },
            {"type": ["string", "null"], "description": "b"},
        ),
        ({"type": "integer", "nullable": True}, {"type": ["integer", "null"]}),
        ({"type": "integer", "x-nullable": True}, {"type": ["integer", "null"]}),
        ({"type": ["integer", "null"], "nullable": True}, {"type": ["integer", "null"]}),
        (
            {"type": "string", "enum": ["a", None], "nullable": True, "description": "d"},
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}], "description": "d"},
        ),
        (
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"const": 1, "type": "integer"}, {"type": "null"}]},
            {"anyOf": [{"const": 1, "type": "integer"}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "minimum": 1},
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "minimum": 1},
        ),
        ({"anyOf": [{"type": "null"}]}, {"anyOf": [{"type": "null"}]}),
    ],
)
def test_null_in_json_is_said_as_briefly_as_it_can_be(given: Any, expected: Any) -> None:
    assert read(given) == expected


def test_null_beside_a_named_object_folds_once_the_object_is_inlined() -> None:
    components = {"Sub": {"type": "object", "properties": {"a": {"type": "string"}}}}
    nullable = {"anyOf": [ref("Sub"), {"type": "null"}], "title": "x"}
    inlined = {"type": ["object", "null"], "properties": {"a": {"type": "string"}}}
    assert read({"type": "array", "items": nullable}, components) == {
        "type": "array",
        "items": inlined,
    }
    assert read(nullable, components, direction=RESPONSE) == inlined
    twice = {"type": "object", "properties": {"x": nullable, "y": ref("Sub")}}
    assert read(twice, components) == {
        "type": "object",
        "properties": {
            "x": {"anyOf": [{"$ref": "#/$defs/Sub"}, {"type": "null"}]},
            "y": {"$ref": "#/$defs/Sub"},
        },
        "$defs": {"Sub": components["Sub"]},
    }


def test_named_scalars_enums_and_unions_are_inlined_with_their_siblings() -> None:
    components = {
        "Color": {"type": "string", "enum": ["r", "g"], "title": "Color", "description": "c"},
        "Id": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "Alias": ref("Color"),
        "Anything": {},
        "Always": True,
    }
    schema = {
        "type": "object",
        "properties": {
            "a": ref("Color"),
            "b": {**ref("Alias"), "default": "r", "description": "mine"},
            "c": ref("Id"),
            "d": {**ref("Color"), "maxLength": 1},
            "e": {**ref("Anything"), "description": "any"},
            "f": {**ref("Always"), "description": "any"},
            "g": {"anyOf": [ref("Color"), {"type": "null"}]},
        },
    }
    color = {"type": "string", "enum": ["r", "g"], "description": "c"}
    assert read(schema, components)["properties"] == {
        "a": color,
        "b": {**color, "description": "mine"},
        "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "d": {**color, "maxLength": 1},
        "e": {"description": "any"},
        "f": {"description": "any"},
        "g": {"anyOf": [color, {"type": "null"}]},
    }


def test_a_recursive_alias_stays_a_reference() -> None:
    components = {
        "Json": {"anyOf": [{"type": "string"}, {"type": "array", "items": ref("Json")}]},
    }
    union = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Json"}}]}
    assert read({"type": "object", "properties": {"a": ref("Json")}}, components) == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Json"}},
        "$defs": {"Json": union},
    }


def test_siblings_of_a_reference_are_kept_or_ignored_by_version() -> None:
    components = {"Sub": {"type": "object", "properties": {"a": {"type": "string"}}}}
    schema = {
        "type": "object",
        "properties": {
            "x": {**ref("Sub"), "description": "d"},
            "y": {**ref("Sub"), "minProperties": 1},
        },
    }
    assert read(schema, components)["properties"] == {
        "x": {"$ref": "#/$defs/Sub", "description": "d"},
        "y": {"$ref": "#/$defs/Sub", "minProperties": 1},
    }
    (ignored,), findings = read_all([schema], components, siblings_apply=False)
    assert ignored["properties"] == {"x": {"$ref": "#/$defs/Sub"}, "y": {"$ref": "#/$defs/Sub"}}
    assert [(f.code, f.pointer) for f in findings] == [
        ("ref_siblings_ignored", "/s/properties/x"),
        ("ref_siblings_ignored", "/s/properties/y"),
    ]


def test_a_nullable_reference_admits_null() -> None:
    components = {"Sub": {"type": "object", "properties": {}}}
    schema = {"type": "array", "items": {**ref("Sub"), "nullable": True}}
    assert read(schema, components)["items"] == {"type": ["object", "null"], "properties": {}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"allOf": [{"type": "string"}]}, {"type": "string"}),
        (
            {"allOf": [{"type": "string"}], "description": "d"},
            {"type": "string", "description": "d"},
        ),
        (
            {"allOf": [{"type": "string"}], "maxLength": 2},
            {"allOf": [{"type": "string"}], "maxLength": 2},
        ),
        ({"allOf": [], "type": "string"}, {"type": "string"}),
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {}}, "required": ["b", "a"], "description": "in"},
                ],
                "description": "out",
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {}},
                "required": ["a", "b"],
                "description": "out",
            },
        ),
        (
            {"allOf": [{"type": "object", "properties": {"a": {}}}], "properties": {"c": {}}},
            {"type": "object", "properties": {"a": {}, "c": {}}},
        ),
    ],
)
def test_all_of_becomes_one_schema(given: Any, expected: Any) -> None:
    assert read(given) == expected


@pytest.mark.parametrize(
    "members",
    [
        [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "integer"}}}],
        [{"type": "object", "additionalProperties": False}, {"properties": {"a": {}}}],
        [{"type": "object", "minProperties": 1}, {"type": "object", "minProperties": 2}],
        [{"type": "object", "patternProperties": {"^a": {}}}, {"properties": {"a": {}}}],
        [{"type": "object"}, {"type": "string"}],
    ],
)
def test_all_of_that_one_schema_cannot_say_is_kept(members: list[Any]) -> None:
    assert read({"allOf": members}) == {"allOf": members}
    kept = read({"allOf": [{"properties": {"a": {}}}, {"properties": {}}], "type": "string"})
    assert "allOf" in kept


def test_all_of_merges_named_objects_but_not_its_own_cycle() -> None:
    components = {
        "Pet": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "discriminator": {"propertyName": "kind"},
        },
        "Dog": {"allOf": [ref("Pet"), {"properties": {"next": ref("Dog")}, "type": "object"}]},
        "Loop": {"allOf": [ref("Loop"), {"type": "object", "properties": {}}]},
    }
    assert read(ref("Dog"), components) == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Dog"}},
        "$defs": {
            "Dog": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Dog"}},
            }
        },
    }
    assert codes(ref("Dog"), components) == ["annotation_removed"]
    loop = {"allOf": [{"$ref": "#/$defs/Loop"}, {"type": "object", "properties": {}}]}
    assert read(ref("Loop"), components) == {**loop, "$defs": {"Loop": loop}}


def test_annotations_of_openapi_are_removed_and_each_told_once() -> None:
    schema = {
        "oneOf": [{"type": "object", "xml": {}, "x-a": 1}, {"type": "object", "x-a": 2}],
        "discriminator": {"propertyName": "k"},
        "externalDocs": {"url": "u"},
    }
    assert read(schema) == {"oneOf": [{"type": "object"}, {"type": "object"}]}
    _, findings = read_all([schema])
    assert {(f.code, f.about) for f in findings} == {
        ("annotation_removed", name) for name in ("xml", "x-a", "discriminator", "externalDocs")
    }


def test_read_only_leaves_requests_and_write_only_leaves_responses() -> None:
    components = {
        "Secret": {"type": "object", "properties": {"s": {"type": "string"}}, "writeOnly": True},
        "Stamp": {"type": "string", "readOnly": True},
        "Audit": {"type": "object", "properties": {}, "readOnly": True},
    }
    schema = {
        "type": "object",
        "required": ["id", "a", "password", "stamp", "audit", "secret"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "stamp": ref("Stamp"),
            "audit": ref("Audit"),
            "a": {"type": "string"},
            "password": {"type": "string", "writeOnly": True},
            "secret": ref("Secret"),
        },
    }
    request = read(schema, components)
    assert list(request["properties"]) == ["a", "password", "secret"]
    assert request["required"] == ["a", "password", "secret"]
    assert request["properties"]["password"] == {"type": "string"}
    response = read(schema, components, direction=RESPONSE)
    assert list(response["properties"]) == ["id", "stamp", "audit", "a"]
    assert response["properties"]["id"] == {"type": "integer", "readOnly": True}
    kept = read(schema, components, drop_read_only=False)
    assert list(kept["properties"]) == list(schema["properties"])


def test_required_vanishes_with_its_last_name() -> None:
    schema = {"properties": {"id": {"readOnly": True}}, "required": ["id"], "type": "object"}
    assert read(schema) == {"properties": {}, "type": "object"}


@pytest.mark.parametrize(
    ("given", "kind", "expected"),
    [
        ({"type": "string", "format": "binary"}, SlotKind.JSON, {"type": "string"}),
        (
            {"type": "string", "contentMediaType": "application/octet-stream"},
            SlotKind.JSON,
            {"type": "string"},
        ),
        (
            {"type": "string", "contentMediaType": "image/png"},
            SlotKind.JSON,
            {"type": "string", "contentMediaType": "image/png"},
        ),
        (
            {"type": "string", "format": "binary"},
            SlotKind.MULTIPART,
            {"type": "string", "contentMediaType": "application/octet-stream"},
        ),
        (
            {"type": "string", "format": "byte"},
            SlotKind.JSON,
            {"type": "string", "contentEncoding": "base64"},
        ),
        (
            {"type": "string", "format": "base64url"},
            SlotKind.JSON,
            {"type": "string", "contentEncoding": "base64url"},
        ),
        (
            {
                "type": "string",
                "contentMediaType": "application/octet-stream",
                "contentEncoding": "base64",
            },
            SlotKind.JSON,
            {
                "type": "string",
                "contentMediaType": "application/octet-stream",
                "contentEncoding": "base64",
            },
        ),
    ],
)
def test_bytes_are_told_in_the_words_of_json_schema(
    given: Any, kind: SlotKind, expected: Any
) -> None:
    assert read(given, kind=kind) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"examples": [1], "example": 2}, {"examples": [1]}),
        ({"type": "number", "example": float("inf")}, {"type": "number"}),
        ({"minLength": 2.0}, {"minLength": 2.0}),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        (
            {"type": "number", "maximum": 1, "exclusiveMaximum": False},
            {"type": "number", "maximum": 1},
        ),
        ({"type": ["string"]}, {"type": "string"}),
        (
            {"type": "array", "items": [{"type": "string"}, {}]},
            {"type": "array", "prefixItems": [{"type": "string"}, {}]},
        ),
        ({"type": "string", "unit": "kg"}, {"type": "string", "unit": "kg"}),
        ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["b"]}}),
        ({"$id": "x", "$schema": "y", "definitions": {}, "type": "string"}, {"type": "string"}),
        (
            {
                "if": {"const": 1},
                "then": {},
                "not": {"type": "null"},
                "patternProperties": {"a": {}},
            },
            {
                "if": {"const": 1},
                "then": {},
                "not": {"type": "null"},
                "patternProperties": {"a": {}},
            },
        ),
    ],
)
def test_other_spellings_are_settled_and_constraints_kept(given: Any, expected: Any) -> None:
    assert read(given) == expected


def test_pydantics_decimal_is_a_number_in_requests_and_foreign_unions_stay() -> None:
    old = {
        "anyOf": [
            {"type": "number", "minimum": 0},
            {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"},
            {"type": "null"},
        ]
    }
    assert read(old) == {"type": ["number", "null"], "minimum": 0}
    assert read(old, direction=RESPONSE)["anyOf"][2] == {"type": "null"}
    bare = {"anyOf": [{"type": "number"}, {"type": "string"}]}
    assert read(bare) == bare
    other = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^a"}]}
    assert read(other) == other
    assert read({"anyOf": [{"type": "number"}, True]}) == {"anyOf": [{"type": "number"}, True]}


def test_pydantics_time_has_no_format() -> None:
    assert read({"type": "string", "format": "time"}, pydantic=True) == {"type": "string"}
    kept = {"type": "string", "format": "time"}
    assert read(kept) == kept


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"const": "a", "enum": ["a"], "type": "string"}, {"const": "a", "type": "string"}),
        ({"type": "object"}, {"type": "object", "additionalProperties": True}),
        ({"type": "object", "properties": {}}, {"type": "object", "properties": {}}),
    ],
)
def test_what_pydantics_releases_write_differently_is_levelled(given: Any, expected: Any) -> None:
    assert read(given, pydantic=True) == expected
    assert read(given) == given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (True, {}),
        (False, {"not": {}}),
        (None, {}),
        (["x"], {}),
        ({"type": "object", "properties": []}, {"type": "object"}),
        ({"type": "decimal"}, {}),
        ({"type": []}, {}),
        ({"type": "object", "required": "a"}, {"type": "object"}),
        ({"type": "object", "required": True}, {"type": "object"}),
        ({"enum": "a"}, {}),
        ({"minLength": -1}, {}),
        ({"minimum": "1"}, {}),
        ({"anyOf": 1}, {}),
        ({"anyOf": []}, {}),
        ({"dependentRequired": {"a": "b"}}, {}),
        ({"multipleOf": 0}, {}),
        ({"maximum": float("inf")}, {}),
        ({"minLength": float("inf")}, {}),
        ({"minLength": 1.5}, {}),
        ({"minLength": True}, {}),
        ({"const": float("nan")}, {}),
        ({"enum": [object()]}, {}),
        ({"unknown": float("nan")}, {}),
        ({"$ref": 5, "description": "d"}, {"description": "d"}),
        ({"$ref": "#/components/schemas/Nope"}, {}),
        ({"$ref": "#nope"}, {}),
        ({"$dynamicRef": "#a"}, {}),
        ({"unknown": [{"$ref": "#/a"}]}, {}),
        ({"properties": {1: {}, "a": {}}}, {"properties": {"a": {}}}),
        ({1: 2}, {}),
    ],
)
def test_what_is_no_schema_is_left_out_and_reported(given: Any, expected: Any) -> None:
    assert read(given) == expected
    found = codes(given)
    assert found == ([] if isinstance(given, bool) else ["openapi_document_invalid"])


def test_data_that_looks_like_a_reference_stays_data() -> None:
    schema = {"const": {"$ref": "x"}, "enum": [{"$ref": "y"}], "examples": [{"$ref": "z"}]}
    assert read(schema) == schema


def test_external_references_are_blocked() -> None:
    _, findings = read_all([{"$ref": "http://example.com/a.json#/B"}])
    assert [(f.code, f.pointer) for f in findings] == [("external_ref_blocked", "/s/$ref")]


def test_a_deep_schema_is_cut_and_reported() -> None:
    schema: Any = {"type": "string"}
    for _ in range(2 * MAX_NESTING):
        schema = {"type": "array", "items": schema}
    bag = SchemaComponents({})
    # The validator that checks published slots elsewhere recurses itself, so it is not asked.
    found = bag.normalise(schema, bag.reading())
    assert [finding.code for finding in found.findings] == ["schema_depth_truncated"]
    assert found.height == MAX_NESTING + 1


def test_a_pointer_into_a_component_is_followed() -> None:
    components = {"A": {"type": "object", "properties": {"b/c": {"type": "integer"}}}}
    assert read({"$ref": "#/components/schemas/A/properties/b~1c"}, components) == {
        "type": "integer"
    }
