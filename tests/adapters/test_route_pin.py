"""A value in a path reaches the tool's own route, as the value it was written as, or nothing."""

from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Host, Mount, Route, Router, WebSocketRoute
from starlette.staticfiles import StaticFiles

import sezzlee_fastapi
import sezzlee_starlette
from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_py import Options
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
