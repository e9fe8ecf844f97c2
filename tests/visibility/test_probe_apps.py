"""Probes through real applications: what a guard answers, and that no handler runs."""

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.security import HTTPBearer
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route

import sezzlee_fastapi
import sezzlee_starlette
from sezzlee_py import Options, Sezzlee, is_sezzlee_probe, is_sezzlee_request, mcp_tool
from sezzlee_py.testing import AgentClient
from sezzlee_starlette.cut import cut_route

ADMIN = {"authorization": "Bearer admin"}
USER = {"authorization": "Bearer user"}

bearer = HTTPBearer()
Runs = list[str]


def require_admin(credentials: Annotated[Any, Depends(bearer)]) -> None:
    if credentials.credentials != "admin":
        raise HTTPException(403, "admins only")


@pytest.fixture
def runs() -> Runs:
    return []


@contextmanager
def probing(
    app: Any, mount: Any = sezzlee_fastapi.mount_mcp, **visibility: Any
) -> Iterator[tuple[AgentClient, Sezzlee]]:
    sezzlee = mount(app, options=Options(visibility={"probe": True, **visibility}))
    with AgentClient(app) as agent:
        yield agent, sezzlee


def seen(agent: AgentClient, headers: dict[str, str], query: str = "") -> dict[str, bool]:
    """What a caller finds, and whether it is uncertain."""
    found = agent.search(query, headers=headers)["results"]
    return {card["name"]: card.get("authUncertain", False) for card in found}


def guarded_app(runs: Runs) -> FastAPI:
    app = FastAPI()
    guarded = APIRouter(prefix="/things", dependencies=[Depends(require_admin)])

    @guarded.delete("/{thing_id}")
    @mcp_tool(name="remove_thing")
    def remove(thing_id: int) -> dict[str, int]:
        """Remove a thing."""
        runs.append("remove")
        return {"removed": thing_id}

    @guarded.get("/{thing_id}")
    @mcp_tool(name="read_thing")
    async def read(thing_id: int, request: Request) -> dict[str, int]:
        """Read a thing."""
        runs.append("read")
        return {"id": thing_id}

    @app.get("/open")
    @mcp_tool(name="open_thing")
    async def open_thing() -> None:
        """Open to all."""
        runs.append("open")

    app.include_router(guarded)
    return app


def test_a_probe_settles_what_declarations_leave_open_and_runs_nothing(runs: Runs) -> None:
    with probing(guarded_app(runs)) as (agent, _):
        assert seen(agent, ADMIN) == dict.fromkeys(
            ["open_thing", "read_thing", "remove_thing"], False
        )
        assert seen(agent, USER) == {"open_thing": False}
        assert seen(agent, USER, "thing") == {"open_thing": False}
        assert agent.load("remove_thing", headers=USER) == {
            **agent.load("remove_thinx", headers=USER),
            "message": agent.load("remove_thinx", headers=USER)["message"].replace(
                "remove_thinx", "remove_thing"
            ),
        }
        assert "authUncertain" not in agent.load("read_thing", headers=ADMIN)
        assert runs == []


def test_the_total_does_not_depend_on_probes(runs: Runs) -> None:
    with probing(guarded_app(runs)) as (agent, _):
        assert [agent.search("", headers=who)["total"] for who in (ADMIN, USER)] == [3, 3]


def test_real_calls_pass_the_cut_as_if_it_were_not_there(runs: Runs) -> None:
    with probing(guarded_app(runs)) as (agent, _):
        seen(agent, ADMIN)
        assert agent.invoke("remove_thing", {"thing_id": 7}, headers=ADMIN) == {
            "status": 200,
            "body": {"removed": 7},
        }
        assert agent.invoke("read_thing", {"thing_id": 7}, headers=ADMIN)["body"] == {"id": 7}
        assert agent.invoke("remove_thing", {"thing_id": 7}, headers=USER)["error"] == "forbidden"
        assert runs == ["remove", "read"]


