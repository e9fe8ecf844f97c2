"""A value in a path reaches the tool's own route, as the value it was written as, or nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Host, Mount, Route, Router, WebSocketRoute
from starlette.staticfiles import StaticFiles
from werkzeug.middleware.dispatcher import DispatcherMiddleware

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_py import Arg, Options, Provider, mcp_tool
from sezzlee_py.testing import AgentClient
from sezzlee_starlette.discovery import StarletteAdapter

ALL: dict[str, Any] = {"selection": {"default": "include"}, "naming": {"prefix": lambda c: ""}}


async def unknown(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("not a tool")(scope, receive, send)


class Unknown:
    """An ASGI object that stands as a route's endpoint."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await unknown(scope, receive, send)


async def show(request: Request) -> JSONResponse:
    return JSONResponse(request.path_params)


async def talk(websocket: Any) -> None: ...


# --- what is no operation -----------------------------------------------------------------------


@pytest.fixture
def agent(tmp_path: Path) -> Any:
    (tmp_path / "secret.txt").write_text("a file")
    app = FastAPI()
    app.mount("/files/private", StaticFiles(directory=tmp_path))
    app.mount("/files/metrics", unknown)

    @app.get("/files/{p:path}")
    def read_file(p: str) -> dict[str, str]:
        return {"read": p}

    @app.get("/{name}")
    def read_item(name: str) -> dict[str, str]:
        return {"read": name}

    sezzlee_fastapi.mount_mcp(app, options=Options(**ALL))
    with AgentClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("tool", "argument", "value"),
    [
        ("read_item", "name", "openapi.json"),
        ("read_item", "name", "docs"),
        ("read_item", "name", "mcp"),
        ("read_file", "p", "private/secret.txt"),
        ("read_file", "p", "metrics/x"),
    ],
)
def test_a_value_leads_to_no_page_file_or_application_beside_the_tools(
    agent: AgentClient, tool: str, argument: str, value: str
) -> None:
    assert agent.invoke(tool, {argument: value})["error"] == "invalid_path_type"
    assert agent.invoke(tool, {argument: "x"}) == {"status": 200, "body": {"read": "x"}}


def test_a_value_leads_to_no_asgi_object_that_a_route_holds() -> None:
    app = Starlette(routes=[Route("/x/raw", Unknown()), Route("/x/{n}", show)])
    sezzlee_starlette.mount_mcp(app, options=Options(**ALL))
    with AgentClient(app) as client:
        [tool] = [found["name"] for found in client.search("", limit=9)["results"]]
        assert client.invoke(tool, {"n": "raw"})["error"] == "invalid_path_type"
        assert client.invoke(tool, {"n": "y"}) == {"status": 200, "body": {"n": "y"}}


def test_only_what_nothing_matches_has_no_key() -> None:
    app = Starlette(
        routes=[
            Host("raw.example", app=unknown),
            Host("plain.example", app=Starlette(routes=[Route("/x/raw", show)])),
            Mount("/sub", routes=[Route("/a", show), Mount("/deep", app=unknown)]),
            Mount("/last", app=Router([Route("/a", show)], default=unknown)),
            WebSocketRoute("/x/talk", talk),
            Route("/x/raw", Unknown()),
            Route("/x/{n:int}", show),
            Route("/slash/", show),
        ]
    )
    adapter = StarletteAdapter(app)
    keys = {found.descriptor.endpoint_key for found in adapter.discover().operations}

    def kind(method: str, path: str, host: str = "shop.example") -> str:
        key = adapter.resolve(method, path, host=host)
        return "nothing" if key is None else "operation" if key in keys else "other"

    assert {
        asked: kind(*asked)
        for asked in [
            ("GET", "/x/1"),
            ("HEAD", "/x/1"),
            ("GET", "/x/1", "plain.example"),
            ("GET", "/x/raw", "plain.example"),
            ("POST", "/x/1"),
            ("GET", "/x/talk"),
            ("GET", "/slash"),
            ("GET", "/sub/b"),
            ("GET", "/nowhere"),
            ("GET", "/x/raw"),
            ("POST", "/x/raw"),
            ("GET", "/x/1", "raw.example"),
            ("GET", "/sub/deep/1"),
            ("GET", "/last/b"),
        ]
    } == {
        ("GET", "/x/1"): "operation",
        ("HEAD", "/x/1"): "operation",
        ("GET", "/x/1", "plain.example"): "nothing",
        ("GET", "/x/raw", "plain.example"): "operation",
        ("POST", "/x/1"): "nothing",
        ("GET", "/x/talk"): "nothing",
        ("GET", "/slash"): "nothing",
        ("GET", "/sub/b"): "nothing",
        ("GET", "/nowhere"): "nothing",
        ("GET", "/x/raw"): "other",
        ("POST", "/x/raw"): "other",
        ("GET", "/x/1", "raw.example"): "other",
        ("GET", "/sub/deep/1"): "other",
        ("GET", "/last/b"): "other",
    }


