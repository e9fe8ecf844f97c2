"""The SDK's share of a call on FastAPI: invoke, search, catalog build, import."""

import asyncio
import random
import subprocess
import sys
import time
from typing import Any

import httpx
from fastapi import FastAPI
from pydantic import BaseModel, create_model

from benchmarks.invocation import caller, invoke_figures
from benchmarks.measure import Figure, compare, compare_async
from sezzlee_fastapi import FastAPIAdapter, mount_mcp
from sezzlee_py import Options
from sezzlee_py.catalog.build import build_catalog

REVISION = "2026-07-28"
BODY = create_model("Body", **{f"field_{n}": (int, 0) for n in range(5)})  # type: ignore[call-overload]


class Query(BaseModel):
    """What a bare search route would take."""

    query: str


STARTS = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ro", "su", "ta")
ENDS = ("bol", "cher", "dant", "fel", "gon", "hus", "jal", "ker", "lim", "mop")
MIDDLES = ("", "ab", "ec", "id", "of", "ug", "an", "er", "is", "ot", "um", "al", "en")
WORDS = [start + middle + end for start in STARTS for middle in MIDDLES for end in ENDS]


def big_app(count: int) -> FastAPI:
    """An app of `count` routes, each with a path and a query parameter and every third a body.

    Names and descriptions are drawn from 1,950 words, about what the search benchmark has.
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


async def search_figures() -> list[Figure]:
    app = big_app(1_000)

    options = Options(selection={"default": "include"})
    mount_mcp(app, options=options).build()
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

        async def bare_post() -> None:
            await client.post("/bare", json={"query": " ".join(WORDS[::400])})

        call = caller(client, "search_tools", {"query": " ".join(WORDS[::400])})
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
