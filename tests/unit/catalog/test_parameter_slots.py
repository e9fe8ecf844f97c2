from typing import Any

import pytest

from sezzlee_py.model import (
    Auth,
    Carrier,
    Member,
    ObjectNotation,
    Parameter,
    ParameterLocation,
    ParameterSlot,
    ScalarKind,
    Severity,
)
from tests.unit.catalog.builders import (
    ADDRESS,
    INTEGER,
    STRING,
    build,
    codes,
    cookie,
    dropped,
    endpoint,
    header,
    json_body,
    path,
    query,
    querystring,
    record,
    tool,
)

LIST = {"type": "array", "items": STRING}
GROUP = {
    "type": "object",
    "properties": {"status": STRING, "tags": {"type": "array", "items": INTEGER}},
}


def slot(parameter: Parameter, **options: Any) -> ParameterSlot:
    template = tool(endpoint(parameter), **options).template
    assert template is not None
    return template.parameters[0]


@pytest.mark.parametrize(
    ("parameter", "style", "explode"),
    [
        (path("p"), "simple", False),
        (path("p", LIST, style="matrix", explode=True), "matrix", True),
        (path("p", LIST, style="label"), "label", False),
        (query("p"), "form", True),
        (query("p", LIST, explode=False), "form", False),
        (query("p", LIST, style="spaceDelimited"), "spaceDelimited", False),
        (query("p", LIST, style="pipeDelimited", explode=False), "pipeDelimited", False),
        (header("p"), "form", True),
        (header("p", LIST, explode=False), "form", False),
        (header("p", LIST, style="simple", explode=True), "simple", True),
        (cookie("p"), "form", False),
        (cookie("p", LIST), "form", False),
        (cookie("p", style="cookie"), "cookie", False),
    ],
)
def test_style_and_explode_are_settled(parameter: Parameter, style: str, explode: bool) -> None:
    assert (slot(parameter).style, slot(parameter).explode) == (style, explode)


@pytest.mark.parametrize(
    ("schema", "kinds", "array"),
    [
        (INTEGER, (ScalarKind.INTEGER,), False),
        ({"type": ["null", "integer", "string"]}, (ScalarKind.INTEGER, ScalarKind.STRING), False),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, (ScalarKind.NUMBER,), False),
        (
            {"anyOf": [{"type": "boolean"}, {"oneOf": [INTEGER, STRING]}]},
            (ScalarKind.BOOLEAN, ScalarKind.INTEGER, ScalarKind.STRING),
            False,
        ),
        ({"anyOf": [INTEGER, {}]}, (), False),
        ({"allOf": [{"minLength": 1}, STRING]}, (ScalarKind.STRING,), False),
        ({"allOf": [{"minLength": 1}]}, (), False),
        ({"enum": [1, "a"]}, (), False),
        ({}, (), False),
        ({"type": "null"}, (), False),
        ({"items": INTEGER}, (ScalarKind.INTEGER,), True),
        ({"type": "array"}, (), True),
        ({"anyOf": [STRING, {"type": "array", "items": INTEGER}]}, (ScalarKind.INTEGER,), True),
        (
            {"$ref": "#/$defs/Color", "$defs": {"Color": {"type": "string", "enum": ["red"]}}},
            (ScalarKind.STRING,),
            False,
        ),
        (
            {"type": "array", "items": {"$ref": "#/$defs/a~1b"}, "$defs": {"a/b": INTEGER}},
            (ScalarKind.INTEGER,),
            True,
        ),
        ({"$ref": "#/$defs/Missing"}, (), False),
        ({"$ref": "https://example.net/x"}, (), False),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, (), False),
        (
            {"$ref": "#/$defs/L/anyOf/1", "$defs": {"L": {"anyOf": [STRING, INTEGER]}}},
            (ScalarKind.INTEGER,),
            False,
        ),
        ({"$ref": "#/$defs/L/anyOf/7", "$defs": {"L": {"anyOf": [STRING]}}}, (), False),
        ({"$ref": "#/$defs/L/type/0", "$defs": {"L": STRING}}, (), False),
    ],
)
def test_a_slot_accepts_what_its_schema_says(
    schema: Any, kinds: tuple[ScalarKind, ...], array: bool
) -> None:
    assert (slot(query("p", schema)).kinds, slot(query("p", schema)).array) == (kinds, array)


def test_a_union_that_refers_to_itself_many_times_is_read_in_bounded_time() -> None:
    knot = {"anyOf": [{"$ref": "#/$defs/K"}] * 50}
    assert slot(query("p", {"$ref": "#/$defs/K", "$defs": {"K": knot}})).kinds == ()


