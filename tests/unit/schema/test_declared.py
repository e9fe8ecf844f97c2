from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from sezzlee_py.catalog.schema.declared import apply_declared
from sezzlee_py.model import (
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
    RequestBody,
    Response,
)

PATH, QUERY, HEADER = (
    ParameterLocation.PATH,
    ParameterLocation.QUERY,
    ParameterLocation.HEADER,
)
ID = Parameter(name="id", location=PATH, schema={"type": "string"}, required=True)
OLD = Parameter(name="old", location=QUERY, schema={"type": "string"})
TRACE = Parameter(name="x-trace", location=HEADER, schema={"type": "string"})
PLAIN = EndpointDescriptor(
    method="POST", route="/a/{id}", parameters=(ID, OLD, TRACE), source="m:f", line=3
)
OPEN = {"type": "object", "additionalProperties": True}
FILE = {"type": "string", "contentMediaType": "application/octet-stream"}


class Filter(BaseModel):
    status: str
    limit: int | None = None


class Wide(BaseModel):
    status: str
    id: int = 1
    nested: dict[str, int] = {}
    subs: list[Filter] = []


class Note(BaseModel):
    text: str
    files: list[str] = []


def applied(**kwargs: Any) -> tuple[EndpointDescriptor, list[str]]:
    descriptor, diagnostics = apply_declared(kwargs.pop("of", PLAIN), **kwargs)
    assert all((d.operation, d.source, d.line) == ("POST /a/{id}", "m:f", 3) for d in diagnostics)
    return descriptor, [d.code for d in diagnostics]


def query(name: str, schema: Any, required: bool = False) -> Parameter:
    return Parameter(name=name, location=QUERY, schema=schema, required=required)


def test_nothing_declared_changes_nothing() -> None:
    assert applied() == (PLAIN, [])


def test_a_query_model_takes_the_place_of_the_frameworks_query() -> None:
    descriptor, codes = applied(query=Filter)
    assert descriptor.parameters == (
        ID,
        query("status", {"type": "string"}, True),
        query("limit", {"type": "integer"}),
        TRACE,
    )
    assert codes == []


def test_fields_that_cannot_travel_are_left_out() -> None:
    descriptor, codes = applied(query=Wide)
    assert [p.name for p in descriptor.parameters] == ["id", "status", "x-trace"]
    assert codes == ["query_member_shadowed", "unbound_query_object", "unbound_query_object"]


@pytest.mark.parametrize(
    "source", [object, int, {"type": "object"}, {"properties": {"a": {"type": "object"}}}]
)
def test_a_query_without_readable_fields_drops_the_operation(source: Any) -> None:
    _, codes = applied(query=source)
    assert codes[-1] == "unresolved_query_shape"


def test_a_query_schema_is_taken_word_for_word_with_the_definitions_it_needs() -> None:
    color = {"enum": ["r"]}
    descriptor, _ = applied(
        query={
            "properties": {"c": {"items": {"$ref": "#/$defs/C"}, "type": "array"}, "n": True},
            "$defs": {"C": color, "Unused": {}},
        }
    )
    assert descriptor.parameters[1:3] == (
        query("c", {"items": {"$ref": "#/$defs/C"}, "type": "array", "$defs": {"C": color}}),
        query("n", {}),
    )


