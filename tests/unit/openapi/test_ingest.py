import json
from typing import Any

import pytest

from sezzlee_py.model import (
    Anonymous,
    Auth,
    Carrier,
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
    RequestBody,
    Response,
    Severity,
)
from sezzlee_py.openapi import Ingested, ingest
from tests.unit.schema.reading import check_published

PATH, QUERY, HEADER, COOKIE = (
    ParameterLocation.PATH,
    ParameterLocation.QUERY,
    ParameterLocation.HEADER,
    ParameterLocation.COOKIE,
)
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
OPEN = {"type": "object", "additionalProperties": True}


def document(operation: Any = None, path: str = "/a", method: str = "get", **parts: Any) -> Any:
    item = {method: {} if operation is None else operation}
    return {"openapi": "3.1.0", "paths": {path: item}, **parts}


def read(source: Any, **kwargs: Any) -> Ingested:
    found = ingest(source, **kwargs)
    for descriptor in found.descriptors:
        for part in (*descriptor.parameters, descriptor.request_body):
            check_published(dict(part.schema) if part else {})
        for response in descriptor.responses.values():
            check_published(dict(response.schema or {}))
    return found


def one(operation: Any, method: str = "get", path: str = "/a", **parts: Any) -> EndpointDescriptor:
    (descriptor,) = read(document(operation, path, method, **parts)).descriptors
    return descriptor


def codes(source: Any, **kwargs: Any) -> list[str]:
    return [d.code for d in read(source, **kwargs).diagnostics]


def places(source: Any, **kwargs: Any) -> list[tuple[str, str | None]]:
    return [(d.code, d.pointer) for d in read(source, **kwargs).diagnostics]


def body(content: Any, **rest: Any) -> dict[str, Any]:
    return {"requestBody": {"content": content, **rest}}


def json_body(schema: Any, **rest: Any) -> dict[str, Any]:
    return body({"application/json": {"schema": schema}}, **rest)


# -- whole documents ---------------------------------------------------------------------------


def test_an_operation_becomes_a_descriptor() -> None:
    operation = {
        "operationId": "listOrders",
        "tags": ["orders", "read"],
        "description": "All orders.",
        "summary": "Orders",
        "deprecated": True,
        "x-sezzlee-search-terms": ["purchases"],
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
            {"name": "q", "in": "query", "description": "words", "schema": {"type": "string"}},
        ],
        "responses": {"200": {"description": "ok"}, "4xx": {"description": "bad"}},
    }
    found = read(document(operation, "/orders/{id}"))
    assert found == Ingested(
        descriptors=(
            EndpointDescriptor(
                method="GET",
                route="/orders/{id}",
                operation_id="listOrders",
                container="orders",
                description="All orders.",
                deprecated=True,
                parameters=(
                    Parameter(
                        name="id",
                        location=PATH,
                        schema={"type": "integer"},
                        required=True,
                        style="simple",
                        explode=False,
                    ),
                    Parameter(
                        name="q",
                        location=QUERY,
                        schema={"type": "string"},
                        style="form",
                        explode=True,
                        description="words",
                    ),
                ),
                responses={
                    "200": Response(description="ok"),
                    "4XX": Response(description="bad"),
                },
                tags=("orders", "read"),
                search_terms=("purchases",),
            ),
        )
    )


def test_json_bytes_text_and_mappings_read_alike() -> None:
    source = document({"responses": {200: {"description": "x"}}})
    text = json.dumps(source)
    assert ingest(source) == ingest(text) == ingest(text.encode()) == ingest("\ufeff" + text)
    assert list(ingest(source).descriptors[0].responses) == ["200"]


def test_yaml_reads_like_json() -> None:
    text = """
openapi: 3.1.0
paths:
  /a:
    get: &read
      operationId: on
      parameters:
        - {name: when, in: query, schema: {type: string, examples: [2020-01-01, 12:30, yes]}}
      responses: {200: {description: no}}
    head:
      <<: *read
      operationId: other
"""
    first, second = read(text).descriptors
    assert (first.operation_id, second.operation_id) == ("on", "other")
    assert first.parameters == second.parameters
    assert first.parameters[0].schema["examples"] == ["2020-01-01", "12:30", "yes"]
    assert first.responses["200"].description == "no"


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0", "3.1", 3.1])
def test_versions_are_read(version: Any) -> None:
    assert len(read({**document(), "openapi": version}).descriptors) == 1