@pytest.mark.skipif(not hasattr(APIRouter, "frontend"), reason="this version serves no frontends")
def test_a_frontend_that_answers_last_has_a_key_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>shop</p>")
    app, bare = FastAPI(), FastAPI()
    for one in (app, bare):
        one.get("/x/{n}")(lambda n: n)
    app.frontend("/", directory=tmp_path)
    assert FastAPIAdapter(app).resolve("GET", "/index.html") is not None
    assert FastAPIAdapter(bare).resolve("GET", "/index.html") is None


# --- where one value ends and another begins ----------------------------------------------------


def hidden_tenant() -> Options:
    return Options(fills={"tenant": lambda context: "acme"}, naming={"prefix": lambda c: ""})


TENANT: dict[str, Any] = {"arguments": {"tenant": Arg(hidden=Provider("tenant"))}}


def fastapi_app() -> FastAPI:
    app, router, inner = FastAPI(), APIRouter(), FastAPI()

    @router.get("/t/{tenant}-{id}")
    @mcp_tool(**TENANT)
    def get_doc(tenant: str, id: str) -> dict[str, str]:
        return {"a": tenant, "b": id}

    @app.get("/v/{tenant:path}/docs/{p:path}")
    @mcp_tool(**TENANT)
    def get_page(tenant: str, p: str) -> dict[str, str]:
        return {"a": tenant, "b": p}

    @inner.get("/{a}x{b}")
    @mcp_tool
    def two(a: str, b: str) -> dict[str, str]:
        return {"a": a, "b": b}

    @app.get("/n/{a:int}.{b}")
    @mcp_tool
    def numbered(a: int, b: str) -> dict[str, str]:
        return {"a": str(a), "b": b}

    app.include_router(router, prefix="/api")
    app.mount("/m/{where}/in", inner)
    sezzlee_fastapi.mount_mcp(app, options=hidden_tenant())
    return app


def flask_app() -> Flask:
    app = Flask("shop")

    @app.get("/t/<tenant>-<id>")
    @mcp_tool(**TENANT)
    def get_doc(tenant: str, id: str) -> dict[str, str]:
        return {"a": tenant, "b": id}

    @app.get("/v/<path:tenant>/docs/<path:p>")
    @mcp_tool(**TENANT)
    def get_page(tenant: str, p: str) -> dict[str, str]:
        return {"a": tenant, "b": p}

    @app.get("/w/<a>x<b>")
    @mcp_tool
    def two(a: str, b: str) -> dict[str, str]:
        return {"a": a, "b": b}

    @app.get("/n/<int:a>.<b>")
    @mcp_tool
    def numbered(a: int, b: str) -> dict[str, str]:
        return {"a": str(a), "b": b}

    @app.get("/d/<int:a><int:b>")
    @mcp_tool
    def digits(a: int, b: int) -> dict[str, str]:
        return {"a": str(a), "b": str(b)}

    sezzlee_flask.mount_mcp(app, options=hidden_tenant())
    return app


SPLITS: list[tuple[str, dict[str, Any]]] = [
    ("get_doc", {"id": "5"}),
    ("get_doc", {"id": "corp-5"}),
    ("get_doc", {"id": "%2D5 \u00e9\ud800"}),
    ("get_page", {"p": "p1"}),
    ("get_page", {"p": "evil/docs/p1"}),
    ("two", {"a": "1", "b": "2"}),
    ("two", {"a": "1", "b": "2x3"}),
    ("two", {"a": "1x2", "b": "3"}),
    ("numbered", {"a": 7, "b": "1.2"}),
    ("digits", {"a": 1, "b": 23}),
    ("digits", {"a": 12, "b": 3}),
]


@pytest.mark.parametrize("make", [fastapi_app, flask_app])
def test_every_value_arrives_as_it_was_given_or_not_at_all(make: Callable[[], Any]) -> None:
    arrived: list[Any] = []
    app = make()
    with AgentClient(app) as client:
        served = {found["name"] for found in client.search("", limit=20)["results"]}
        for tool, arguments in SPLITS:
            if tool not in served:
                continue
            mounted = {"where": "q"} if tool == "two" and make is fastapi_app else {}
            answer = client.invoke(tool, {**arguments, **mounted})
            if "error" in answer:
                assert answer["error"] == "invalid_path_type"
                continue
            given = [str(value).replace("\ud800", "\ufffd") for value in arguments.values()]
            assert list(answer["body"].values()) == [*["acme"] * (2 - len(given)), *given]
            arrived.append((tool, *arguments.values()))
    assert {
        ("get_doc", "5"),
        ("get_doc", "%2D5 \u00e9\ud800"),
        ("get_page", "p1"),
        ("two", "1", "2"),
        ("numbered", 7, "1.2"),
        *([("digits", 12, 3)] if make is flask_app else []),
    } <= set(arrived)


