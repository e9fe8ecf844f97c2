"""Discovery of FastAPI applications: routers, texts, documents, callers, pinning."""

# ruff: noqa: B008 - FastAPI asks for dependencies in defaults.

from __future__ import annotations

import enum
import functools
import gc
import pathlib
import weakref
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Annotated, Any, ClassVar

import pytest
from fastapi import APIRouter, Depends, FastAPI, Header, Path, Query, Request, Security
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.routing import APIRoute
from fastapi.security import (
    APIKeyCookie,
    APIKeyHeader,
    APIKeyQuery,
    HTTPBasic,
    OAuth2PasswordBearer,
)
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Mount, Route

from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_fastapi.writer import DocumentWriter
from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.declaration import declare
from sezzlee_py.model import Anonymous, Auth, Carrier, ParameterLocation
from sezzlee_starlette.discovery import StarletteAdapter
from sezzlee_starlette.routes import Settings
from tests.adapters.asgi_calls import call
from tests.adapters.walks import codes, served


def discover(app: object, **options: Any) -> Discovery:
    return FastAPIAdapter(app, **options).discover()


def operations(app: object) -> list[str]:
    return [found.descriptor.operation for found in served(discover(app))]


def only(app: object) -> DiscoveredOperation:
    (found,) = served(discover(app))
    return found


def names(found: DiscoveredOperation) -> list[tuple[str, str]]:
    return [(p.location.value, p.name) for p in found.descriptor.parameters]


def handler() -> None: ...


def with_route(endpoint: Callable[..., Any], path: str = "/x", **options: Any) -> FastAPI:
    app = FastAPI()
    app.add_api_route(path, endpoint, **{"methods": ["GET"], **options})
    return app


# -- routers -----------------------------------------------------------------------------------


class Tag(enum.Enum):
    INNER = "inner things"


def outer_guard(x_outer: Annotated[str, Header()]) -> None: ...


def nested() -> tuple[FastAPI, APIRouter, APIRouter]:
    """An application whose one route passes through two routers and three prefixes."""
    app = FastAPI(dependencies=[Depends(handler)])
    inner = APIRouter(prefix="/inner", tags=[Tag.INNER])

    @inner.get("/{item_id}", tags=["own"])
    def read_inner(item_id: int) -> None:
        """Read it."""

    outer = APIRouter(prefix="/outer", tags=["outer"], dependencies=[Depends(outer_guard)])
    outer.include_router(inner, prefix="/between", deprecated=True)
    app.include_router(outer, prefix="/api", tags=["api"], include_in_schema=False)
    return app, outer, inner


def test_included_routers_pass_on_everything_they_say() -> None:
    app, _, _ = nested()

    found = only(app)

    descriptor = found.descriptor
    assert descriptor.operation == "GET /api/outer/between/inner/{item_id}"
    assert names(found) == [("path", "item_id"), ("header", "x-outer")]
    assert descriptor.tags == ("api", "outer", "inner things", "own")
    assert (descriptor.container, descriptor.container_key) == ("api", "api")
    assert (descriptor.deprecated, descriptor.auth.imperative) == (True, True)
    assert (descriptor.operation_id, descriptor.description) == (None, "Read it.")


def test_declared_routers_are_containers_whether_routes_were_copied_or_not() -> None:
    app, outer, inner = nested()
    declare(inner, prefix="inner")
    declare(outer, prefix="outer")
    declare(handler, description="no router")

    containers = only(app).containers

    assert [found for found in containers if found in (inner, outer)] == [inner, outer]
    assert containers[-2:] == (app.router, app)


def test_a_declared_router_holds_nothing_of_another_one() -> None:
    app, ours, theirs = FastAPI(), APIRouter(prefix="/ours"), APIRouter(prefix="/theirs")
    for router in (ours, theirs):
        router.add_api_route("/x", handler, methods=["GET"])
        declare(router, tags=["t"])
        app.include_router(router)

    found = discover(app).operations

    assert [(op.descriptor.route, op.containers[0]) for op in found] == [
        ("/ours/x", ours),
        ("/theirs/x", theirs),
    ]


def test_a_router_included_twice_gives_the_same_function_under_two_routes() -> None:
    app, router = FastAPI(), APIRouter()
    router.add_api_route("/x", handler, methods=["GET"])
    app.include_router(router, prefix="/v1")
    app.include_router(router, prefix="/v2")
    app.include_router(router, prefix="/v2")

    found = discover(app)

    assert [op.descriptor.route for op in found.operations] == ["/v1/x", "/v2/x"]
    assert len({op.descriptor.endpoint_key for op in found.operations}) == 1
    assert codes(found) == []


