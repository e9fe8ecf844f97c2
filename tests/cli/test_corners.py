"""What a walk through the commands does not pass by itself."""

import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette

import sezzlee_fastapi
import sezzlee_starlette
from sezzlee_py import cli
from sezzlee_py.cli.commands import stdio
from sezzlee_py.cli.host import Host, opened_host
from sezzlee_py.cli.loading import described
from sezzlee_py.cli.root import sezzlee
from sezzlee_py.cli.route_lookup import Walked
from sezzlee_py.cli.route_story import tell_route
from sezzlee_py.options import Options
from sezzlee_py.testing import FakeRanker
from tests.cli import shop
from tests.cli.running import APP, SHOP, run, run_json


def test_main_runs_the_arguments_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sezzlee", "--version"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert (left.value.code, "sezzlee, version" in capsys.readouterr().out) == (0, True)


def test_main_without_click_tells_the_way_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing: Any = None
    monkeypatch.setitem(sys.modules, "click", missing)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert (left.value.code, "sezzlee-py[cli]" in capsys.readouterr().err) == (2, True)


def test_help_lists_the_commands() -> None:
    result = run("--help")
    assert all(name in result.stdout for name in sezzlee.list_commands(Any))  # type: ignore[arg-type]
    assert run("catalog", "--help").exit_code == 0
    assert sezzlee.get_command(Any, "nope") is None  # type: ignore[arg-type]


def test_a_ranker_that_fails_is_an_error_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Any:
        app = Starlette(routes=shop.make_starlette().routes[1:])
        options = Options(search={"on_ranker_failure": "error"})
        ranker = FakeRanker(fault=RuntimeError("away"))
        sezzlee_starlette.mount_mcp(app, options=options, ranker=ranker)
        return app

    monkeypatch.setattr(shop, "failing", make, raising=False)
    arguments = ("search", f"{SHOP}:failing", "order", "--factory")
    document = run_json(*arguments, exit_code=1)
    assert document["error"] == "search_ranker_unavailable"
    assert run(*arguments).stdout.startswith("search_ranker_unavailable: ")


def test_a_bar_is_shown_to_somebody_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    from sezzlee_py.cli.commands.eval import _Watch
    from sezzlee_py.search.evaluation import QueryCase

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    watching = Terminal()
    monkeypatch.setattr(sys, "stderr", watching)
    cases = [QueryCase(query=str(n), relevant=frozenset()) for n in range(3)]
    assert list(_Watch("queries")(cases)) == cases
    assert "queries" in watching.getvalue()


def test_a_route_that_yields_tools_elsewhere_says_where_they_are_called() -> None:
    document = run_json("why", f"{SHOP}:make_folded", "GET", "/v1/things", "--factory")
    named = next(stage for stage in document["stages"] if stage["stage"] == "named")
    assert "called on /things, this route is searched only" in named["why"]


def test_a_route_whose_own_findings_drop_it_is_told() -> None:
    app = shop.make_shadowed()
    host = Host(app)
    walked = Walked(
        discovery=host.discovery,
        catalog=host.catalog,
        options=host.engine.options,
        adapter=host.engine.adapter,
    )
    story = tell_route(walked, "GET", "/things/new")
    assert story.tools == ()
    assert [found.code for found in story.findings] == ["route_shadowed"]


def test_policies_and_hidden_unknowns_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Any:
        app = shop.bare_fastapi()
        options = shop.options()
        options.visibility.unknown = "hide"
        sezzlee_fastapi.mount_mcp(app, options=options)
        return app

    monkeypatch.setattr(shop, "careful", make, raising=False)
    result = run("why", f"{SHOP}:careful", "GET", "/orders/7", "--factory")
    assert "does not see it, because nobody can tell whether it may" in result.stdout
    result = run("why", f"{SHOP}:make_guarded", "GET", "/scoped", "--factory")
    assert "policies" in result.stdout


def test_exceptions_are_told_in_one_line() -> None:
    with pytest.raises(ValueError, match="two") as raised:
        raise ValueError("two\nlines")
    told = described(raised.value)
    assert told.startswith("ValueError: two lines (test_corners.py, line ")
    assert described(KeyError()) == "KeyError"


def test_a_startup_that_fails_without_a_reason_is_told() -> None:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed"})

    class Around(shop.Wrapped):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await silent(scope, receive, send)

    shop.silent_app = Around(shop.make_fastapi())  # type: ignore[attr-defined]
    document = run_json("catalog", f"{SHOP}:silent_app", exit_code=2)
    assert document["message"].startswith("the application does not start: ")


@pytest.fixture
def sigterm() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("app", ["app", "flask_app"])
def test_stdio_serves_both_kinds_of_application(
    app: str, sigterm: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Out:
        def __init__(self) -> None:
            self.buffer = io.BytesIO()

        def flush(self) -> None: ...

    reading, writing = os.pipe()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search_tools", "arguments": {"query": "fetch order"}},
    }
    with open(writing, "w") as client:
        client.write(f"{json.dumps(ping)}\n{json.dumps(call)}")
    out = Out()
    with open(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stdout", out)
        callback: Any = stdio.command.callback
        callback(app=f"{SHOP}:{app}", headers={}, factory=False)
    answers = [json.loads(line) for line in out.buffer.getvalue().splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 2]
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)


def test_stdio_ends_at_an_interrupt(sigterm: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stdio, "_serve", interrupted)
    reading, writing = os.pipe()
    os.close(writing)
    with open(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        callback: Any = stdio.command.callback
        with pytest.raises(SystemExit) as left:
            callback(app=APP, headers={}, factory=False)
    assert left.value.code == 0


def test_an_endpoint_of_a_mounted_application_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Any:
        outer = FastAPI()
        outer.mount("/shop", shop.make_fastapi())
        return outer

    monkeypatch.setattr(shop, "outer", make, raising=False)
    document = run_json("catalog", f"{SHOP}:outer", "--factory")
    assert (document["mounted"], document["counts"]["tools"]) == (True, 4)
    answer = run_json("invoke", f"{SHOP}:outer", "get_order", '{"order_id": 7}', "--factory")
    assert answer["body"]["id"] == 7


@pytest.mark.parametrize("value", ["a\nb: c", "\u4e2d"])
def test_a_value_that_no_header_carries_is_refused_without_being_repeated(value: str) -> None:
    result = run("search", APP, "order", "--header", f"authorization: {value}")
    assert (result.exit_code, "a header cannot carry this value" in result.stderr) == (2, True)
    assert value not in result.output


def test_a_host_is_stopped_once() -> None:
    with opened_host(APP) as host:
        host.stop()
    assert host.run(_answer()) == 7


async def _answer() -> int:
    return 7
