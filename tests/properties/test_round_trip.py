"""What a handler receives is what was sent, through real routers and the whole pipeline.

`SEZZLEE_EXAMPLES=70` makes more than 20,000 examples of every property.
"""

import asyncio
import base64
import json
from collections.abc import Coroutine, Iterator
from decimal import Decimal
from typing import Annotated, Any
from urllib.parse import parse_qsl

import pytest
from fastapi import Body, Cookie, FastAPI, File, Form, Header, Query, Request, UploadFile
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_starlette
from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, Sezzlee, mcp_tool
from sezzlee_py.invoke.invoker import Invoker
from sezzlee_py.invoke.runtime import ThreadRuntime
from sezzlee_py.invoke.settle import drive
from sezzlee_py.invoke.wsgi import WSGIDispatcher
from sezzlee_py.model import OuterRequest, ParameterSlot, RequestTemplate, ToolDefinition
from tests.properties.hostile import clean, examples, json_values, texts
from tests.unit.invoke.templates import BOOLEAN, INTEGER, NUMBER, STRING, fields, slot

HUGE = "/../\r\n%2e" * 10_000
REFUSALS = {
    *("invalid_path_type", "missing_path_parameter", "header_injection", "invalid_cookie_value"),
    *("invalid_type", "null_not_allowed"),
}
# What every replayed call carries, and nothing of an agent's may add to.
OWN_HEADERS = {"host", "accept", "user-agent"}

SEEN: list[Any] = []
NOWHERE = Options(naming={"prefix": lambda container: ""})


