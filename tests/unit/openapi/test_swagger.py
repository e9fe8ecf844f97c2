from typing import Any

import pytest

from sezzlee_py.model import Auth, Carrier, Parameter, ParameterLocation, RequestBody, Response
from sezzlee_py.openapi import Ingested, ingest
from tests.unit.openapi.test_ingest import read

FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
PATH, QUERY, HEADER = (
    ParameterLocation.PATH,
    ParameterLocation.QUERY,
    ParameterLocation.HEADER,
)


def swagger(operation: Any, method: str = "post", path: str = "/a", **parts: Any) -> Any:
    return {"swagger": "2.0", "paths": {path: {method: operation}}, **parts}


def found(*parameters: Any, **parts: Any) -> Ingested:
    operation = {"parameters": list(parameters), **parts.pop("operation", {})}
    return read(swagger(operation, **parts))


def body_of(*parameters: Any, **parts: Any) -> RequestBody | None:
    (descriptor,) = found(*parameters, **parts).descriptors
    return descriptor.request_body


def places(result: Ingested) -> list[tuple[str, str | None]]:
    return [(d.code, d.pointer) for d in result.diagnostics]


def test_definitions_parameters_and_responses_are_followed() -> None:
    source = {
        "swagger": 2.0,
        "paths": {
            "/p/{id}": {
                "parameters": [{"$ref": "#/parameters/Id"}],
                "get": {
                    "operationId": "getP",
                    "parameters": [{"name": "n", "in": "query", "type": "integer", "maximum": 3}],
                    "responses": {
                        "200": {"description": "ok", "schema": {"$ref": "#/definitions/P"}},
                        "404": {"$ref": "#/responses/Gone"},
                        "x-a": 1,
                    },
                },
            }
        },
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "type": "string"}},
        "responses": {"Gone": {"description": "gone", "schema": {"type": "file"}}},
        "definitions": {
            "P": {"type": "object", "properties": {"a": {"type": "string", "x-nullable": True}}}
        },
    }
    (descriptor,) = read(source).descriptors
    assert descriptor.parameters == (
        Parameter(
            name="id",
            location=PATH,
            required=True,
            schema={"type": "string"},
            style="simple",
            explode=False,
        ),
        Parameter(
            name="n",
            location=QUERY,
            schema={"type": "integer", "maximum": 3},
            style="form",
            explode=True,
        ),
    )
    assert dict(descriptor.responses) == {
        "200": Response(
            schema={"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
            description="ok",
        ),
        "404": Response(description="gone"),
    }


@pytest.mark.parametrize(
    ("place", "declared", "style", "explode"),
    [
        ("query", None, "form", False),
        ("query", "csv", "form", False),
        ("header", "csv", "simple", False),
        ("query", "multi", "form", True),
        ("query", "ssv", "spaceDelimited", False),
        ("query", "pipes", "pipeDelimited", False),
    ],
)
def test_collection_formats_are_styles(
    place: str, declared: str | None, style: str, explode: bool
) -> None:
    extra = {} if declared is None else {"collectionFormat": declared}
    items = {"type": "string", "collectionFormat": "csv"}
    array = {"name": "q", "in": place, "type": "array", "items": items, **extra}
    ((parameter,),) = [d.parameters for d in found(array, method="get").descriptors]
    assert (parameter.style, parameter.explode) == (style, explode)
    assert parameter.schema == {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("place", "declared"),
    [
        ("query", "tsv"),
        ("header", "multi"),
        ("header", "ssv"),
        ("path", "pipes"),
        ("query", "odd"),
        ("formData", "csv"),
        ("formData", None),
    ],
)
def test_other_collection_formats_drop_the_operation(place: str, declared: str | None) -> None:
    extra = {} if declared is None else {"collectionFormat": declared}
    array = {"name": "q", "in": place, "type": "array", "items": {"type": "string"}, **extra}
    result = found(array)
    assert result.descriptors == ()
    assert places(result) == [
        ("unsupported_collection_format", "/paths/~1a/post/parameters/0/collectionFormat")
    ]


def test_nested_items_are_read() -> None:
    inner = {"type": "array", "items": {"type": "string", "collectionFormat": "ssv"}}
    ((parameter,),) = [
        d.parameters
        for d in found({"name": "q", "in": "query", "type": "array", "items": inner}).descriptors
    ]
    assert parameter.schema["items"] == {"type": "array", "items": {"type": "string"}}
    odd = {"name": "q", "in": "query", "type": "array", "items": 5}
    assert [code for code, _ in places(found(odd))] == ["openapi_document_invalid"]


def test_a_body_parameter_is_the_body() -> None:
    schema = {"type": "object", "properties": {}}
    parameter = {"in": "body", "name": "b", "required": True, "description": "d", "schema": schema}
    assert body_of(parameter) == RequestBody(schema=schema, description="d")
    optional = {"in": "body", "name": "b", "schema": schema}
    assert body_of(optional) == RequestBody(schema=schema, required=False)
    other = body_of(parameter, consumes=["application/vnd.a+json"])
    assert other == RequestBody(
        schema=schema, description="d", content_type="application/vnd.a+json"
    )
    own = body_of(parameter, consumes=["application/xml"], operation={"consumes": ["text/json"]})
    assert own == RequestBody(schema=schema, description="d", content_type="text/json")


def test_a_fault_in_a_body_is_pointed_at_in_the_original() -> None:
    parameter = {"in": "body", "name": "b", "schema": {"type": "odd"}}
    assert places(found(parameter)) == [
        ("openapi_document_invalid", "/paths/~1a/post/parameters/0/schema/type")
    ]
    response = {"responses": {"200": {"schema": {"type": "odd"}}}}
    assert places(found(operation=response)) == [
        ("openapi_document_invalid", "/paths/~1a/post/responses/200/schema/type")
    ]


def field(name: str, **rest: Any) -> dict[str, Any]:
    return {"in": "formData", "name": name, "type": "string", **rest}


def test_form_fields_are_a_form_or_multipart() -> None:
    fields = (field("a", required=True, description="d"), field("b", enum=["x"]))
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "d"},
            "b": {"type": "string", "enum": ["x"]},
        },
        "required": ["a"],
    }
    assert body_of(*fields) == RequestBody(schema=schema, content_type=FORM)
    assert body_of(*fields, consumes=[MULTIPART]) == RequestBody(
        schema=schema, content_type=MULTIPART
    )
    many = field("m", type="array", items={"type": "string"}, collectionFormat="multi")
    found_many = body_of(many)
    assert found_many is not None
    assert found_many.schema["properties"]["m"] == {"type": "array", "items": {"type": "string"}}


