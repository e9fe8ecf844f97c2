"""FastAPI's own fresh document, lowered."""

import enum
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from fastapi import Body, Cookie, Depends, FastAPI, File, Form, Header, Query, Security, UploadFile
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPBearer
from pydantic import BaseModel, Field

from sezzlee_fastapi.writer import DocumentWriter
from sezzlee_py.catalog.schema.generator import Hooks
from sezzlee_py.model import Carrier, Parameter, ParameterLocation, RequestBody
from sezzlee_py.openapi import ApiDocument, Dialect, LoweredOperation, lower_operation
from tests.unit.schema.reading import check_published

PATH, QUERY, HEADER, COOKIE = (
    ParameterLocation.PATH,
    ParameterLocation.QUERY,
    ParameterLocation.HEADER,
    ParameterLocation.COOKIE,
)
FILE = {"type": "string", "contentMediaType": "application/octet-stream"}


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Sub(BaseModel):
    a: int = 0
    b: str | None = None


class Tree(BaseModel):
    kids: list["Tree"] = []


class Item(BaseModel):
    name: str
    color: Color = Color.RED
    price: Decimal = Decimal(1)
    blob: bytes = b""
    sub: Sub | None = None


class Search(BaseModel):
    q: str
    tags: list[Color] = []
    nested: dict[str, int] | None = None
    subs: list[Sub] = []


class Client(BaseModel):
    app: str
    traits: list[str] = []


def lowered(
    function: Any, method: str = "POST", path: str = "/x", **route: Any
) -> LoweredOperation:
    app = FastAPI()
    app.add_api_route(path, function, methods=[method], **route)
    raw = DocumentWriter(Hooks()).write(app.routes)
    document = ApiDocument(raw, dialect=Dialect.FASTAPI)
    operation = raw["paths"][path][method.lower()]
    found = lower_operation(operation, method=method, route=path, document=document)
    for parameter in found.parameters:
        check_published(dict(parameter.schema))
    if found.request_body is not None:
        check_published(dict(found.request_body.schema))
    for response in found.responses.values():
        check_published(dict(response.schema or {}))
    return found


def codes(found: LoweredOperation) -> list[str]:
    assert all(d.pointer is None and d.operation == "POST /x" for d in found.diagnostics)
    return [d.code for d in found.diagnostics]


def parameter(name: str, location: ParameterLocation, schema: Any, required: bool = False) -> Any:
    return Parameter(name=name, location=location, schema=schema, required=required)


def test_parameters_come_in_fastapis_order_under_their_wire_names() -> None:
    def view(
        item: int,
        q: Annotated[list[Color] | None, Query(description="colours")] = None,
        x_token: Annotated[str | None, Header()] = None,
        raw_name: Annotated[str, Header(convert_underscores=False)] = "",
        theme: Annotated[str | None, Cookie()] = None,
        limit: Annotated[int, Query(ge=1, alias="max")] = 5,
    ) -> None: ...

    found = lowered(view, "GET", "/x/{item}")
    assert found.parameters == (
        parameter("item", PATH, {"type": "integer"}, True),
        Parameter(
            name="q",
            location=QUERY,
            schema={
                "type": "array",
                "items": {"type": "string", "enum": ["r", "b"]},
                "description": "colours",
            },
            description="colours",
        ),
        parameter("max", QUERY, {"type": "integer", "minimum": 1}),
        parameter("x-token", HEADER, {"type": "string"}),
        parameter("raw_name", HEADER, {"type": "string"}),
        parameter("theme", COOKIE, {"type": "string"}),
    )
    assert (found.diagnostics, found.accepts, found.request_body) == ((), None, None)


def test_a_model_is_the_body_and_the_automatic_422_is_no_response() -> None:
    def view(item: Item) -> Item:
        return item

    found = lowered(view, tags=["a", Color.BLUE], deprecated=True, summary="S", description="D")
    assert found.request_body == RequestBody(
        schema={
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "color": {"type": "string", "enum": ["r", "b"]},
                "price": {"type": "number"},
                "blob": {"type": "string"},
                "sub": {
                    "type": ["object", "null"],
                    "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}},
                },
            },
        }
    )
    assert list(found.responses) == ["200"]
    response = found.responses["200"].schema
    assert response is not None
    assert response["properties"]["price"]["type"] == "string"
    assert (found.tags, found.deprecated, found.summary, found.description) == (
        ("a", "b"),
        True,
        "S",
        "D",
    )
    assert found.accepts == ("application/json",)