def cleaned(value: Any) -> Any:
    """What arrives of a JSON value: surrogates without a partner are replaced.

    A whole float is written with its shortest digits and no point, as in ECMAScript.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(Decimal(repr(value)))
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return value


# --- FastAPI ---------------------------------------------------------------------------------


class Note(BaseModel):
    text: str
    count: int
    ratio: float
    flag: bool
    tags: list[str] = []
    anything: Any = None


def fastapi_app() -> FastAPI:
    app = FastAPI()

    @app.get("/text/{value}")
    @mcp_tool(name="path_text")
    async def path_text(value: str, request: Request) -> None:
        SEEN.append(("path_text", value, sorted(request.query_params), set(request.headers)))

    @app.get("/span/{value:path}")
    @mcp_tool(name="path_span")
    async def path_span(value: str, request: Request) -> None:
        SEEN.append(("path_span", value, sorted(request.query_params), set(request.headers)))

    @app.get("/number/{value}/{ratio}/{flag}")
    @mcp_tool(name="path_scalars")
    async def path_scalars(value: int, ratio: float, flag: bool) -> None:
        SEEN.append((value, ratio, flag))

    @app.get("/query")
    @mcp_tool(name="query")
    async def query(
        request: Request,
        text: str | None = None,
        number: int | None = None,
        ratio: float | None = None,
        flag: bool | None = None,
        many: Annotated[list[str] | None, Query()] = None,
        numbers: Annotated[list[int] | None, Query()] = None,
    ) -> None:
        values: dict[str, Any] = {"text": text, "number": number, "ratio": ratio, "flag": flag}
        values |= {"many": many, "numbers": numbers}
        SEEN.append(({k: v for k, v in values.items() if v is not None}, set(request.query_params)))

    @app.get("/header")
    @mcp_tool(name="header")
    async def header(
        request: Request,
        x_text: Annotated[str, Header()],
        x_number: Annotated[int, Header()],
    ) -> None:
        SEEN.append((x_text, x_number, set(request.headers)))

    @app.get("/cookie")
    @mcp_tool(name="cookie")
    async def cookie(request: Request, theme: Annotated[str, Cookie()]) -> None:
        SEEN.append((theme, set(request.cookies)))

    @app.post("/json")
    @mcp_tool(name="json_fields")
    async def json_fields(note: Note) -> None:
        SEEN.append(note.model_dump())

    @app.post("/root")
    @mcp_tool(name="json_root")
    async def json_root(body: Annotated[list[Any], Body()]) -> None:
        SEEN.append(body)

    @app.post("/form")
    @mcp_tool(name="form")
    async def form(
        request: Request,
        text: Annotated[str, Form()],
        many: Annotated[list[str], Form()],
        number: Annotated[int, Form()],
    ) -> None:
        SEEN.append((text, many, number, set(await request.form())))

    @app.post("/upload")
    @mcp_tool(name="upload")
    async def upload(
        request: Request,
        note: Annotated[str, Form()],
        file: Annotated[UploadFile, File()],
    ) -> None:
        form = set(await request.form())
        SEEN.append((note, await file.read(), file.filename, file.content_type, form))

    @app.api_route("/{rest:path}", methods=["GET", "POST"])
    async def trap(rest: str) -> None:
        SEEN.append(("trap", rest))

    return app


class Agent:
    """Calls tools on one loop and tells what the handler saw."""

    def __init__(self, sezzlee: Sezzlee, runner: asyncio.Runner) -> None:
        self._sezzlee = sezzlee
        self._runner = runner

    def call(self, tool: str, arguments: dict[str, Any]) -> tuple[str | None, Any]:
        """The code of a refusal or `None`, and what the one handler that ran has seen."""
        SEEN.clear()
        answer = self._run(self._sezzlee.invoke(tool, arguments))
        assert len(SEEN) == ("error" not in answer), answer
        return answer.get("error"), SEEN[0] if SEEN else None

    def _run(self, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
        return self._runner.run(work)


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    app = fastapi_app()
    with asyncio.Runner() as runner:
        yield Agent(mount_mcp(app, options=NOWHERE), runner)


@examples(300)
@given(value=texts)
@example(value=HUGE)
def test_a_path_value_reaches_its_own_route_whole_or_none(agent: Agent, value: str) -> None:
    code, seen = agent.call("path_text", {"value": value})
    assert seen == (None if code else ("path_text", clean(value), [], OWN_HEADERS))
    assert code is None or code in REFUSALS


@examples(300)
@given(value=texts)
@example(value="a" + HUGE)
def test_a_value_over_segments_reaches_its_own_route_whole_or_none(
    agent: Agent, value: str
) -> None:
    code, seen = agent.call("path_span", {"value": value})
    assert seen == (None if code else ("path_span", clean(value), [], OWN_HEADERS))
    assert code is None or code in REFUSALS


@examples(300)
@given(
    value=st.integers(-(10**300), 10**300),
    ratio=st.floats(allow_nan=False, allow_infinity=False),
    flag=st.booleans(),
)
def test_scalars_in_a_path_arrive(agent: Agent, value: int, ratio: float, flag: bool) -> None:
    arguments = {"value": value, "ratio": ratio, "flag": flag}
    assert agent.call("path_scalars", arguments) == (None, (value, ratio, flag))


@examples(300)
@given(
    values=st.fixed_dictionaries(
        {},
        optional={
            "text": texts,
            "number": st.integers(-(10**300), 10**300),
            "ratio": st.floats(allow_nan=False, allow_infinity=False),
            "flag": st.booleans(),
            "many": st.lists(texts, min_size=1, max_size=4),
            "numbers": st.lists(st.integers(), min_size=1, max_size=4),
        },
    )
)
@example(values={"text": HUGE, "many": ["a&text=b", "#", "?x=1"]})
def test_every_kind_of_query_value_arrives_under_its_own_key(
    agent: Agent, values: dict[str, Any]
) -> None:
    code, seen = agent.call("query", values)
    read = {name: value if name == "ratio" else cleaned(value) for name, value in values.items()}
    assert (code, seen) == (None, (read, set(values)))


@examples(300)
@given(text=texts, number=st.integers())
@example(text="a\r\nx-admin: 1", number=1)
def test_a_header_arrives_alone_and_as_it_is_or_is_refused(
    agent: Agent, text: str, number: int
) -> None:
    code, seen = agent.call("header", {"x-text": text, "x-number": number})
    names = OWN_HEADERS | {"x-text", "x-number"}
    assert seen == (None if code else (text, number, names))
    # Latin-1 is what ASGI carries; a field of it never ends early.
    carried = not set(text) & set("\r\n\0") and all(character <= "\xff" for character in text)
    assert (code is None) is carried


@examples(300)
@given(text=texts)
def test_a_cookie_arrives_alone(agent: Agent, text: str) -> None:
    code, seen = agent.call("cookie", {"theme": text})
    assert code is None or code in REFUSALS
    if code is None:
        assert seen[1] == {"theme"}
    if text.isascii() and text.isalnum():
        assert seen == (text, {"theme"})


@examples(300)
@given(
    note=st.fixed_dictionaries(
        {
            "text": texts,
            "count": st.integers(-(10**300), 10**300),
            "ratio": st.floats(allow_nan=False, allow_infinity=False),
            "flag": st.booleans(),
        },
        optional={"tags": st.lists(texts, max_size=4), "anything": json_values},
    )
)
def test_json_fields_arrive_as_they_are(agent: Agent, note: dict[str, Any]) -> None:
    expected = {"tags": [], "anything": None} | cleaned(note) | {"ratio": note["ratio"]}
    assert agent.call("json_fields", note) == (None, expected)


@examples(300)
@given(body=st.lists(json_values, max_size=4))
def test_a_whole_body_arrives_as_it_is(agent: Agent, body: list[Any]) -> None:
    assert agent.call("json_root", {"body": body}) == (None, cleaned(body))


FILLED = texts.filter(lambda text: text != "")


@examples(300)
@given(text=FILLED, many=st.lists(FILLED, min_size=1, max_size=4), number=st.integers())
def test_form_fields_arrive_under_their_own_keys(
    agent: Agent, text: str, many: list[str], number: int
) -> None:
    arguments = {"text": text, "many": many, "number": number}
    keys = {"text", "many", "number"}
    assert agent.call("form", arguments) == (None, (clean(text), cleaned(many), number, keys))


FILENAMES = st.text(min_size=1, max_size=12).filter(
    lambda name: (
        not set(name) & set('"\r\n\0/\\')
        and name.isprintable()
        and name == clean(name)
        and name not in {".", ".."}
    )
)


@examples(300)
@given(note=FILLED, content=st.binary(max_size=300), name=FILENAMES)
@example(note='"\r\n--', content=b"\r\n--\r\n\0\xff", name="ä; filename=x.txt")
def test_a_file_arrives_with_its_bytes_beside_its_fields(
    agent: Agent, note: str, content: bytes, name: str
) -> None:
    file = {"base64": base64.b64encode(content).decode(), "mediaType": "image/png", "name": name}
    code, seen = agent.call("upload", {"note": note, "file": file})
    assert (code, seen[:2], seen[3:]) == (
        None,
        (clean(note), content),
        ("image/png", {"note", "file"}),
    )
    # How a part spells other names is between the writer and each parser.
    if name.isascii() and name.isalnum():
        assert seen[2] == name


# --- Starlette -------------------------------------------------------------------------------


class Filter(BaseModel):
    text: str | None = None
    many: list[str] = []
    number: int | None = None


async def echo(request: StarletteRequest) -> JSONResponse:
    SEEN.append(
        (
            request.path_params,
            request.query_params.multi_items(),
            await request.json() if request.method == "POST" else None,
            set(request.headers) - {"content-type", "content-length"},
        )
    )
    return JSONResponse({})


@mcp_tool(name="read", query=Filter)
async def read(request: StarletteRequest) -> JSONResponse:
    return await echo(request)


@mcp_tool(name="write", body=Note)
async def write(request: StarletteRequest) -> JSONResponse:
    return await echo(request)


async def trap(request: StarletteRequest) -> JSONResponse:
    SEEN.append("trap")
    return JSONResponse({})


@pytest.fixture(scope="module")
def starlette_agent() -> Iterator[Agent]:
    app = Starlette(
        routes=[
            Route("/things/{value}/{number:int}", read),
            Route("/things/{value}", write, methods=["POST"]),
            Route("/{rest:path}", trap, methods=["GET", "POST"]),
        ]
    )
    with asyncio.Runner() as runner:
        yield Agent(sezzlee_starlette.mount_mcp(app, options=NOWHERE), runner)


@examples(300)
@given(value=texts, number=st.integers(0, 10**30), text=texts, many=st.lists(texts, max_size=3))
def test_path_and_query_arrive_through_starlette(
    starlette_agent: Agent, value: str, number: int, text: str, many: list[str]
) -> None:
    arguments = {"value": value, "number": number, "text": text, "many": many}
    # The path has a `number` of its own; the model's is left out.
    code, seen = starlette_agent.call("read", arguments)
    if code is None:
        path = {"value": clean(value), "number": number}
        query = [("text", clean(text)), *(("many", clean(item)) for item in many)]
        assert seen == (path, query, None, OWN_HEADERS)
    else:
        assert code in REFUSALS


@examples(300)
@given(value=texts, text=texts, anything=json_values)
def test_path_and_body_arrive_through_starlette(
    starlette_agent: Agent, value: str, text: str, anything: Any
) -> None:
    body = {"text": text, "count": 1, "ratio": 0.5, "flag": True, "anything": anything}
    code, seen = starlette_agent.call("write", {"value": value, **body})
    if code is None:
        assert seen == ({"value": clean(value)}, [], cleaned(body), OWN_HEADERS)
    else:
        assert code in REFUSALS


# --- a bare WSGI handler -----------------------------------------------------------------------


def wsgi_app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    headers = {
        key.removeprefix("HTTP_").lower().replace("_", "-"): value
        for key, value in environ.items()
        if key.startswith("HTTP_")
    }
    length = int(environ.get("CONTENT_LENGTH") or 0)
    SEEN.append(
        {
            "path": environ["PATH_INFO"].encode("latin-1").decode(),
            "query": parse_qsl(environ["QUERY_STRING"], keep_blank_values=True),
            "headers": {name: text for name, text in headers.items() if name not in OWN_HEADERS},
            "body": environ["wsgi.input"].read(length),
        }
    )
    start_response("200 OK", [("Content-Type", "application/json")])
    return [b"{}"]


async def _nobody(outer: OuterRequest) -> Any:
    class Nobody:
        fields = ()

    return Nobody()


INVOKER = Invoker(
    WSGIDispatcher(wsgi_app), ThreadRuntime(), Options(), _nobody, lambda *a, **k: None
)
HOST = OuterRequest(headers=(("host", "localhost"),))
SCALARS = {
    STRING: texts,
    INTEGER: st.integers(-(10**300), 10**300),
    NUMBER: st.floats(allow_nan=False, allow_infinity=False),
    BOOLEAN: st.booleans(),
}
READ = {STRING: str, INTEGER: int, NUMBER: float, BOOLEAN: {"true": True, "false": False}.get}


def called(template: RequestTemplate, arguments: dict[str, Any]) -> tuple[str | None, Any]:
    SEEN.clear()
    plan = INVOKER.plan(
        ToolDefinition(
            name="t",
            description="",
            input_schema={},
            annotations={},
            method=template.method,
            route=template.route,
            template=template,
        )
    )
    assert plan is not None
    payload = drive(INVOKER.invoke(plan, arguments, HOST)).payload
    assert len(SEEN) == ("error" not in payload), payload
    return payload.get("error"), SEEN[0] if SEEN else None


@st.composite
def scalar_calls(draw: Any) -> tuple[ParameterSlot, tuple[Any, ...], Any]:
    kinds = draw(st.sampled_from(list(SCALARS)))
    location, style = draw(
        st.sampled_from(
            [
                *(("path", style) for style in ("simple", "label", "matrix")),
                *(("query", style) for style in ("form", "spaceDelimited", "pipeDelimited")),
                *(("header", style) for style in ("simple", "form")),
            ]
        )
    )
    return slot(location, "v", kinds, style=style), kinds, draw(SCALARS[kinds])


@examples(400)
@given(scalar_calls())
def test_a_scalar_of_every_style_arrives_in_a_bare_handler(
    call: tuple[ParameterSlot, tuple[Any, ...], Any],
) -> None:
    parameter, kinds, value = call
    in_path = parameter.location == "path"
    template = RequestTemplate(
        method="GET", route="/a/{v}/b" if in_path else "/a", parameters=(parameter,)
    )
    code, seen = called(template, {"v": value})
    if code is not None:
        assert kinds == STRING
        assert code in REFUSALS
        return
    start = {"simple": "/a/", "label": "/a/.", "matrix": "/a/;v="}
    if in_path:
        prefix = start[parameter.style]
        assert seen["path"].startswith(prefix)
        text = seen["path"][len(prefix) : -len("/b")]
    elif parameter.location == "query":
        [(name, text)] = seen["query"]
        assert (name, seen["path"]) == ("v", "/a")
    else:
        assert list(seen["headers"]) == ["v"]
        text = seen["headers"]["v"]
    assert READ[kinds](text) == (value if kinds == NUMBER else cleaned(value))  # type: ignore[operator]
    assert len(seen["query"]) == (parameter.location == "query")
    assert len(seen["headers"]) == (parameter.location == "header")


@examples(300)
@given(body=json_values.filter(lambda value: value is not None))
def test_any_json_body_arrives_in_a_bare_handler(body: Any) -> None:
    template = RequestTemplate(method="POST", route="/a", body=fields(root="body"))
    code, seen = called(template, {"body": body})
    assert (code, json.loads(seen["body"])) == (None, cleaned(body))
