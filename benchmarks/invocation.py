"""What `invoke_tool` costs beside the bare route, through the same transport.

Three transports: a uvicorn server on the loopback, which is how applications are called; httpx in
process; and the bare ASGI call, where nothing at all stands around the application and the SDK's
share is largest. A call of a tool is a POST with a JSON body and the bare GET is not, so what the
transport itself takes for the one and the other is told too.
"""

import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import httpx
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_starlette
from benchmarks.measure import Figure, compare_async
from sezzlee_py import Options, mcp_tool

REVISION = "2026-07-28"
CALLERS = 64
Call = Callable[[], Awaitable[None]]
Clock = Callable[[], float]
AGENT = ((b"host", b"localhost"), (b"accept-encoding", b"gzip, deflate"), (b"user-agent", b"bench"))


def request_of(tool: str, arguments: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """The body and headers of one call, as a client of the newest revision sends them."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": "tools/call",
        "mcp-name": tool,
    }
    return json.dumps(body).encode(), headers


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back of a bare ASGI call."""

    status_code: int
    content: bytes


class Direct:
    """Calls an application as a server does, without any client or server around it."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *fault: object) -> None:
        pass

    async def get(self, path: str) -> Answer:
        return await self._call("GET", path, AGENT, b"")

    async def post(self, path: str, *, content: bytes, headers: dict[str, str]) -> Answer:
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        length = (b"content-length", str(len(content)).encode())
        return await self._call("POST", path, (*AGENT, *named, length), content)

    async def _call(
        self, method: str, path: str, headers: tuple[tuple[bytes, bytes], ...], body: bytes
    ) -> Answer:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._app(_scope(method, path, headers), receive, send)
        return Answer(sent[0]["status"], b"".join(part["body"] for part in sent[1:]))


def _scope(method: str, path: str, headers: tuple[tuple[bytes, bytes], ...]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": list(headers),
        "client": ("127.0.0.1", 50_000),
        "server": ("localhost", 80),
        "state": {},
    }


Client = httpx.AsyncClient | Direct


def caller(client: Client, tool: str, arguments: dict[str, Any]) -> Call:
    body, headers = request_of(tool, arguments)

    async def call() -> None:
        answer = await client.post("/mcp", content=body, headers=headers)
        assert answer.status_code == 200
        assert b'"isError"' not in answer.content

    return call


class Wide(BaseModel):
    f00: int
    f01: int
    f02: int
    f03: int
    f04: int
    f05: str
    f06: str
    f07: str
    f08: str
    f09: str
    f10: float
    f11: float
    f12: float
    f13: float
    f14: float
    f15: bool
    f16: bool
    f17: bool
    f18: list[int]
    f19: list[str]


VALUES = {
    **{f"f0{n}": n for n in range(5)},
    **{f"f0{n}": "text" for n in range(5, 10)},
    **{f"f{n}": 1.5 for n in range(10, 15)},
    **{f"f{n}": True for n in range(15, 18)},
    "f18": [1, 2],
    "f19": ["a"],
}
LARGE = json.dumps([{"id": n, "name": f"row {n}", "price": 1.25} for n in range(4_000)]).encode()


def fastapi_app() -> FastAPI:
    app = FastAPI()

    @app.get("/ping")
    @mcp_tool(name="ping")
    async def ping() -> dict[str, str]:
        return {"pong": "yes"}

    @app.post("/wide")
    @mcp_tool(name="wide")
    async def wide(body: Wide) -> Wide:
        return body

    @app.get("/large")
    @mcp_tool(name="large")
    async def large() -> Response:
        return Response(LARGE, media_type="application/json")

    sezzlee_fastapi.mount_mcp(app)
    return app


def starlette_app() -> Starlette:
    @mcp_tool(name="ping")
    async def ping(request: Request) -> JSONResponse:
        return JSONResponse({"pong": "yes"})

    app = Starlette(routes=[Route("/ping", ping)])
    sezzlee_starlette.mount_mcp(app, options=Options(naming={"prefix": lambda container: ""}))
    return app


def client_of(app: Any) -> httpx.AsyncClient:
    """A client in process."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost")


