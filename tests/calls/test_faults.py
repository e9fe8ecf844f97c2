"""Handlers that sleep, raise, stream without end or run in parallel, through the real endpoint."""

import asyncio
import threading
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from fastapi import BackgroundTasks, FastAPI, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.middleware.base import BaseHTTPMiddleware

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, Sezzlee, mcp_tool
from sezzlee_py.testing import AgentClient

USER: ContextVar[str] = ContextVar("user", default="nobody")
TRACE: ContextVar[str] = ContextVar("trace", default="none")
BUDGET = 65_536


def options(**invoke: Any) -> Options:
    return Options(naming={"prefix": lambda container: ""}, invoke=invoke)


def agent_of(app: FastAPI, chosen: Options | None = None) -> AgentClient:
    mount_mcp(app, options=chosen or options(timeout_ms=5_000))
    return AgentClient(app)


# --- the deadline ------------------------------------------------------------------------------


class Slow:
    """Handlers that wait until they are released, or for ever."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.ended: list[str] = []
        self.over = threading.Event()
        self.app = FastAPI()

        @self.app.get("/awaiting")
        @mcp_tool(name="awaiting")
        async def awaiting() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                self.ended.append("awaiting")
                self.over.set()

        @self.app.get("/threaded")
        @mcp_tool(name="threaded")
        def threaded() -> None:
            self.release.wait(10)
            self.ended.append("threaded")
            self.over.set()

        @self.app.get("/streaming")
        @mcp_tool(name="streaming")
        async def streaming() -> StreamingResponse:
            async def events() -> AsyncIterator[bytes]:
                try:
                    while True:
                        yield b"data: tick\n\n"
                        await asyncio.sleep(0.001)
                finally:
                    self.ended.append("streaming")
                    self.over.set()

            return StreamingResponse(events(), media_type="text/event-stream")

        @self.app.get("/quick")
        @mcp_tool(name="quick")
        async def quick() -> str:
            return "here"


@pytest.fixture
def slow() -> Iterator[Slow]:
    slow = Slow()
    yield slow
    slow.release.set()


@pytest.mark.parametrize("tool", ["awaiting", "threaded", "streaming"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["plain", "behind BaseHTTPMiddleware"])
def test_a_handler_past_the_deadline_frees_the_agent_and_ends(
    slow: Slow, tool: str, wrapped: bool
) -> None:
    if wrapped:
        slow.app.add_middleware(BaseHTTPMiddleware, dispatch=_pass_on)
    with agent_of(slow.app, options(timeout_ms=40, cancel_grace_ms=20)) as agent:
        begun = time.monotonic()
        answer = agent.invoke(tool)
        assert (answer["error"], answer["retryable"]) == ("invoke_timeout", True)
        assert time.monotonic() - begun < 3
        assert agent.invoke("quick")["body"] == "here"
        slow.release.set()
        assert slow.over.wait(5)
    assert slow.ended == [tool]


async def _pass_on(request: Request, call_next: Callable[..., Any]) -> Any:
    return await call_next(request)


def test_a_client_that_leaves_ends_the_handler(slow: Slow) -> None:
    mount_mcp(slow.app, options=options(timeout_ms=0, cancel_grace_ms=0))

    async def leave() -> list[MutableMapping[str, Any]]:
        message = (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"invoke_tool",'
            b'"arguments":{"name":"awaiting"}}}'
        )
        incoming = [{"type": "http.request", "body": message, "more_body": False}]
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return incoming.pop() if incoming else {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await slow.app(
            {
                "type": "http",
                "method": "POST",
                "path": "/mcp",
                "raw_path": b"/mcp",
                "query_string": b"",
                "root_path": "",
                "scheme": "http",
                "headers": [
                    (b"host", b"localhost"),
                    (b"content-type", b"application/json"),
                    (b"accept", b"application/json, text/event-stream"),
                ],
            },
            receive,
            send,
        )
        await asyncio.to_thread(slow.over.wait, 5)
        return sent

    assert asyncio.run(leave()) == []
    assert slow.ended == ["awaiting"]


# --- what raises -------------------------------------------------------------------------------

SECRET = "postgresql://root:hunter2@db.internal/shop"


def failing_app(debug: bool) -> FastAPI:
    app = FastAPI(debug=debug)

    @app.get("/before")
    @mcp_tool(name="before")
    async def before() -> None:
        raise RuntimeError(SECRET)

    @app.get("/during")
    @mcp_tool(name="during")
    async def during() -> StreamingResponse:
        async def rows() -> AsyncIterator[bytes]:
            yield b'[{"id": 1},'
            raise RuntimeError(SECRET)

        return StreamingResponse(rows(), media_type="application/json")

    @app.get("/after")
    @mcp_tool(name="after")
    async def after(tasks: BackgroundTasks) -> dict[str, int]:
        def fail() -> None:
            raise RuntimeError(SECRET)

        tasks.add_task(fail)
        return {"id": 1}

    @app.get("/exit")
    @mcp_tool(name="exit")
    async def leave() -> None:
        raise SystemExit(3)

    return app


@pytest.mark.parametrize("debug", [False, True])
def test_what_a_handler_raises_is_told_by_when_it_was_raised(
    debug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    failed = {
        "error": "backend_error",
        "message": "The backend failed while handling the call (500). Details were withheld.",
        "status": 500,
        "retryable": False,
    }
    with agent_of(failing_app(debug)) as agent:
        assert agent.invoke("before") == failed
        assert agent.invoke("during") == failed
        assert agent.invoke("after") == {"status": 200, "body": {"id": 1}}
        assert agent.invoke("exit") == failed
    assert SECRET in caplog.text


# --- what is too large -------------------------------------------------------------------------


def endless_app(closed: list[str]) -> FastAPI:
    app = FastAPI()

    async def repeat(chunk: bytes, times: int, name: str) -> AsyncIterator[bytes]:
        try:
            for _ in range(times):
                yield chunk
        finally:
            closed.append(name)

    @app.get("/events")
    @mcp_tool(name="events")
    async def events() -> StreamingResponse:
        return StreamingResponse(
            repeat(b"data: tick\n\n", 10**9, "events"), media_type="text/event-stream"
        )

    @app.get("/gigabyte")
    @mcp_tool(name="gigabyte")
    async def gigabyte(limit: int = 0) -> StreamingResponse:
        row = b"[" + b'{"id": 12345678},' * 3_000
        return StreamingResponse(
            repeat(row, 10**9 // len(row), "gigabyte"), media_type="application/json"
        )

    return app


@pytest.mark.parametrize(("tool", "kind"), [("events", "text"), ("gigabyte", "array")])
def test_a_response_without_end_is_refused_in_bounded_memory(tool: str, kind: str) -> None:
    closed: list[str] = []
    with agent_of(endless_app(closed), options(max_response_bytes=BUDGET)) as agent:
        agent.search("warm")
        tracemalloc.start()
        try:
            answer = agent.invoke(tool)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert answer["error"] == "response_too_large"
    assert answer["payload"]["shape"] == {"kind": kind}
    assert 4 * BUDGET < answer["payload"]["bytes"] < 5 * BUDGET
    assert answer["message"].startswith(f"The response is {answer['payload']['bytes']} bytes; ")
    assert " 0 characters" not in answer["message"]
    assert peak < 8 * BUDGET
    assert closed == [tool]


def test_an_endless_image_is_told_by_its_type() -> None:
    app = FastAPI()

    @app.get("/camera")
    @mcp_tool(name="camera")
    async def camera() -> StreamingResponse:
        async def frames() -> AsyncIterator[bytes]:
            while True:
                yield b"\xff\xd8" + bytes(10_000)

        return StreamingResponse(frames(), media_type="multipart/x-mixed-replace")

    with agent_of(app, options(max_response_bytes=BUDGET)) as agent:
        assert agent.invoke("camera") == {
            "status": 200,
            "contentType": "multipart/x-mixed-replace",
        }


# --- what runs beside ---------------------------------------------------------------------------


def test_background_tasks_run_on_and_are_not_waited_for() -> None:
    release, done = threading.Event(), threading.Event()
    app = FastAPI()

    @app.get("/later")
    @mcp_tool(name="later")
    async def later(tasks: BackgroundTasks) -> str:
        async def work() -> None:
            await asyncio.to_thread(release.wait, 5)
            done.set()

        tasks.add_task(work)
        return "soon"

    with agent_of(app, options(timeout_ms=2_000, cancel_grace_ms=0)) as agent:
        assert agent.invoke("later")["body"] == "soon"
        assert not done.is_set()
        release.set()
        assert done.wait(5)


def parallel_app() -> tuple[FastAPI, Sezzlee]:
    app = FastAPI()

    class Marking:
        """Middleware as hosts write it: the caller goes into a variable and the scope."""

        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                given = dict(scope["headers"]).get(b"authorization", b"").decode()
                scope["state"]["user"] = given
                USER.set(given or "nobody")
                if given:
                    TRACE.set(f"trace of {given}")
            await self.app(scope, receive, send)

    @app.get("/slow/{number}")
    @mcp_tool(name="slow")
    async def slow(number: int, request: Request) -> dict[str, Any]:
        before = USER.get()
        await asyncio.sleep(0.001 * (number % 5))
        return {"number": number, "before": before, "after": USER.get()} | {
            "state": request.state.user
        }

    app.add_middleware(Marking)
    return app, mount_mcp(app, options=options())


@pytest.mark.parametrize("count", [100, 200])
async def test_parallel_slow_calls_wait_together_and_never_mix(count: int) -> None:
    _, sezzlee = parallel_app()

    async def call(number: int) -> Any:
        headers = {"authorization": f"Bearer {number % 7}"}
        return (await sezzlee.invoke("slow", {"number": number}, headers=headers))["body"]

    answers = await asyncio.gather(*map(call, range(count)))
    assert answers == [
        {"number": n, **dict.fromkeys(("before", "after", "state"), f"Bearer {n % 7}")}
        for n in range(count)
    ]
    assert USER.get() == "nobody"


# --- context -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("carried", "trace"), [((), "none"), ((TRACE,), "trace of outer")])
def test_variables_of_the_outer_request_are_seen_inside_only_when_named(
    carried: tuple[ContextVar[Any], ...], trace: str
) -> None:
    app = FastAPI()

    class Outer:
        """Marks what came from outside alone, as an authenticating middleware of `/mcp` would."""

        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and scope["path"] == "/mcp":
                USER.set("outer")
                TRACE.set("trace of outer")
                scope["user"] = scope["auth"] = "outer"
                scope["state"]["user"] = "outer"
                scope["session"] = {"user": "outer"}
            await self.app(scope, receive, send)

    @app.get("/who")
    @mcp_tool(name="who")
    async def who(request: Request) -> dict[str, Any]:
        names = ("user", "auth", "session")
        return {
            "variables": [USER.get(), TRACE.get()],
            "scope": [name for name in names if name in request.scope],
            "state": hasattr(request.state, "user"),
        }

    app.add_middleware(Outer)
    chosen = options()
    chosen.identity.carry_context = carried
    with agent_of(app, chosen) as agent:
        assert agent.invoke("who")["body"] == {
            "variables": ["nobody", trace],
            "scope": [],
            "state": False,
        }


def test_the_lifespan_state_reaches_the_handler_in_a_copy_of_its_own() -> None:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        yield {"pool": ["connection"]}

    app = FastAPI(lifespan=lifespan)

    @app.get("/pool")
    @mcp_tool(name="pool")
    async def pool(request: Request) -> dict[str, Any]:
        seen = {"pool": request.state.pool, "calls": getattr(request.state, "calls", 0)}
        request.state.calls = 1
        return seen

    with agent_of(app) as agent:
        for _ in range(2):
            assert agent.invoke("pool")["body"] == {"pool": ["connection"], "calls": 0}


def test_a_cookie_of_the_answer_reaches_nobody() -> None:
    app = FastAPI()

    @app.get("/login")
    @mcp_tool(name="login")
    async def login() -> PlainTextResponse:
        response = PlainTextResponse("in")
        response.set_cookie("sid", "s3cret")
        return response

    with agent_of(app) as agent:
        assert "s3cret" not in str(agent.invoke("login"))
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "invoke_tool", "arguments": {"name": "login"}},
        }
        assert "set-cookie" not in agent.post(message).headers