@pytest.mark.parametrize(
    "source",
    [
        {"openapi": "4.0.0"},
        {"openapi": "3.3.0"},
        {"swagger": "1.2"},
        {"openapi": None},
        {},
        {"openapi": {"a": 1}},
    ],
)
def test_other_versions_are_fatal(source: Any) -> None:
    found = read(source)
    assert [(d.code, d.severity) for d in found.diagnostics] == [
        ("openapi_version_unsupported", Severity.FATAL)
    ]


def test_a_document_of_the_wrong_shape_is_a_warning_and_fatal_when_strict() -> None:
    source = document({"parameters": 5})
    assert [d.severity for d in read(source).diagnostics] == [Severity.WARNING]
    assert [d.severity for d in read(source, strict=True).diagnostics] == [Severity.FATAL]


@pytest.mark.parametrize(
    ("source", "pointer"),
    [
        ({"openapi": "3.1.0", "paths": []}, "/paths"),
        ({"openapi": "3.1.0", "paths": {"a": {}}}, "/paths/a"),
        ({"openapi": "3.1.0", "paths": {"/a": 1}}, "/paths/~1a"),
        ({"openapi": "3.1.0", "paths": {"/a": {"get": 1}}}, "/paths/~1a/get"),
        (document({"parameters": [{"in": "query"}]}), "/paths/~1a/get/parameters/0"),
        (document({"parameters": [{"name": "a", "in": "body"}]}), "/paths/~1a/get/parameters/0"),
        (document({"parameters": [{"$ref": "#/no"}]}), "/paths/~1a/get/parameters/0/$ref"),
        (document({"parameters": [{"$ref": 1}]}), "/paths/~1a/get/parameters/0/$ref"),
        (document({"responses": 1}), "/paths/~1a/get/responses"),
        (document({"responses": {"900": {}}}), "/paths/~1a/get/responses/900"),
        (document({"requestBody": {}}), "/paths/~1a/get/requestBody/content"),
        (
            document(body({"application/json": 3}, required=True)),
            "/paths/~1a/get/requestBody/content/application~1json",
        ),
    ],
)
def test_what_is_wrong_is_pointed_at(source: Any, pointer: str) -> None:
    assert places(source) == [("openapi_document_invalid", pointer)]


def test_sections_that_are_not_offered_are_told_once() -> None:
    linked = {"responses": {"200": {"links": {"a": {}}}}, "callbacks": {"c": {}}}
    source = {
        "openapi": "3.1.0",
        "paths": {"/a": {"get": linked, "post": linked}, "x-b": {}},
        "webhooks": {"w": {}},
    }
    assert places(source) == [
        ("callbacks_ignored", "/paths/~1a/get/callbacks"),
        ("links_ignored", "/paths/~1a/get/responses/200/links"),
        ("webhooks_ignored", "/webhooks"),
    ]


def test_links_of_shared_responses_are_told() -> None:
    components: Any = {"responses": {"A": {}, "B": {"links": {"x": {}}}, "C": {"links": {"x": {}}}}}
    assert places(document(components=components)) == [
        ("links_ignored", "/components/responses/B/links")
    ]


def test_notes_that_only_the_upgrade_may_make_do_no_harm() -> None:
    note = {"x-sezzlee-origin": 5}
    operation = {
        "parameters": [{"name": "q", "in": "query", "schema": {"type": "odd"}, **note}],
        "responses": {"200": {"content": {"application/json": {"schema": {"type": 3}, **note}}}},
        **json_body({"type": "odd"}, **note),
        **note,
    }
    source = document(operation, method="post")
    source["x-sezzlee-external"] = 5
    assert codes(source) == ["openapi_document_invalid"] * 3


def test_removed_annotations_are_told_once_per_keyword() -> None:
    schema = {"type": "string", "x-a": 1, "xml": {}}
    operation = {"parameters": [{"name": "q", "in": "query", "schema": schema}]}
    source = {"openapi": "3.1.0", "paths": {"/a": {"get": operation, "put": operation}}}
    assert codes(source) == ["annotation_removed", "annotation_removed"]


