"""What a host reads when its application starts, or does not."""

from __future__ import annotations

import logging
import re

import pytest
from fastapi import APIRouter, FastAPI

from sezzlee_fastapi import mount_mcp
from sezzlee_py import (
    CatalogError,
    Options,
    SelectionRule,
    declare,
    mcp_ignore,
    mcp_tool,
    mcp_variant,
)
from sezzlee_py.testing import AgentClient


def colliding() -> FastAPI:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("export")
    def first() -> None: ...

    @app.get("/b")
    @mcp_tool("export")
    def second() -> None: ...

    return app


def test_a_fatal_finding_stops_the_startup_with_all_there_is_to_know() -> None:
    app = colliding()
    mount_mcp(app)
    with pytest.raises(RuntimeError) as refused, AgentClient(app):
        raise AssertionError("the application started")
    said = str(refused.value)
    assert "the catalog has 1 fatal finding(s):" in said
    assert "fatal name_collision: GET /a: 2 tools are named 'export'" in said
    for name in ("first", "second"):
        assert f"tests.catalog.test_startup:colliding.<locals>.{name}" in said
    assert "change one of the declared names" in said


def test_every_finding_is_told_at_once() -> None:
    app = colliding()

    @app.get("/c")
    @mcp_tool
    @mcp_ignore
    def both() -> None: ...

    with pytest.raises(CatalogError) as refused:
        mount_mcp(app).build()
    assert [(f.code, f.route) for f in refused.value.diagnostics] == [
        ("name_collision", "/a"),
        ("ambiguous_selection", "/c"),
    ]
    assert "the catalog has 2 fatal finding(s):" in str(refused.value)


def test_a_lowered_contradiction_drops_all_it_involves_and_the_rest_is_served() -> None:
    app = colliding()

    @app.get("/c")
    @mcp_tool("ping")
    def ping() -> None: ...

    lowered = Options(diagnostics={"downgrade": {"name_collision": "endpointDropped"}})
    catalog = mount_mcp(app, options=lowered).build()
    assert [tool.name for tool in catalog] == ["ping"]
    assert [(f.code, str(f.severity)) for f in catalog.diagnostics] == [
        ("name_collision", "endpointDropped")
    ]


def test_a_raised_warning_stops_the_startup_or_takes_its_operation_away() -> None:
    def tagged() -> FastAPI:
        app = FastAPI()
        app.get("/a")(mcp_tool("read", tags=["A", "a"])(lambda: None))
        app.get("/b")(mcp_tool("ping")(lambda: None))
        return app

    fatal = Options(diagnostics={"escalate": {"duplicate_tag": "fatal"}})
    with pytest.raises(CatalogError, match="duplicate_tag"):
        mount_mcp(tagged(), options=fatal).build()
    dropped = Options(diagnostics={"escalate": {"duplicate_tag": "endpointDropped"}})
    catalog = mount_mcp(tagged(), options=dropped).build()
    assert [tool.name for tool in catalog] == ["ping"]


def test_lowering_what_drops_an_operation_mends_nothing() -> None:
    app = FastAPI()

    @app.api_route("/a", methods=["TRACE"])
    @mcp_tool
    def trace() -> None: ...

    lowered = Options(diagnostics={"downgrade": {"unsupported_method": "info"}})
    catalog = mount_mcp(app, options=lowered).build()
    assert catalog.tools == ()
    assert [(f.code, str(f.severity)) for f in catalog.diagnostics] == [
        ("unsupported_method", "info")
    ]


def test_the_log_counts_what_was_found_and_groups_findings_by_code(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = FastAPI()
    for number in range(7):
        app.get(f"/{number}")(mcp_tool(f"read_{number}", tags=["A", "a"])(lambda: None))
    app.get("/hidden")(lambda: None)
    with caplog.at_level(logging.INFO, "sezzlee_py"):
        catalog = mount_mcp(app).build()
    first, counts = caplog.records
    assert (first.levelname, first.__dict__["sezzlee_code"]) == ("WARNING", "duplicate_tag")
    said = first.getMessage()
    assert said.startswith("warning duplicate_tag (7): GET /0: 'a' is 'A' again and is left out")
    assert "[tests.catalog.test_startup:" in said
    assert said.count("GET /") == 5
    assert said.endswith(" and 2 more")
    assert (counts.levelname, counts.__dict__["sezzlee_event"]) == ("INFO", "catalog_built")
    assert counts.getMessage() == (
        f"catalog {catalog.version}: 8 operations discovered, 7 selected, 7 tools; findings: "
        "0 fatal, 0 endpointDropped, 7 warning, 0 info"
    )


def test_the_log_names_what_only_a_declaration_around_it_offers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    orders = APIRouter(prefix="/orders")
    declare(orders, tags=["orders"])
    orders.get("")(mcp_tool("list_orders")(lambda: None))
    orders.get("/debug")(mcp_ignore(lambda: None))
    for number in range(6):
        orders.delete(f"/{number}")(lambda: None)
    app = FastAPI()
    app.include_router(orders)
    with caplog.at_level(logging.INFO, "sezzlee_py"):
        mount_mcp(app).build()
    (told,) = (
        record for record in caplog.records if record.__dict__["sezzlee_event"] == "offered_around"
    )
    assert (told.levelname, told.__dict__["sezzlee_operations"]) == ("INFO", 6)
    assert told.getMessage() == (
        "6 operations are offered by a declaration on what is around them: DELETE /orders/0, "
        "DELETE /orders/1, DELETE /orders/2, DELETE /orders/3, DELETE /orders/4 and 1 more; "
        "@mcp_ignore keeps one out"
    )


def test_silenced_codes_stay_out_of_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    app.get("/a")(mcp_tool("read", tags=["A", "a"])(lambda: None))
    silent = Options(diagnostics={"silence": ["duplicate_tag"]})
    with caplog.at_level(logging.INFO, "sezzlee_py"):
        catalog = mount_mcp(app, options=silent).build()
    assert [record.__dict__["sezzlee_event"] for record in caplog.records] == ["catalog_built"]
    assert [found.code for found in catalog.diagnostics] == ["duplicate_tag"]


def test_what_is_not_offered_reports_nothing() -> None:
    app = FastAPI()
    app.get("/orders/{order_id}")(lambda order_id: None)
    app.get("/orders/latest")(lambda: None)
    app.api_route("/trace", methods=["TRACE"])(lambda: None)
    app.get("/a", tags=["Ödeme", "ödeme"])(lambda: None)
    app.get("/b", tags=["Ödeme", "ödeme"])(lambda: None)
    assert mount_mcp(app).build().diagnostics == ()
    rules = Options(selection={"rules": [SelectionRule("/orders/latest")]})
    other = FastAPI()
    other.router.routes += app.router.routes[1:]
    codes = [found.code for found in mount_mcp(other, options=rules).build().diagnostics]
    assert codes == ["route_shadowed"]


def test_opposite_markers_are_told_with_the_places_of_both() -> None:
    def told(app: FastAPI) -> str:
        with pytest.raises(CatalogError, match="ambiguous_selection") as refused:
            mount_mcp(app).build()
        return str(refused.value)

    app = FastAPI()

    @app.get("/a")
    @mcp_ignore
    @mcp_variant("read_a", description="Read.")
    def read() -> None: ...

    place = r"tests\.catalog\.test_startup:\d+"
    both = rf"the function is offered at {place} and ignored at {place}; keep one of the two"
    assert re.search(both, told(app))
    routed = FastAPI()
    routed.get("/a")(lambda: None)
    declare(routed, tags=["a"])
    declare(routed, ignore=True)
    both = rf"its class or router is offered at {place} and ignored at {place}; keep one"
    assert re.search(both, told(routed))