def test_mounts_and_plain_routes_of_a_router_are_found() -> None:
    async def plain(request: Request) -> PlainTextResponse:
        """Plain one."""
        return PlainTextResponse("")

    sub = Starlette(routes=[Route("/deep", plain)])
    app, router = FastAPI(), APIRouter(prefix="/r")
    router.add_route("/plain", plain, methods=["GET"])
    router.routes.append(Mount("/m", app=sub))
    router.add_api_websocket_route("/ws", handler)
    router.add_api_route("/last", handler, methods=["GET"])
    app.include_router(router, prefix="/p")
    found = {op.descriptor.route: op for op in discover(app).operations}

    # Old versions leave mounts of an included router behind; their own router does not serve them.
    served = call(app, "GET", "/p/m/deep")[0] == 200 or call(app, "GET", "/p/r/m/deep")[0] == 200
    mounted = {route for route in found if route.endswith("/deep")}
    assert set(found) - mounted == {"/p/plain", "/p/r/last"}
    assert all(call(app, "GET", route)[0] == 200 for route in mounted)
    assert bool(mounted) is served
    assert found["/p/plain"].descriptor.description == "Plain one."


def test_a_route_the_framework_cannot_include_disturbs_none_of_its_neighbours() -> None:
    class Odd(BaseRoute):
        path = "/odd"

    app, router, inner = FastAPI(), APIRouter(), APIRouter()
    inner.add_api_route("/a", handler, methods=["GET"])
    inner.routes.append(Odd())
    inner.add_api_route("/b", handler, methods=["GET"])
    router.include_router(inner)
    router.routes.append(Odd())
    router.add_api_route("/c", handler, methods=["GET"])
    declare(router, tags=["router"])
    declare(inner, tags=["inner"])
    app.include_router(router)

    found = {
        op.descriptor.route: [c for c in op.containers if c in (inner, router)]
        for op in discover(app).operations
    }

    assert found == {"/a": [inner, router], "/b": [inner, router], "/c": [router]}


def test_documentation_pages_are_no_operations_even_under_other_paths() -> None:
    app = FastAPI(openapi_url="/spec.json", docs_url="/help", redoc_url="/help2")
    app.add_api_route("/docs", handler, include_in_schema=False)

    assert operations(app) == ["GET /docs"]


class OwnPages(FastAPI):
    """Keeps FastAPI from adding its pages, and serves its own where they would be."""

    def __init__(self) -> None:
        super().__init__(openapi_url=None)
        self.openapi_url = "/openapi.json"
        pages = APIRouter()
        pages.add_route("/openapi.json", own_page)
        pages.add_route("/docs", own_page)
        self.include_router(pages)
        self.add_route("/redoc", own_page)
        self.add_route("/docs/oauth2-redirect", own_page)
        self.add_route("/changelog", own_page)


async def own_page(request: Request) -> HTMLResponse:
    return HTMLResponse("")


def test_documentation_pages_of_a_subclass_are_no_operations_wherever_it_stands() -> None:
    outer = FastAPI()
    outer.mount("/inner", OwnPages())

    assert operations(OwnPages()) == ["GET /changelog"]
    assert operations(outer) == ["GET /inner/changelog"]


def test_a_hidden_route_is_described_by_the_one_that_the_document_shows_in_its_place() -> None:
    async def read_by_hand(request: Request, x_asked: Annotated[str, Header()]) -> Any: ...

    async def told(item: Priced, many: bool = False) -> int:
        """Count the items.

        Slowly.
        """
        return 0

    app = FastAPI()
    app.add_api_route(
        "/{shop}/items", read_by_hand, methods=["POST", "PUT"], include_in_schema=False
    )
    app.add_api_route("/{shop}/items", told, methods=["POST"], tags=["items"])
    app.add_api_route("/{thing}/items", told, methods=["POST"])

    found = {op.descriptor.operation: op for op in discover(app).operations}

    post = found["POST /{shop}/items"]
    assert post.endpoint is read_by_hand
    assert names(post) == [("path", "shop"), ("query", "many"), ("header", "x-asked")]
    assert post.descriptor.request_body is not None
    assert (post.descriptor.description, post.descriptor.tags) == ("Count the items.", ("items",))
    assert names(found["PUT /{shop}/items"]) == [("path", "shop"), ("header", "x-asked")]
    assert codes(discover(app)) == [("route_shadowed", "POST /{thing}/items")]
    assert operations(app) == ["POST /{shop}/items", "PUT /{shop}/items"]


def test_a_hidden_route_that_declares_its_body_speaks_for_itself() -> None:
    async def declared(item: Priced) -> Any: ...

    app = FastAPI()
    app.add_api_route("/x", declared, methods=["POST"], include_in_schema=False)
    app.add_api_route("/x", handler, methods=["POST"])

    assert only(app).descriptor.request_body is not None
    assert codes(discover(app)) == [("route_shadowed", "POST /x")]


