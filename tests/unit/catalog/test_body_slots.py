from typing import Any

import pytest

from sezzlee_py.model import (
    BodyField,
    BodySlot,
    FileSource,
    Member,
    ObjectNotation,
    RequestBody,
    ScalarKind,
)
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
    tool,
)

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
FILE = {"type": "string", "contentMediaType": "image/png", "description": "A picture."}
FILES = {"type": "array", "items": {"type": "string", "format": "binary"}, "maxItems": 3}


def body_slot(body: RequestBody, **options: Any) -> BodySlot:
    template = tool(endpoint(request_body=body), **options).template
    assert template is not None
    assert template.body is not None
    return template.body


def form(properties: dict[str, Any], media_type: str = FORM, **root: Any) -> RequestBody:
    schema = {"type": "object", "properties": properties, **root}
    return RequestBody(schema=schema, content_type=media_type)


def test_a_required_object_flattens() -> None:
    found = tool(endpoint(request_body=json_body({"b": STRING, "a": INTEGER}, "a", "ghost")))
    assert list(found.input_schema["properties"]) == ["b", "a"]
    assert found.input_schema["required"] == ["a"]
    assert body_slot(json_body({"b": STRING, "a": INTEGER}, "a")) == BodySlot(
        fields=(
            BodyField(name="b", agent_name="b"),
            BodyField(name="a", agent_name="a", required=True),
        )
    )
    assert [(s.argument, s.location, s.required) for s in found.slots] == [
        ("b", "body", False),
        ("a", "body", True),
    ]


@pytest.mark.parametrize(
    ("additional", "published", "is_open"),
    [
        (True, True, True),
        ({}, {}, True),
        ({"type": "integer"}, {"type": "integer"}, True),
        (False, False, False),
    ],
)
def test_a_free_form_body_carries_its_value_to_the_root(
    additional: Any, published: Any, is_open: bool
) -> None:
    body = json_body({"a": STRING}, additionalProperties=additional)
    assert tool(endpoint(request_body=body)).input_schema["additionalProperties"] == published
    assert body_slot(body).additional_properties is is_open


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "array", "items": STRING}, "synthetic_body_argument"),
        ({"type": "integer"}, "synthetic_body_argument"),
        ({"type": ["string", "null"]}, "synthetic_body_argument"),
        ({"type": ["object", "null"], "properties": {}}, "unflattenable_body_root"),
        ({"type": "object"}, "unflattenable_body_root"),
        ({"type": "object", "additionalProperties": False}, "unflattenable_body_root"),
        ({}, "unflattenable_body_root"),
        ({"oneOf": [ADDRESS, {"type": "object"}]}, "unflattenable_body_root"),
        ({"$ref": "#/$defs/A", "$defs": {"A": ADDRESS}}, "unflattenable_body_root"),
        ({**ADDRESS, "minProperties": 1}, "unflattenable_body_root"),
        ({**ADDRESS, "$id": "https://example.net/a"}, "unflattenable_body_root"),
        ({**ADDRESS, "definitions": {}}, "unflattenable_body_root"),
        ({**ADDRESS, "propertyNames": {"maxLength": 3}}, "unflattenable_body_root"),
        ({"type": "object", "properties": ["a"]}, "unflattenable_body_root"),
        (
            {"type": "object", "properties": {"child": {"$ref": "#"}}},
            "unflattenable_body_root",
        ),
        ({"type": "object", "properties": {"id": STRING}}, "body_field_collision"),
    ],
)
def test_what_does_not_flatten_is_the_argument_body(schema: Any, code: str) -> None:
    descriptor = endpoint(path("id"), request_body=RequestBody(schema=schema))
    result = build(descriptor)
    assert codes(result) == [code]
    found = result.tools[0]
    assert found.input_schema["required"] == ["id", "body"]
    assert found.input_schema["additionalProperties"] is False
    assert found.template is not None
    assert found.template.body == BodySlot(root="body")


@pytest.mark.parametrize(
    ("schema", "way_out"),
    [
        (ADDRESS, "the body is optional; make the body required to publish its fields instead"),
        (
            {"type": "object", "additionalProperties": True},
            "the body is optional and no field of it is known; "
            "declare what it holds to publish fields instead",
        ),
    ],
)
def test_an_optional_body_is_told_with_what_would_mend_it(
    schema: dict[str, Any], way_out: str
) -> None:
    (found,) = build(endpoint(request_body=RequestBody(schema=schema, required=False))).diagnostics
    assert found.message == f"the argument 'body' is published: {way_out}"


