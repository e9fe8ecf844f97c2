"""`catalog` and `show`."""

from typing import Any

import pytest
from flask import Flask

import sezzlee_flask
from sezzlee_py import Diagnostic, Severity, mcp_tool
from sezzlee_py.cli.documents import write_findings
from sezzlee_py.cli.sheet import Sheet
from sezzlee_py.testing import AgentClient
from tests.cli import shop
from tests.cli.running import APP, SHOP, run, run_json


def names(document: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in document["tools"]]


def test_a_catalog_tells_tools_counts_tags_and_findings() -> None:
    document = run_json("catalog", APP)
    assert names(document) == ["cancel_order", "get_order", "greet", "ruled"]
    assert document["tools"][1] == {
        "name": "get_order",
        "method": "GET",
        "route": "/orders/{order_id}",
        "alternate_routes": [],
        "tags": ["orders"],
        "description": "Fetch one order.",
        "annotations": {"readOnlyHint": True, "idempotentHint": True},
        "deprecated": False,
        "version": document["tools"][1]["version"],
        "source": "tests.cli.shop:bare_fastapi.<locals>.get_order",
        "line": document["tools"][1]["line"],
    }
    assert document["counts"] == {"discovered": 6, "selected": 4, "tools": 4, "listed": 4}
    assert document["tags"] == {"misc": 1, "orders": 2, "shop": 1}
    assert (document["framework"], document["mounted"]) == ("fastapi", True)


@pytest.mark.parametrize(
    ("app", "framework", "mounted"),
    [
        ("starlette_app", "starlette", True),
        ("flask_app", "flask", True),
        ("wrapped_app", "fastapi", True),
        ("make_flask --factory", "flask", True),
        ("bare_flask --factory", "flask", False),
        ("bare_fastapi --factory", "fastapi", False),
        ("Space.inner", "fastapi", True),
    ],
)
def test_every_framework_is_read_mounted_or_not(app: str, framework: str, mounted: bool) -> None:
    document = run_json("catalog", *f"{SHOP}:{app}".split())
    assert (document["framework"], document["mounted"]) == (framework, mounted)
    assert any(name.endswith("get_order") for name in names(document))


def test_reading_an_application_without_an_endpoint_leaves_its_routes_alone() -> None:
    from sezzlee_py.cli.host import Host
    from tests.cli.shop import bare_fastapi

    app = bare_fastapi()
    before = list(app.router.routes), list(app.user_middleware)
    assert len(Host(app).catalog) == 3
    assert (list(app.router.routes), list(app.user_middleware)) == before


def test_include_all_previews_what_nothing_excludes() -> None:
    document = run_json("catalog", APP, "--include-all")
    assert names(document) == ["cancel_order", "get_order", "greet", "ruled", "unspoken"]
    assert names(run_json("catalog", APP)) == ["cancel_order", "get_order", "greet", "ruled"]


def test_a_flask_application_is_previewed_too() -> None:
    document = run_json("catalog", f"{SHOP}:flask_app", "--include-all")
    assert names(document) == ["get_order"]


def test_tags_are_compared_folded() -> None:
    document = run_json("catalog", APP, "--tag", "ORDERS")
    assert names(document) == ["cancel_order", "get_order"]
    assert document["counts"]["listed"] == 2
    assert names(run_json("catalog", APP, "--tag", "orders", "--tag", "misc")) == []


def test_people_get_aligned_tables() -> None:
    result = run("catalog", APP)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"{APP} (fastapi): 6 operations discovered, 4 selected, 4 tools"
    assert lines[3].split() == ["name", "operation", "tags", "declared"]
    column = lines[3].index("operation")
    assert [line[column:].split()[0] for line in lines[4:8]] == ["POST", "GET", "GET", "GET"]


def test_what_the_application_prints_goes_to_standard_error() -> None:
    result = run("catalog", APP)
    assert "the shop opens" in result.stderr
    assert "the shop opens" not in result.stdout


def test_without_start_the_startup_does_not_run() -> None:
    result = run("catalog", APP, "--no-start")
    assert result.exit_code == 0
    assert "the shop opens" not in result.output


def test_a_catalog_without_tools_says_how_to_get_some() -> None:
    result = run("catalog", f"{SHOP}:make_closed", "--factory", "--no-start")
    assert result.stdout.splitlines()[-1] == (
        "No tools: decorate a handler with @mcp_tool, or preview with --include-all."
    )
    assert "mount_mcp was not called" in result.stdout


def test_a_catalog_whose_declared_routes_are_dropped_points_at_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make() -> Flask:
        app = Flask("one")
        view = mcp_tool("brew", query=object)(lambda: "")
        app.add_url_rule("/brew", view_func=view, methods=["GET"])
        sezzlee_flask.mount_mcp(app)
        return app

    monkeypatch.setattr(shop, "dropping", make, raising=False)
    lines = run("catalog", f"{SHOP}:dropping", "--factory").stdout.splitlines()
    assert lines[0].endswith("(flask): 1 operation discovered, 1 selected, 0 tools")
    assert lines[-1] == "No tools: the findings above say why what is declared is left out."