def test_a_mounted_application_keeps_its_document_and_its_prefix() -> None:
    class Item(BaseModel):
        outer_field: int

    outer_item = Item

    class Item(BaseModel):  # type: ignore[no-redef]
        inner_field: int

    def read(tenant: str, y: int, item: Item) -> None: ...

    def write(item: outer_item) -> None: ...  # type: ignore[valid-type]

    read.__annotations__["item"] = Item
    write.__annotations__["item"] = outer_item
    sub, app = FastAPI(), FastAPI()
    sub.add_api_route("/s/{y}", read, methods=["POST"])
    app.add_api_route("/w", write, methods=["POST"])
    app.mount("/t/{tenant}", sub)

    whole = discover(app).operations
    from_starlette = (
        StarletteAdapter(Starlette(routes=[Mount("/all", app=app)])).discover().operations
    )

    assert [op.descriptor.operation for op in whole] == ["POST /w", "POST /t/{tenant}/s/{y}"]
    assert names(whole[1]) == [("path", "tenant"), ("path", "y"), ("query", "tenant")]
    assert [op.descriptor.operation for op in from_starlette] == [
        "POST /all/w",
        "POST /all/t/{tenant}/s/{y}",
    ]
    bodies = [
        [
            list(op.descriptor.request_body.schema["properties"])
            for op in found
            if op.descriptor.request_body
        ]
        for found in (whole, from_starlette)
    ]
    assert bodies == [[["outer_field"], ["inner_field"]]] * 2


def test_api_routes_in_a_bare_starlette_mount_are_read_as_fastapis() -> None:
    router = APIRouter()

    @router.get("/x/{a}")
    def read(a: int, q: str = "") -> None: ...

    app = Starlette(routes=[Mount("/m", routes=router.routes)])

    (found,) = StarletteAdapter(app).discover().operations
    assert (found.descriptor.route, names(found)) == ("/m/x/{a}", [("path", "a"), ("query", "q")])


# -- ids, texts, tags, containers --------------------------------------------------------------


def test_an_operation_id_is_the_developers_or_none() -> None:
    app = FastAPI(generate_unique_id_function=lambda route: f"made-{route.name}")
    app.add_api_route("/a", handler, methods=["GET"])
    app.add_api_route("/b", handler, methods=["GET"], operation_id="readB")

    assert [op.descriptor.operation_id for op in discover(app).operations] == [None, "readB"]


def documented() -> None:
    """First paragraph
    of two lines.

    Second paragraph.
    \f
    Not for readers.
    """


def fed() -> None:
    """Before.\fAfter."""


class Called:
    """A class."""

    def __call__(self) -> None:
        """Being called."""


@pytest.mark.parametrize(
    ("endpoint", "options", "expected"),
    [
        (handler, {}, None),
        (handler, {"summary": "Said so"}, "Said so"),
        (handler, {"openapi_extra": {"summary": "Said there"}}, "Said there"),
        (documented, {}, "First paragraph of two lines."),
        (documented, {"summary": "Said so"}, "First paragraph of two lines."),
        (documented, {"description": "One.\n\nTwo."}, "One.\n\nTwo."),
        (documented, {"openapi_extra": {"description": "Extra."}}, "Extra."),
        (handler, {"description": "One.\fTwo."}, "One."),
        (fed, {}, "Before."),
        (functools.partial(documented), {}, "First paragraph of two lines."),
        (Called(), {"name": "called"}, "Being called."),
        (lambda: None, {}, None),
    ],
)
def test_a_description_is_what_somebody_wrote(
    endpoint: Callable[..., Any], options: dict[str, Any], expected: str | None
) -> None:
    assert only(with_route(endpoint, **options)).descriptor.description == expected


class Views:
    def index(self) -> None: ...


@pytest.mark.parametrize(
    ("endpoint", "tags", "container"),
    [
        (handler, ["b", "a"], ("b", "b")),
        (handler, [Tag.INNER], ("inner things", "inner things")),
        (handler, [], ("test_fastapi_discovery", __name__)),
        (Views().index, ["t"], ("Views", f"{__name__}.Views")),
    ],
)
def test_a_container_is_the_class_the_first_tag_or_the_module(
    endpoint: Callable[..., Any], tags: list[Any], container: tuple[str, str]
) -> None:
    descriptor = only(with_route(endpoint, tags=tags)).descriptor

    assert (descriptor.container, descriptor.container_key) == container
    assert descriptor.tags == tuple(str(getattr(tag, "value", tag)) for tag in tags)


def test_a_bound_method_brings_its_class_as_container() -> None:
    app = with_route(Views().index)

    assert only(app).containers == (Views, app.router, app)


# -- methods -----------------------------------------------------------------------------------


