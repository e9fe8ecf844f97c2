"""What `invoke_tool` costs beside the bare route, through the same transport.

Two transports: a uvicorn server on the loopback, which is how applications are called, and httpx
in process, where next to nothing stands around the application and the SDK's share is largest.
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
from typing import Any

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


def caller(client: httpx.AsyncClient, tool: str, arguments: dict[str, Any]) -> Call:
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


async def figures_of(client: httpx.AsyncClient, label: str) -> list[Figure]:
    """A GET alone and by many callers; each application has the tool `ping` at `/ping`."""

    async def bare() -> None:
        await client.get("/ping")

    call = caller(client, "invoke_tool", {"name": "ping", "arguments": {}})
    crowd = f"a GET by {CALLERS} callers / the GET, {label}"
    return [
        await compare_async(f"invoke_tool of a GET / the GET, {label}", call, bare, target=1.6),
        await compare_crowds(crowd, call, bare),
    ]


async def body_figures(client: httpx.AsyncClient, label: str) -> list[Figure]:
    """A POST of a wide model and a large answer, of the FastAPI application."""
    content, json_type = json.dumps(VALUES).encode(), {"content-type": "application/json"}

    async def bare_post() -> None:
        await client.post("/wide", content=content, headers=json_type)

    async def bare_large() -> None:
        json.dumps(json.loads((await client.get("/large")).content))

    post = caller(client, "invoke_tool", {"name": "wide", "arguments": VALUES})
    large = caller(client, "invoke_tool", {"name": "large", "arguments": {}})
    return [
        await compare_async(f"a 20-field POST / the POST, {label}", post, bare_post, target=1.6),
        await compare_async(
            f"200 KB of JSON / GET, parse and write it, {label}",
            large,
            bare_large,
            target=1.6,
            rounds=100,
        ),
    ]


async def invoke_figures() -> list[Figure]:
    """Every figure, served and in process."""
    figures: list[Figure] = []
    with served("fastapi_app") as address:
        async with httpx.AsyncClient(base_url=address) as client:
            figures += await figures_of(client, "FastAPI served")
            figures += await body_figures(client, "served")
    with served("starlette_app") as address:
        async with httpx.AsyncClient(base_url=address) as client:
            figures += await figures_of(client, "Starlette served")
    async with client_of(fastapi_app()) as client:
        figures += await figures_of(client, "FastAPI in process")
        figures += await body_figures(client, "in process")
    async with client_of(starlette_app()) as client:
        figures += await figures_of(client, "Starlette in process")
    return figures


async def compare_crowds(name: str, measured: Call, base: Call) -> Figure:
    """Return the time per call when many callers call at once; 0.6 of the throughput is 1.67."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(25):
        for call, taken in zip((measured, base), times, strict=True):
            start = time.perf_counter()
            await asyncio.gather(*[call() for _ in range(CALLERS)])
            taken.append((time.perf_counter() - start) / CALLERS)
    ours, bare = (statistics.median(taken[5:]) * 1e6 for taken in times)
    return Figure(name=name, measured_us=ours, base_us=bare, target=1 / 0.6)


if __name__ == "__main__":
    for figure in asyncio.run(invoke_figures()):
        print(figure)
