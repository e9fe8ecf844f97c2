"""The ranker in applications: bound, opened late, closed, on several loops and after a fork."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from fastapi import Depends, FastAPI, Request
from flask import Flask

from sezzlee_fastapi import mount_mcp
from sezzlee_flask import mount_mcp as mount_flask
from sezzlee_postgres import PostgresRanker
from sezzlee_py import Options
from sezzlee_py.search import RankerGuard
from sezzlee_py.testing import AgentClient
from tests.services.postgres.server import Server
from tests.services.postgres.shop import ask, catalog
from tests.services.processes import wait_until


def everything() -> Options:
    options = Options()
    options.selection.default = "include"
    options.search.on_ranker_failure = "error"
    return options


def names(answer: dict) -> list[str]:
    # FastAPI's container is this module.
    return [each["name"].removeprefix("test_applications_") for each in answer["results"]]


def connections(connection: psycopg.Connection, namespace: str) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", (namespace,)
    ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def conninfo(server: Server, namespace: str) -> str:
    return f"{server.conninfo} application_name={namespace}"


def test_fastapi_keeps_the_ranker_from_startup_to_shutdown(
    conninfo: str, namespace: str, connection: psycopg.Connection
) -> None:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with PostgresRanker(conninfo, namespace=namespace) as app.state.ranker:
            yield

    def get_ranker(request: Request) -> PostgresRanker:
        return request.app.state.ranker

    app = FastAPI(lifespan=lifespan)

    @app.get("/orders/{order_id}")
    def read_order(order_id: int) -> dict[str, int]:
        """Get one order."""
        return {"order_id": order_id}

    @app.delete("/orders/{order_id}")
    def cancel_order(order_id: int) -> None:
        """Cancel an order before it ships."""

    mount_mcp(app, options=everything(), ranker=Depends(get_ranker))
    with AgentClient(app) as agent:
        assert connections(connection, namespace) == 0
        assert names(agent.search("ships")) == ["cancel_order"]
        assert connections(connection, namespace) == 1
    wait_until(lambda: connections(connection, namespace) == 0)


def test_a_factory_of_it_is_left_at_shutdown(
    conninfo: str, namespace: str, connection: psycopg.Connection
) -> None:
    app = FastAPI()

    @app.get("/orders")
    def list_orders() -> list[int]:
        """List the orders."""
        return []

    mount_mcp(
        app,
        options=everything(),
        ranker=lambda: PostgresRanker(conninfo, namespace=namespace),
    )
    with AgentClient(app) as agent:
        assert names(agent.search("order")) == ["list_orders"]
    wait_until(lambda: connections(connection, namespace) == 0)


def test_flask_searches_with_it_from_every_thread(conninfo: str, namespace: str) -> None:
    app = Flask("shop")

    @app.get("/orders")
    def list_orders() -> list[int]:
        """List the orders."""
        return []

    sezzlee = mount_flask(
        app,
        options=everything(),
        ranker=lambda: PostgresRanker(conninfo, namespace=namespace),
    )
    answers: list[list[str]] = []

    def search() -> None:
        answers.extend(names(sezzlee.search("order")) for _ in range(10))

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [["list_orders"]] * 80


def test_each_event_loop_has_connections_of_its_own(
    conninfo: str, namespace: str, connection: psycopg.Connection
) -> None:
    ranker = PostgresRanker(conninfo, namespace=namespace)
    guard = RankerGuard(ranker, on_failure="error")
    known = {each.name for each in catalog().documents}

    async def here() -> list[str]:
        found = await ask(ranker, "cancel")
        other = await asyncio.to_thread(guard.rank, "cancel", catalog(), known)
        assert other is not None
        assert list(other.names) == found
        assert connections(connection, namespace) == 2
        await ranker.aclose()
        return found

    assert asyncio.run(here()) == ["cancel_order"]
    wait_until(lambda: connections(connection, namespace) == 0)


FORKED = """
import os, sys
from sezzlee_postgres import PostgresRanker
from sezzlee_py.search import RankerGuard
from tests.services.postgres.shop import catalog

ranker = PostgresRanker(sys.argv[1], namespace=sys.argv[2])
guard = RankerGuard(ranker, on_failure="error")
known = {each.name for each in catalog().documents}

def search():
    return guard.rank("cancel", catalog(), known).names == ("cancel_order",)

assert search()
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0 if all(search() for _ in range(5)) else 1)
    children.append(child)
ends = [os.waitpid(child, 0)[1] for child in children]
assert ends == [0, 0, 0], ends
assert search()
print("fine")
"""


def test_a_forked_worker_opens_its_own_connections(conninfo: str, namespace: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, conninfo, namespace],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr
