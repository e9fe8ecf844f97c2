"""`why`: the stages of one route."""

from typing import Any

import pytest

from tests.cli import shop
from tests.cli.running import APP, SHOP, run, run_json


def stages(document: dict[str, Any]) -> list[tuple[str, bool | None]]:
    return [(stage["stage"], stage["ok"]) for stage in document["stages"]]


def stage(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(stage for stage in document["stages"] if stage["stage"] == name)


@pytest.mark.parametrize(
    "path", ["/orders/{order_id}", "/orders/{id}", "/orders/7", "orders/<int:order_id>"]
)
def test_a_tool_passes_every_stage_however_its_route_is_spelled(path: str) -> None:
    document = run_json("why", APP, "get", path)
    assert document["operation"] == "GET /orders/{order_id}"
    assert document["tools"] == ["get_order"]
    assert stages(document) == [
        ("discovered", True),
        ("selected", True),
        ("named", True),
        ("visible", True),
        ("found by", None),
    ]
    assert stage(document, "discovered")["source"].endswith("get_order")
    assert stage(document, "found by")["words"]["name"] == ["get", "order"]


@pytest.mark.parametrize(
    ("path", "level", "decision", "why"),
    [
        ("/orders/7", "operation", "include", "its own decorator offers it"),
        ("/hidden", "operation", "exclude", "@mcp_ignore on its function keeps it from agents"),
        (
            "/ruled",
            "rules",
            "include",
            "options.selection.rules decides: SelectionRule(route='/ruled', method=None, "
            "decision='include')",
        ),
        (
            "/unspoken",
            "global",
            "exclude",
            "nothing speaks about it, and options.selection.default is 'exclude'; put @mcp_tool "
            "on its function to offer it",
        ),
    ],
)
def test_the_deciding_level_is_told(path: str, level: str, decision: str, why: str) -> None:
    found = stage(run_json("why", APP, "GET", path), "selected")
    assert (found["level"], found["decision"], found["why"]) == (level, decision, why)


def test_a_container_that_decides_is_named() -> None:
    document = run_json("why", f"{SHOP}:make_contained", "GET", "/inside", "--factory")
    found = stage(document, "selected")
    assert found["level"] == "container"
    assert found["why"] == "the declaration on its APIRouter offers what is in it"
    document = run_json("why", f"{SHOP}:make_contained", "GET", "/klass", "--factory")
    assert stage(document, "selected")["why"] == (
        "the declaration on the class Klass keeps from agents what is in it"
    )


def test_a_catch_all_and_a_contradiction_are_told() -> None:
    document = run_json("why", f"{SHOP}:make_contained", "GET", "/any/thing", "--factory")
    assert stage(document, "selected")["level"] == "catch_all"
    document = run_json(
        "why", f"{SHOP}:make_contradicted", "GET", "/both", "--factory", exit_code=0
    )
    assert "is offered at tests.cli.shop:" in stage(document, "selected")["why"]
    assert [found["code"] for found in document["diagnostics"]] == ["ambiguous_selection"]


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("/greeting", "greet: declared with name="),
        ("/inside", "router_inside: prefix 'router' of 'router' before 'inside' from its"),
        ("/by-id", "router_chosen: prefix 'router' of 'router' before 'chosen' from its operation"),
        ("/lambda", "router_get_lambda: from its route, its function has no usable name"),
        ("/export/a", "get_export_a: from its route, because another tool would have the same"),
        ("/variants", "one_way: declared as a variant or a member of a family"),
    ],
)
def test_the_way_to_a_name_is_told(path: str, how: str) -> None:
    document = run_json("why", f"{SHOP}:make_named", "GET", path, "--factory")
    assert stage(document, "named")["why"].startswith(how)


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("/tickets/", "ticket_get: prefix 'ticket' declared on its Mount before 'get' from"),
        ("/tickets/own", "own_put: prefix 'own' declared on its function before 'put' from"),
        (
            "/tickets/all",
            "list_tickets: from its function's name, which says the prefix 'ticket' declared on "
            "its Mount already",
        ),
        ("/desk", "desk_get: prefix 'desk' of 'Desk' before 'get' from its function's name"),
        ("/till", "cash_get: prefix 'cash' of options.naming.prefix for 'Till' before 'get' from"),
    ],
)
def test_who_gave_the_prefix_is_told(path: str, how: str) -> None:
    document = run_json("why", f"{SHOP}:make_prefixed", "GET", path, "--factory")
    assert stage(document, "named")["why"].startswith(how)