def test_a_tag_that_agents_read_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Flask:
        app = Flask("one")
        view = mcp_tool("list_comments", tags=["Comments", "posts"])(lambda: "")
        app.add_url_rule("/comments", view_func=view)
        sezzlee_flask.mount_mcp(app)
        return app

    monkeypatch.setattr(shop, "tagged", make, raising=False)
    shown = run("show", f"{SHOP}:tagged", "list_comments", "--factory").stdout
    assert "  tags       Comments (agents read comments), posts\n" in shown


def test_a_fatal_catalog_is_listed_with_its_findings_and_exits_with_1() -> None:
    document = run_json("catalog", f"{SHOP}:make_fatal", "--factory", exit_code=1)
    assert [found["code"] for found in document["diagnostics"]] == ["name_collision"]
    assert "fatal name_collision" in run("catalog", f"{SHOP}:make_fatal", "--factory").stdout


def test_a_finding_that_is_true_of_many_places_is_said_once() -> None:
    found: dict[str, Any] = {"code": "c", "message": "same.", "severity": Severity.WARNING}
    sheet = Sheet()
    write_findings(
        sheet,
        [
            Diagnostic(**found, operation="GET /a", source="m:a", line=3),
            Diagnostic(**found, pointer="/paths"),
            Diagnostic(**found),
            Diagnostic(code="z", message="grave.", severity=Severity.FATAL, route="/z"),
        ],
    )
    assert sheet.plain() == (
        "\n4 findings\n  fatal z: grave.\n      /z\n"
        "  warning c: same.\n      GET /a, at m:a, line 3\n      /paths\n"
    )


@pytest.mark.parametrize(
    ("name", "headers"),
    [
        ("get_order", {}),
        ("get_order", {"Authorization": shop.TOKEN}),
        ("cancel_order", {"Authorization": shop.TOKEN}),
    ],
)
def test_show_gives_card_and_contract_as_the_caller_gets_them(
    name: str, headers: dict[str, str]
) -> None:
    given = [part for pair in headers.items() for part in ("--header", ": ".join(pair))]
    document = run_json("show", APP, name, *given)
    with AgentClient(shop.make_fastapi(), headers=headers) as agent:
        (card,) = (found for found in agent.search()["results"] if found["name"] == name)
        assert (document["card"], document["loaded"]) == (card, agent.load(name))


def test_show_gives_what_a_caller_does_not_see_to_the_owner() -> None:
    shown = run_json("show", APP, "cancel_order")
    assert "authUncertain" not in shown["card"] | shown["loaded"]
    refused = run_json("show", f"{SHOP}:make_fatal", "fine", "--factory")
    assert "authUncertain" not in refused["card"] | refused["loaded"]


def test_a_tool_that_a_fatal_finding_took_away_is_told_with_the_finding() -> None:
    document = run_json("show", f"{SHOP}:make_fatal", "export", "--factory", exit_code=2)
    assert document["message"].startswith(
        "there is no tool 'export'; the catalog is not served: fatal name_collision: "
    )


def test_show_gives_contract_and_place() -> None:
    document = run_json("show", APP, "get_order")
    assert document["loaded"]["inputSchema"]["required"] == ["order_id"]
    assert document["loaded"]["version"] == document["version"]
    assert document["slots"] == [
        {"argument": "order_id", "name": "order_id", "location": "path", "required": True},
        {"argument": "verbose", "name": "verbose", "location": "query", "required": False},
    ]
    assert document["source"] == "tests.cli.shop:bare_fastapi.<locals>.get_order"


def test_show_for_people_holds_the_same() -> None:
    shown = run("show", APP, "cancel_order").stdout
    assert "operation     POST /orders/{order_id}/cancel" in shown
    assert "search terms  refund" in shown
    assert '"inputSchema"' in shown
    assert "  none" in run("show", APP, "greet").stdout


def test_a_missing_tool_is_named_with_near_ones() -> None:
    document = run_json("show", APP, "get_ordr", exit_code=2)
    assert document == {
        "error": "unknown_tool",
        "message": "there is no tool 'get_ordr'; did you mean get_order or cancel_order?",
        "near": ["get_order", "cancel_order"],
    }


def test_a_missing_tool_is_looked_for_by_its_words() -> None:
    document = run_json("show", APP, "refund", exit_code=2)
    assert document["near"] == ["cancel_order"]


@pytest.mark.parametrize("name", ["close_order", "desk_close_order"])
def test_a_tool_that_a_finding_dropped_is_told_with_the_finding(name: str) -> None:
    document = run_json("show", f"{SHOP}:make_dropped", name, "--factory", exit_code=2)
    told, _, finding = document["message"].partition(" was dropped: ")
    assert told == f"there is no tool {name!r}; an endpoint whose function is called so"
    assert finding.startswith(
        "endpointDropped unsupported_binding: POST /orders/{order_id}/close: "
    )


def test_an_unlike_name_leads_to_the_list() -> None:
    document = run_json("show", f"{SHOP}:make_dropped", "xyzzy", "--factory", exit_code=2)
    assert (
        document["message"] == "there is no tool 'xyzzy'; `sezzlee catalog APP` lists what there is"
    )


def test_an_application_without_tools_says_so() -> None:
    document = run_json("show", f"{SHOP}:make_closed", "x", "--factory", "--no-start", exit_code=2)
    assert "offers no tools at all" in document["message"]