def test_an_optional_body_is_an_optional_argument_whatever_its_shape() -> None:
    for schema in (ADDRESS, {"type": "array"}, STRING):
        body = RequestBody(schema=schema, required=False, description="The change.")
        result = build(endpoint(request_body=body))
        assert codes(result) == ["optional_body_argument"]
        assert result.tools[0].input_schema["required"] == []
        assert result.tools[0].input_schema["properties"]["body"] == {
            **schema,
            "description": "The change.",
        }


def test_a_flattened_body_drops_its_description() -> None:
    body = RequestBody(schema=json_body({"a": STRING}).schema, description="Lost.")
    assert tool(endpoint(request_body=body)).input_schema["properties"] == {"a": STRING}


def test_a_parameter_called_body_has_no_way_out_beside_a_root() -> None:
    array = RequestBody(schema={"type": "array"})
    assert dropped(endpoint(query("body"), request_body=array)) == "argument_collision"
    assert tool(endpoint(query("body"), request_body=json_body({"a": STRING}))).slots


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_method_without_body_refuses_one(method: str) -> None:
    descriptor = endpoint(method=method, request_body=json_body({}))
    assert dropped(descriptor) == "template_rejected"


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "QUERY", "PATCH"])
def test_other_methods_take_a_body(method: str) -> None:
    assert tool(endpoint(method=method, request_body=json_body({"a": STRING}))).slots


@pytest.mark.parametrize(
    ("media_type", "written"),
    [
        (None, "application/json"),
        ("text/json", "text/json"),
        ("Application/Merge-Patch+JSON; charset=utf-8", "application/merge-patch+json"),
    ],
)
def test_json_types_differ_in_a_header_only(media_type: str | None, written: str) -> None:
    body = RequestBody(schema=ADDRESS, content_type=media_type)
    assert body_slot(body).content_type == written


@pytest.mark.parametrize(
    "body",
    [
        RequestBody(schema=ADDRESS, content_type="application/xml"),
        RequestBody(schema=ADDRESS, content_type="*/*"),
        RequestBody(schema=ADDRESS, content_type="nonsense"),
        RequestBody(schema=ADDRESS, content_type="text/plain"),
        RequestBody(schema={"type": ["string", "integer"]}, content_type="text/plain"),
        RequestBody(schema={"type": "array", "items": STRING}, content_type="text/plain"),
        RequestBody(schema=STRING, content_type="image/png"),
        RequestBody(schema=FILES, content_type="image/png"),
        RequestBody(schema={"type": "array"}, content_type=FORM),
        RequestBody(schema=STRING, content_type=MULTIPART),
        RequestBody(schema={"type": "object"}, content_type=FORM),
        form({"a": STRING}, additionalProperties=True),
        form({"a": STRING}, additionalProperties={"type": "string"}),
        form({"a": FILE}),
        form({"a": FILES | {"items": FILE}}),
        form({"a": {"type": "array", "items": ADDRESS}}),
        form({"a": {"type": "object"}}),
        form({"a": {**ADDRESS, "additionalProperties": True}}),
        form({"a": {"type": "object", "properties": {"b": ADDRESS}}}),
        form({"a": {"type": "object", "properties": {"b.c": STRING}}}),
        form({"a": {"type": "object", "properties": {"7": STRING}}}),
        form({"a": {"type": "object", "properties": {"b": FILE}}}, MULTIPART),
        form(
            {"a": {"type": "object", "properties": {"b": {"type": "string", "format": "binary"}}}},
            MULTIPART,
        ),
    ],
)
def test_a_body_that_cannot_be_written_drops_the_endpoint(body: RequestBody) -> None:
    assert dropped(endpoint(request_body=body)) == "unsupported_body_shape"


def test_a_text_body_is_one_string() -> None:
    body = RequestBody(schema=STRING, content_type="text/plain")
    assert body_slot(body) == BodySlot(content_type="text/plain", root="body")


def test_form_fields_are_typed() -> None:
    body = form(
        {
            "title": STRING,
            "tags": {"type": "array", "items": INTEGER},
            "address": {"$ref": "#/$defs/A"},
        },
        required=["title"],
        **{"$defs": {"A": ADDRESS}},
    )
    assert body_slot(body) == BodySlot(
        content_type=FORM,
        fields=(
            BodyField(
                name="title",
                agent_name="title",
                required=True,
                member=Member(name="title", kinds=(ScalarKind.STRING,)),
            ),
            BodyField(
                name="tags",
                agent_name="tags",
                member=Member(name="tags", kinds=(ScalarKind.INTEGER,), array=True),
            ),
            BodyField(
                name="address",
                agent_name="address",
                member=Member(
                    name="address",
                    members=(Member(name="street", kinds=(ScalarKind.STRING,)),),
                ),
            ),
        ),
    )
    found = tool(endpoint(request_body=body))
    assert [slot.location for slot in found.slots] == ["form", "form", "form"]
    assert found.input_schema["$defs"] == {"A": ADDRESS}


