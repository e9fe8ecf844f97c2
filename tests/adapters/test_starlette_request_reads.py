"""Inputs that nothing but a Starlette handler's source tells of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from sezzlee_py import Options, ToolDefinition, mcp_tool
from sezzlee_py.testing import AgentClient
from sezzlee_starlette import mount_mcp

EVERYTHING = Options(selection={"default": "include"})
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}


def only_tool(endpoint: Callable[..., Any], **options: Any) -> ToolDefinition:
    app = Starlette(routes=[Route("/x", endpoint, **options)])
    (tool,) = mount_mcp(app, options=EVERYTHING).build().tools
    return tool


async def by_get(request: Request) -> JSONResponse:
    limit = int(request.query_params.get("limit", 20))
    return JSONResponse([limit, request.query_params["kind"], "all" in request.query_params])


async def by_name(r):  # type: ignore[no-untyped-def]  # as many write it
    asked = r.query_params
    return JSONResponse([asked.get("limit"), asked["kind"], asked.getlist("all")])


async def by_list(request: Request) -> JSONResponse:
    one = request.query_params.get("tag")
    return JSONResponse([one, *request.query_params.getlist("tag")])


async def by_comprehension(request: Request) -> JSONResponse:
    asked = request.query_params
    return JSONResponse([[asked["limit"], request.query_params["kind"]] for _ in range(2)])


async def by_copy(request: Request) -> JSONResponse:
    asked = dict(request.query_params)
    return JSONResponse([asked.get("limit"), asked["kind"]])


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    async def counting(request: Request) -> Any:
        return await function(request)

    counting.__name__ = function.__name__
    return counting


@counted
async def below_a_taken_name(request: Request) -> JSONResponse:
    return JSONResponse(request.query_params.get("title"))


class Books(HTTPEndpoint):
    async def get(self, request: Request) -> JSONResponse:
        return JSONResponse(request.query_params.get("title"))


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        (by_get, {"limit": {"type": "integer"}, "kind": TEXT, "all": TEXT}),
        (by_copy, {"limit": TEXT, "kind": TEXT}),
        (below_a_taken_name, {"title": TEXT}),
        (by_name, {"limit": TEXT, "kind": TEXT, "all": TEXTS}),
        (by_list, {"tag": TEXTS}),
        (by_comprehension, {"limit": TEXT, "kind": TEXT}),
        (Books, {"title": TEXT}),
    ],
)
def test_names_that_a_handler_reads_are_optional_arguments(
    endpoint: Any, expected: dict[str, Any]
) -> None:
    tool = only_tool(endpoint)

    assert tool.input_schema["properties"] == expected
    assert tool.input_schema["required"] == []
    assert {slot.location for slot in tool.slots} == {"query"}


NAME = "limit"


async def by_variable(request: Request) -> JSONResponse:
    return JSONResponse(request.query_params.get(NAME))


async def bound_twice(request: Request) -> JSONResponse:
    asked: Any = request.query_params
    if request.client is None:
        asked = {"limit": 1}
    return JSONResponse(asked.get("limit"))


async def of_another(request: Request) -> JSONResponse:
    return JSONResponse(request.state.request.query_params.get("limit"))


async def inside(request: Request) -> JSONResponse:
    def unused() -> str | None:
        return request.query_params.get("limit")

    return JSONResponse(unused.__name__)


async def whole(request: Request) -> JSONResponse:
    return JSONResponse(dict(request.query_params))


async def of_a_mapping(request: Request, query_params: Any = None) -> JSONResponse:
    return JSONResponse(query_params.get("limit"))


async def written_copy(request: Request) -> JSONResponse:
    asked = dict(request.query_params)
    asked["limit"] = "1"
    return JSONResponse(asked["limit"])


async def of_a_request_of_its_own(request: Request) -> JSONResponse:
    request = Request({"type": "http", "query_string": b"limit=1"})
    return JSONResponse(request.query_params.get("limit"))


async def of_each_request(request: Request) -> JSONResponse:
    return JSONResponse([request.query_params["limit"] for request in request.state.requests])


class WithQueryOfItsOwn(HTTPEndpoint):
    query_params: Any = {}  # noqa: RUF012 - as an application may have it

    async def get(self, request: Request) -> JSONResponse:
        return JSONResponse(self.query_params.get("limit"))


@pytest.mark.parametrize(
    "endpoint",
    [
        *(by_variable, bound_twice, of_another, inside, whole, of_a_mapping),
        *(of_a_request_of_its_own, of_each_request, written_copy, WithQueryOfItsOwn),
    ],
)
def test_what_is_not_certain_is_no_argument(endpoint: Any) -> None:
    assert only_tool(endpoint).input_schema["properties"] == {}


class Filter(BaseModel):
    title: str


@mcp_tool(query=Filter)
async def declared(request: Request) -> JSONResponse:
    return JSONResponse(request.query_params.get("other"))


async def documented(request: Request) -> JSONResponse:
    """Documented.
    ---
    parameters:
      - {name: title, in: query, required: true, schema: {type: string}}
    """
    return JSONResponse(request.query_params.get("other"))


@pytest.mark.parametrize("endpoint", [declared, documented])
def test_what_is_declared_or_documented_is_all_there_is(endpoint: Any) -> None:
    tool = only_tool(endpoint)

    assert [slot.name for slot in tool.slots] == ["title"]
    assert tool.input_schema["required"] == ["title"]


def test_a_call_carries_what_the_handler_reads() -> None:
    app = Starlette(routes=[Route("/books", by_name), Route("/write", by_list, methods=["POST"])])
    mount_mcp(app, options=EVERYTHING)

    with AgentClient(app) as agent:
        names = {card["name"] for card in agent.search("test starlette query reads")["results"]}
        read = agent.invoke(
            "test_starlette_request_reads_by_name", {"kind": "novel", "all": ["a", "b"]}
        )
        written = agent.invoke("test_starlette_request_reads_by_list", {"tag": ["c"], "body": {}})

    assert names == {f"test_starlette_request_reads_{name}" for name in ("by_name", "by_list")}
    assert (read["body"], written["body"]) == ([None, "novel", ["a", "b"]], ["c", "c"])


# --- fields of a JSON body -----------------------------------------------------------------------


async def by_local_name(request: Request) -> JSONResponse:
    data = await request.json()
    if "title" not in data:
        return JSONResponse({}, 400)
    return JSONResponse([data["title"], data.get("copies", 1)])


async def in_place(request: Request) -> JSONResponse:
    return JSONResponse([(await request.json())["title"], (await request.json()).get("copies")])


class AsEndpoint(HTTPEndpoint):
    async def post(self, request: Request) -> JSONResponse:
        data = await request.json() or {}
        return JSONResponse([data["title"], data.get("copies", 1)])


@pytest.mark.parametrize("endpoint", [by_local_name, in_place, AsEndpoint])
def test_what_is_read_of_a_json_body_is_told_and_the_body_stays_open(endpoint: Any) -> None:
    tool = only_tool(endpoint, methods=["POST"])
    fields = {"title": {}, "copies": {}}
    body = {"type": "object", "additionalProperties": True, "properties": fields}
    assert tool.input_schema["properties"] == {"body": body}
    assert tool.input_schema["required"] == []


async def written_to(request: Request) -> JSONResponse:
    data = await request.json()
    data["title"] = "x"
    return JSONResponse(data["title"])


async def of_something_else(request: Request) -> JSONResponse:
    data = await request.form()
    return JSONResponse([data["title"], request.headers["title"]])


class WithJSONOfItsOwn(HTTPEndpoint):
    async def json(self) -> Any:
        return {"title": "x"}

    async def post(self, request: Request) -> JSONResponse:
        return JSONResponse((await self.json())["title"])


@pytest.mark.parametrize("endpoint", [written_to, of_something_else, WithJSONOfItsOwn])
def test_what_is_not_certainly_of_the_json_body_is_not_told(endpoint: Any) -> None:
    tool = only_tool(endpoint, methods=["POST"])
    body = {"type": "object", "additionalProperties": True}
    assert tool.input_schema["properties"] == {"body": body}


def test_a_get_has_no_body_whatever_its_handler_reads() -> None:
    assert only_tool(by_local_name).input_schema["properties"] == {}


async def by_method(request: Request) -> JSONResponse:
    if request.method == "GET":
        return JSONResponse(request.query_params.get("limit"))
    data = await request.json()
    return JSONResponse(data["title"] if request.method == "POST" else data["id"])


def test_what_never_runs_for_a_method_is_no_input_of_it() -> None:
    app = Starlette(routes=[Route("/x", by_method, methods=["GET", "POST", "PUT"])])
    tools = mount_mcp(app, options=EVERYTHING).build().tools
    body = {"type": "object", "additionalProperties": True}
    assert {tool.template.method: tool.input_schema["properties"] for tool in tools} == {
        "GET": {"limit": TEXT},
        "POST": {"body": {**body, "properties": {"title": {}}}},
        "PUT": {"body": {**body, "properties": {"id": {}}}},
    }
