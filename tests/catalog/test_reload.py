"""Reloads under load, and the bytes that equal applications give."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from sezzlee_fastapi import FastAPIAdapter, mount_mcp
from sezzlee_py import CatalogError, Member, Options, Sezzlee, mcp_family, mcp_tool
from sezzlee_py.catalog.adapter import Discovery
from sezzlee_py.catalog.build import build_catalog
from sezzlee_py.catalog.projection import definition
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.errors import CatalogReloadError
from sezzlee_py.testing import AgentClient


class Order(BaseModel):
    """An order."""

    number: int
    notes: list[str] = []


def shop() -> FastAPI:
    app = FastAPI()

    @app.get("/orders/{order_id}", tags=["orders"])
    def get_order(order_id: int, verbose: bool = False) -> Order:
        """Fetch one order."""
        return Order(number=order_id)

    @app.post("/orders", tags=["orders"])
    @app.post("/v1/orders", tags=["orders"])
    def create(order: Order) -> Order:
        """Create an order."""
        return order

    @app.post("/carts", tags=["carts"])
    def create_cart(order: Order) -> Order:
        """Create a cart."""
        return order

    return app


EVERYTHING = Options(selection={"default": "include"})


def bytes_of(catalog: Catalog) -> str:
    """Everything an agent or a ranker can read, and every finding."""
    tools = [
        [definition(tool), tool.version, tool.tags, tool.route, tool.alternate_routes, repr(tool)]
        for tool in catalog
    ]
    return json.dumps([catalog.version, tools, [str(found) for found in catalog.diagnostics]])


def test_equal_applications_give_the_same_bytes_in_any_order_of_discovery() -> None:
    discovery = FastAPIAdapter(shop()).discover()
    expected = build_catalog(discovery, EVERYTHING)
    for seed in range(10):
        operations = list(discovery.operations)
        random.Random(seed).shuffle(operations)
        shuffled = build_catalog(replace(discovery, operations=tuple(operations)), EVERYTHING)
        assert bytes_of(shuffled) == bytes_of(expected)
        assert shuffled == expected


def test_equal_applications_give_the_same_bytes_in_any_process() -> None:
    code = (
        "from tests.catalog.test_reload import *\n"
        "catalog = build_catalog(FastAPIAdapter(shop()).discover(), EVERYTHING)\n"
        "print([(t.name, t.version, t.alternate_routes) for t in catalog], catalog.version)\n"
        "print([str(found) for found in catalog.diagnostics])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_a_reload_of_an_unchanged_application_changes_the_generation_alone() -> None:
    sezzlee = mount_mcp(shop(), options=EVERYTHING)
    before, after = sezzlee.build(), sezzlee.reload()
    assert (before.generation, after.generation) == (1, 2)
    assert (after.tools, after.diagnostics) == (before.tools, before.diagnostics)
    assert [tool.version for tool in after] == [tool.version for tool in before]
    assert before.version.partition("-")[2] == after.version.partition("-")[2]


def test_a_route_added_after_the_build_appears_after_a_reload() -> None:
    app = FastAPI()
    sezzlee = mount_mcp(app, options=Options(naming={"prefix": lambda _: ""}))
    assert [tool.name for tool in sezzlee.build()] == []

    @app.get("/ping")
    @mcp_tool
    def ping() -> None: ...

    assert "ping" not in sezzlee.catalog
    assert "ping" in sezzlee.reload()
    assert "ping" in sezzlee.catalog


def test_a_reload_that_would_be_fatal_leaves_the_old_catalog_served() -> None:
    app = FastAPI()

    @app.get("/ping")
    @mcp_tool("ping")
    def ping() -> str:
        return "pong"

    sezzlee = mount_mcp(app)
    with AgentClient(app) as agent:
        app.get("/pong")(mcp_tool("ping")(lambda: None))
        with pytest.raises(CatalogReloadError, match="name_collision") as refused:
            sezzlee.reload()
        assert isinstance(refused.value, CatalogError)
        assert [card["name"] for card in agent.search()["results"]] == ["ping"]
        assert agent.invoke("ping") == {"status": 200, "body": "pong"}
    assert sezzlee.catalog.generation == 1


async def test_fifty_callers_lose_nothing_while_catalogs_are_swapped() -> None:
    rows = [Member(key="close", name="close_month", description="Close a month.")]
    app = FastAPI()

    @app.get("/slow/{number}")
    @mcp_tool("slow", description="Echo a number.")
    async def slow(number: int) -> int:
        await asyncio.sleep(0)
        return number

    @app.post("/rpc/{method_id}")
    @mcp_family("method_id", source="rpc")
    async def rpc(method_id: str) -> str:
        return method_id

    async def load() -> list[Member]:
        await asyncio.sleep(0)
        return list(rows)

    sezzlee = mount_mcp(app, options=Options(families={"rpc": load}))
    await sezzlee.areload()
    done = asyncio.Event()

    async def reload() -> int:
        reloads = 0
        while not done.is_set():
            await sezzlee.areload()
            await asyncio.to_thread(sezzlee.reload)
            reloads += 2
        return reloads

    reloading = asyncio.create_task(reload())
    answers = await asyncio.gather(*(_use(sezzlee, number) for number in range(50)))
    done.set()
    assert await reloading > 0
    assert answers == [_expected(number) for number in range(50)]


async def _use(sezzlee: Sezzlee, number: int) -> list[Any]:
    seen: list[Any] = []
    for turn in range(5):
        found = await sezzlee.search("echo a number")
        loaded = await sezzlee.load("slow")
        version = loaded["version"]
        called = await sezzlee.invoke("slow", {"number": number + turn}, version=version)
        family = await sezzlee.invoke("close_month", {})
        seen += [found["results"][0]["name"], called, family]
    return seen


def _expected(number: int) -> list[Any]:
    return [
        answer
        for turn in range(5)
        for answer in (
            "slow",
            {"status": 200, "body": number + turn},
            {"status": 200, "body": "close"},
        )
    ]


def test_an_empty_application_has_an_empty_catalog() -> None:
    catalog = build_catalog(Discovery(operations=()), Options())
    assert (catalog.tools, catalog.diagnostics, catalog.discovered) == ((), (), 0)


async def test_a_call_in_flight_finishes_on_the_catalog_it_began_with() -> None:
    reached, leave = asyncio.Event(), asyncio.Event()
    app = FastAPI()

    @app.get("/slow")
    @mcp_tool("slow")
    async def slow() -> str:
        reached.set()
        await leave.wait()
        return "done"

    sezzlee = mount_mcp(app)
    sezzlee.build()
    calling = asyncio.create_task(sezzlee.invoke("slow"))
    await reached.wait()
    app.router.routes[:] = [r for r in app.router.routes if getattr(r, "name", "") != "slow"]
    assert "slow" not in await sezzlee.areload()
    leave.set()
    assert await calling == {"status": 200, "body": "done"}