def test_a_declared_422_is_kept() -> None:
    def view(item: Item) -> None: ...

    found = lowered(view, responses={422: {"model": Sub}, 404: {"description": "gone"}})
    assert {status: r.schema is None for status, r in found.responses.items()} == {
        "200": True,
        "422": False,
        "404": True,
    }


def test_several_body_parameters_are_the_members_of_one_object() -> None:
    def view(item: Item, sub: Sub, n: Annotated[int, Body()]) -> None: ...

    body = lowered(view).request_body
    assert body is not None
    assert (list(body.schema["properties"]), body.schema["required"]) == (
        ["item", "sub", "n"],
        ["item", "sub", "n"],
    )
    assert list(body.schema["$defs"]) == ["Sub"]


def embedded(item: Annotated[Sub, Body(embed=True)]) -> None: ...
def listed(items: list[Sub]) -> None: ...
def optional(item: Sub | None = None) -> None: ...
def nullable(item: Annotated[Sub | None, Body()]) -> None: ...
def anything(item: Annotated[Any, Body()]) -> None: ...
def recursive(tree: Tree) -> None: ...
def text(item: Annotated[str, Body(media_type="text/plain")]) -> None: ...
def raw(item: Annotated[bytes, Body(media_type="application/octet-stream")]) -> None: ...
def problem(item: Annotated[Sub, Body(media_type="application/merge-patch+json")]) -> None: ...


SUB = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}},
}
TREE = {
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
}


@pytest.mark.parametrize(
    ("view", "body"),
    [
        (
            embedded,
            RequestBody(
                schema={"type": "object", "properties": {"item": SUB}, "required": ["item"]}
            ),
        ),
        (listed, RequestBody(schema={"type": "array", "items": SUB})),
        (optional, RequestBody(schema=SUB, required=False)),
        (nullable, RequestBody(schema=SUB)),
        (anything, RequestBody(schema={"type": "object", "additionalProperties": True})),
        (recursive, RequestBody(schema={**TREE, "$defs": {"Tree": TREE}})),
        (text, RequestBody(schema={"type": "string"})),
        (raw, RequestBody(schema=FILE, content_type="application/octet-stream")),
        (problem, RequestBody(schema=SUB, content_type="application/merge-patch+json")),
    ],
)
def test_a_body_has_the_shape_that_a_client_would_send(view: Any, body: RequestBody) -> None:
    found = lowered(view)
    assert found.request_body == body
    assert found.diagnostics == ()


def test_forms_and_files_are_fields_without_null() -> None:
    def view(
        one: UploadFile,
        many: list[UploadFile] | None = None,
        data: Annotated[bytes | None, File()] = None,
        note: Annotated[str | None, Form()] = None,
    ) -> None: ...

    assert lowered(view).request_body == RequestBody(
        schema={
            "type": "object",
            "properties": {
                "one": FILE,
                "many": {"type": "array", "items": FILE},
                "data": FILE,
                "note": {"type": "string"},
            },
            "required": ["one"],
        },
        content_type="multipart/form-data",
    )


def test_a_form_model_publishes_its_fields() -> None:
    def view(form: Annotated[Sub, Form()]) -> None: ...

    assert lowered(view).request_body == RequestBody(
        schema={
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        },
        content_type="application/x-www-form-urlencoded",
    )


def test_nothing_writes_xml() -> None:
    def view(item: Annotated[str, Body(media_type="application/xml")]) -> None: ...

    found = lowered(view)
    assert (codes(found), found.is_dropped) == (["unsupported_binding"], True)


def test_members_of_a_query_model_that_fastapi_cannot_read_are_left_out() -> None:
    def view(search: Annotated[Search, Query()]) -> None: ...

    found = lowered(view)
    assert [p.name for p in found.parameters] == ["q", "tags"]
    assert codes(found) == ["unbound_query_object", "unbound_query_object"]
    assert not found.is_dropped


def test_a_query_of_nothing_but_objects_drops_the_operation() -> None:
    class Only(BaseModel):
        tree: Tree | None = None

    def view(only: Annotated[Only, Query()]) -> None: ...

    found = lowered(view)
    assert codes(found) == ["unbound_query_object", "unresolved_query_shape"]
    assert found.is_dropped