def test_a_grouped_query_is_one_argument_where_the_backend_reads_it() -> None:
    descriptor, codes = applied(query=Filter, query_grouping="group", parses="dot")
    assert descriptor.parameters[1] == Parameter(
        name="filter",
        location=QUERY,
        required=True,
        schema={
            "type": "object",
            "properties": {"status": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["status"],
        },
        style="deepObject",
        explode=True,
        object_notation="dot",
    )
    assert codes == []
    assert applied(query=Filter, query_grouping="group")[1] == ["query_notation_unparsed"]


def test_a_frameworks_query_model_is_grouped_by_name() -> None:
    models = {"filter": ["old", "gone"], "none": ["x"]}
    grouped, codes = applied(query="group", parses="bracket", query_models=models)
    assert [(p.name, p.style) for p in grouped.parameters if p.location is QUERY] == [
        ("filter", "deepObject")
    ]
    assert codes == []
    assert applied(query="group", query_models=models)[1] == ["query_notation_unparsed"]
    flat = applied(query="flat", query_grouping="group", query_models=models)
    assert flat == (PLAIN, [])
    assert applied(query="group") == (PLAIN, [])


def test_a_schemas_title_names_its_group() -> None:
    fields = {"properties": {"a": {"type": "string"}}}
    names = []
    for source in ({**fields, "title": "OrderFilter2"}, fields, {**fields, "title": 3}):
        descriptor, _ = applied(query=source, query_grouping="group", parses="dot")
        names.append(descriptor.parameters[1].name)
    assert names == ["order_filter2", "filter", "filter"]


def test_a_declared_body_replaces_the_frameworks() -> None:
    known = replace(PLAIN, request_body=RequestBody(schema={"type": "array"}))
    descriptor, codes = applied(of=known, body=Filter)
    assert descriptor.request_body == RequestBody(
        schema={
            "type": "object",
            "properties": {"status": {"type": "string"}, "limit": {"type": ["integer", "null"]}},
            "required": ["status"],
        }
    )
    assert codes == []


def test_a_nullable_declared_body_is_optional() -> None:
    body = applied(body=Filter | None)[0].request_body
    assert body is not None
    assert (body.required, body.schema["type"]) == (False, "object")


def test_a_body_schema_is_taken_word_for_word() -> None:
    schema = {"type": ["object", "null"], "title": "T"}
    assert applied(body=schema)[0].request_body == RequestBody(schema=schema)
    assert applied(body=Any)[0].request_body == RequestBody(schema=OPEN)


def test_a_form_body_has_no_null() -> None:
    descriptor, codes = applied(body=Filter, consumes="application/x-www-form-urlencoded")
    body = descriptor.request_body
    assert body is not None
    assert body.schema["properties"]["limit"] == {"type": "integer"}
    assert (body.content_type, codes) == ("application/x-www-form-urlencoded", [])


def test_named_files_make_a_multipart_body() -> None:
    descriptor, codes = applied(body=Note, files=["files", "cover"])
    body = descriptor.request_body
    assert body is not None
    assert body.content_type == "multipart/form-data"
    assert body.schema["properties"] == {
        "text": {"type": "string"},
        "files": {"type": "array", "items": FILE},
        "cover": FILE,
    }
    alone = applied(files=["f"], accepts=("multipart/form-data",))[0].request_body
    assert alone == RequestBody(
        schema={"type": "object", "properties": {"f": FILE}}, content_type="multipart/form-data"
    )
    assert codes == []


def test_a_known_file_keeps_its_type_and_words() -> None:
    png = {"type": "string", "contentMediaType": "image/png"}
    schema = {"type": "object", "properties": {"a": png, "b": {"description": "d"}}}
    body = applied(body=schema, files=["a", "b"])[0].request_body
    assert body is not None
    assert body.schema["properties"] == {"a": png, "b": {**FILE, "description": "d"}}


@pytest.mark.parametrize(
    ("consumes", "accepts"),
    [
        ("text/plain", ("application/json",)),
        ("text/*", None),
        ("nonsense", None),
    ],
)
def test_a_media_type_that_the_backend_does_not_accept_drops(
    consumes: str, accepts: tuple[str, ...] | None
) -> None:
    assert applied(body=Filter, consumes=consumes, accepts=accepts)[1] == [
        "content_type_not_accepted"
    ]


def test_files_that_the_backend_does_not_accept_drop() -> None:
    assert applied(files=["f"], accepts=("application/json",))[1] == ["content_type_not_accepted"]


def test_a_declared_media_type_relabels_the_frameworks_body() -> None:
    known = replace(PLAIN, request_body=RequestBody(schema={"type": "string"}))
    body = applied(of=known, consumes="text/plain", accepts=("text/plain",))[0].request_body
    assert body == RequestBody(schema={"type": "string"}, content_type="text/plain")


@pytest.mark.parametrize(
    ("consumes", "schema"),
    [
        ("text/plain", {"type": "string"}),
        ("application/pdf", {"type": "string", "contentMediaType": "application/pdf"}),
    ],
)
def test_a_media_type_alone_tells_a_text_or_a_file(consumes: str, schema: Any) -> None:
    descriptor, codes = applied(consumes=consumes, described=False)
    assert descriptor.request_body == RequestBody(schema=schema, content_type=consumes)
    assert codes == []


def test_nothing_writes_a_model_as_xml() -> None:
    assert applied(body=Filter, consumes="application/xml")[1] == ["unsupported_binding"]


def test_a_multipart_body_without_names_is_never_guessed() -> None:
    _, codes = applied(consumes="multipart/form-data", described=False)
    assert codes == ["unresolved_file_field"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_silent_view_that_writes_takes_an_optional_object(method: str) -> None:
    silent = replace(PLAIN, method=method)
    descriptor, diagnostics = apply_declared(silent, described=False)
    assert descriptor.request_body == RequestBody(schema=OPEN, required=False)
    assert [d.code for d in diagnostics] == ["undeclared_body"]


@pytest.mark.parametrize("known", [None, RequestBody(schema=OPEN, required=True)])
@pytest.mark.parametrize("described", [True, False])
def test_a_view_that_reads_no_body_has_none_and_no_finding(
    known: RequestBody | None, described: bool
) -> None:
    operation = replace(PLAIN, method="POST", request_body=known)
    told = apply_declared(operation, body=False, consumes="text/csv", described=described)
    assert told == (replace(operation, request_body=None), ())


def test_a_silent_view_that_writes_another_json_type_is_told_so() -> None:
    descriptor, codes = applied(consumes="application/hal+json", described=False)
    assert descriptor.request_body == RequestBody(
        schema=OPEN, required=False, content_type="application/hal+json"
    )
    assert codes == ["undeclared_body"]


def test_reads_and_described_operations_get_no_body() -> None:
    read = replace(PLAIN, method="GET")
    assert apply_declared(read, described=False) == (read, ())
    assert apply_declared(read, described=False, consumes="multipart/form-data") == (read, ())
    assert applied(consumes="application/xml") == (PLAIN, [])


def test_a_body_is_written_in_what_the_backend_accepts() -> None:
    body = applied(body=Filter, accepts=("application/x-www-form-urlencoded",))[0].request_body
    assert body is not None
    assert body.content_type == "application/x-www-form-urlencoded"
    unknown = applied(body=Filter, accepts=("application/xml",))[0].request_body
    assert unknown is not None
    assert unknown.content_type is None


def test_declared_responses_replace_the_frameworks() -> None:
    class Out(BaseModel):
        model_config = ConfigDict(title="Out")

        a: int = 1

    known = replace(PLAIN, responses={"404": Response()})
    descriptor, codes = applied(
        of=known, responses={"200": Out, "204": None, "202": type(None), "default": Any}
    )
    assert dict(descriptor.responses) == {
        "200": Response(schema={"type": "object", "properties": {"a": {"type": "integer"}}}),
        "204": Response(),
        "202": Response(),
        "default": Response(),
    }
    assert codes == []


def test_unreadable_types_are_reported_once_per_endpoint() -> None:
    class Opaque:
        pass

    _, codes = applied(body=Opaque, responses={"200": Opaque})
    assert codes == ["unreadable_shape"]