def test_methods_of_one_route_share_parameters_and_body_whatever_the_hash_seed() -> None:
    class Item(BaseModel):
        name: str

    def save(item: Item, q: int = 0) -> None: ...

    save.__annotations__["item"] = Item
    app = with_route(save, methods=["PUT", "QUERY", "POST", "TRACE", "HEAD"])

    found = discover(app)

    assert [op.descriptor.operation for op in served(found)] == ["POST /x", "PUT /x", "QUERY /x"]
    assert codes(found) == [("unsupported_method", "TRACE /x")]
    assert len({str(op.descriptor.request_body) for op in served(found)}) == 1
    assert all(op.descriptor.request_body for op in served(found))


def test_a_path_parameter_that_the_router_cannot_capture_gives_no_tool() -> None:
    app = FastAPI()

    @app.get("/orders/{order-id}")
    def order(order_id: Annotated[str, Path(alias="order-id")]) -> None: ...

    found = discover(app)
    assert served(found) == []
    assert codes(found) == [("template_rejected", "GET /orders/{order-id}")]


def test_a_lone_head_or_options_route_is_an_operation_and_a_twin_is_not() -> None:
    app = FastAPI()
    app.head("/alone")(handler)
    app.get("/x")(handler)
    app.head("/x")(Called())
    app.options("/x")(handler)

    assert operations(app) == ["HEAD /alone", "GET /x"]


# -- documents ---------------------------------------------------------------------------------


def test_discovery_leaves_the_applications_document_alone() -> None:
    app = with_route(handler)
    adapter = FastAPIAdapter(app)
    adapter.discover()
    untouched = app.openapi_schema
    app.add_api_route("/late", handler, methods=["GET"])

    after = [op.descriptor.route for op in adapter.discover().operations]

    assert untouched is None
    assert after == ["/x", "/late"]
    assert list(app.openapi()["paths"]) == ["/x", "/late"]
    assert [route.include_in_schema for route in app.routes if isinstance(route, APIRoute)] == [
        True,
        True,
    ]