# -- methods, paths, names ---------------------------------------------------------------------


def test_every_method_of_the_model_is_read_and_no_other() -> None:
    methods = ["get", "put", "post", "delete", "options", "head", "patch", "query"]
    source = {
        "openapi": "3.2.0",
        "paths": {
            "/a": {
                **{method: {} for method in methods},
                "trace": {},
                "link": {},
                "summary": "s",
                "x-y": 1,
                "additionalOperations": {"COPY": {}, "QUERY": {}},
            }
        },
    }
    found = read(source)
    assert [d.method for d in found.descriptors] == [m.upper() for m in (*methods, "query")]
    assert places(source) == [
        ("unsupported_method", "/paths/~1a/trace"),
        ("unsupported_method", "/paths/~1a/link"),
        ("unsupported_method", "/paths/~1a/additionalOperations/COPY"),
    ]


def test_placeholders_that_no_template_can_have_are_renamed() -> None:
    operation = {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in ("user-id", "user_id", "2", "ü")
        ]
    }
    descriptor = one(operation, path="/u/{user-id}/{user_id}/{2}/{ü}")
    assert descriptor.route == "/u/{user_id_}/{user_id}/{_2}/{_}"
    assert [p.name for p in descriptor.parameters] == ["user_id_", "user_id", "_2", "_"]


@pytest.mark.parametrize(
    ("operation_id", "kept", "found"),
    [
        ("getA", "getA", []),
        ("read_item_a__id__get", "read_item", []),
        ("_a__id__get", "_a__id__get", []),
        ("123", None, ["operation_id_unusable"]),
        ("日本", None, ["operation_id_unusable"]),
        ("", None, []),
        (5, None, []),
    ],
)
def test_operation_ids_are_passed_on_where_they_can_name_a_tool(
    operation_id: Any, kept: str | None, found: list[str]
) -> None:
    source = document(
        {
            "operationId": operation_id,
            "parameters": [{"name": "id", "in": "path", "required": True}],
        },
        "/a/{id}",
    )
    assert [d.operation_id for d in read(source).descriptors] == [kept]
    assert codes(source) == found


def test_names_are_declared_by_id_or_by_route() -> None:
    source = {
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"operationId": "x"}, "post": {}, "put": {}}},
    }
    found = read(source, names={"x": "one", "POST /a": "two"})
    assert [d.tool_name for d in found.descriptors] == ["one", "two", None]


def test_a_common_prefix_stays_out_of_names_made_from_routes() -> None:
    paths: Any = {"/Rest/a/{id}": {"get": {}}, "/Restful": {"get": {}}, "/Rest": {"get": {}}}
    found = read({"openapi": "3.1.0", "paths": paths}, strip_prefix="/Rest")
    assert [(d.route, d.operation_id) for d in found.descriptors] == [
        ("/Rest/a/{id}", "get_a_by_id"),
        ("/Restful", None),
        ("/Rest", "get"),
    ]


@pytest.mark.parametrize("terms", ["word", [1], {"a": 1}])
def test_search_terms_of_the_wrong_shape_are_told(terms: Any) -> None:
    assert places(document({"x-sezzlee-search-terms": terms})) == [
        ("search_terms_invalid", "/paths/~1a/get/x-sezzlee-search-terms")
    ]


def test_a_summary_stands_in_for_a_description() -> None:
    assert one({"summary": "S"}).description == "S"
    assert one({"tags": ["a", 3]}).tags == ("a",)


# -- parameters --------------------------------------------------------------------------------


def parameter(**fields: Any) -> dict[str, Any]:
    return {"parameters": [{"name": "q", "in": "query", **fields}]}


def test_parameters_of_the_path_item_are_shared_and_overridden() -> None:
    shared = [
        {"name": "a", "in": "query", "schema": {"type": "string"}},
        {"name": "b", "in": "query", "schema": {"type": "string"}},
    ]
    own = [{"name": "b", "in": "query", "schema": {"type": "integer"}}]
    source = {
        "openapi": "3.1.0",
        "paths": {"/a": {"parameters": shared, "get": {"parameters": own}}},
    }
    (descriptor,) = read(source).descriptors
    assert [(p.name, p.schema["type"]) for p in descriptor.parameters] == [
        ("a", "string"),
        ("b", "integer"),
    ]