def test_a_file_field_makes_multipart() -> None:
    assert body_of(field("f", type="file", description="d")) == RequestBody(
        schema={
            "type": "object",
            "properties": {
                "f": {
                    "type": "string",
                    "contentMediaType": "application/octet-stream",
                    "description": "d",
                }
            },
        },
        content_type=MULTIPART,
    )


def test_a_list_of_files_makes_multipart() -> None:
    files = field("f", type="array", items={"type": "file"}, maxItems=3)
    one = {"type": "string", "contentMediaType": "application/octet-stream"}
    assert body_of(files) == RequestBody(
        schema={
            "type": "object",
            "properties": {"f": {"type": "array", "items": one, "maxItems": 3}},
        },
        content_type=MULTIPART,
    )


@pytest.mark.parametrize(
    "parameters",
    [
        [{"in": "body", "name": "a"}, {"in": "body", "name": "b"}],
        [{"in": "body", "name": "a"}, field("b")],
    ],
)
def test_two_bodies_drop_the_operation(parameters: Any) -> None:
    result = found(*parameters)
    assert (result.descriptors, [d.code for d in result.diagnostics]) == (
        (),
        ["multiple_body_bindings"],
    )


def test_security_definitions_name_slots() -> None:
    definitions = {
        "basic": {"type": "basic"},
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "oauth": {"type": "oauth2", "flow": "accessCode"},
        "odd": 5,
    }
    source = swagger(
        {"security": [{"basic": []}, {"key": [], "oauth": []}, {"odd": []}]},
        securityDefinitions=definitions,
    )
    result = read(source)
    assert result.descriptors[0].auth == Auth(
        carriers=(
            Carrier(location=HEADER, name="authorization"),
            Carrier(location=HEADER, name="X-Key"),
        )
    )
    assert [d.code for d in result.diagnostics] == ["security_scheme_unsupported"]


def test_siblings_of_references_are_ignored_and_told() -> None:
    parameter = {
        "in": "body",
        "name": "b",
        "required": True,
        "schema": {"$ref": "#/definitions/A", "description": "d"},
    }
    result = found(parameter, definitions={"A": {"type": "string"}})
    assert result.descriptors[0].request_body == RequestBody(schema={"type": "string"})
    assert [d.code for d in result.diagnostics] == ["ref_siblings_ignored"]


def test_malformed_sections_do_not_raise() -> None:
    assert ingest(swagger({"responses": 5, "consumes": 5}, securityDefinitions=5)).descriptors
    assert places(found(operation={"responses": {"200": 5}})) == [
        ("openapi_document_invalid", "/paths/~1a/post/responses/200")
    ]
