"""What an agent reads of every kind of answer, from a real application to the envelope."""

import gzip
import json
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI, Request
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request as StarletteRequest
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route

import sezzlee_starlette
from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.testing import AgentClient

OPTIONS = Options(naming={"prefix": lambda container: ""}, invoke={"max_response_bytes": 2_000})
BOM = b"\xef\xbb\xbf"


def answering(status: int, body: bytes = b"", **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body, status, headers=named)


def json_answer(status: int, value: Any, **headers: str) -> Response:
    return answering(status, json.dumps(value).encode(), content_type="application/json", **headers)


async def chunks() -> Any:
    for piece in (b'{"a"', b": ", b"1}"):
        yield piece


ANSWERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "an object": (json_answer(200, {"a": [1, None]}), {"status": 200, "body": {"a": [1, None]}}),
    "null is a value": (json_answer(200, None), {"status": 200, "body": None}),
    "a number of forty digits": (
        answering(200, b"1" * 40, content_type="application/json"),
        {"status": 200, "body": int("1" * 40)},
    ),
    "no content": (answering(204), {"status": 204}),
    "a created thing": (
        json_answer(201, {"id": 1}, location="/a/1"),
        {"status": 201, "body": {"id": 1}},
    ),
    "not modified": (answering(304), {"status": 304}),
    "a stream": (
        StreamingResponse(chunks(), media_type="application/json"),
        {"status": 200, "body": {"a": 1}},
    ),
    # --- kinds of bodies
    "text": (
        PlainTextResponse("größe"),
        {"status": 200, "body": "größe", "contentType": "text/plain; charset=utf-8"},
    ),
    "text in latin-1": (
        answering(200, "größe".encode("latin-1"), content_type="text/plain; charset=iso-8859-1"),
        {"status": 200, "body": "größe", "contentType": "text/plain; charset=iso-8859-1"},
    ),
    "text in a charset nobody knows": (
        answering(200, "größe".encode(), content_type="text/plain; charset=klingon"),
        {"status": 200, "body": "größe", "contentType": "text/plain; charset=klingon"},
    ),
    "text with a stray byte": (
        answering(200, b"a\xffb", content_type="text/csv"),
        {"status": 200, "body": "a\ufffdb", "contentType": "text/csv"},
    ),
    "json behind a byte order mark": (
        answering(200, BOM + b'{"a":1}', content_type="application/json"),
        {"status": 200, "body": {"a": 1}},
    ),
    "json in utf-16": (
        answering(
            200, '{"a":"ä"}'.encode("utf-16"), content_type="application/json; charset=utf-16"
        ),
        {"status": 200, "body": {"a": "ä"}},
    ),
    "a type that says json and is none": (
        answering(200, b"{'a': 1}", content_type="application/json"),
        {"status": 200, "body": "{'a': 1}", "contentType": "application/json"},
    ),
    "not a number": (
        answering(200, b"[NaN]", content_type="application/json"),
        {"status": 200, "body": "[NaN]", "contentType": "application/json"},
    ),
    "a page": (
        HTMLResponse("<!doctype html><h1>x</h1>"),
        {"status": 200, "contentType": "text/html; charset=utf-8"},
    ),
    "an image": (
        answering(200, b"\x89PNG\r\n\x1a\n" + bytes(5_000), content_type="image/png"),
        {"status": 200, "contentType": "image/png"},
    ),
    "a file of the disk": (
        FileResponse(__file__, media_type="application/octet-stream"),
        {"status": 200, "contentType": "application/octet-stream"},
    ),
    # --- codings
    "gzip": (
        answering(
            200, gzip.compress(b'{"a":1}'), content_type="application/json", content_encoding="gzip"
        ),
        {"status": 200, "body": {"a": 1}},
    ),
    "deflate": (
        answering(
            200,
            zlib.compress(b'{"a":1}'),
            content_type="application/json",
            content_encoding="deflate",
        ),
        {"status": 200, "body": {"a": 1}},
    ),
    "a coding nobody undoes": (
        answering(200, b"\x1b\x03", content_type="application/json", content_encoding="br"),
        {"status": 200, "contentType": "application/json"},
    ),
    # --- redirects are told and never followed
    "a redirect": (
        RedirectResponse("/elsewhere?x=1", 307),
        {"status": 307, "location": "/elsewhere?x=1"},
    ),
    "a redirect to another host": (
        RedirectResponse("https://other.example/a", 302),
        {"status": 302, "location": "https://other.example/a"},
    ),
    "a redirect with a password": (
        RedirectResponse("https://ada:pw@other.example/", 302),
        {"status": 302},
    ),
    # --- errors
    "too many requests": (
        json_answer(429, {"detail": "slow down"}, retry_after="17"),
        {
            "error": "rate_limited",
            "message": "slow down",
            "status": 429,
            "retryable": True,
            "retryAfterSeconds": 17,
        },
    ),
    "too many requests until a date": (
        answering(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
        {
            "error": "rate_limited",
            "message": "The backend is rate-limiting this caller (429).",
            "status": 429,
            "retryable": True,
        },
    ),
    "a wait where no retry helps": (
        json_answer(409, {"detail": "taken"}, retry_after="17"),
        {"error": "conflict", "message": "taken", "status": 409, "retryable": False},
    ),
    "unavailable": (
        answering(503, b"db down at 10.0.0.1", retry_after="5", x_request_id="r-7"),
        {
            "error": "backend_unavailable",
            "message": "The backend is temporarily unavailable (503). Retry later.",
            "status": 503,
            "retryable": True,
            "retryAfterSeconds": 5,
            "reference": "r-7",
        },
    ),
    "a failure with a reference": (
        json_answer(500, {"detail": "secret"}, x_correlation_id="c-1", x_request_id="r-7"),
        {
            "error": "backend_error",
            "message": "The backend failed while handling the call (500). Details were withheld."
            " Reference: c-1.",
            "status": 500,
            "retryable": False,
            "reference": "c-1",
        },
    ),
    "a challenge": (
        json_answer(401, {"detail": "token expired for ada"}, www_authenticate="Bearer"),
        {
            "error": "unauthenticated",
            "message": "The backend did not accept the caller's identity (401). The MCP session's"
            " credentials were forwarded unchanged; retrying with the same session will not help.",
            "status": 401,
            "retryable": False,
        },
    ),
    "a refusal": (
        json_answer(403, {"detail": "Not your order."}),
        {"error": "forbidden", "message": "Not your order.", "status": 403, "retryable": False},
    ),
    "gone": (
        answering(410),
        {
            "error": "not_found",
            "message": "No resource matched these arguments (404). The operation exists;"
            " check identifier arguments.",
            "status": 410,
            "retryable": False,
        },
    ),
    "an error page": (
        HTMLResponse("<html><body>Traceback</body></html>", 400),
        {
            "error": "bad_request",
            "message": "The backend rejected the request (400) without usable details."
            " Check the arguments against the input schema.",
            "status": 400,
            "retryable": False,
        },
    ),
    "an error in gzip": (
        answering(
            400,
            gzip.compress(b'{"detail":"No such size."}'),
            content_type="application/json",
            content_encoding="gzip",
        ),
        {"error": "bad_request", "message": "No such size.", "status": 400, "retryable": False},
    ),
}
NAMES = list(ANSWERS)