@pytest.mark.parametrize(
    ("fields", "style", "explode"),
    [
        ({"in": "query"}, "form", True),
        ({"in": "header"}, "simple", False),
        ({"in": "cookie"}, "form", True),
        ({"in": "query", "style": "pipeDelimited"}, "pipeDelimited", False),
        ({"in": "query", "style": "deepObject"}, "deepObject", None),
        ({"in": "query", "style": "deepObject", "explode": True}, "deepObject", True),
        ({"in": "query", "explode": False}, "form", False),
        ({"in": "header", "style": 5, "explode": "x"}, "simple", False),
    ],
)
def test_style_and_explode_are_written_with_their_defaults(
    fields: Any, style: str, explode: bool | None
) -> None:
    (found,) = one(parameter(**fields)).parameters
    assert (found.style, found.explode) == (style, explode)


def test_flags_of_parameters_are_read() -> None:
    (found,) = one(parameter(allowReserved=True, required=True)).parameters
    assert (found.allow_reserved, found.required) == (True, True)
    (header,) = one(parameter(**{"in": "header"}, allowReserved=True)).parameters
    assert header.allow_reserved is False
    assert places(document(parameter(allowEmptyValue=True))) == [
        ("allow_empty_value_ignored", "/paths/~1a/get/parameters/0/allowEmptyValue")
    ]


@pytest.mark.parametrize(
    ("fields", "content_type"),
    [
        ({"content": {"application/json": {"schema": {"type": "object"}}}}, "application/json"),
        ({"content": {"Text/Plain; a=b": {}}}, "text/plain"),
        ({"in": "querystring", "content": {FORM: {"schema": {"type": "object"}}}}, FORM),
    ],
)
def test_a_parameter_is_written_as_its_media_type(fields: Any, content_type: str) -> None:
    (found,) = one(parameter(**fields)).parameters
    assert (found.content_type, found.style, found.explode) == (content_type, None, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"content": {"application/xml": {}}},
        {"content": {"text/plain": {}, "application/json": {}}},
        {"content": {FORM: {}}},
        {"content": 5},
        {"in": "querystring", "content": {"text/plain": {}}},
        {"in": "querystring", "schema": {"type": "string"}},
    ],
)
def test_other_parameter_content_drops_the_operation(fields: Any) -> None:
    found = read(document(parameter(**fields)))
    assert found.descriptors == ()
    assert [d.code for d in found.diagnostics] == ["unsupported_parameter_content"]


def test_a_json_parameter_keeps_null_and_a_plain_one_does_not() -> None:
    schema = {"type": ["string", "null"]}
    (plain,) = one(parameter(schema=schema)).parameters
    (written,) = one(parameter(content={"application/json": {"schema": schema}})).parameters
    assert (plain.schema, written.schema) == ({"type": "string"}, schema)


def test_reserved_headers_and_credentials_are_no_arguments() -> None:
    operation = {
        "security": [{"key": []}],
        "parameters": [
            {"name": "Accept", "in": "header"},
            {"name": "Authorization", "in": "header", "required": True},
            {"name": "Key", "in": "query"},
            {"name": "sid", "in": "cookie"},
            {"name": "ok", "in": "cookie"},
        ],
    }
    components = {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "Key"}}}
    source = document(operation, components=components)
    (descriptor,) = read(source).descriptors
    assert [p.name for p in descriptor.parameters] == ["ok"]
    assert descriptor.auth == Auth(
        carriers=(Carrier(location=QUERY, name="Key"), Carrier(location=COOKIE, name="sid"))
    )
    assert codes(source) == [
        "reserved_header_parameter_ignored",
        "reserved_header_parameter_ignored",
        "credential_parameter_ignored",
        "identity_cookie_parameter",
        "identity_cookie_uncovered",
    ]


def test_a_parameter_that_contains_itself_drops_the_operation() -> None:
    tree = {"type": "object", "properties": {"kids": {"items": {"$ref": "#/components/schemas/T"}}}}
    source = document(
        parameter(schema={"$ref": "#/components/schemas/T"}), components={"schemas": {"T": tree}}
    )
    found = read(source)
    assert (found.descriptors, [d.code for d in found.diagnostics]) == (
        (),
        ["recursive_parameter_schema"],
    )


