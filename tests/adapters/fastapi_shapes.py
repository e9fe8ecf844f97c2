"""Handlers in every way FastAPI lets one ask for input; each returns what it was given."""

# ruff: noqa: B008 - a default that is a call is how these frameworks were written for years.
# Annotations are read when a route is added, so they must not be text.
import datetime as dt
import enum
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import (
    BackgroundTasks,
    Body,
    Cookie,
    Depends,
    File,
    Form,
    Header,
    Path,
    Query,
    Request,
    Response,
    Security,
    UploadFile,
)
from fastapi.security import APIKeyHeader, HTTPBearer, OAuth2PasswordBearer
from pydantic import BaseModel, Field


class Color(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    name: str
    price: float = 1.0
    note: str | None = None


class Aliased(BaseModel):
    first_name: str = Field(alias="firstName")
    last_name: str = Field(validation_alias="lastName", default="")


class Tree(BaseModel):
    label: str
    children: "list[Tree]" = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: str


class Filters(BaseModel):
    limit: int = 10
    order_by: Literal["a", "b"] = "a"
    tags: list[str] = []


class Strict(BaseModel):
    page: int
    page_size: int = Field(20, alias="pageSize")


class Traces(BaseModel):
    x_request_tag: str
    save_data: bool = False


class Tracking(BaseModel):
    visit_no: str
    campaign: str | None = None


class Login(BaseModel):
    username: str
    password: str


class Application(BaseModel):
    note: str
    scan: UploadFile
    more: list[UploadFile] = []


@dataclass
class Point:
    x: int
    y: int = 0


def paging(skip: int = 0, limit: int = 100) -> dict[str, int]:
    return {"skip": skip, "limit": limit}


def deep_three(z: str, x_deep: Annotated[str, Header()]) -> str:
    return z + x_deep


def deep_two(y: int, three: str = Depends(deep_three)) -> str:
    return three


def deep_one(x: int, two: str = Depends(deep_two)) -> str:
    return two


class Pager:
    def __init__(self, page: int = 1, size: int = 10) -> None:
        self.page = page


class Checker:
    def __init__(self, word: str) -> None:
        self.word = word

    def __call__(self, q: str = "") -> bool:
        return self.word in q


async def opened(token_hint: str | None = None) -> Any:
    yield token_hint


def body_in_dependency(item: Item) -> Item:
    return item


bearer = HTTPBearer()
optional_key = APIKeyHeader(name="X-Key", auto_error=False)
oauth = OAuth2PasswordBearer("token", scopes={"read": "r", "write": "w"})


def current_user(token: str = Depends(oauth)) -> str:
    return token


class Shape(NamedTuple):
    """A route and the names of the fields of its body, `None` without a body."""

    path: str
    method: str
    endpoint: Callable[..., Any]
    body: set[str] | None = None


SHAPES: dict[str, Shape] = {}


def shape(
    path: str = "/", method: str = "GET", body: set[str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        SHAPES[function.__name__] = Shape(path, method, function, body)
        return function

    return keep


# -- path ------------------------------------------------------------------------------------


@shape()
def nothing() -> None: ...


@shape("/{item_id}")
def path_untyped(item_id) -> None: ...  # type: ignore[no-untyped-def]


@shape("/{item_id}")
def path_int(item_id: int) -> None: ...


@shape("/{a}/x/{b}")
def path_two_in_other_order(b: str, a: int) -> None: ...


@shape("/{rest:path}/end")
def path_spanning(rest: str) -> None: ...


@shape("/{n:int}/{f:float}/{u:uuid}")
def path_converters(n: int, f: float, u: uuid.UUID) -> None: ...


@shape("/{color}")
def path_enum(color: Color) -> None: ...


@shape("/{item_id}")
def path_constrained(item_id: Annotated[int, Path(ge=1, le=9, description="Which.")]) -> None: ...


@shape("/{itemId}")
def path_alias(item_id: Annotated[str, Path(alias="itemId")]) -> None: ...


@shape("/{width}x{height}.{ext}")
def path_inside_a_segment(width: int, height: int, ext: str) -> None: ...


@shape("/{known}/{unknown}")
def path_captured_only(known: str) -> None: ...


@shape("/{{pid}}/{{n:int}}")
def path_doubled_braces(pid: str) -> None: ...


@shape("/{day}")
def path_date(day: dt.date) -> None: ...


# -- query -----------------------------------------------------------------------------------


@shape()
def query_required(q: str) -> None: ...


@shape()
def query_default(q: int = 3) -> None: ...


@shape()
def query_optional(q: str | None = None) -> None: ...


@shape()
def query_required_but_nullable(q: str | None) -> None: ...


@shape()
def query_list(q: Annotated[list[int], Query()]) -> None: ...


@shape()
def query_list_default(q: list[str] = Query(["a"])) -> None: ...


@shape()
def query_set(q: Annotated[set[str] | None, Query()] = None) -> None: ...


@shape()
def query_alias(item_query: Annotated[str, Query(alias="item-query")]) -> None: ...


@shape()
def query_validation_alias(q: Annotated[str, Query(validation_alias="realName")]) -> None: ...


@shape()
def query_bool(flag: bool, other: bool = False) -> None: ...


@shape()
def query_enum(color: Color = Color.RED) -> None: ...


@shape()
def query_literal(mode: Literal["a", "b"]) -> None: ...


@shape()
def query_union(v: int | str) -> None: ...


@shape()
def query_number_or_text(v: float | str) -> None: ...


@shape()
def query_many_scalars(
    a: int, b: float, c: Decimal, d: dt.datetime, e: uuid.UUID, f: dt.timedelta
) -> None: ...


@shape()
def query_model(filters: Annotated[Filters, Query()]) -> None: ...


@shape()
def query_model_with_alias(strict: Annotated[Strict, Query()]) -> None: ...


@shape()
def query_deprecated(q: Annotated[str, Query(deprecated=True)] = "") -> None: ...


@shape()
def query_hidden_but_required(q: Annotated[str, Query(include_in_schema=False)]) -> None: ...


@shape()
def query_pattern(q: Annotated[str, Query(min_length=1, pattern="^a")] = "a") -> None: ...


@shape()
def query_default_factory(q: Annotated[str, Query(default_factory=lambda: "x")]) -> None: ...


# -- header and cookie -----------------------------------------------------------------------


@shape()
def header_underscored(x_trace_tag: Annotated[str, Header()]) -> None: ...


@shape()
def header_kept(x_trace_tag: Annotated[str, Header(convert_underscores=False)]) -> None: ...


@shape()
def header_alias(tag: Annotated[str | None, Header(alias="X-Alias_Tag")] = None) -> None: ...


@shape()
def header_int(x_count: int = Header(0)) -> None: ...


@shape()
def header_model(traces: Annotated[Traces, Header()]) -> None: ...


@shape()
def cookie_plain(theme: Annotated[str, Cookie()]) -> None: ...


@shape()
def cookie_alias(t: Annotated[str | None, Cookie(alias="ui-theme")] = None) -> None: ...


@shape()
def cookie_model(tracking: Annotated[Tracking, Cookie()]) -> None: ...


@shape("/{a}")
def every_location(
    a: str,
    b: str,
    x_c: Annotated[str, Header()],
    d: Annotated[str, Cookie()],
    x_e: Annotated[str | None, Header()] = None,
) -> None: ...


# -- dependencies ----------------------------------------------------------------------------


@shape()
def dependency(page: dict[str, int] = Depends(paging)) -> None: ...


@shape()
def dependency_at_depth(one: Annotated[str, Depends(deep_one)]) -> None: ...


@shape()
def dependency_twice(
    a: Annotated[dict[str, int], Depends(paging)], b: Annotated[dict[str, int], Depends(paging)]
) -> None: ...


@shape()
def dependency_class(pager: Pager = Depends()) -> None: ...


@shape()
def dependency_instance(found: bool = Depends(Checker("x"))) -> None: ...


@shape()
def dependency_generator(hint: str = Depends(opened)) -> None: ...


@shape()
def dependency_asks_the_same(
    skip: int, page: Annotated[dict[str, int], Depends(paging)]
) -> None: ...


@shape("/", "POST", {"name", "price", "note"})
def dependency_with_body(item: Annotated[Item, Depends(body_in_dependency)]) -> None: ...


@shape()
def security_bearer(token: Any = Depends(bearer)) -> None: ...


@shape()
def security_optional_key(key: str | None = Depends(optional_key), q: str = "") -> None: ...


@shape()
def security_scopes(user: str = Security(current_user, scopes=["read"]), q: str = "") -> None: ...


@shape("/{x}")
def specials(
    request: Request, response: Response, tasks: BackgroundTasks, x: str, q: str = ""
) -> None: ...


# -- body ------------------------------------------------------------------------------------


@shape("/", "POST", {"name", "price", "note"})
def body_model(item: Item) -> None: ...


@shape("/{item_id}", "PUT", {"name", "price", "note"})
def body_with_path_and_query(item_id: int, item: Item, q: str | None = None) -> None: ...


@shape("/", "POST", {"item"})
def body_embedded(item: Annotated[Item, Body(embed=True)]) -> None: ...


@shape("/", "POST", {"item", "importance"})
def body_several(item: Item, importance: Annotated[int, Body()]) -> None: ...


@shape("/", "PATCH", {"a", "b"})
def body_scalars(a: int = Body(), b: str | None = Body(None)) -> None: ...


@shape("/", "POST", {"firstName", "lastName"})
def body_aliases(person: Aliased) -> None: ...


@shape("/", "POST", {"label", "children"})
def body_recursive(tree: Tree) -> None: ...


@shape("/", "POST", set())
def body_list(items: list[Item]) -> None: ...


@shape("/", "POST", set())
def body_scalar(text: str = Body()) -> None: ...


@shape("/", "POST", set())
def body_free(anything: dict[str, Any]) -> None: ...


@shape("/", "POST", set())
def body_union(pet: Annotated[Cat | Dog, Body(discriminator="kind")]) -> None: ...


@shape("/", "POST", {"name", "price", "note"})
def body_optional(item: Item | None = None) -> None: ...


@shape("/", "POST", {"x", "y"})
def body_dataclass(point: Point) -> None: ...


@shape("/{item_id}", "DELETE", {"reason"})
def body_on_delete(item_id: int, reason: Annotated[str, Body(embed=True)]) -> None: ...


@shape("/", "POST", {"user-name", "b"})
def body_field_alias(
    a: Annotated[str, Body(alias="user-name")], b: Annotated[int, Body()] = 1
) -> None: ...


# -- forms and files -------------------------------------------------------------------------


@shape("/", "POST", {"username", "password"})
def form_fields(username: Annotated[str, Form()], password: Annotated[str, Form()]) -> None: ...


@shape("/", "POST", {"username", "password"})
def form_model(login: Annotated[Login, Form()]) -> None: ...


@shape("/", "POST", {"note", "scan", "more"})
def form_model_with_files(application: Annotated[Application, Form()]) -> None: ...


@shape("/", "POST", {"up"})
def file_upload(up: UploadFile) -> None: ...


@shape("/", "POST", {"data"})
def file_bytes(data: Annotated[bytes, File()]) -> None: ...


@shape("/", "POST", {"files"})
def file_list(files: list[UploadFile]) -> None: ...


@shape("/", "POST", {"up", "note"})
def file_with_field(note: Annotated[str, Form()], up: UploadFile | None = None) -> None: ...


@shape("/", "POST")
def body_hidden_in_the_request(request: Request) -> None: ...