def test_a_catalog_is_the_same_before_and_after_the_cut(runs: Runs) -> None:
    with probing(guarded_app(runs)) as (agent, sezzlee):
        before = sezzlee.catalog.tools
        seen(agent, ADMIN)
        assert sezzlee.reload().tools == before
        assert seen(agent, USER) == {"open_thing": False}
        assert runs == []


def test_routes_added_after_the_build_do_not_undo_a_cut(runs: Runs) -> None:
    app = guarded_app(runs)
    with probing(app) as (agent, _):
        seen(agent, USER)
        app.get("/later")(lambda: None)
        assert set(seen(agent, ADMIN)) == {"open_thing", "read_thing", "remove_thing"}
        assert runs == []


def test_listing_probes_no_further_than_its_page(runs: Runs) -> None:
    probes: Runs = []
    app = guarded_app(runs)

    async def note(request: StarletteRequest, call_next: Any) -> Response:
        if is_sezzlee_probe(request.scope):
            assert is_sezzlee_request(request.scope)
            probes.append(f"{request.method} {request.url.path}")
        response: Response = await call_next(request)
        return response

    app.add_middleware(BaseHTTPMiddleware, dispatch=note)
    with probing(app) as (agent, _):
        page = agent.search("", limit=1, headers=USER)
        assert [card["name"] for card in page["results"]] == ["open_thing"]
        assert probes == ["GET /open"]
        # Of what a query finds the page is cut last: what is denied takes no place on it.
        found = agent.search("remove a thing", limit=1, headers=USER)
        assert [card["name"] for card in found["results"]] == ["open_thing"]
        assert sorted(probes) == ["DELETE /things/1", "GET /open", "GET /things/1"]


def test_what_is_certain_is_loaded_without_a_probe(runs: Runs) -> None:
    probes: Runs = []
    app = guarded_app(runs)

    async def known() -> None:
        """Declared open to all."""

    known.__mcp_auth__ = {"anonymous": "yes"}  # type: ignore[attr-defined]  # the marker
    app.get("/known")(mcp_tool(name="known_thing")(known))

    async def note(request: StarletteRequest, call_next: Any) -> Response:
        if is_sezzlee_probe(request.scope):
            probes.append(request.url.path)
        response: Response = await call_next(request)
        return response

    app.add_middleware(BaseHTTPMiddleware, dispatch=note)
    with probing(app) as (agent, _):
        for name in ("known_thing", "open_thing"):
            assert agent.load(name)["name"] == name
    assert probes == ["/open"]


def test_an_outer_request_cannot_claim_to_be_a_probe(runs: Runs) -> None:
    with probing(guarded_app(runs)) as (agent, _):
        seen(agent, ADMIN)
        answer = agent.invoke(
            "remove_thing",
            {"thing_id": 1},
            headers={**ADMIN, "sezzlee.probe": "1", "x-sezzlee-probe": "true"},
        )
        assert (answer["status"], runs) == (200, ["remove"])


def test_validation_before_the_function_leaves_it_unknown_and_unrun(runs: Runs) -> None:
    app = FastAPI()

    @app.post("/orders", dependencies=[Depends(require_admin)])
    @mcp_tool(name="place_order")
    def place(quantity: int) -> None:
        """Place an order."""
        runs.append("place")

    with probing(app) as (agent, _):
        assert seen(agent, ADMIN) == {"place_order": True}
        assert seen(agent, USER) == {"place_order": True}
        assert runs == []


@pytest.mark.parametrize("kind", ["decorated", "generator", "async_generator", "callable", "guard"])
@pytest.mark.parametrize("method", ["post", "delete"])
def test_an_unsafe_endpoint_whose_cut_is_unproven_is_never_run(
    runs: Runs, kind: str, method: str
) -> None:
    app = FastAPI()
    serve(getattr(app, method), "/unsafe", UNPROVEN[kind](runs))
    with probing(app) as (agent, _):
        for who in (ADMIN, USER, ADMIN):
            assert seen(agent, who) == {"unsafe": True}
        assert runs == []