# -- security ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "own", "anonymous"),
    [
        (None, None, Anonymous.UNKNOWN),
        (None, [], Anonymous.YES),
        ([{"k": []}], [{}], Anonymous.YES),
        ([], None, Anonymous.YES),
        ([{"k": []}], None, Anonymous.UNKNOWN),
        (None, [{}, {"k": []}], Anonymous.UNKNOWN),
        (None, "k", Anonymous.UNKNOWN),
    ],
)
def test_only_an_empty_requirement_admits_everybody(
    root: Any, own: Any, anonymous: Anonymous
) -> None:
    operation = {} if own is None else {"security": own}
    parts = {} if root is None else {"security": root}
    schemes = {"k": {"type": "http", "scheme": "bearer"}}
    found = one(operation, components={"securitySchemes": schemes}, **parts)
    assert found.auth.anonymous is anonymous


@pytest.mark.parametrize(
    "scheme",
    [None, {"type": "mutualTLS"}, {"type": "apiKey", "in": "body"}, {"type": "apiKey"}, 5],
)
def test_a_scheme_without_a_slot_is_told(scheme: Any) -> None:
    schemes = {} if scheme is None else {"k": scheme}
    source = document({"security": [{"k": []}]}, components={"securitySchemes": schemes})
    assert places(source) == [("security_scheme_unsupported", "/components/securitySchemes/k")]


# -- bodies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (json_body({"type": "string"}), RequestBody(schema={"type": "string"}, required=False)),
        (
            json_body({"type": "string"}, required=True, description="d"),
            RequestBody(schema={"type": "string"}, description="d"),
        ),
        (
            json_body({"type": ["string", "null"]}, required=True),
            RequestBody(schema={"type": "string"}),
        ),
        (body({"application/json": {}}, required=True), RequestBody(schema=OPEN)),
        (
            body({"*/*": {"schema": {"type": "array"}}}, required=True),
            RequestBody(schema={"type": "array"}),
        ),
        (
            body({"text/plain": {"schema": {"type": "string"}}}, required=True),
            RequestBody(schema={"type": "string"}, content_type="text/plain"),
        ),
        (
            body({"image/png": {"schema": {"type": "string", "format": "binary"}}}, required=True),
            RequestBody(
                schema={"type": "string", "contentMediaType": "image/png"}, content_type="image/png"
            ),
        ),
        (
            body({"application/pdf": {}}, required=True),
            RequestBody(
                schema={"type": "string", "contentMediaType": "application/pdf"},
                content_type="application/pdf",
            ),
        ),
    ],
)
def test_a_body_is_read_in_the_type_that_is_written(operation: Any, expected: Any) -> None:
    assert one(operation, "post").request_body == expected


@pytest.mark.parametrize(
    ("flags", "schema", "required"),
    [
        ({}, {"type": "object"}, True),
        ({"required": False}, {"type": "object"}, False),
        ({}, {"type": ["object", "null"]}, False),
        ({"required": True}, {"type": ["object", "null"]}, True),
    ],
)
def test_an_absent_flag_can_be_read_as_required(flags: Any, schema: Any, required: bool) -> None:
    source = document(json_body(schema, **flags), method="post")
    (descriptor,) = read(source, request_body_required="always").descriptors
    assert descriptor.request_body is not None
    assert descriptor.request_body.required is required


def test_other_media_types_are_told_once() -> None:
    source = document(
        body({"application/xml": {}, "application/json": {}, FORM: {}}), method="post"
    )
    assert places(source) == [
        ("request_media_type_alternative_ignored", "/paths/~1a/post/requestBody/content")
    ]


def test_a_body_that_nothing_writes_drops_the_operation() -> None:
    source = document(body({"application/xml": {"schema": {"type": "object"}}}), method="post")
    found = read(source)
    assert (found.descriptors, [d.code for d in found.diagnostics]) == (
        (),
        ["unsupported_media_type"],
    )


