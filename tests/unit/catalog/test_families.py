from dataclasses import replace
from typing import Any

import pytest

from sezzlee_py.catalog.families import self_containment_fault
from sezzlee_py.model import (
    OMIT,
    AnnotationHints,
    Constant,
    Family,
    Fill,
    Parameter,
    Provider,
    RequestBody,
    Variant,
)
from tests.unit.catalog.builders import (
    ADDRESS,
    INTEGER,
    STRING,
    build,
    codes,
    dropped,
    endpoint,
    header,
    json_body,
    path,
    query,
    querystring,
    record,
)


def member(name: str, key: Fill | None, body: RequestBody | None = None, **facts: Any) -> Variant:
    return Variant(
        name=name,
        description=f"{name}.",
        arguments=(record("method_id", hidden=key),),
        request_body=body,
        **facts,
    )


def family(*variants: Variant, parameter: Parameter | None = None, **facts: Any) -> Any:
    return endpoint(
        parameter or path("method_id"),
        method="POST",
        family=Family(parameter="method_id"),
        variants=variants,
        **facts,
    )


CLOSE = member(
    "close_month",
    Constant("close"),
    json_body({"month": STRING}, "month"),
    annotations=AnnotationHints(destructive=True),
)
READ = member("read_balance", Constant("read"), RequestBody(schema={"type": "array"}))


def names(variants: Any) -> tuple[str, ...]:
    return tuple(variant.name for variant in variants.variants)


def test_each_member_has_its_key_its_body_and_its_hints() -> None:
    shared = RequestBody(
        schema=ADDRESS, description="Shared.", content_type="application/x+json", required=False
    )
    plain = member("plain", Constant("plain"))
    descriptor = family(CLOSE, READ, plain, request_body=shared)
    result = build(descriptor, *names(descriptor))
    assert codes(result) == ["synthetic_body_argument", "optional_body_argument"]
    assert [t.input_schema["properties"] for t in result.tools] == [
        {"month": STRING},
        {"body": {"type": "array", "description": "Shared."}},
        {"body": {**ADDRESS, "description": "Shared."}},
    ]
    templates = [t.template for t in result.tools if t.template is not None and t.template.body]
    assert [t.body.content_type for t in templates if t.body] == ["application/x+json"] * 3
    assert [t.parameters[0].fill for t in templates] == [
        Constant("close"),
        Constant("read"),
        Constant("plain"),
    ]
    assert result.tools[0].annotations == {"destructiveHint": True}


def test_a_member_may_bring_the_only_body() -> None:
    descriptor = family(CLOSE)
    assert list(build(descriptor, "close_month").tools[0].input_schema["properties"]) == ["month"]


@pytest.mark.parametrize(
    "parameter",
    [
        query("other"),
        querystring("method_id", {}, content_type="application/json"),
        query("method_id", {}),
        query("method_id", {"type": ["string", "integer"]}),
        query("method_id", {"type": "array", "items": STRING}),
    ],
)
def test_the_dispatch_parameter_has_one_scalar_type(parameter: Parameter) -> None:
    key = Constant(["a"]) if parameter.schema.get("type") == "array" else Constant("a")
    variant = member("one", key)
    if parameter.name == "other":
        variant = replace(variant, arguments=())
    assert dropped(family(variant, parameter=parameter), "one") == "family_parameter_unresolved"


@pytest.mark.parametrize("parameter", [path("method_id"), header("method_id"), query("method_id")])
def test_the_dispatch_parameter_may_travel_anywhere(parameter: Parameter) -> None:
    assert codes(build(family(CLOSE, parameter=parameter), "close_month")) == []


def test_a_family_needs_a_member() -> None:
    assert dropped(family()) == "family_without_members"


@pytest.mark.parametrize("key", [None, OMIT, Provider("p"), Constant(None), Constant(["a"])])
def test_a_member_hides_the_dispatch_parameter_with_a_constant(key: Fill | None) -> None:
    descriptor = family(member("one", key), parameter=query("method_id"))
    assert dropped(descriptor, "one", fill_sources={"p"}) == "family_key_unfilled"


@pytest.mark.parametrize(
    ("kind", "first", "second", "code"),
    [
        ("string", "a", "a", "family_key_duplicate"),
        ("number", 1, 1.0, "family_key_duplicate"),
        ("string", "1", 1, "invalid_fill_constant"),
        ("boolean", True, 1, "invalid_fill_constant"),
        ("integer", 1, True, "invalid_fill_constant"),
    ],
)
def test_keys_differ_as_json_and_fit_the_parameter(
    kind: str, first: Any, second: Any, code: str
) -> None:
    descriptor = family(
        member("one", Constant(first)),
        member("two", Constant(second)),
        parameter=query("method_id", {"type": kind}),
    )
    assert dropped(descriptor, "one", "two") == code


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "enum": ["open"]},
        {"type": "string", "const": "open"},
        {"$ref": "#/$defs/K", "$defs": {"K": {"type": "string", "enum": ["open"]}}},
    ],
)
def test_a_key_is_one_of_the_declared_values(schema: Any) -> None:
    assert dropped(family(CLOSE, parameter=query("method_id", schema)), "x") == (
        "invalid_fill_constant"
    )
    good = family(member("open", Constant("open")), parameter=query("method_id", schema))
    assert codes(build(good, "open")) == []


def test_a_path_key_passes_the_slash_gate() -> None:
    assert dropped(family(member("one", Constant("a/b"))), "one") == "invalid_fill_constant"


def test_curation_of_the_operation_must_fit_each_member() -> None:
    descriptor = family(CLOSE, READ, arguments=(record("month", "period"),))
    assert dropped(descriptor, *names(descriptor)) == "curation_unresolved"
    result = build(descriptor, *names(descriptor), optional={"month"})
    assert [list(t.input_schema["properties"]) for t in result.tools] == [["period"], ["body"]]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.net/x"},
        {"$ref": "#"},
        {"$ref": "#/$defs/Missing", "$defs": {}},
        {"$ref": 1},
        {"type": "array", "items": {"$ref": "#/properties/a"}},
        {"$id": "https://example.net/x"},
        {"properties": {"a": {"$anchor": "a"}}},
        {"anyOf": [{"$dynamicRef": "#a"}]},
        {"$defs": {"A": {"$dynamicAnchor": "a"}}},
        {"not": {"$recursiveRef": "#"}},
        {"patternProperties": {"a": {"$recursiveAnchor": True}}},
    ],
)
def test_a_member_body_stands_alone(schema: Any) -> None:
    assert self_containment_fault(schema) is not None
    bad = member("one", Constant("a"), RequestBody(schema=schema))
    assert dropped(family(bad), "one") == "variant_body_invalid"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/A", "$defs": {"A": ADDRESS}},
        {"$ref": "#/$defs/A/properties/street", "$defs": {"A": ADDRESS}},
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}},
        {"properties": {"$id": INTEGER, "$ref": INTEGER}},
        {"const": {"$ref": "https://example.net", "$id": "x"}},
        {"enum": [{"$anchor": "a"}]},
        {"prefixItems": [True, INTEGER]},
        {"$ref": "#/$defs/T", "$defs": {"T": True}},
    ],
)
def test_names_and_data_are_no_addresses(schema: Any) -> None:
    assert self_containment_fault(schema) is None
