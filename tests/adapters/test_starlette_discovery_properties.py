"""What holds for any route table: discovery and pinning say what the framework's router does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Mount, Route

from sezzlee_starlette.discovery import StarletteAdapter
from tests.adapters.asgi_calls import call
from tests.adapters.walks import served

SEGMENTS = st.sampled_from(
    ["a", "b", "A", "", "{x}", "{y}", "{n:int}", "{u:uuid}", "{x}.{e}", "v{n:int}", "a.b", "{{x}}"]
)
TAILS = st.sampled_from(["", "/", "/{rest:path}", "/{rest:path}/end"])
METHODS = st.lists(st.sampled_from(["GET", "POST", "DELETE"]), min_size=1, max_size=2, unique=True)
VALUES = st.sampled_from(
    ["a", "b", "A", "", "7", "a.b", "v7", "{q}", "q", "6f1c2b9e-0d5a-4c3b-8e7f-1a2b3c4d5e6f", "é"]
)
PATHS = st.lists(VALUES, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


def numbered(number: int) -> Callable[..., Any]:
    async def answer(request: Request) -> PlainTextResponse:
        return PlainTextResponse(str(number))

    answer.number = number  # type: ignore[attr-defined]
    return answer


@st.composite
def templates(draw: st.DrawFn) -> str:
    segments = draw(st.lists(SEGMENTS, min_size=1, max_size=2))
    # A path captures each name once.
    numbered = [
        segment.replace("{x", f"{{x{at}").replace("{y", f"{{y{at}").replace("{n", f"{{n{at}")
        for at, segment in enumerate(segments)
    ]
    spelled = [
        s.replace("{u", f"{{u{at}").replace("{e", f"{{e{at}") for at, s in enumerate(numbered)
    ]
    return "/" + "/".join(spelled) + draw(TAILS)


@st.composite
def tables(draw: st.DrawFn, depth: int = 1) -> list[BaseRoute]:
    routes: list[BaseRoute] = []
    for _ in range(draw(st.integers(1, 5))):
        if depth and draw(st.integers(0, 3)) == 0:
            prefix = draw(st.sampled_from(["", "/a", "/b", "/{tenant}", "/a/b"]))
            routes.append(Mount(prefix, routes=draw(tables(depth=depth - 1))))
        else:
            routes.append(
                Route(draw(templates()), numbered(draw(st.integers(0, 99))), methods=draw(METHODS))
            )
    return routes


def application(routes: list[BaseRoute]) -> Starlette:
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return app


def answer_of(app: Starlette, method: str, path: str) -> str | None:
    status, body = call(app, method, path.replace("é", "%C3%A9"))
    return body.decode() if status == 200 else None


@settings(max_examples=300, deadline=None)
@given(routes=tables(), paths=st.lists(PATHS, min_size=1, max_size=6))
def test_resolve_picks_what_a_request_reaches(routes: list[BaseRoute], paths: list[str]) -> None:
    app = application(routes)
    adapter = StarletteAdapter(app)
    functions = {
        op.descriptor.endpoint_key: str(op.endpoint.number)  # type: ignore[attr-defined]
        for op in adapter.discover().operations
    }

    for path in paths:
        for method in ("GET", "POST", "DELETE"):
            key = adapter.resolve(method, path)
            reached = None if key is None else functions[key]
            assert reached == answer_of(app, method, path)


@settings(max_examples=300, deadline=None)
@given(routes=tables(), paths=st.lists(PATHS, min_size=4, max_size=12))
def test_nothing_reaches_what_is_called_shadowed(routes: list[BaseRoute], paths: list[str]) -> None:
    app = application(routes)
    adapter = StarletteAdapter(app)
    found = adapter.discover()
    kept = {op.descriptor.endpoint_key for op in served(found)}
    shadowed = {
        (op.descriptor.method, op.descriptor.endpoint_key)
        for op in found.operations
        if not op.reachable and op.descriptor.endpoint_key not in kept
    }

    for path in paths:
        for method in ("GET", "POST", "DELETE"):
            assert (method, adapter.resolve(method, path)) not in shadowed


@settings(max_examples=100, deadline=None)
@given(routes=tables())
def test_a_walk_is_the_same_each_time(routes: list[BaseRoute]) -> None:
    adapter = StarletteAdapter(application(routes))

    assert adapter.discover() == adapter.discover()