@contextmanager
def served(factory: str) -> Iterator[str]:
    """Serve an application of this module by uvicorn; gives the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = ["uvicorn", "--factory", f"benchmarks.invocation:{factory}", "--port", str(port)]
    command = [sys.executable, "-W", "ignore", "-m", *server, "--log-level", "warning"]
    with subprocess.Popen(command) as process:
        try:
            _await_port(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _await_port(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("the server did not start")


async def constant(scope: Any, receive: Any, send: Any) -> None:
    """An application that does nothing: what is left is the transport."""
    if scope["method"] == "POST":
        await receive()
    content = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    length = (b"content-length", str(len(content)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": content, "more_body": False})


async def transport_figures(client: Client, label: str) -> list[Figure]:
    """What a transport takes for the POST of a call beside a GET, of an application of no cost."""

    async def bare() -> None:
        await client.get("/ping")

    call = caller(client, "invoke_tool", {"name": "ping", "arguments": {}})
    name = f"a call's POST / a GET, both answered by a constant, {label}"
    return [await compare_async(name, call, bare, target=1.6, clock=time.process_time)]


async def figures_of(client: Client, label: str, clock: Clock) -> list[Figure]:
    """A GET alone and by many callers; each application has the tool `ping` at `/ping`."""

    async def bare() -> None:
        await client.get("/ping")

    call = caller(client, "invoke_tool", {"name": "ping", "arguments": {}})
    alone = f"invoke_tool of a GET / the GET, {label}"
    crowd = f"a GET by {CALLERS} callers / the GET, {label}"
    return [
        await compare_async(alone, call, bare, target=1.6, clock=clock),
        await compare_crowds(crowd, call, bare, clock),
    ]


async def body_figures(client: Client, label: str, clock: Clock) -> list[Figure]:
    """A POST of a wide model and a large answer, of the FastAPI application."""
    content, json_type = json.dumps(VALUES).encode(), {"content-type": "application/json"}

    async def bare_post() -> None:
        await client.post("/wide", content=content, headers=json_type)

    async def bare_large() -> None:
        json.dumps(json.loads((await client.get("/large")).content))

    post = caller(client, "invoke_tool", {"name": "wide", "arguments": VALUES})
    large = caller(client, "invoke_tool", {"name": "large", "arguments": {}})
    wide = f"a 20-field POST / the POST, {label}"
    return [
        await compare_async(wide, post, bare_post, target=1.6, clock=clock),
        await compare_async(
            f"200 KB of JSON / GET, parse and write it, {label}",
            large,
            bare_large,
            target=1.6,
            rounds=100,
            clock=clock,
        ),
    ]


async def invoke_figures() -> list[Figure]:
    """Every figure, served and in process."""
    figures: list[Figure] = []
    with served("fastapi_app") as address:
        async with httpx.AsyncClient(base_url=address) as client:
            figures += await figures_of(client, "FastAPI served", time.perf_counter)
            figures += await body_figures(client, "served", time.perf_counter)
    with served("starlette_app") as address:
        async with httpx.AsyncClient(base_url=address) as client:
            figures += await figures_of(client, "Starlette served", time.perf_counter)
    for connect, label in ((client_of, "in process"), (Direct, "bare ASGI")):
        async with connect(constant) as client:
            figures += await transport_figures(client, label)
        async with connect(fastapi_app()) as client:
            figures += await figures_of(client, f"FastAPI {label}", time.process_time)
            figures += await body_figures(client, label, time.process_time)
        async with connect(starlette_app()) as client:
            figures += await figures_of(client, f"Starlette {label}", time.process_time)
    return figures


async def compare_crowds(name: str, measured: Call, base: Call, clock: Clock) -> Figure:
    """Return the time per call when many callers call at once; 0.6 of the throughput is 1.67."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(25):
        for call, taken in zip((measured, base), times, strict=True):
            start = clock()
            await asyncio.gather(*[call() for _ in range(CALLERS)])
            taken.append((clock() - start) / CALLERS)
    ours, bare = (statistics.median(taken[5:]) * 1e6 for taken in times)
    return Figure(name=name, measured_us=ours, base_us=bare, target=1 / 0.6)


if __name__ == "__main__":
    for figure in asyncio.run(invoke_figures()):
        print(figure)