def fastapi_app() -> FastAPI:
    app = FastAPI()

    @app.get("/answers/{number}")
    @mcp_tool(name="answer")
    async def answer(number: int) -> Response:
        response: Response = ANSWERS[NAMES[number]][0]
        return response

    mount_mcp(app, options=OPTIONS)
    return app


@mcp_tool(name="answer")
async def starlette_answer(request: StarletteRequest) -> Response:
    response: Response = ANSWERS[NAMES[request.path_params["number"]]][0]
    return response


def starlette_app() -> Starlette:
    app = Starlette(routes=[Route("/answers/{number:int}", starlette_answer)])
    sezzlee_starlette.mount_mcp(app, options=OPTIONS)
    return app


@pytest.fixture(scope="module", params=[fastapi_app, starlette_app], ids=["fastapi", "starlette"])
def agent(request: pytest.FixtureRequest) -> Iterator[AgentClient]:
    with AgentClient(request.param()) as agent:
        yield agent


@pytest.mark.parametrize("name", [name for name in NAMES if name != "a stream"])
def test_an_answer_is_told_as_it_is_read(agent: AgentClient, name: str) -> None:
    assert agent.invoke("answer", {"number": NAMES.index(name)}) == ANSWERS[name][1]


def test_a_stream_that_ends_is_an_answer() -> None:
    app = FastAPI()

    @app.get("/stream")
    @mcp_tool(name="stream")
    async def stream() -> StreamingResponse:
        return StreamingResponse(chunks(), media_type="application/json")

    mount_mcp(app, options=OPTIONS)
    with AgentClient(app) as agent:
        assert agent.invoke("stream") == ANSWERS["a stream"][1]


# --- what stands around an endpoint ------------------------------------------------------------


def test_the_codings_a_client_takes_are_not_asked_of_the_application() -> None:
    seen: list[str | None] = []

    @mcp_tool(name="rows")
    async def rows(request: StarletteRequest) -> JSONResponse:
        seen.append(request.headers.get("accept-encoding"))
        return JSONResponse(["row"] * 50)

    app = Starlette(
        routes=[Route("/rows", rows)], middleware=[Middleware(GZipMiddleware, minimum_size=10)]
    )
    sezzlee_starlette.mount_mcp(app, options=OPTIONS)
    with AgentClient(app, headers={"accept-encoding": "br"}) as agent:
        assert agent.invoke("rows") == {"status": 200, "body": ["row"] * 50}
    assert seen == [None]


def test_a_slash_that_a_route_adds_is_told_and_not_followed() -> None:
    async def page(request: StarletteRequest) -> JSONResponse:
        raise AssertionError

    app = FastAPI()
    app.router.routes.append(Mount("/sub", routes=[Route("/page/", page)]))

    @app.get("/go")
    @mcp_tool(name="go")
    async def go(request: Request) -> RedirectResponse:
        return RedirectResponse("/sub/page")

    mount_mcp(app, options=OPTIONS)
    with AgentClient(app) as agent:
        assert agent.invoke("go") == {"status": 307, "location": "/sub/page"}