def upload(encoding: Any = None) -> Any:
    schema = {
        "type": "object",
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "raw": {"description": "r"},
            "note": {"type": "string"},
        },
    }
    extra = {} if encoding is None else {"encoding": encoding}
    return body({MULTIPART: {"schema": schema, **extra}}, required=True)


def test_encodings_tell_the_media_type_of_files() -> None:
    found = one(
        upload(
            {
                "file": {"contentType": "image/png"},
                "files": {"contentType": "image/png, image/jpeg"},
                "raw": {"contentType": "application/zip", "style": "form"},
                "note": {"contentType": "text/plain"},
            }
        ),
        "post",
    ).request_body
    assert found is not None
    assert found.schema["properties"] == {
        "file": {"type": "string", "contentMediaType": "image/png"},
        "files": {
            "type": "array",
            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
        },
        "raw": {"type": "string", "contentMediaType": "application/zip", "description": "r"},
        "note": {"type": "string"},
    }
    listed = one(upload({"files": {"contentType": "image/gif"}}), "post").request_body
    assert listed is not None
    assert listed.schema["properties"]["files"]["items"]["contentMediaType"] == "image/gif"


@pytest.mark.parametrize(
    "entry",
    [
        {"style": "pipeDelimited"},
        {"explode": False},
        {"headers": {"X": {}}},
        {"contentType": "application/json"},
        {"contentType": "application/json, text/plain"},
    ],
)
def test_other_encodings_drop_the_operation(entry: Any) -> None:
    found = read(document(upload({"note": entry}), method="post"))
    assert (found.descriptors, [(d.code, d.pointer) for d in found.diagnostics]) == (
        (),
        [
            (
                "unsupported_encoding",
                "/paths/~1a/post/requestBody/content/multipart~1form-data/encoding/note",
            )
        ],
    )


def test_an_encoding_of_nothing_is_invalid() -> None:
    assert codes(document(upload({"gone": {}, "note": 1}), method="post")) == [
        "openapi_document_invalid",
        "openapi_document_invalid",
    ]


