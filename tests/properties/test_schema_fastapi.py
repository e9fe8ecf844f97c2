"""FastAPI's real handlers accept what the published schemas admit."""

import enum
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional
from uuid import UUID

from fastapi import Body, FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field
from starlette.testclient import TestClient

from sezzlee_fastapi.writer import DocumentWriter
from sezzlee_py.catalog.schema.generator import Hooks
from sezzlee_py.catalog.schema.types import bind_type
from sezzlee_py.catalog.schema_shapes import resolve
from sezzlee_py.openapi import ApiDocument, Dialect, lower_operation


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Part(BaseModel):
    sku: str = Field(alias="SKU", min_length=1, max_length=4)
    count: int = Field(ge=1, lt=5)
    weight: float | None = None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: Annotated[int, Field(gt=0, le=9)] = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    friends: list["Cat | Dog"] = []


class Order(BaseModel):
    id: UUID
    price: Decimal = Field(ge=0)
    color: Color | None = None
    parts: dict[str, Part] = {}
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    parent: Optional["Order"] = None
    pair: tuple[int, str] | None = None
    open: Any = None


app = FastAPI()


@app.post("/model")
def one_model(order: Order) -> None: ...


@app.post("/several")
def several(order: Order, part: Part, n: Annotated[int, Body(ge=0)]) -> None: ...


@app.post("/listed")
def listed(parts: list[Part]) -> None: ...


@app.post("/optional")
def optional(part: Part | None = None) -> None: ...


RAW = DocumentWriter(Hooks()).write(app.routes)
DOCUMENT = ApiDocument(RAW, dialect=Dialect.FASTAPI)


def _body_schema(path: str) -> dict[str, Any]:
    lowered = lower_operation(
        RAW["paths"][path]["post"], method="POST", route=path, document=DOCUMENT
    )
    assert lowered.request_body is not None
    return dict(lowered.request_body.schema)


def values(schema: Any, bag: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that fit a schema of the kinds above."""
    schema = resolve(schema, bag)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            members = schema[word] if depth < 4 else schema[word][-1:]
            return st.one_of([values(member, bag, depth) for member in members])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return st.one_of([values({**schema, "type": kind}, bag, depth) for kind in kinds])
    return _by_type(kinds, schema, bag, depth)


def _by_type(kind: Any, schema: Any, bag: Any, depth: int) -> st.SearchStrategy[Any]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", 1_000) - 1)
    if kind == "integer":
        return st.integers(int(low), int(high))
    if kind == "number":
        return st.floats(max(0, low), high, width=16)
    if kind == "string":
        if schema.get("format") == "uuid":
            return st.uuids().map(str)
        return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 5))
    if kind == "array":
        if "prefixItems" in schema:
            return st.tuples(*[values(s, bag, depth + 1) for s in schema["prefixItems"]]).map(list)
        return st.lists(values(schema["items"], bag, depth + 1), max_size=0 if depth > 3 else 2)
    if kind == "object":
        return _objects(schema, bag, depth)
    return st.none() if kind == "null" else st.one_of(st.none(), st.integers(), st.text())


def _objects(schema: Any, bag: Any, depth: int) -> st.SearchStrategy[Any]:
    fields = schema.get("properties", {})
    required = set(schema.get("required", ()))
    if not fields and isinstance(schema.get("additionalProperties"), dict):
        inner = values(schema["additionalProperties"], bag, depth + 1)
        return st.dictionaries(st.text(max_size=3), inner, max_size=2)
    kept = {n: s for n, s in fields.items() if n in required}
    optional_fields = {} if depth > 3 else {n: s for n, s in fields.items() if n not in required}
    return st.fixed_dictionaries(
        {name: values(s, bag, depth + 1) for name, s in kept.items()},
        optional={name: values(s, bag, depth + 1) for name, s in optional_fields.items()},
    )


PATHS = ["/model", "/several", "/listed", "/optional"]
SCHEMAS = {path: _body_schema(path) for path in PATHS}


@settings(max_examples=120, deadline=None)
@given(st.data(), st.sampled_from(PATHS))
def test_a_value_that_fits_reaches_the_handler(data: st.DataObject, path: str) -> None:
    schema = SCHEMAS[path]
    value = data.draw(values(schema, schema.get("$defs", {})))
    Draft202012Validator(schema).validate(value)
    with TestClient(app) as client:
        answer = client.post(path, json=value)
    assert answer.status_code == 200, answer.text


def test_a_type_binds_to_what_fastapi_documents_about_it() -> None:
    assert bind_type(Order, mode="validation").schema["required"] == SCHEMAS["/model"]["required"]
    bound = bind_type(Part, mode="validation").schema
    assert bound == SCHEMAS["/optional"]
