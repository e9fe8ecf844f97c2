"""The SDK's share of a call on FastAPI: invoke, search, catalog build, import."""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from fastapi import FastAPI
from pydantic import BaseModel, create_model

from benchmarks.measure import Figure, compare, compare_async
from sezzlee_fastapi import FastAPIAdapter, mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.catalog.build import build_catalog

REVISION = "2026-07-28"
BODY = create_model("Body", **{f"field_{n}": (int, 0) for n in range(5)})  # type: ignore[call-overload]


class Query(BaseModel):
    """What a bare search route would take."""

    query: str


STARTS = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ro", "su", "ta")
ENDS = ("bol", "cher", "dant", "fel", "gon", "hus", "jal", "ker", "lim", "mop")
WORDS = [start + end for start in STARTS for end in ENDS]


def big_app(count: int) -> FastAPI:
    """An app of `count` routes, each with a path and a query parameter and every third a body.

    Names and descriptions are drawn from 150 words, so that a query meets a part of the catalog.
    """
    app = FastAPI()
    draw = random.Random(7)

    @app.post("/bare")
    async def bare(body: Query) -> Query:
        return body

    for number in range(count):
        name = "_".join(draw.sample(WORDS, 3))
        route = f"/{draw.choice(WORDS)}/{name}{number}/{{item_id}}"
        tags = [draw.choice(WORDS)]
        if number % 3:

            def read(item_id: int, limit: int = 10, tag: str | None = None) -> dict[str, int]:
                return {"id": item_id}

            add, handler = app.get(route, tags=tags), read
        else:

            def write(item_id: int, body: Any) -> dict[str, int]:
                return {"id": item_id}

            write.__annotations__["body"] = BODY
            add, handler = app.post(route, tags=tags), write
        handler.__name__ = name
        handler.__doc__ = " ".join(draw.choices(WORDS, k=15))
        add(handler)
    return app


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


def caller(
    client: httpx.AsyncClient, tool: str, arguments: dict[str, Any]
) -> Callable[[], Awaitable[None]]:
    body, headers = request_of(tool, arguments)

    async def call() -> None:
        answer = await client.post("/mcp", content=body, headers=headers)
        assert answer.status_code == 200
        assert b'"isError"' not in answer.content

    return call


async def invoke_figures() -> list[Figure]:
    app = FastAPI()

    class Model(BaseModel):
        number: int = 1

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

    @app.get("/ping")
    @mcp_tool(name="ping")
    async def ping() -> dict[str, str]:
        return {"pong": "yes"}

    @app.post("/wide")
    @mcp_tool(name="wide")
    async def wide(body: Wide) -> Wide:
        return body

    @app.post("/bare")
    async def bare(body: Model) -> Model:
        return body

    mount_mcp(app)
    ints = {f"f0{n}": n for n in range(5)}
    texts = {f"f0{n}": "text" for n in range(5, 10)}
    floats = {f"f{n}": 1.5 for n in range(10, 15)}
    flags = {f"f{n}": True for n in range(15, 18)}
    values = {**ints, **texts, **floats, **flags, "f18": [1, 2], "f19": ["a"]}
    content = json.dumps(values).encode()
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

        async def bare_get() -> None:
            await client.get("/ping")

        async def bare_post() -> None:
            json_type = {"content-type": "application/json"}
            await client.post("/wide", content=content, headers=json_type)

        get_call = caller(client, "invoke_tool", {"name": "ping", "arguments": {}})
        post_call = caller(client, "invoke_tool", {"name": "wide", "arguments": values})
        return [
            await compare_async(
                "invoke_tool of a trivial GET / the GET", get_call, bare_get, target=2
            ),
            await compare_async(
                "invoke_tool of a 20-field POST / the POST", post_call, bare_post, target=1.6
            ),
        ]


async def search_figures() -> list[Figure]:
    app = big_app(1_000)

    options = Options(selection={"default": "include"})
    mount_mcp(app, options=options).build()
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

        async def bare_post() -> None:
            await client.post("/bare", json={"query": " ".join(WORDS[::30])})

        call = caller(client, "search_tools", {"query": " ".join(WORDS[::30])})
        return [
            await compare_async(
                "search_tools over 1,000 tools / a JSON POST", call, bare_post, target=2
            )
        ]


def build_figures() -> list[Figure]:
    app = big_app(1_000)
    options = Options(selection={"default": "include"})

    def build() -> None:
        catalog = build_catalog(FastAPIAdapter(app).discover(), options)
        assert len(catalog) == 1_001, catalog.diagnostics[:3]

    def document() -> None:
        app.openapi_schema = None
        app.openapi()

    return [
        compare(
            "catalog of 1,000 routes / a fresh app.openapi()",
            build,
            document,
            target=1.5,
            rounds=7,
            warm_up=1,
        )
    ]


def import_figures() -> list[Figure]:
    def importing(module: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        return time.perf_counter() - start

    return [
        compare(
            "import sezzlee_py / import pydantic",
            lambda: importing("sezzlee_py"),
            lambda: importing("pydantic"),
            target=1.3,
            rounds=11,
            warm_up=2,
        )
    ]


def main() -> None:
    figures = [
        *asyncio.run(invoke_figures()),
        *asyncio.run(search_figures()),
        *build_figures(),
        *import_figures(),
    ]
    for figure in figures:
        print(figure)


if __name__ == "__main__":
    main()