def test_one_document_is_written_per_application(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    real = DocumentWriter.write

    def counted(self: DocumentWriter, routes: Any) -> Any:
        written.append(len(routes))
        return real(self, routes)

    monkeypatch.setattr(DocumentWriter, "write", counted)
    app, sub = FastAPI(), FastAPI()
    for number in range(5):
        app.add_api_route(f"/a{number}", handler, include_in_schema=number % 2 == 0)
        sub.add_api_route(f"/b{number}", handler)
    app.mount("/sub", sub)

    assert len(operations(app)) == 10
    assert written == [5, 5]


class Opaque:
    """A type that validates and has no JSON Schema."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(lambda value: cls())

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        raise RuntimeError("this type keeps its schema to itself")


class WithOpaque(BaseModel):
    model_config: ClassVar[dict[str, Any]] = {"arbitrary_types_allowed": True}
    found: Opaque


def broken_response(q: int) -> Any: ...


def broken_body(q: int, item: WithOpaque) -> None: ...


def broken_parameter(
    q: int,
    odd: Annotated[Opaque, Query()],
    x_odd: Annotated[Opaque | None, Header()] = None,
) -> None: ...


def broken_everywhere(
    q: int, item: WithOpaque, odd: Annotated[Opaque, Query(alias="o-d")]
) -> Any: ...


def test_a_route_that_cannot_be_documented_affects_itself_alone() -> None:
    def good(q: int = 0) -> None: ...

    app = FastAPI()
    for number in range(6):
        app.add_api_route(f"/good{number}", good, methods=["GET"])
    app.add_api_route("/response", broken_response, methods=["GET"], response_model=WithOpaque)
    app.add_api_route("/body", broken_body, methods=["POST"])
    app.add_api_route("/parameter", broken_parameter, methods=["GET"])
    app.add_api_route("/everywhere", broken_everywhere, methods=["POST"], response_model=WithOpaque)
    with pytest.raises(Exception, match="keeps its schema"):
        app.openapi()

    found = discover(app)

    parameters = {
        op.descriptor.route: [
            (p.name, p.required, dict(p.schema)) for p in op.descriptor.parameters
        ]
        for op in found.operations
    }
    q = ("q", True, {"type": "integer"})
    assert parameters == {
        **{f"/good{number}": [("q", False, {"type": "integer"})] for number in range(6)},
        "/response": [q],
        "/body": [q],
        "/parameter": [q, ("odd", True, {}), ("x-odd", False, {})],
        "/everywhere": [q, ("o-d", True, {})],
    }
    bodies = {op.descriptor.route: op.descriptor.request_body for op in found.operations}
    opened = {"type": "object", "additionalProperties": True}
    assert {
        route: (dict(body.schema), body.required) for route, body in bodies.items() if body
    } == {"/body": (opened, True), "/everywhere": (opened, True)}
    assert codes(found) == [
        ("unreadable_shape", "GET /response"),
        ("unreadable_shape", "POST /body"),
        ("unreadable_shape", "GET /parameter"),
        ("unreadable_shape", "POST /everywhere"),
    ]


def broken_header(
    x_odd_one: Annotated[Opaque, Header()],
    x_kept: Annotated[Opaque, Header(convert_underscores=False)],
    aliased: Annotated[Opaque, Header(alias="Alias_Ed")],
) -> None: ...


def test_an_unreadable_header_keeps_the_name_it_travels_under() -> None:
    assert names(only(with_route(broken_header))) == [
        ("header", "x-odd-one"),
        ("header", "x_kept"),
        ("header", "Alias_Ed"),
    ]


def test_an_extra_that_breaks_the_document_is_left_out() -> None:
    class Unspeakable:
        __slots__ = ()

    app = with_route(handler, openapi_extra={"x-odd": Unspeakable()})

    found = discover(app)

    assert [op.descriptor.operation for op in served(found)] == ["GET /x"]
    assert codes(found) == [("unreadable_shape", "GET /x")]


class Priced(BaseModel):
    price: Decimal
    timeout: float | str
    limits: dict[str, Decimal | None]


def priced(item: Priced, rate: Decimal | None = None, size: float | str = "auto") -> None: ...


@pytest.mark.parametrize("type_name", [None, lambda _: None], ids=["plain", "with a hook"])
def test_a_decimal_is_a_number_while_a_number_or_text_stays_both(type_name: Any) -> None:
    settings = Settings(type_name=type_name)
    (found,) = discover(with_route(priced), settings=lambda: settings).operations
    number_or_text = {"anyOf": [{"type": "number"}, {"type": "string"}]}

    assert {p.name: dict(p.schema) for p in found.descriptor.parameters} == {
        "rate": {"type": "number"},
        "size": number_or_text,
    }
    assert found.descriptor.request_body is not None
    assert found.descriptor.request_body.schema["properties"] == {
        "price": {"type": "number"},
        "timeout": number_or_text,
        "limits": {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
    }


def test_hidden_parameters_are_left_out_unless_no_call_succeeds_without_them() -> None:
    def needs(secret: Annotated[int, Query(include_in_schema=False)]) -> None: ...

    def read(
        shown: int,
        hidden: Annotated[int, Query(include_in_schema=False)] = 1,
        below: None = Depends(needs),
    ) -> None: ...

    app = with_route(read)

    assert names(only(app)) == [("query", "shown"), ("query", "secret")]
    assert [p["name"] for p in app.openapi()["paths"]["/x"]["get"]["parameters"]] == ["shown"]


def test_responses_are_those_that_were_declared() -> None:
    class Out(BaseModel):
        id: int

    class Problem(BaseModel):
        why: str

    app = FastAPI()
    app.add_api_route(
        "/json/{a}",
        handler,
        methods=["POST"],
        response_model=Out,
        status_code=201,
        responses={404: {"model": Problem}, 204: {"description": "gone"}},
    )
    app.add_api_route("/html", handler, methods=["GET"], response_class=HTMLResponse)
    app.add_api_route("/none/{a}", lambda a: None, methods=["GET"])

    found = [
        {status: response.schema for status, response in op.descriptor.responses.items()}
        for op in discover(app).operations
    ]

    out = {"properties": {"id": {"type": "integer"}}, "type": "object", "required": ["id"]}
    problem = {"properties": {"why": {"type": "string"}}, "type": "object", "required": ["why"]}
    assert found == [{"201": out, "404": problem, "204": None}, {"200": None}, {"200": None}]


def test_a_converter_speaks_where_the_function_says_nothing() -> None:
    def read(n, f, p, s: str, x: int) -> None: ...  # type: ignore[no-untyped-def]

    app = with_route(read, "/{n:int}/{f:float}/{s:int}/{x}/{p:path}")

    assert [
        (p.name, dict(p.schema), p.spans_segments) for p in only(app).descriptor.parameters
    ] == [
        ("n", {"type": "integer", "minimum": 0}, False),
        ("f", {"type": "number", "minimum": 0}, False),
        ("p", {"type": "string"}, True),
        ("s", {"type": "string"}, False),
        ("x", {"type": "integer"}, False),
    ]


def test_what_the_backend_accepts_is_known_unless_the_handler_reads_the_request() -> None:
    async def nothing(request: Request) -> None: ...

    async def reads(request: Request) -> Any:
        return await request.json()

    async def reads_inside(request: Request) -> Any:
        async def later() -> Any:
            return await request.form()

        return await later()

    app = FastAPI()
    for function in (nothing, reads, reads_inside, handler):
        app.add_api_route(f"/{len(app.routes)}", function, methods=["POST"])

    assert [op.accepts for op in discover(app).operations] == [(), None, None, ()]


async def read_elsewhere(request: Request) -> Any:
    return await parsed(request, 3)


async def parsed(request: Request, depth: int) -> Any:
    return await (parsed(request, depth - 1) if depth else request.json())


def host_of(request: Request) -> str:
    return str(request.url.hostname)


async def read_by_somebody(request: Request) -> Any:
    service = object()
    return await service.create(host_of(request), request=request)  # type: ignore[attr-defined]


async def looked_at(request: Request) -> Any:
    if isinstance(request, Request) and host_of(request):
        return await run_in_threadpool(print, request)
    return again(request)


async def again(request: Request) -> Any:
    return looked_at(request)


def caller_of(asked: Any, _request: Any) -> Any:
    return parsed(asked, 0)


async def read_under_another_name(request: Request) -> Any:
    return await caller_of(request, None)


async def read_from_a_row(request: Request) -> Any:
    return await caller_of(*(request, None), request)


async def quoted(request: Request) -> Any:
    from urllib.parse import quote

    return quote(request)  # type: ignore[call-overload]


async def imported_from_two_places(request: Request) -> Any:
    if request.method == "PUT":
        from urllib.parse import quote as quoting
    else:
        from urllib.parse import unquote as quoting
    return quoting(request)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("function", "accepts"),
    [
        (read_elsewhere, None),
        (read_by_somebody, None),
        (read_under_another_name, None),
        (read_from_a_row, None),
        (imported_from_two_places, None),
        (looked_at, ()),
        (again, ()),
        (quoted, ()),
    ],
)
def test_a_handler_that_hands_its_request_to_a_reader_may_take_a_body(
    function: Any, accepts: Any
) -> None:
    app = FastAPI()
    app.add_api_route("/x", function, methods=["GET", "PUT"])

    assert {op.descriptor.method: op.accepts for op in discover(app).operations} == {
        "GET": (),
        "PUT": accepts,
    }


def test_a_request_that_is_handed_on_a_thousand_times_is_followed_to_the_end(
    tmp_path: pathlib.Path,
) -> None:
    steps = [f"def step{n}(request):\n    return step{n + 1}(request)\n" for n in range(1000)]
    file = tmp_path / "steps.py"
    file.write_text("".join(steps) + "def step1000(request):\n    return request.json()\n")
    module: dict[str, Any] = {"__name__": "steps"}
    exec(compile(file.read_text(), str(file), "exec"), module)
    module["step0"].__annotations__["request"] = Request
    app = FastAPI()
    app.add_api_route("/x", module["step0"], methods=["POST"])

    assert [op.accepts for op in discover(app).operations] == [None]


class Filters(BaseModel):
    size: int = Field(5, alias="pageSize")
    page: int = Field(1, validation_alias="pageNo")
    word: str = ""


def test_query_models_are_told_with_the_names_of_their_fields() -> None:
    def below(more: Annotated[Filters, Query()]) -> None: ...

    def read(below: None = Depends(below)) -> None: ...

    fields = ("pageSize", "pageNo", "word")

    assert only(with_route(read)).query_models == {"more": fields}
    assert only(with_route(by_page)).query_models == {}


# -- identity ----------------------------------------------------------------------------------


def test_identity_parameters_are_carriers_by_the_hosts_settings() -> None:
    def read(
        authorization: Annotated[str, Header()],
        x_internal: Annotated[str, Header()],
        accept: Annotated[str, Header()] = "",
    ) -> None: ...

    plain = discover(with_route(read))
    told = discover(
        with_route(read), settings=lambda: Settings(carriers=("authorization", "X-Internal"))
    )

    assert names(plain.operations[0]) == [("header", "x-internal")]
    assert names(told.operations[0]) == []
    assert [carrier.name for carrier in told.operations[0].descriptor.auth.carriers] == [
        "authorization",
        "x-internal",
    ]
    assert [code for code, _ in codes(plain)] == [
        "credential_parameter_ignored",
        "reserved_header_parameter_ignored",
    ]


def test_an_operation_that_needs_a_connection_header_is_dropped() -> None:
    def read(x_forwarded_for: Annotated[str, Header()]) -> None: ...

    found = discover(with_route(read))

    assert (served(found), codes(found)) == ([], [("identity_carrier_parameter", "GET /x")])


oauth = OAuth2PasswordBearer("token", scopes={"read": "r"})
optional = OAuth2PasswordBearer("token", auto_error=False)
key = APIKeyHeader(name="X-Key")
cookie_key = APIKeyCookie(name="sid", auto_error=False)
query_key = APIKeyQuery(name="key", auto_error=False)


def user(token: str = Depends(oauth)) -> str:
    return token


def reader(name: str = Security(user, scopes=["deep"])) -> str:
    return name


def page(q: int = 0) -> int:
    return q


def vouched() -> None: ...


vouched.__mcp_auth__ = {"anonymous": "no", "policies": ["roles:a"], "imperative": False}  # type: ignore[attr-defined]


def insistent() -> None: ...


insistent.__mcp_auth__ = {"imperative": True}  # type: ignore[attr-defined]


def header_carrier(name: str) -> Carrier:
    return Carrier(location=ParameterLocation.HEADER, name=name)


BEARER = (header_carrier("authorization"),)


def by_oauth(token: str = Depends(oauth)) -> None: ...
def by_optional(token: Any = Depends(optional)) -> None: ...
def by_user(name: str = Depends(user)) -> None: ...
def by_scopes(name: str = Security(reader, scopes=["read", "deep"])) -> None: ...
def by_page(found: int = Depends(page)) -> None: ...
def by_keys(
    a: Any = Depends(key), b: Any = Depends(cookie_key), c: Any = Depends(query_key)
) -> None: ...
def by_both(a: Any = Depends(optional), b: Any = Depends(HTTPBasic())) -> None: ...
def by_marker(a: Any = Depends(vouched)) -> None: ...
def by_insistent(a: Any = Depends(insistent)) -> None: ...


def open_to_all(name: str = Depends(user)) -> None: ...


open_to_all.__mcp_auth__ = {"anonymous": "yes", "imperative": False}  # type: ignore[attr-defined]


def database() -> None: ...


database.__mcp_auth__ = {"anonymous": "yes", "imperative": False}  # type: ignore[attr-defined]


def lenient(name: str = Depends(user)) -> None: ...


lenient.__mcp_auth__ = {"anonymous": "yes", "imperative": False}  # type: ignore[attr-defined]


def by_database(a: Any = Depends(database)) -> None: ...
def by_lenient(a: Any = Depends(lenient)) -> None: ...
def by_database_and_user(a: Any = Depends(database), name: str = Depends(user)) -> None: ...


@pytest.mark.parametrize(
    ("endpoint", "outside", "expected"),
    [
        (handler, [], Auth()),
        (by_database, [], Auth(anonymous=Anonymous.YES)),
        (handler, [Depends(database)], Auth(anonymous=Anonymous.YES)),
        (by_lenient, [], Auth(anonymous=Anonymous.YES, carriers=BEARER)),
        (
            by_database_and_user,
            [],
            Auth(anonymous=Anonymous.NO, imperative=True, carriers=BEARER),
        ),
        (
            by_user,
            [Depends(database)],
            Auth(anonymous=Anonymous.NO, imperative=True, carriers=BEARER),
        ),
        (by_page, [], Auth()),
        (handler, [Depends(page)], Auth(imperative=True)),
        (by_oauth, [], Auth(anonymous=Anonymous.NO, imperative=True, carriers=BEARER)),
        (by_optional, [], Auth(imperative=True, carriers=BEARER)),
        (by_both, [], Auth(anonymous=Anonymous.NO, imperative=True, carriers=BEARER)),
        (by_user, [], Auth(anonymous=Anonymous.NO, imperative=True, carriers=BEARER)),
        (
            by_scopes,
            [],
            Auth(
                anonymous=Anonymous.NO,
                policies=("scope:read", "scope:deep"),
                imperative=True,
                carriers=BEARER,
            ),
        ),
        (
            handler,
            [Security(oauth, scopes=["read"])],
            Auth(
                anonymous=Anonymous.NO,
                policies=("scope:read",),
                imperative=True,
                carriers=BEARER,
            ),
        ),
        (
            by_keys,
            [],
            Auth(
                anonymous=Anonymous.NO,
                imperative=True,
                carriers=(
                    header_carrier("x-key"),
                    Carrier(location=ParameterLocation.COOKIE, name="sid"),
                    Carrier(location=ParameterLocation.QUERY, name="key"),
                ),
            ),
        ),
        (by_marker, [], Auth(anonymous=Anonymous.NO, policies=("roles:a",))),
        (by_insistent, [], Auth(imperative=True)),
        (handler, [Depends(vouched)], Auth(anonymous=Anonymous.NO, policies=("roles:a",))),
        (open_to_all, [], Auth(anonymous=Anonymous.YES, carriers=BEARER)),
        (
            open_to_all,
            [Depends(vouched)],
            Auth(anonymous=Anonymous.NO, policies=("roles:a",), carriers=BEARER),
        ),
    ],
)
def test_callers_are_read_from_schemes_scopes_and_markers(
    endpoint: Callable[..., Any], outside: list[Any], expected: Auth
) -> None:
    assert only(with_route(endpoint, dependencies=outside)).descriptor.auth == expected


@pytest.mark.parametrize("level", ["app", "router", "include"])
def test_a_guard_counts_wherever_it_is_put(level: str) -> None:
    guard = [Depends(oauth)]
    app = FastAPI(dependencies=guard if level == "app" else [])
    router = APIRouter(dependencies=guard if level == "router" else [])
    router.add_api_route("/x", handler, methods=["GET"])
    app.include_router(router, dependencies=guard if level == "include" else [])

    assert only(app).descriptor.auth == Auth(
        anonymous=Anonymous.NO, imperative=True, carriers=BEARER
    )


# -- pinning -----------------------------------------------------------------------------------


def numbered(number: int) -> Callable[..., Any]:
    def answer() -> int:
        return number

    return answer


def maze() -> FastAPI:
    """Routes that compete for the same paths, at every depth FastAPI knows."""
    app, outer, inner, sub = FastAPI(), APIRouter(prefix="/o"), APIRouter(), FastAPI()
    inner.add_api_route("/{a}", numbered(1), methods=["GET"])
    inner.add_api_route("/b/{c:int}", numbered(2), methods=["GET", "POST"])
    outer.add_api_route("/me", numbered(3), methods=["GET"])
    outer.include_router(inner)
    outer.include_router(inner, prefix="/again")
    outer.add_api_route("/{a}/{b}", numbered(4), methods=["GET"])
    sub.add_api_route("/x/{rest:path}", numbered(5), methods=["GET"])
    app.include_router(outer)
    app.add_api_route("/o/{a}", numbered(6), methods=["DELETE"])
    app.mount("/o/s", sub)
    app.mount("/s", sub)
    app.add_api_route("/{{d}}.{ext}", numbered(7), methods=["GET"])
    app.add_api_route("/{rest:path}", numbered(8), methods=["GET"])
    return app


PATHS = [
    *(
        "/o/me",
        "/o/you",
        "/o/b/5",
        "/o/b/five",
        "/o/again/x",
        "/o/again/b/7",
        "/o/s/x/y",
        "/s/x/y/z",
    ),
    *(
        "/{d}.txt",
        "/{}.txt",
        "/",
        "/o",
        "/o/",
        "/o/me/",
        "//",
        "/s/x/",
        "/s/q",
        "/O/me",
        "/o/a/b/c",
    ),
]


def resolved(adapter: FastAPIAdapter, method: str, path: str) -> int | None:
    found = adapter.resolve(method, path)
    by_key = {
        op.descriptor.endpoint_key: op.endpoint()
        for op in adapter.discover().operations  # type: ignore[operator]
    }
    return None if found is None else by_key[found]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", PATHS)
def test_resolve_agrees_with_a_real_request(method: str, path: str) -> None:
    app = maze()
    app.router.redirect_slashes = False

    status, body = call(app, method, path)

    expected = int(body) if status == 200 else None
    assert resolved(FastAPIAdapter(app), method, path) == expected


def test_every_operation_of_the_maze_is_reached_by_its_own_route() -> None:
    adapter = FastAPIAdapter(maze())

    for found in adapter.discover().operations:
        path = found.descriptor.route
        for name, value in {
            "c": "7",
            "rest": "q/r",
            "a": "q",
            "b": "q",
            "d": "q",
            "ext": "q",
        }.items():
            path = path.replace(f"{{{name}}}", value)
        assert adapter.resolve(found.descriptor.method, path) == found.descriptor.endpoint_key


def test_shadows_reach_through_included_routers() -> None:
    app, router = FastAPI(), APIRouter()
    router.add_api_route("/jobs/{id}", numbered(1), methods=["GET"])
    app.include_router(router)
    app.add_api_route("/jobs/{other}", numbered(2), methods=["GET"])
    app.add_api_route("/jobs/latest", numbered(3), methods=["GET"])
    app.mount("/jobs", FastAPI())
    app.add_api_route("/jobs/{id}/log", numbered(4), methods=["GET"])

    found = discover(app)

    assert [op.descriptor.operation for op in served(found)] == ["GET /jobs/{id}"]
    assert codes(found) == [
        ("route_shadowed", "GET /jobs/{other}"),
        ("route_shadowed", "GET /jobs/latest"),
        ("route_shadowed", "GET /jobs/{id}/log"),
    ]


# -- cost --------------------------------------------------------------------------------------


def routes(count: int) -> Iterator[tuple[str, Callable[..., Any]]]:
    for number in range(count):
        yield f"/group{number % 10}/item{number}/{{item_id}}", numbered(number)


def test_a_walk_matches_a_bounded_number_of_routes_per_route(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matched: list[str] = []
    real = APIRoute.matches

    def counted(self: APIRoute, scope: Any) -> Any:
        matched.append(self.path)
        return real(self, scope)

    counted.__module__ = real.__module__
    monkeypatch.setattr(APIRoute, "matches", counted)
    app = FastAPI()
    for path, endpoint in routes(300):
        app.add_api_route(path, endpoint, methods=["GET"])
    adapter = FastAPIAdapter(app)
    adapter.discover()
    walking = len(matched)
    matched.clear()
    adapter.resolve("GET", "/group7/item7/5")

    # The route itself is all that is asked.
    assert (walking, matched) == (300, ["/group7/item7/{item_id}"])


def test_a_discovery_keeps_no_application_alive() -> None:
    app = with_route(handler)
    FastAPIAdapter(app).discover()
    reference = weakref.ref(app)
    del app
    gc.collect()

    assert reference() is None