@pytest.mark.parametrize("kind", ["decorated", "generator", "async_generator", "callable", "guard"])
def test_a_safe_endpoint_whose_cut_is_unproven_runs_at_most_once(
    runs: Runs, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = FastAPI()
    serve(app.get, "/safe", UNPROVEN[kind](runs))
    with probing(app) as (agent, sezzlee):
        assert seen(agent, USER) == {}
        assert runs == []
        for number in range(5):
            who = {"authorization": f"Bearer {'admin' if number % 2 else 'other'}"}
            seen(agent, who)
        # FastAPI before 0.135 does not get as far as running an async generator.
        assert len(runs) <= 1
        assert runs or kind == "async_generator"
        assert "may have run" in caplog.text
        sezzlee.reload()
        before = len(runs)
        seen(agent, ADMIN)
        assert len(runs) == 2 * before


def serve(register: Any, path: str, endpoint: Any) -> None:
    streams = "generator" in endpoint.__qualname__ if hasattr(endpoint, "__qualname__") else False
    more = {"response_class": StreamingResponse, "response_model": None} if streams else {}
    tool = mcp_tool(name=path.strip("/"))(endpoint)
    register(path, dependencies=[Depends(require_admin)], **more)(tool)


def _decorated(runs: Runs) -> Callable[..., Any]:
    def guard(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inner() -> Any:
            return function()

        return inner

    @guard
    def endpoint() -> dict[str, Any]:
        """Do it."""
        runs.append("ran")
        return {}

    return endpoint


def _generator(runs: Runs) -> Callable[..., Any]:
    def endpoint() -> Iterator[dict[str, Any]]:
        """Do it."""
        runs.append("ran")
        yield {}

    return endpoint


def _async_generator(runs: Runs) -> Callable[..., Any]:
    async def endpoint() -> AsyncIterator[dict[str, Any]]:
        """Do it."""
        runs.append("ran")
        yield {}

    return endpoint


def _callable(runs: Runs) -> Callable[..., Any]:
    class Endpoint:
        """Do it."""

        def __call__(self) -> dict[str, Any]:
            runs.append("ran")
            return {}

    return Endpoint()


class Guard:
    """A decorator that is a class, and serves functions and methods alike."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.function(*args, **named)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def _guard(runs: Runs) -> Callable[..., Any]:
    endpoint = Guard(_callable(runs))
    # Starlette before 0.39 asks whatever has a `__get__` for its name.
    endpoint.__name__ = "guard"  # type: ignore[attr-defined]
    endpoint.__signature__ = inspect.signature(_callable(runs))  # type: ignore[attr-defined]
    return endpoint


UNPROVEN = {
    "decorated": _decorated,
    "generator": _generator,
    "async_generator": _async_generator,
    "callable": _callable,
    "guard": _guard,
}


def test_a_call_that_a_guard_makes_into_the_application_is_no_probe(runs: Runs) -> None:
    app = FastAPI()

    @app.get("/session")
    @mcp_tool(name="session")
    def session() -> dict[str, str]:
        """Tell the session's role."""
        runs.append("session")
        return {"role": "admin"}

    async def ask_the_session(request: Request) -> None:
        transport = httpx.ASGITransport(app=request.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            if (await client.get("/session")).json() != {"role": "admin"}:
                raise HTTPException(403)

    @app.post("/act", dependencies=[Depends(ask_the_session)])
    @mcp_tool(name="act")
    def act() -> None:
        """Act on it."""
        runs.append("act")

    with probing(app) as (agent, _):
        assert seen(agent, ADMIN, "act") == {"act": False}
        assert runs == ["session"]


def test_a_value_that_leads_to_a_neighbour_probes_nobody(runs: Runs) -> None:
    app = FastAPI()

    @app.delete("/users/probe")
    def neighbour() -> None:
        runs.append("neighbour")

    @app.delete("/users/{name}")
    @mcp_tool(name="remove_user")
    def remove(name: str) -> None:
        """Remove a user."""
        runs.append("remove")

    with probing(app) as (agent, _):
        assert seen(agent, ADMIN) == {"remove_user": True}
        assert runs == []


def test_a_guard_that_misses_its_resource_wants_values(runs: Runs) -> None:
    app = FastAPI()

    def own_order(order_id: int) -> int:
        if order_id != 42:
            raise HTTPException(404)
        return order_id

    @app.delete("/orders/{order_id}")
    @mcp_tool(name="cancel_order")
    def cancel(order: Annotated[int, Depends(own_order)]) -> None:
        """Cancel an order."""
        runs.append("cancel")

    with probing(app) as (agent, _):
        assert seen(agent, ADMIN) == {"cancel_order": True}
    sezzlee_options = Options(visibility={"probe": True, "probe_values": {"order_id": 42}})
    again = FastAPI()
    again.include_router(app.router)
    sezzlee_fastapi.mount_mcp(again, "/other", sezzlee_options)
    with AgentClient(again, "/other") as agent:
        assert seen(agent, ADMIN) == {"cancel_order": False}
    assert runs == []


def test_a_middleware_that_hands_on_its_own_scope_runs_nothing(runs: Runs) -> None:
    class OwnScope:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            kept = {key: value for key, value in scope.items() if not key.startswith("sezzlee.")}
            await self.app(kept if scope["type"] == "http" else scope, receive, send)

    app = guarded_app(runs)
    app.add_middleware(OwnScope)
    with probing(app) as (agent, _):
        assert set(seen(agent, ADMIN)) == {"open_thing", "read_thing", "remove_thing"}
        assert runs == []


# --- Starlette ----------------------------------------------------------------------------------


class AdminsOnly:
    """Guards everything below /admin."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http" and scope["path"].startswith("/admin"):
            if b"authorization" not in headers:
                await PlainTextResponse("who?", 401)(scope, receive, send)
                return
            if headers[b"authorization"] != b"Bearer admin":
                await PlainTextResponse("no", 403)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def starlette_routes(runs: Runs) -> list[BaseRoute]:
    @mcp_tool(name="purge")
    async def purge(request: StarletteRequest) -> Response:
        """Purge the cache."""
        runs.append("purge")
        return JSONResponse({})

    @mcp_tool(name="reindex")
    def reindex(request: StarletteRequest) -> Response:
        """Build the index anew."""
        runs.append("reindex")
        return JSONResponse({})

    @mcp_tool
    class Settings(HTTPEndpoint):
        """The settings."""

        @mcp_tool(name="read_settings")
        async def get(self, request: StarletteRequest) -> Response:
            """Read the settings."""
            runs.append("read")
            return JSONResponse({})

        @mcp_tool(name="write_settings")
        def put(self, request: StarletteRequest) -> Response:
            """Write the settings."""
            runs.append("write")
            return JSONResponse({})

    return [
        Route("/admin/purge", purge, methods=["POST"]),
        Route("/admin/settings", Settings),
        Mount("/admin/index", routes=[Route("/", reindex, methods=["POST"])]),
    ]


def test_starlette_endpoints_are_cut_too(runs: Runs) -> None:
    app = Starlette(routes=starlette_routes(runs), middleware=[Middleware(AdminsOnly)])
    with probing(app, sezzlee_starlette.mount_mcp) as (agent, _):
        names = ["purge", "read_settings", "reindex", "write_settings"]
        assert seen(agent, ADMIN) == dict.fromkeys(names, False)
        assert seen(agent, USER) == {}
        assert seen(agent, {}) == {}
        assert runs == []
        for name in names:
            assert agent.invoke(name, headers=ADMIN)["status"] == 200, name
        assert runs == ["purge", "read", "reindex", "write"]


def test_middleware_of_a_route_stands_before_the_cut(runs: Runs) -> None:
    @mcp_tool(name="purge")
    async def purge(request: StarletteRequest) -> Response:
        """Purge the cache."""
        runs.append("purge")
        return JSONResponse({})

    async def refuse(request: StarletteRequest, call_next: Any) -> Response:
        if request.headers.get("authorization") != "Bearer admin":
            return PlainTextResponse("no", 403)
        response: Response = await call_next(request)
        return response

    guard = Middleware(BaseHTTPMiddleware, dispatch=refuse)
    app = Starlette(routes=[Route("/purge", purge, methods=["POST"], middleware=[guard])])
    with probing(app, sezzlee_starlette.mount_mcp) as (agent, _):
        assert seen(agent, ADMIN) == {"purge": False}
        assert seen(agent, USER) == {}
        assert runs == []


class Opaque:
    """Middleware of a host's own, of which nobody knows how it calls what it wraps."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.kept = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.kept(scope, receive, send)


class Dispatching(HTTPEndpoint):
    runs: Runs

    async def dispatch(self) -> None:
        raise AssertionError

    async def post(self, request: StarletteRequest) -> Response:
        """Do it."""
        raise AssertionError


def _guarding(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    async def inner(*arguments: Any) -> Any:
        return await function(*arguments)

    return inner


class GuardedVerb(HTTPEndpoint):
    @_guarding
    async def post(self, request: StarletteRequest) -> Response:
        """Do it."""
        raise AssertionError


def _guarding_unnamed(function: Callable[..., Any]) -> Callable[..., Any]:
    async def inner(*arguments: Any) -> Any:
        return await function(*arguments)

    return inner


async def _checked(
    handler: Callable[[StarletteRequest], Any], request: StarletteRequest
) -> Response:
    """Do it."""
    raise AssertionError


class OnInstances(Guard):
    """Shows the plain method to whoever asks its class."""

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self.function if instance is None else functools.partial(self, instance)


class SpecialVerb(HTTPEndpoint):
    @OnInstances
    @mcp_tool(name="h")
    def post(self, request: StarletteRequest) -> Response:
        """Do it."""
        raise AssertionError


class VerbBehindObject(HTTPEndpoint):
    @mcp_tool(name="e")
    @Guard
    def post(self, request: StarletteRequest) -> Response:
        """Do it."""
        raise AssertionError


def test_starlette_endpoints_whose_cut_is_unproven_are_left_alone() -> None:
    async def plain(request: StarletteRequest) -> Response:
        """Do it."""
        raise AssertionError

    async def other(request: StarletteRequest) -> Response:
        """Do it."""
        raise AssertionError

    routes = [
        Route("/a", mcp_tool(name="a")(_guarding(plain)), methods=["POST"]),
        Route("/b", mcp_tool(name="b")(other), methods=["POST"], middleware=[Middleware(Opaque)]),
        Route("/c", Dispatching),
        Route("/d", GuardedVerb),
        Route("/e", VerbBehindObject),
        Route("/f", mcp_tool(name="f")(functools.partial(_checked, plain)), methods=["POST"]),
        Route("/g", mcp_tool(name="g")(_guarding_unnamed(plain)), methods=["POST"]),
        Route("/h", SpecialVerb),
    ]
    mcp_tool(name="c")(Dispatching.post)
    mcp_tool(name="d")(GuardedVerb.post)
    with probing(Starlette(routes=routes), sezzlee_starlette.mount_mcp) as (agent, _):
        assert seen(agent, ADMIN) == dict.fromkeys("abcdefgh", True)


def test_a_chain_without_an_end_is_no_proof() -> None:
    async def plain(request: StarletteRequest) -> Response:
        raise AssertionError

    class Endless:
        endpoint = staticmethod(plain)

        @property
        def app(self) -> Any:
            return self

    Endless.__module__ = "starlette.endless"

    class Bare:
        endpoint = staticmethod(plain)

    class OwnKind:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            raise AssertionError

    class Foreign:
        endpoint = OwnKind
        app = OwnKind

    assert [cut_route(view, frozenset()) for view in (Endless(), Bare(), Foreign())] == [False] * 3