def test_a_form_with_files_is_multipart() -> None:
    schema = {"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}}
    both = body({FORM: {"schema": schema}, MULTIPART: {"schema": schema}}, required=True)
    found = one(both, "post").request_body
    assert found is not None
    assert found.content_type == MULTIPART
    plain = {"type": "object", "properties": {"f": {"type": ["string", "null"]}}}
    both = body({MULTIPART: {"schema": plain}, FORM: {"schema": plain}}, required=True)
    found = one(both, "post").request_body
    assert found == RequestBody(
        schema={"type": "object", "properties": {"f": {"type": "string"}}}, content_type=FORM
    )


# -- responses ---------------------------------------------------------------------------------


def test_responses_are_carried_with_their_json_schemas() -> None:
    string = {"type": "string"}
    responses = {
        "200": {
            "description": "d",
            "content": {
                "text/html": {"schema": string},
                "application/hal+json": {"schema": string},
            },
        },
        "201": {"content": {"*/*": {"schema": string}}},
        "202": {"content": {"text/html": {"schema": string}}},
        "203": {"content": {"application/json": {"schema": {}}}},
        "default": {"$ref": "#/components/responses/E"},
        "x-a": 1,
    }
    components = {"responses": {"E": {"content": {"application/json": {"schema": string}}}}}
    source = document({"responses": responses}, components=components)
    (descriptor,) = read(source).descriptors
    assert {key: value.schema for key, value in descriptor.responses.items()} == {
        "200": string,
        "201": string,
        "202": None,
        "203": None,
        "default": string,
    }
    assert codes(source) == []
    (bare,) = read(source, output_schemas=False).descriptors
    assert [value.schema for value in bare.responses.values()] == [None] * 5


@pytest.mark.parametrize(
    "content",
    [
        {"text/event-stream": {}},
        {"application/jsonl": {"schema": {}}},
        {"application/json": {"itemSchema": {}}},
        {"application/x-ndjson": {}, "application/json-seq": {}},
    ],
)
def test_a_success_that_only_streams_drops_the_operation(content: Any) -> None:
    found = read(document({"responses": {"200": {"content": content}}}))
    assert (found.descriptors, [d.code for d in found.diagnostics]) == (
        (),
        ["streaming_response_unsupported"],
    )


@pytest.mark.parametrize(
    "responses",
    [
        {"200": {"content": {"text/event-stream": {}, "application/json": {}}}},
        {"200": {}, "206": {"content": {"text/event-stream": {}}}},
        {"500": {"content": {"text/event-stream": {}}}},
        {},
    ],
)
def test_other_streams_do_no_harm(responses: Any) -> None:
    assert codes(document({"responses": responses})) == []


# -- references --------------------------------------------------------------------------------


def test_components_are_inlined_with_their_descriptions() -> None:
    components = {
        "parameters": {"P": {"name": "p", "in": "query", "description": "old"}},
        "requestBodies": {"B": {"content": {"application/json": {"schema": {"type": "array"}}}}},
        "pathItems": {"I": {"get": {"operationId": "inner"}}},
    }
    operation = {
        "parameters": [{"$ref": "#/components/parameters/P", "description": "new"}],
        "requestBody": {"$ref": "#/components/requestBodies/B"},
    }
    source = document(operation, method="post", components=components)
    source["paths"]["/b"] = {"$ref": "#/components/pathItems/I"}
    first, second = read(source).descriptors
    assert first.parameters[0].description == "new"
    assert first.request_body == RequestBody(schema={"type": "array"}, required=False)
    assert (second.route, second.operation_id) == ("/b", "inner")
    source["openapi"] = "3.0.0"
    assert places(source) == [("ref_siblings_ignored", "/paths/~1a/post/parameters/0")]
    assert read(source).descriptors[0].parameters[0].description == "old"


def test_a_component_that_is_only_itself_drops_each_operation_that_reaches_it() -> None:
    components = {
        "parameters": {
            "A": {"$ref": "#/components/parameters/B"},
            "B": {"$ref": "#/components/parameters/A"},
        }
    }
    operation = {"parameters": [{"$ref": "#/components/parameters/A"}]}
    found = read(document(operation, components=components))
    assert (found.descriptors, [d.code for d in found.diagnostics]) == (
        (),
        ["circular_component_ref"],
    )


def test_a_chain_of_references_is_followed_only_so_far() -> None:
    def chained(length: int) -> Any:
        paths: Any = {f"/a{at}": {"$ref": f"#/paths/~1a{at + 1}"} for at in range(length)}
        return {"openapi": "3.1.0", "paths": {**paths, f"/a{length}": {"get": {}}}}

    assert len(read(chained(32)).descriptors) == 33
    found = read(chained(40))
    assert len(found.descriptors) == 33
    assert {d.code for d in found.diagnostics} == {"circular_component_ref"}


def test_an_external_reference_without_a_loader_is_fatal() -> None:
    found = read(document({"parameters": [{"$ref": "common.yaml#/P"}]}))
    assert [(d.code, d.severity, d.pointer) for d in found.diagnostics] == [
        ("external_ref_blocked", Severity.FATAL, "/paths/~1a/get/parameters/0/$ref")
    ]


def test_schemas_bring_what_they_refer_to() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/N"}}}
    source = document(
        json_body({"$ref": "#/components/schemas/N"}, required=True),
        method="post",
        components={"schemas": {"N": node}},
    )
    own = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    (descriptor,) = read(source).descriptors
    assert descriptor.request_body == RequestBody(schema={**own, "$defs": {"N": own}})


def test_parameters_and_body_count_uses_together() -> None:
    part = {"type": "object", "properties": {"a": {"type": "string"}}}
    reference = {"$ref": "#/components/schemas/P"}
    operation = {
        **parameter(
            content={"application/json": {"schema": {"type": "array", "items": reference}}}
        ),
        **json_body({"type": "object", "properties": {"p": reference}}, required=True),
    }
    source = document(operation, method="post", components={"schemas": {"P": part}})
    (descriptor,) = read(source).descriptors
    assert descriptor.parameters[0].schema["$defs"] == {"P": part}
    assert descriptor.request_body is not None
    assert descriptor.request_body.schema["$defs"] == {"P": part}
    del source["paths"]["/a"]["post"]["requestBody"]
    (descriptor,) = read(source).descriptors
    assert descriptor.parameters[0].schema == {"type": "array", "items": part}