def test_converter_facts_reach_the_slot() -> None:
    found = slot(path("p", {"type": "number"}, spans_segments=True, fractional=True))
    assert (found.required, found.spans_segments, found.fractional) == (True, True, True)


def test_a_group_has_its_members_in_order() -> None:
    found = slot(query("p", GROUP, style="deepObject"))
    assert (found.style, found.members, found.notation) == (
        "deepObject",
        (
            Member(name="status", kinds=(ScalarKind.STRING,)),
            Member(name="tags", kinds=(ScalarKind.INTEGER,), array=True),
        ),
        ObjectNotation.BRACKET,
    )


@pytest.mark.parametrize(
    ("notation", "parses", "written"),
    [
        (None, None, ObjectNotation.BRACKET),
        (None, "dot", ObjectNotation.DOT),
        ("dot", None, ObjectNotation.DOT),
        ("dot", "dot", ObjectNotation.DOT),
    ],
)
def test_a_group_is_written_in_the_notation_that_the_backend_reads(
    notation: str | None, parses: str | None, written: ObjectNotation
) -> None:
    parameter = query("p", GROUP, style="deepObject", object_notation=notation)
    assert slot(parameter, parses=parses).notation is written


def test_a_notation_that_the_backend_does_not_read_is_fatal() -> None:
    parameter = query("p", GROUP, style="deepObject", object_notation="dot")
    result = build(endpoint(parameter), parses="bracket")
    assert result.tools == ()
    assert [(d.code, d.severity) for d in result.diagnostics] == [
        ("query_notation_unparsed", Severity.FATAL)
    ]


def test_grouped_parameters_are_named_as_the_agent_sees_them() -> None:
    descriptor = endpoint(
        query("f", GROUP, style="deepObject"),
        query("q"),
        arguments=(record("f", "filter"),),
    )
    assert tool(descriptor).grouped_parameters == ("filter",)


def test_content_parameters_are_written_as_their_media_type() -> None:
    assert slot(query("p", GROUP, content_type="Application/JSON; v=1")).content_type == (
        "application/json"
    )
    assert slot(header("p", content_type="text/plain")).content_type == "text/plain"
    found = slot(querystring("p", GROUP, content_type="application/x-www-form-urlencoded"))
    assert [member.name for member in found.members] == ["status", "tags"]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ((query("a"), query("a")), "duplicate_argument"),
        ((header("X-A"), header("x-a")), "argument_collision"),
        ((header("authorization"),), "identity_carrier_parameter"),
        ((header("COOKIE"),), "identity_carrier_parameter"),
        ((header("X-Forwarded-For"),), "identity_carrier_parameter"),
        ((header("Content-Length"),), "identity_carrier_parameter"),
        ((header("Host"),), "identity_carrier_parameter"),
        ((header("x y"),), "template_rejected"),
        ((header("x:\r\ny"),), "template_rejected"),
        ((header("h", style="matrix"),), "unsupported_parameter_style"),
        ((query("q", style="label"),), "unsupported_parameter_style"),
        ((cookie("c", style="simple"),), "unsupported_parameter_style"),
        ((path("p", style="form"),), "unsupported_parameter_style"),
        ((header("h", GROUP, style="deepObject"),), "unsupported_parameter_style"),
        ((cookie("c", allow_reserved=True),), "unsupported_parameter_style"),
        ((cookie("c", LIST, explode=True),), "unsupported_parameter_style"),
        ((query("q", LIST, style="spaceDelimited", explode=True),), "unsupported_array_style"),
        ((query("q", {"type": "array", "items": LIST}),), "unsupported_array_style"),
        ((query("q", {"type": "array", "items": ADDRESS}),), "unsupported_array_style"),
        ((header("h", LIST),), "header_parameter_array"),
        ((header("h", LIST, style="form", explode=True),), "header_parameter_array"),
        ((path("p", ADDRESS),), "unsupported_object_style"),
        ((query("q", ADDRESS),), "unsupported_object_style"),
        ((query("q", {"anyOf": [STRING, ADDRESS]}),), "unsupported_object_style"),
        ((query("q", {"properties": {}}),), "unsupported_object_style"),
        ((query("q", STRING, style="deepObject"),), "unsupported_object_style"),
        ((query("q", GROUP, style="deepObject", explode=False),), "unsupported_object_style"),
        ((query("q", {"type": "object"}, style="deepObject"),), "unsupported_object_style"),
        ((query("q", content_type="text/plain", explode=True),), "unsupported_parameter_content"),
        ((query("q", content_type="application/xml"),), "unsupported_parameter_content"),
        ((query("q", INTEGER, content_type="text/plain"),), "unsupported_parameter_content"),
        ((query("q", content_type="*/*"),), "unsupported_parameter_content"),
        ((querystring("q", GROUP),), "unsupported_parameter_content"),
        (
            (querystring("q", content_type="application/x-www-form-urlencoded"),),
            "unsupported_parameter_content",
        ),
        ((cookie("a b"),), "invalid_cookie_name"),
        ((cookie("a=b"),), "invalid_cookie_name"),
        (
            (
                querystring("q", content_type="application/json"),
                querystring("r", content_type="application/json"),
            ),
            "multiple_querystring",
        ),
        ((querystring("q", content_type="application/json"), query("r")), "querystring_with_query"),
    ],
)
def test_a_parameter_without_wire_form_drops_the_endpoint(
    parameters: tuple[Parameter, ...], code: str
) -> None:
    assert dropped(endpoint(*parameters)) == code


