"""Routes of one Starlette or FastAPI handler: aliases, or routes that it answers differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from sezzlee_fastapi import mount_mcp as mount_on_fastapi
from sezzlee_py import Options
from sezzlee_py.testing import AgentClient
from sezzlee_starlette import mount_mcp
from sezzlee_starlette.discovery import StarletteAdapter


def last_step(text: str) -> str:
    return text.rpartition("/")[2]


async def by_url(request: Request) -> PlainTextResponse:
    return PlainTextResponse(last_step(request.url.path))


async def by_item(request: Request) -> PlainTextResponse:
    return PlainTextResponse(last_step(request["path"]))


async def by_scope(request: HTTPConnection) -> PlainTextResponse:
    return PlainTextResponse(last_step(request.scope["raw_path"].decode()))


async def by_get(request):  # type: ignore[no-untyped-def]  # as many write it
    return PlainTextResponse(last_step(str(request.scope.get("path"))))


async def in_a_comprehension(request: Request) -> PlainTextResponse:
    steps = [step for step in ("cube", "radius") if request.url.path.endswith(step)]
    return PlainTextResponse(steps[0])


class ByScope(HTTPEndpoint):
    async def get(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse(last_step(self.scope["path"]))


class Views:
    async def index(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse(last_step(request.url.path))


READING: list[Any] = [
    *(by_url, by_item, by_scope, by_get, in_a_comprehension),
    *(ByScope, Views().index),
]
ROUTES = ["/areas/{area}/cube", "/areas/{area}/radius"]


def including() -> Options:
    return Options(selection={"default": "include"})


@pytest.mark.parametrize("endpoint", READING, ids=lambda found: getattr(found, "__name__", ""))
def test_routes_of_a_handler_that_reads_the_path_are_tools_of_their_own(endpoint: Any) -> None:
    app = Starlette(routes=[Route(path, endpoint) for path in ROUTES])
    catalog = mount_mcp(app, options=including()).build()

    assert {tool.name: (tool.route, tool.alternate_routes) for tool in catalog.tools} == {
        "get_areas_cube_by_area": (ROUTES[0], ()),
        "get_areas_radius_by_area": (ROUTES[1], ()),
    }
    with AgentClient(app) as agent:
        answers = [agent.invoke(tool.name, {"area": "north"})["body"] for tool in catalog.tools]
    assert sorted(answers) == ["cube", "radius"]


async def plain(request: Request) -> PlainTextResponse:
    """Shows where it is, and reads another object's path."""
    return PlainTextResponse(f"{request.url} {request.app.state.path}")


async def inner(request: Request) -> PlainTextResponse:
    def unused(request: Request) -> str:
        return request.url.path

    return PlainTextResponse(unused.__name__)


def base_of(request: Request) -> str:
    return request.url.path.removesuffix("/cube").removesuffix("/radius")


async def linking(request: Request) -> PlainTextResponse:
    return PlainTextResponse(base_of(request))


def about(info: dict[str, str]) -> str:
    return info["path"]


async def elsewhere(request: Request) -> PlainTextResponse:
    return PlainTextResponse(about({"path": "x"}))


@pytest.mark.parametrize("endpoint", [plain, inner, linking, elsewhere, lambda request: None])
def test_routes_of_a_handler_that_does_not_read_the_path_share_its_key(endpoint: Any) -> None:
    found = StarletteAdapter(
        Starlette(routes=[Route(path, endpoint) for path in ROUTES])
    ).discover()

    assert len({operation.descriptor.endpoint_key for operation in found.operations}) == 1


def test_routes_that_would_give_one_name_are_aliases_whatever_the_handler_reads() -> None:
    app = Starlette(routes=[Route("/x", by_url), Route("/x/", by_url)])

    (tool,) = mount_mcp(app, options=including()).build().tools

    assert (tool.route, tool.alternate_routes) == ("/x", ("/x/",))


def test_a_slash_folds_beside_a_route_that_is_told_apart() -> None:
    app = Starlette(routes=[Route(path, by_url) for path in ("/x", "/x/", "/y")])
    catalog = mount_mcp(app, options=including()).build()

    assert {tool.name: (tool.route, tool.alternate_routes) for tool in catalog.tools} == {
        "get_x": ("/x", ("/x/",)),
        "get_y": ("/y", ()),
    }


def test_what_is_told_apart_is_pinned_and_cut_under_its_own_key() -> None:
    app = Starlette(routes=[Mount("/m", routes=[Route(path, by_url) for path in ROUTES])])
    adapter = StarletteAdapter(app)
    keys = [operation.descriptor.endpoint_key for operation in adapter.discover().operations]

    picked = [adapter.resolve("GET", f"/m{path.format(area='north')}") for path in ROUTES]

    assert picked == keys
    assert {key for key, method in adapter.cut() if method == "GET"} == set(keys)


def test_a_fastapi_function_that_reads_the_path_is_told_apart_too() -> None:
    app = FastAPI()

    @app.get("/areas/{area}/cube")
    @app.get("/areas/{area}/radius")
    async def query(request: Request, area: str) -> str:
        return f"{area} {request.url.path.rpartition('/')[2]}"

    catalog = mount_on_fastapi(app, options=including()).build()

    with AgentClient(app) as agent:
        answers = {
            tool.name: agent.invoke(tool.name, {"area": "north"})["body"] for tool in catalog.tools
        }
    assert answers == {
        "get_areas_cube_by_area": "north cube",
        "get_areas_radius_by_area": "north radius",
    }


def test_a_handler_whose_source_is_gone_is_one_tool() -> None:
    space: dict[str, Callable[..., Any]] = {}
    exec("async def made(request):\n    return request.url.path\n", {}, space)
    found = StarletteAdapter(
        Starlette(routes=[Route(path, space["made"]) for path in ROUTES])
    ).discover()

    assert len({operation.descriptor.endpoint_key for operation in found.operations}) == 1