def test_list_headers_are_left_out_or_drop_the_operation() -> None:
    def view(client: Annotated[Client, Header()]) -> None: ...

    def required(names: Annotated[list[str], Header()]) -> None: ...

    found = lowered(view)
    assert [p.name for p in found.parameters] == ["app"]
    assert codes(found) == ["unbound_header_object"]
    assert codes(lowered(required)) == ["header_parameter_array"]


def test_identity_is_a_carrier_and_no_argument() -> None:
    def view(
        authorization: Annotated[str | None, Header()] = None,
        session_id: Annotated[str | None, Cookie()] = None,
        accept: Annotated[str | None, Header()] = None,
        x_real_ip: Annotated[str | None, Header()] = None,
        x_ok: Annotated[str | None, Header()] = None,
    ) -> None: ...

    found = lowered(view)
    assert [p.name for p in found.parameters] == ["x-ok"]
    assert found.carriers == (
        Carrier(location=HEADER, name="authorization"),
        Carrier(location=COOKIE, name="session_id"),
    )
    assert sorted(codes(found)) == [
        "credential_parameter_ignored",
        "identity_cookie_parameter",
        "reserved_header_parameter_ignored",
        "reserved_header_parameter_ignored",
    ]


def test_a_required_trust_header_drops_the_operation() -> None:
    def view(x_forwarded_for: Annotated[str, Header()]) -> None: ...

    assert codes(lowered(view)) == ["identity_carrier_parameter"]


def test_security_schemes_tell_the_slots_of_identity() -> None:
    def view(
        bearer: Annotated[Any, Security(HTTPBearer())],
        key: Annotated[str, Security(APIKeyHeader(name="X-Key"))],
        cookie: Annotated[str, Depends(APIKeyCookie(name="who"))],
        x_key: Annotated[str | None, Header()] = None,
    ) -> None: ...

    found = lowered(view)
    assert found.carriers == (
        Carrier(location=HEADER, name="authorization"),
        Carrier(location=HEADER, name="X-Key"),
        Carrier(location=COOKIE, name="who"),
        Carrier(location=HEADER, name="x-key"),
    )
    assert (found.parameters, codes(found)) == ((), ["credential_parameter_ignored"])


def test_a_discriminated_union_is_published_without_its_discriminator() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]
        friend: "Cat | Dog | None" = None

    class Dog(BaseModel):
        kind: Literal["dog"]

    Cat.model_rebuild(_types_namespace={"Cat": Cat, "Dog": Dog})

    class Owner(BaseModel):
        pet: Annotated[Cat | Dog, Field(discriminator="kind")]

    def view(owner: Owner) -> None: ...

    found = lowered(view)
    assert found.request_body is not None
    schema = found.request_body.schema["properties"]["pet"]
    assert schema["oneOf"] == [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    assert codes(found) == ["annotation_removed"]


def test_same_class_name_in_two_modules_gives_two_definitions() -> None:
    first = type("Part", (BaseModel,), {"__annotations__": {"a": int}, "__module__": "pkg.one"})
    second = type("Part", (BaseModel,), {"__annotations__": {"b": int}, "__module__": "pkg.two"})

    def view(x: Any, y: Any, x2: Any, y2: Any) -> None: ...

    view.__annotations__ = {"x": first, "x2": first, "y": second, "y2": second}
    found = lowered(view)
    assert found.request_body is not None
    assert found.request_body.schema["$defs"] == {
        "Part": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        "Part_2": {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]},
    }
    assert codes(found) == ["schema_def_name_disambiguated"]


def test_an_answer_that_is_not_json_has_no_schema() -> None:
    from fastapi.responses import PlainTextResponse

    def view() -> Any: ...

    found = lowered(view, response_class=PlainTextResponse)
    assert found.responses["200"].schema is None


class Application(BaseModel):
    note: str
    scan: UploadFile
    more: list[UploadFile] = []


def test_a_form_model_with_files_is_multipart_whatever_fastapi_calls_it() -> None:
    def view(application: Annotated[Application, Form()]) -> None: ...

    found = lowered(view)

    assert found.accepts == ("multipart/form-data",)
    assert found.request_body is not None
    assert found.request_body.content_type == "multipart/form-data"
    assert found.request_body.schema["properties"] == {
        "note": {"type": "string"},
        "scan": FILE,
        "more": {"type": "array", "items": FILE},
    }
    assert found.diagnostics == ()