@pytest.mark.parametrize(
    "member",
    [
        {"inner": ADDRESS},
        {"inner": {"type": "array", "items": ADDRESS}},
        {"inner": {"type": "array", "items": LIST}},
        {"inner": {"$ref": "#/$defs/X"}},
        {"inner": {"type": "string", "$defs": {}}},
        {"a[b": STRING},
        {"a]": STRING},
        {"a.b": STRING},
        {"0": STRING},
        {"": STRING},
    ],
)
def test_a_member_that_would_nest_drops_the_endpoint(member: Any) -> None:
    schema = {"type": "object", "properties": member, "$defs": {"X": STRING}}
    assert dropped(endpoint(query("q", schema, style="deepObject"))) == "unsupported_object_nesting"


def test_placeholders_and_path_parameters_must_match() -> None:
    assert dropped(endpoint(path("a"), route="/x")) == "template_rejected"
    assert dropped(endpoint(route="/x/{a}")) == "template_rejected"
    assert tool(endpoint(path("a"), route="/x/{a}/{a}")).slots[0].required


def test_a_carrier_slot_is_compared_as_its_location_compares() -> None:
    def refused(parameter: Parameter, slot: tuple[str, str]) -> bool:
        carrier = Carrier(location=ParameterLocation(slot[0]), name=slot[1])
        by_operation = build(endpoint(parameter, auth=Auth(carriers=(carrier,))))
        by_host = build(endpoint(parameter), identity_carriers=(slot,))
        assert codes(by_operation) == codes(by_host)
        return codes(by_host) == ["identity_carrier_parameter"]

    assert refused(header("X-Api-Key"), ("header", "x-API-key"))
    assert refused(query("key"), ("query", "key"))
    assert not refused(query("Key"), ("query", "key"))
    assert not refused(query("key"), ("cookie", "key"))
    assert not refused(cookie("Sid"), ("cookie", "sid"))


def test_an_unknown_notation_drops_the_endpoint() -> None:
    parameter = query("q", GROUP, style="deepObject", object_notation="arrow")
    assert dropped(endpoint(parameter)) == "template_rejected"


def test_a_later_location_takes_a_derived_name() -> None:
    descriptor = endpoint(
        header("id", required=True), query("id"), path("id", INTEGER), cookie("id")
    )
    result = build(descriptor)
    assert list(result.tools[0].input_schema["properties"]) == [
        "id_header",
        "id_query",
        "id",
        "id_cookie",
    ]
    assert result.tools[0].input_schema["required"] == ["id_header", "id"]
    assert codes(result) == ["argument_renamed"] * 3
    assert [(s.argument, s.name, s.location) for s in result.tools[0].slots] == [
        ("id_header", "id", "header"),
        ("id_query", "id", "query"),
        ("id", "id", "path"),
        ("id_cookie", "id", "cookie"),
    ]


def test_a_derived_name_that_a_body_field_has_drops_the_endpoint() -> None:
    descriptor = endpoint(path("id"), query("id"), request_body=json_body({"id_query": STRING}))
    assert dropped(descriptor) == "argument_collision"


def test_a_whole_query_travels_in_the_query() -> None:
    found = tool(endpoint(querystring("q", GROUP, content_type="application/json"))).slots
    assert [(s.argument, s.location) for s in found] == [("q", "query")]
