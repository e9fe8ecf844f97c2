"""What is declared about body, query and answers becomes the tool, and is what the view gets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, TypedDict

import pytest
from fastapi import Body, FastAPI, Request
from pydantic import BaseModel
from pydantic_core import core_schema
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_starlette
from sezzlee_py import Catalog, Options, declare, mcp_tool
from sezzlee_py.testing import AgentClient


class Item(BaseModel):
    sku: str
    amount: int = 1


class Cart(BaseModel):
    items: list[Item]
    note: str | None = None


class Paging(BaseModel):
    page: int = 1
    tags: list[str] = []


class Deep(BaseModel):
    cart: Cart


class Pair(BaseModel):
    one: Item
    two: Item


@dataclass
class Point:
    x: int
    y: int = 0


class Named(TypedDict):
    name: str


async def echo(request: StarletteRequest) -> JSONResponse:
    form = request.headers.get("content-type", "").partition(";")[0]
    if form == "application/json":
        body: Any = await request.json()
    elif form in ("multipart/form-data", "application/x-www-form-urlencoded"):
        async with request.form() as fields:
            body = {name: _text(value) for name, value in fields.items()}
            for value in fields.values():
                if not isinstance(value, str):
                    body["bytes"] = (await value.read()).decode()
    else:
        body = (await request.body()).decode()
    return JSONResponse({"query": request.query_params.multi_items(), "type": form, "body": body})


def _text(value: Any) -> Any:
    return value if isinstance(value, str) else value.filename


def view(path: str = "/a", method: str = "POST", **declared: Any) -> Starlette:
    @mcp_tool("echo", **declared)
    async def declared_echo(request: StarletteRequest) -> JSONResponse:
        return await echo(request)

    return Starlette(routes=[Route(path, declared_echo, methods=[method])])


def catalog_of(app: Starlette, **options: Any) -> Catalog:
    return sezzlee_starlette.mount_mcp(app, options=Options(**options)).build()


def properties(catalog: Catalog) -> dict[str, Any]:
    (tool,) = catalog
    found: dict[str, Any] = tool.input_schema["properties"]
    return found


STRING, INTEGER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("body", "fields", "required"),
    [
        (Point, {"x": INTEGER, "y": INTEGER}, ["x"]),
        (Named, {"name": STRING}, ["name"]),
        (Item, {"sku": STRING, "amount": INTEGER}, ["sku"]),
        (
            {"type": "object", "properties": {"a": {"type": "string", "title": "A"}}},
            {"a": {"type": "string", "title": "A"}},
            [],
        ),
    ],
)
def test_a_declared_body_is_published_by_its_fields(
    body: Any, fields: dict[str, Any], required: list[str]
) -> None:
    (tool,) = catalog_of(view(body=body))
    assert tool.input_schema["properties"] == fields
    assert tool.input_schema["required"] == required


def test_a_declared_body_reaches_the_view() -> None:
    app = view(body=Cart)
    sezzlee_starlette.mount_mcp(app)
    with AgentClient(app) as agent:
        answer = agent.invoke("echo", {"items": [{"sku": "a1"}], "note": None})
    assert answer["body"] == {
        "query": [],
        "type": "application/json",
        "body": {"items": [{"sku": "a1"}], "note": None},
    }


def test_a_declared_query_is_one_argument_per_field_and_reaches_the_view() -> None:
    app = view(method="GET", query=Paging)
    sezzlee = sezzlee_starlette.mount_mcp(app)
    assert properties(sezzlee.build()) == {
        "page": INTEGER,
        "tags": {"type": "array", "items": STRING},
    }
    with AgentClient(app) as agent:
        answer = agent.invoke("echo", {"page": 2, "tags": ["a", "b"]})
    assert answer["body"]["query"] == [["page", "2"], ["tags", "a"], ["tags", "b"]]


def test_a_grouped_query_is_written_in_the_notation_the_host_reads() -> None:
    app = view(method="GET", query=Paging)
    options = Options(query={"grouping": "group", "parses": "bracket"})
    sezzlee_starlette.mount_mcp(app, options=options)
    with AgentClient(app) as agent:
        (name,) = agent.load("echo")["inputSchema"]["properties"]
        answer = agent.invoke("echo", {name: {"page": 2}})
    assert answer["body"]["query"] == [[f"{name}[page]", "2"]]


def test_declared_responses_give_the_output_schema() -> None:
    (tool,) = catalog_of(view(body=Item, responses={201: Item, 404: None}))
    assert tool.output_schema == {
        "type": "object",
        "properties": {"sku": STRING, "amount": INTEGER},
        "required": ["sku"],
    }


def test_a_form_and_files_are_written_as_declared() -> None:
    app = view(body=Named, consumes="application/x-www-form-urlencoded")
    sezzlee_starlette.mount_mcp(app)
    with AgentClient(app) as agent:
        answer = agent.invoke("echo", {"name": "a b"})
    assert answer["body"]["type"] == "application/x-www-form-urlencoded"
    assert answer["body"]["body"] == {"name": "a b"}
    app = view(files=["report"])
    sezzlee_starlette.mount_mcp(app)
    with AgentClient(app) as agent:
        answer = agent.invoke("echo", {"report": {"text": "hello", "name": "a.txt"}})
    assert answer["body"]["type"] == "multipart/form-data"
    assert answer["body"]["body"] == {"report": "a.txt", "bytes": "hello"}


def test_a_class_declares_the_media_type_of_the_operations_that_have_a_body() -> None:
    app = Starlette()
    writes: Any = mcp_tool("save", body=Named)(lambda request: None)
    reads: Any = mcp_tool("read")(lambda request: None)
    app.router.routes += [Route("/save", writes, methods=["POST"]), Route("/read", reads)]
    declare(app, consumes="application/x-www-form-urlencoded")
    catalog = catalog_of(app)
    templates = {tool.name: tool.template for tool in catalog}
    save, read = templates["save"], templates["read"]
    assert save is not None
    assert save.body is not None
    assert save.body.content_type == "application/x-www-form-urlencoded"
    assert read is not None
    assert read.body is None


def test_a_declared_body_beats_what_fastapi_knows() -> None:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save", body=Point, responses={200: Named})
    def save(item: Item) -> Item:
        return item

    (tool,) = sezzlee_fastapi.mount_mcp(app).build()
    assert tool.input_schema["properties"] == {"x": INTEGER, "y": INTEGER}
    assert tool.output_schema is not None
    assert tool.output_schema["properties"] == {"name": STRING}


def test_a_fastapi_view_that_reads_the_request_itself_says_nothing_about_its_body() -> None:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save")
    async def save(request: Request) -> Any:
        return await request.json()

    catalog = sezzlee_fastapi.mount_mcp(app).build()
    assert [found.code for found in catalog.diagnostics] == [
        "optional_body_argument",
        "undeclared_body",
    ]
    with AgentClient(app) as agent:
        assert agent.invoke("save", {"body": {"a": 1}}) == {"status": 200, "body": {"a": 1}}


def test_an_annotation_given_as_text_is_looked_up_where_the_handler_stands() -> None:
    assert properties(catalog_of(view(body="Item"))) == {"sku": STRING, "amount": INTEGER}


def test_options_shape_and_name_the_types_that_are_declared() -> None:
    shaped = Options(schema={"type_shape": lambda t: {"type": "string"} if t is Item else None})
    app = view(body=Cart)
    cart = properties(sezzlee_starlette.mount_mcp(app, options=shaped).build())
    assert cart["items"] == {"type": "array", "items": STRING}

    class Pair(BaseModel):
        one: Item
        two: Item

    named = catalog_of(
        view(body=Pair), schema={"type_name": lambda t: "Line" if t is Item else None}
    )
    (tool,) = named
    assert list(tool.input_schema["$defs"]) == ["Line"]


def test_a_depth_limit_holds_for_what_the_framework_told_and_for_what_is_declared() -> None:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save")
    def save(deep: Deep) -> Deep:
        return deep

    depth = Options(schema={"max_depth": 1})
    written = sezzlee_fastapi.mount_mcp(app, options=depth).build()
    declared = catalog_of(view(body=Deep), schema={"max_depth": 1})
    for catalog in (written, declared):
        cart = properties(catalog)["cart"]
        assert cart["properties"]["items"] == {"type": "object", "additionalProperties": True}
        assert "schema_depth_truncated" in [found.code for found in catalog.diagnostics]
    (tool,) = written
    assert tool.output_schema is not None


def test_read_only_members_of_a_declared_body_are_left_out_unless_the_host_keeps_them() -> None:
    class Stored(BaseModel):
        name: str
        number: int

        model_config = {
            "json_schema_extra": lambda s: s["properties"]["number"].update(readOnly=True)
        }

    assert set(properties(catalog_of(view(body=Stored)))) == {"name"}
    kept = catalog_of(view(body=Stored), schema={"drop_read_only": False})
    assert set(properties(kept)) == {"name", "number"}


class Colour(Enum):
    RED = "red"


class Priced(BaseModel):
    colour: Colour
    one: Item
    two: Item


def test_options_shape_and_name_the_types_that_fastapi_knows() -> None:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save")
    def save(priced: Priced) -> Priced:
        return priced

    shapes = {Colour: {"type": "string", "description": "A colour."}}
    schema = {
        "type_shape": shapes.get,
        "type_name": lambda kind: "Line" if kind is Item else None,
    }
    catalog = sezzlee_fastapi.mount_mcp(app, options=Options(schema=schema)).build()
    (tool,) = catalog
    for published in (tool.input_schema, tool.output_schema):
        assert published is not None
        assert published["properties"]["colour"] == shapes[Colour]
        assert list(published["$defs"]) == ["Line"]
    assert catalog.diagnostics == ()
    # The application's own document is none of the SDK's business.
    own = app.openapi()["components"]["schemas"]
    assert "Colour" in own
    assert "x-sezzlee" not in str(own)


class Opaque:
    """A type that FastAPI validates and cannot write."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.is_instance_schema(cls)


def test_a_shape_for_a_type_that_fastapi_cannot_write_mends_the_operation() -> None:
    def build(**schema: Any) -> Catalog:
        app = FastAPI()

        @app.post("/a", response_model=None)
        @mcp_tool("save")
        def save(body: Annotated[Opaque, Body()]) -> None: ...

        return sezzlee_fastapi.mount_mcp(app, options=Options(schema=schema)).build()

    assert "unreadable_shape" in [found.code for found in build().diagnostics]
    shaped = build(
        type_shape=lambda kind: (
            {"type": "object", "properties": {"a": STRING}} if kind is Opaque else None
        )
    )
    assert shaped.diagnostics == ()
    assert properties(shaped) == {"a": STRING}