def test_findings_about_the_route_come_along() -> None:
    document = run_json("why", f"{SHOP}:make_warned", "GET", "/a", "--factory")
    assert [found["code"] for found in document["diagnostics"]] == ["name_disambiguated"]
    shown = run("why", f"{SHOP}:make_warned", "GET", "/a", "--factory").stdout
    assert "1 finding\n" in shown


def test_a_selected_route_that_yields_no_tool_says_so() -> None:
    document = run_json("why", f"{SHOP}:make_fatal", "GET", "/a", "--factory")
    assert stage(document, "named")["why"] == "it yields no tool; the findings below say why"
    assert [found["code"] for found in document["diagnostics"]] == ["name_collision"]


def test_nobody_sees_a_tool_of_a_fatal_catalog() -> None:
    document = run_json("why", f"{SHOP}:make_fatal", "GET", "/fine", "--factory")
    assert stage(document, "visible")["why"].startswith("nobody: the catalog has fatal findings")


def test_who_sees_a_tool_is_told_for_the_caller_and_for_one_without_headers() -> None:
    header = f"Authorization: {shop.TOKEN}"
    result = run("why", APP, "POST", "/orders/7/cancel", "--header", header)
    assert "needs an identity" in result.stdout
    assert "a caller without headers does not see it" in result.stdout
    assert "the caller with authorization sees it" in result.stdout
    assert shop.TOKEN not in result.output
    document = run_json("why", APP, "POST", "/orders/7/cancel")
    assert stage(document, "visible")["callers"] == {"a caller without headers": "deny"}
    assert stage(document, "visible")["ok"] is False


@pytest.mark.parametrize(
    ("method", "path", "why"),
    [
        ("PUT", "/orders/7", "the route answers GET, not PUT"),
        ("PUT", "/orders/{id}", "the route answers GET, not PUT"),
        ("GET", "/order/7", "no route of the application matches; near: /orders/{order_id}"),
        ("GET", "/zzz/zzz", "no route of the application matches"),
    ],
)
def test_a_route_that_is_not_there_exits_with_1(method: str, path: str, why: str) -> None:
    document = run_json("why", APP, method, path, exit_code=1)
    assert document["is_tool"] is False
    assert stage(document, "discovered")["why"].startswith(why)


def test_a_route_that_no_call_reaches_is_told() -> None:
    document = run_json("why", f"{SHOP}:make_shadowed", "GET", "/things/new", "--factory")
    assert document["is_tool"] is False
    assert "shadowed" in str(document["diagnostics"])


def test_people_get_a_table() -> None:
    lines = run("why", APP, "GET", "/hidden").stdout.splitlines()
    assert lines[0] == "GET /hidden is no tool"
    assert lines[2].split() == ["stage", "why"]


@pytest.mark.parametrize("app", ["starlette_app", "flask_app"])
def test_every_framework_is_explained(app: str) -> None:
    document = run_json("why", f"{SHOP}:{app}", "GET", "/orders/7")
    assert document["tools"] == ["get_order"]
    assert all(ok in (True, None) for _, ok in stages(document))


def test_a_credential_that_no_call_carries_is_told_of_its_tool() -> None:
    arguments = ("why", f"{SHOP}:make_keyed", "GET", "/statistics", "--factory")
    assert "x-partner-key" not in run(*arguments).stderr
    found = stage(run_json(*arguments), "visible")
    assert found["left_behind"] == ["x-partner-key"]
    assert found["why"].endswith(
        "; x-partner-key is no carrier, so calls of shop_statistics go without it; name it in "
        "Options(identity={'carriers': ('authorization', 'x-partner-key')}) to have it carried"
    )


def test_the_name_of_a_tool_stands_for_its_route() -> None:
    assert run_json("why", APP, "get_order") == run_json("why", APP, "GET", "/orders/{order_id}")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("get_ordr", "there is no tool 'get_ordr'; did you mean get_order"),
        ("get", "get of which PATH?"),
    ],
)
def test_a_name_that_no_tool_has_is_a_usage_error(name: str, told: str) -> None:
    result = run("why", APP, name)
    assert (result.exit_code, told in result.stderr) == (2, True)


def test_words_are_told_as_they_are_written() -> None:
    document = run_json("why", f"{SHOP}:make_worded", "GET", "/pets", "--factory")
    assert stage(document, "found by")["words"]["description"] == [
        "list",
        "species",
        "branch",
        "clinics",
    ]


def test_what_would_settle_who_sees_a_tool_is_named() -> None:
    found = stage(run_json("why", f"{SHOP}:make_worded", "GET", "/pets", "--factory"), "visible")
    assert found["why"] == (
        "does not declare whether it needs an identity (__mcp_auth__ tells); a caller without "
        "headers sees it, marked as uncertain"
    )
