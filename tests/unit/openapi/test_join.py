from typing import Any

import pytest

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.model import (
    Anonymous,
    Auth,
    Carrier,
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
    RequestBody,
    Response,
)
from sezzlee_py.openapi import RouteDocument, join_document

PATH, QUERY = ParameterLocation.PATH, ParameterLocation.QUERY


def route(method: str, path: str, *parameters: Parameter, **facts: Any) -> DiscoveredOperation:
    descriptor = EndpointDescriptor(method=method, route=path, parameters=parameters, **facts)
    return DiscoveredOperation(descriptor=descriptor, endpoint=route)


def document(paths: Any, **parts: Any) -> Any:
    return {"openapi": "3.1.0", "paths": paths, **parts}


FILE = Parameter(
    name="name", location=PATH, schema={"type": "string"}, required=True, spans_segments=True
)
EVENTS = {"text/event-stream": {"schema": {"type": "string"}}}
RATE = Parameter(
    name="rate", location=PATH, schema={"type": "number"}, required=True, fractional=True
)


def test_a_route_gets_what_the_document_says_about_it() -> None:
    operation = {
        "summary": "Put it",
        "tags": ["files"],
        "deprecated": True,
        "security": [{"k": []}],
        "parameters": [
            {
                "name": "name",
                "in": "path",
                "required": True,
                "schema": {"type": "string", "minLength": 1},
            },
            {"name": "rate", "in": "path", "required": True},
            {"name": "gone", "in": "path", "required": True},
            {"name": "q", "in": "query", "schema": {"type": "string"}},
            {"name": "k", "in": "query"},
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "array"}}},
        },
        "responses": {"200": {"description": "ok"}},
    }
    schemes = {"k": {"type": "apiKey", "in": "query", "name": "k"}}
    discovered = route("PUT", "/f/{name}/{rate}", FILE, RATE, description="doc", tags=("old",))
    (joined,), findings = join_document(
        [discovered],
        document({"/f/{name}/{rate}": {"put": operation}}, components={"securitySchemes": schemes}),
    )
    assert findings == ()
    descriptor = joined.descriptor
    assert descriptor.parameters == (
        Parameter(
            name="name",
            location=PATH,
            schema={"type": "string", "minLength": 1},
            required=True,
            style="simple",
            explode=False,
            spans_segments=True,
        ),
        Parameter(
            name="rate",
            location=PATH,
            schema={"type": "number"},
            required=True,
            style="simple",
            explode=False,
            fractional=True,
        ),
        Parameter(name="q", location=QUERY, schema={"type": "string"}, style="form", explode=True),
    )
    assert descriptor.request_body == RequestBody(schema={"type": "array"})
    assert descriptor.responses == {"200": Response(description="ok")}
    assert (descriptor.description, descriptor.tags, descriptor.deprecated) == (
        "Put it",
        ("files",),
        True,
    )
    assert descriptor.auth == Auth(carriers=(Carrier(location=QUERY, name="k"),))
    assert joined.accepts == ("application/json",)
    assert [d.code for d in joined.diagnostics] == ["credential_parameter_ignored"]


@pytest.mark.parametrize(
    "paths", [{}, {"/a": {"get": {"responses": {"200": {"content": EVENTS}}}}}]
)
def test_what_a_document_costs_a_route_is_told_with_its_handler(paths: Any) -> None:
    handler = {"source": "shop:read", "line": 7}
    (joined,), _ = join_document([route("GET", "/a", **handler)], document(paths))
    assert [(d.source, d.line) for d in joined.diagnostics] == [("shop:read", 7)]


def test_what_only_one_side_knows_is_told() -> None:
    (joined,), findings = join_document(
        [route("GET", "/a/{x}")], document({"/a/{y}": {"get": {}}, "/a/{x}": {"post": {}}})
    )
    assert [(d.code, d.pointer) for d in findings] == [
        ("document_route_unmatched", "/paths/~1a~1{y}/get"),
        ("document_route_unmatched", "/paths/~1a~1{x}/post"),
    ]
    assert [(d.code, d.operation) for d in joined.diagnostics] == [
        ("document_route_unmatched", "GET /a/{x}")
    ]
    assert joined.descriptor == route("GET", "/a/{x}").descriptor


@pytest.mark.parametrize(
    ("parts", "prefix", "path"),
    [
        ({}, "", "/a"),
        ({"servers": [{"url": "https://example.com/api/"}]}, "", "/api/a"),
        ({"servers": [{"url": "/api"}]}, "/api", "/a"),
        ({"servers": [{"url": "/api/v1"}]}, "/api", "/v1/a"),
        ({"servers": [{"url": "/api"}]}, "", "/a"),
        ({"servers": [{"url": 5}]}, "", "/a"),
        ({"servers": ["x"]}, "", "/a"),
        ({"servers": [{"url": "http://[bad/api"}]}, "", "/a"),
        ({"servers": []}, "", "/a"),
    ],
)
def test_the_servers_path_is_told_apart_from_the_applications_prefix(
    parts: Any, prefix: str, path: str
) -> None:
    source = document({"/a": {"get": {"summary": "S"}}}, **parts)
    (joined,), findings = join_document([route("GET", path)], source, prefix=prefix)
    assert (joined.descriptor.description, findings) == ("S", ())


def test_swagger_documents_join_as_well() -> None:
    source = {
        "swagger": "2.0",
        "basePath": "/v1",
        "paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "type": "string"}]}}},
    }
    (joined,), _ = join_document([route("GET", "/v1/a")], source)
    assert [p.name for p in joined.descriptor.parameters] == ["q"]


def test_an_open_operation_is_open_only_where_the_framework_knows_nothing() -> None:
    source = document({"/a": {"get": {"security": []}}, "/b": {"get": {"security": []}}})
    known = route("GET", "/b", auth=Auth(anonymous=Anonymous.NO))
    joined, _ = join_document([route("GET", "/a"), known], source)
    assert [o.descriptor.auth.anonymous for o in joined] == [Anonymous.YES, Anonymous.NO]


def test_an_unreadable_document_changes_nothing() -> None:
    operations = (route("GET", "/a"),)
    joined, findings = join_document(operations, "{")
    assert joined == operations
    assert [d.code for d in findings] == ["openapi_document_unparseable"]


def test_a_document_covers_what_it_lists_and_nothing_when_it_cannot_be_read() -> None:
    listed, other = route("GET", "/a").descriptor, route("POST", "/a").descriptor
    routes = RouteDocument(document({"/a": {"get": {}}}))

    assert (routes.covers(listed), routes.covers(other)) == (True, False)
    assert routes.unmatched() == ()
    assert not RouteDocument("no: [document").covers(listed)


@pytest.mark.parametrize(
    "body", [{"$ref": "#/components/requestBodies/Gone"}, {"required": True}, "Pet"]
)
def test_a_body_that_cannot_be_read_leaves_open_what_the_route_accepts(body: Any) -> None:
    paths = {"/pets": {"post": {"requestBody": body}, "put": {}}}
    routes = [route("POST", "/pets"), route("PUT", "/pets")]
    (unread, bodiless), _ = join_document(routes, document(paths))
    assert (unread.accepts, unread.descriptor.request_body) == (None, None)
    assert bodiless.accepts == ()