def test_what_stands_around_a_mounted_application_is_read_with_it() -> None:
    inner = Flask("inner")
    inner.add_url_rule("/<a>x<b>", "two", lambda a, b: "")
    app = Starlette(
        routes=[
            Host("{sub}.example", app=Starlette(routes=[Route("/h/{a}-{b}", show)])),
            Mount("/m/{t:path}", app=WSGI(inner)),
        ]
    )
    adapter = StarletteAdapter(app)

    def reads(path: str, host: str | None = None, **written: str) -> bool:
        return adapter.reads("GET", path, written, host=host)

    assert reads("/m/u/v/1x2", t="u/v", a="1", b="2")
    assert not reads("/m/u/v/1x2", t="u", a="1", b="2")
    assert not reads("/m/u/v/1x2x3", t="u/v", a="1", b="2x3")
    assert not reads("/m/u/v/1x2", t="u/v", a="1", c="2")
    for host in (None, "s.example"):
        assert reads("/h/1-2", host, a="1", b="2")
        assert not reads("/h/1-2-3", host, a="1", b="2-3")
    # Where nothing is matched, or the router cannot be asked, nothing is read otherwise.
    assert reads("/h/1", a="1")
    assert reads("/m/u/" + "y" * 9, t="u", a="1")


class WSGI:
    """WSGI inside ASGI, as such wrappers keep it."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


# --- what is served beside the application ------------------------------------------------------


def read_any(p: str) -> dict[str, str]:
    return {"read": p}


def test_a_value_leads_to_no_application_that_an_outer_router_serves_beside() -> None:
    app, admin = FastAPI(), FastAPI()
    app.get("/files/{p:path}")(read_any)
    admin.get("/users")(lambda: "secret")
    around = Starlette(
        routes=[
            Route("/files/plain", show),
            Mount("/files/admin", admin),
            Mount("/files/self", app),
            Mount("/files/opaque", unknown),
            Mount("/files/nested", routes=[Mount("/deep", admin), Mount("", app)]),
            Host("other.example", admin),
            Mount("", routes=[Mount("", WSGI(app))]),
        ]
    )
    sezzlee_fastapi.mount_mcp(app, options=Options(**ALL), dispatch_app=WSGI(around))
    adapter = FastAPIAdapter(app, outermost=WSGI(around))
    [operation] = adapter.discover().operations
    own = operation.descriptor.endpoint_key
    values = ("x", "plain", "admin/users", "admin/nothing", "self/x", "opaque/x", "nested/deep/x")
    picked = {value: adapter.resolve("GET", f"/files/{value}") for value in values}
    assert [value for value, key in picked.items() if key == own] == ["x"]
    assert None not in picked.values()
    assert adapter.resolve("GET", "/files/x", host="other.example") not in (None, own)
    assert adapter.resolve("GET", "/nowhere") is None
    with AgentClient(around) as client:
        assert client.invoke("read_any", {"p": "x"}) == {"status": 200, "body": {"read": "x"}}
        refused = client.invoke("read_any", {"p": "admin/users"})
        assert refused["error"] == "invalid_path_type"


class Opaque:
    """A wrapper that does not tell what it wraps."""

    def __init__(self, app: Any) -> None:
        self.hidden = app


def test_a_wrapper_that_cannot_be_read_leaves_the_application_as_it_is() -> None:
    app = Starlette(routes=[Route("/files/{p:path}", show)])
    own = StarletteAdapter(app).resolve("GET", "/files/x")
    for around in (
        Opaque(app),
        Starlette(routes=[Route("/files/x", show), Mount("", Opaque(app))]),  # type: ignore[arg-type]
        Starlette(routes=[]),
    ):
        assert StarletteAdapter(app, outermost=around).resolve("GET", "/files/x") == own


def test_a_value_leads_to_no_application_that_a_dispatcher_serves_beside() -> None:
    app, admin = Flask("shop"), Flask("admin")
    app.get("/files/<path:p>")(read_any)
    admin.get("/users")(lambda: "secret")
    around = DispatcherMiddleware(app, {"/files/admin": admin, "": app})
    sezzlee_flask.mount_mcp(app, options=Options(**ALL), dispatch_app=around)
    with AgentClient(around) as client:
        for value in ("x", "administrator"):
            answer = client.invoke("read_any", {"p": value})
            assert answer == {"status": 200, "body": {"read": value}}
        for value in ("admin/users", "admin"):
            assert client.invoke("read_any", {"p": value})["error"] == "invalid_path_type"
