"""The events of the log: stable names and fields, and nothing that anybody sent."""

import logging
from typing import Any

import pytest
from fastapi import FastAPI

from sezzlee_fastapi import mount_mcp
from sezzlee_py import mcp_tool
from sezzlee_py.errors import CatalogError
from sezzlee_py.telemetry import Event
from sezzlee_py.testing import AgentClient
from tests.observability.shop import MAKERS, SECRET, make_fastapi

HEADERS = {"authorization": f"Bearer {SECRET}"}
framework = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def events(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The events, each with its own fields but for those that depend on the clock."""
    return [
        {
            name.removeprefix("sezzlee_"): value
            for name, value in vars(record).items()
            if name.startswith("sezzlee_") and name != "sezzlee_duration_ms"
        }
        for record in caplog.records
        if hasattr(record, "sezzlee_event")
    ]


@framework
def test_each_call_is_one_event(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sezzlee_py")
    with AgentClient(make(), headers=HEADERS) as agent:
        agent.search(SECRET)
        agent.search("show trace")
        agent.load("show_trace")
        agent.invoke("show_trace", {"word": SECRET})
        agent.invoke("show_trace", {"word": "missing"})
        agent.invoke(SECRET, {"word": SECRET})
        agent.load(SECRET)
    told = [{k: v for k, v in one.items() if k != "characters"} for one in events(caplog)]
    built, *calls = [one for one in told if one["event"] != Event.DIAGNOSTIC]
    assert built["event"] == "catalog_built"
    assert (built["discovered"], built["selected"], built["tools"], built["generation"]) == (
        *(1, 1, 1),
        1,
    )
    assert calls == [
        {"event": "search", "meta_tool": "search_tools", "results": 0, "total": 1},
        {"event": "search", "meta_tool": "search_tools", "results": 1, "total": 1},
        {"event": "load", "meta_tool": "load_tool", "tool": "show_trace"},
        {"event": "invoke", "meta_tool": "invoke_tool", "tool": "show_trace", "status": 200},
        {
            "event": "refused",
            "meta_tool": "invoke_tool",
            "tool": "show_trace",
            "error": "not_found",
            "status": 404,
        },
        {"event": "refused", "meta_tool": "invoke_tool", "error": "unknown_tool"},
        {"event": "refused", "meta_tool": "load_tool", "error": "unknown_tool"},
    ]


@framework
def test_no_event_holds_what_anybody_sent(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with AgentClient(make(), headers=HEADERS) as agent:
        agent.search(SECRET, tags=[SECRET])
        agent.load(SECRET)
        agent.invoke("show_trace", {"word": SECRET})
        agent.invoke("show_trace", {"word": "missing", SECRET: SECRET})
        agent.invoke(SECRET, [SECRET])
    own = [record for record in caplog.records if record.name.startswith("sezzlee")]
    assert own
    assert [record for record in own if SECRET in f"{record.getMessage()} {vars(record)}"] == []


def test_a_catalog_that_is_not_served_is_an_event(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    for path in ("/a", "/b"):

        @app.get(path)
        @mcp_tool(name="same")
        def same() -> None: ...

    with pytest.raises(CatalogError):
        mount_mcp(app).build()
    last = caplog.records[-1]
    assert (vars(last)["sezzlee_event"], last.levelno) == ("catalog_refused", logging.ERROR)


@pytest.mark.parametrize(
    ("headers", "status", "reason", "level"),
    [
        ({"origin": f"https://{SECRET}.example"}, 403, "origin", logging.WARNING),
        ({"host": f"{SECRET}.example"}, 421, "host", logging.WARNING),
        ({"content-type": f"text/{SECRET}"}, 415, "content type", logging.INFO),
        ({"accept": f"text/{SECRET}"}, 406, "accept", logging.INFO),
    ],
)
@framework
def test_a_request_refused_by_its_head_is_an_event(
    make: Any,
    headers: dict[str, str],
    status: int,
    reason: str,
    level: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "sezzlee_py")
    app = make(transport={"allowed_hosts": ["localhost"]})
    with AgentClient(app) as agent:
        sent = {
            "host": "localhost",
            "content-type": "application/json",
            "accept": "application/json",
            **headers,
        }
        answer = agent._transport.request("POST", "/mcp", sent, b"{}")
    assert answer.status == status
    last = caplog.records[-1]
    told = {n: v for n, v in vars(last).items() if n.startswith("sezzlee_")}
    assert told == {
        "sezzlee_event": "request_refused",
        "sezzlee_status": status,
        "sezzlee_reason": reason,
    }
    assert (last.levelno, SECRET in last.getMessage()) == (level, False)


def test_a_tool_that_is_listed_directly_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sezzlee_py")
    with AgentClient(make_fastapi(transport={"listing": "direct"})) as agent:
        agent.call("show_trace", {"word": "a"})
        agent.call(SECRET, {})
    first, second = events(caplog)[-2:]
    assert (first["event"], first["meta_tool"], first["tool"]) == (
        *("invoke", "show_trace"),
        "show_trace",
    )
    assert (second["event"], "tool" in second, "meta_tool" in second) == ("refused", False, False)


def test_events_that_nobody_reads_are_not_made(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING, "sezzlee_py")

    def observed(*_: object, **__: object) -> Any:
        raise AssertionError

    monkeypatch.setattr("sezzlee_py.toolkit.engine.observed", observed)
    with AgentClient(make_fastapi()) as agent:
        assert agent.search("trace")["total"] == 1
    assert caplog.records == []