def test_a_form_takes_its_own_notation() -> None:
    body = RequestBody(
        schema={"type": "object", "properties": {"a": ADDRESS}},
        content_type=FORM,
        object_notation="dot",
    )
    found = body_slot(body)
    assert found.notation is ObjectNotation.DOT
    assert found.fields[0].member is not None
    assert found.fields[0].member.notation is ObjectNotation.DOT


def test_an_optional_form_is_one_object_of_declared_members() -> None:
    body = RequestBody(
        schema={"type": "object", "properties": {"a": STRING}}, content_type=FORM, required=False
    )
    found = body_slot(body)
    assert (found.root, [f.name for f in found.fields], found.required) == ("body", ["a"], False)
    assert [s.location for s in tool(endpoint(request_body=body)).slots] == ["form"]


def test_binary_in_a_urlencoded_form_is_text() -> None:
    body = form({"a": {"type": "string", "format": "binary"}})
    assert body_slot(body).fields[0].member == Member(name="a", kinds=(ScalarKind.STRING,))


def test_multipart_files_become_file_arguments() -> None:
    body = form({"one": FILE, "many": FILES, "text": STRING}, MULTIPART)
    assert [field.member for field in body_slot(body).fields] == [
        Member(name="one", file=True, media_type="image/png"),
        Member(name="many", file=True, array=True),
        Member(name="text", kinds=(ScalarKind.STRING,)),
    ]
    properties = tool(endpoint(request_body=body)).input_schema["properties"]
    assert list(properties["one"]) == [
        "type",
        "description",
        "properties",
        "additionalProperties",
        "oneOf",
    ]
    assert list(properties["one"]["properties"]) == ["text", "base64", "name", "mediaType"]
    assert properties["many"]["maxItems"] == 3
    assert properties["many"]["items"]["oneOf"] == [
        {"required": ["text"]},
        {"required": ["base64"]},
    ]
    assert properties["text"] == STRING


def test_references_are_offered_in_the_words_of_the_host() -> None:
    body = form({"one": FILE}, MULTIPART)
    sources = body_slot(body, file_ref_description="An upload id.").file_sources
    assert sources == (FileSource.TEXT, FileSource.BASE64, FileSource.REF)
    shown = tool(endpoint(request_body=body), file_ref_description="An upload id.").input_schema
    one = shown["properties"]["one"]
    assert list(one["properties"]) == ["text", "base64", "ref", "name", "mediaType"]
    assert one["properties"]["ref"] == {"type": "string", "description": "An upload id."}
    assert one["oneOf"][-1] == {"required": ["ref"]}


def test_a_nullable_or_referenced_file_is_still_a_file() -> None:
    schema = {"anyOf": [{"$ref": "#/$defs/F"}, {"type": "null"}], "description": "Outer."}
    body = form({"one": schema, "two": {"$ref": "#/$defs/F"}}, MULTIPART, **{"$defs": {"F": FILE}})
    properties = tool(endpoint(request_body=body)).input_schema["properties"]
    assert [properties[name]["description"] for name in ("one", "two")] == ["Outer.", "A picture."]


def test_files_in_an_optional_multipart_body_are_file_arguments_too() -> None:
    schema = {
        "type": "object",
        "properties": {"one": FILE, "at": {"$ref": "#/$defs/A"}},
        "$defs": {"A": STRING},
    }
    body = RequestBody(schema=schema, content_type=MULTIPART, required=False)
    found = tool(endpoint(request_body=body)).input_schema
    assert found["properties"]["body"]["properties"]["one"]["type"] == "object"
    assert found["properties"]["body"]["properties"]["at"] == {"$ref": "#/$defs/A"}
    assert found["$defs"] == {"A": STRING}


def test_a_raw_body_is_one_file() -> None:
    for schema in (
        {"type": "string", "contentMediaType": "image/png"},
        {"contentMediaType": "image/png"},
        {"type": ["string", "null"], "contentMediaType": "image/png"},
    ):
        body = RequestBody(schema=schema, content_type="image/png", description="The picture.")
        assert body_slot(body) == BodySlot(
            content_type="image/png", root="body", file=True, media_type="image/png"
        )
        published = tool(endpoint(request_body=body)).input_schema["properties"]["body"]
        assert (published["type"], published["description"]) == ("object", "The picture.")


def test_an_unknown_form_notation_drops_the_endpoint() -> None:
    body = RequestBody(schema=ADDRESS, content_type=FORM, object_notation="arrow")
    assert dropped(endpoint(request_body=body)) == "template_rejected"
