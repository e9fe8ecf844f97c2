"""Two replicas of an application with a bus between them, as their callers and clients see it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Sezzlee, mcp_tool
from tests.unit.toolkit.test_replicas import Wire
from tests.visibility.test_remembering import ADA, Host, tagged


def two_hosts(wire: Wire, **replicas: Any) -> tuple[Host, Host]:
    one, other = (
        Host(cache={"scope_resolver": tagged}, replicas={"bus": wire, **replicas}) for _ in range(2)
    )
    other.bosses = one.bosses
    return one, other


FORGET: dict[str, Callable[[Sezzlee], Any]] = {
    "tag": lambda sezzlee: sezzlee.invalidate_tag("user:ada"),
    "all": lambda sezzlee: sezzlee.invalidate_all(),
    "reload": lambda sezzlee: sezzlee.reload(),
}


@pytest.mark.parametrize("forget", FORGET.values(), ids=FORGET)
async def test_what_one_is_told_to_forget_the_other_forgets(
    forget: Callable[[Sezzlee], Any],
) -> None:
    wire = Wire()
    one, other = two_hosts(wire)
    assert [await host.found_by(ADA) for host in (one, other)] == [["own"]] * 2
    one.bosses.add("ada")
    forget(one.sezzlee)
    assert [await host.found_by(ADA) for host in (one, other)] == [["fire", "own"]] * 2
    assert len(wire.sent) == 1


async def test_a_reload_is_told_once_to_the_listeners_of_each() -> None:
    wire = Wire()
    one, other = two_hosts(wire)
    told: list[str] = []
    for name, host in (("one", one), ("other", other)):
        host.sezzlee._engine.on_reload(lambda name=name: told.append(name))  # type: ignore[misc]
        await host.found_by(ADA)
    await one.sezzlee.areload()
    other.sezzlee.reload()
    one.sezzlee.notify_list_changed()
    assert told == ["one", "other", "other", "one", "one"]
    assert [change.kind for change in wire.sent] == ["reloaded"] * 2


async def test_a_process_that_was_never_asked_does_not_listen() -> None:
    wire = Wire()
    one, other = two_hosts(wire)
    one.sezzlee.build()
    assert wire.hearers == []
    await other.found_by(ADA)
    assert len(wire.hearers) == 1


async def test_listening_begins_with_the_application_and_ends_with_it() -> None:
    wire = Wire()
    app = FastAPI()

    @app.get("/ping")
    @mcp_tool
    def ping() -> str:
        return "pong"

    mount_mcp(app, options=Host(replicas={"bus": wire}).sezzlee.options)
    incoming: asyncio.Queue[Any] = asyncio.Queue()
    outgoing: asyncio.Queue[Any] = asyncio.Queue()
    running = asyncio.create_task(
        app({"type": "lifespan", "asgi": {"version": "3.0"}}, incoming.get, outgoing.put)
    )
    heard = []
    for event in ("startup", "shutdown"):
        await incoming.put({"type": f"lifespan.{event}"})
        assert (await outgoing.get())["type"] == f"lifespan.{event}.complete"
        heard.append(len(wire.hearers))
    await running
    assert heard == [1, 0]
