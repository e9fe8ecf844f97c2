"""What a build counts, reports and leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sezzlee_py import Diagnostic, Options, Severity, mcp_tool
from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.catalog.build import CatalogBuild, build_catalog
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.model import EndpointDescriptor, RequestBody

FORM = "application/x-www-form-urlencoded"


def handler() -> None: ...


def found(
    route: str,
    method: str = "GET",
    endpoint: Callable[..., Any] = handler,
    severity: Severity | None = None,
    **facts: Any,
) -> DiscoveredOperation:
    told: tuple[Diagnostic, ...] = ()
    if severity is not None:
        said = Diagnostic(code="unreadable_shape", severity=severity, message=route)
        told = (replace(said, operation=f"{method} {route}", route=route),)
    own = {key: facts.pop(key) for key in ("antiforgery", "reachable", "accepts") if key in facts}
    return DiscoveredOperation(
        descriptor=EndpointDescriptor(method=method, route=route, endpoint_key=endpoint, **facts),
        endpoint=endpoint,
        diagnostics=told,
        **{"accepts": (), **own},
    )


def built(*operations: DiscoveredOperation, default: str = "include", **sections: Any) -> Catalog:
    options = Options(selection={"default": default}, **sections)
    return build_catalog(Discovery(operations=operations), options)


def told(catalog: Catalog) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.route) for finding in catalog.diagnostics]


def names(catalog: Catalog) -> list[str]:
    return [tool.name for tool in catalog]


def test_findings_of_an_operation_are_told_where_it_is_selected_and_nowhere_else() -> None:
    operation = found("/a", severity=Severity.WARNING)
    assert told(built(operation)) == [("unreadable_shape", "/a")]
    assert told(built(operation, default="exclude")) == []


def test_findings_of_no_operation_are_always_told() -> None:
    general = Diagnostic(code="webhooks_ignored", severity=Severity.WARNING, message="webhooks")
    catalog = build_catalog(Discovery(operations=(), diagnostics=(general,)), Options())
    assert catalog.diagnostics == (general,)


def test_an_operation_that_its_adapter_gave_up_yields_no_tool_and_folds_into_none() -> None:
    catalog = built(
        found("/a", severity=Severity.ENDPOINT_DROPPED), found("/v1/a", severity=Severity.WARNING)
    )
    assert [(tool.route, tool.alternate_routes) for tool in catalog] == [("/v1/a", ())]
    assert told(catalog) == [("unreadable_shape", "/a"), ("unreadable_shape", "/v1/a")]


def test_of_folded_routes_only_the_kept_one_is_spoken_of() -> None:
    catalog = built(
        found("/v1/a", severity=Severity.WARNING), found("/a", severity=Severity.WARNING)
    )
    assert told(catalog) == [("route_folded", "/a"), ("unreadable_shape", "/a")]


def test_what_no_call_reaches_is_told_where_it_would_be_selected_and_is_not_counted() -> None:
    shadowed = found("/a/b", severity=Severity.WARNING, reachable=False)
    catalog = built(found("/a"), shadowed)
    assert told(catalog) == [("unreadable_shape", "/a/b")]
    assert (catalog.discovered, catalog.selected, len(catalog)) == (1, 1, 1)
    assert told(built(shadowed, default="exclude")) == []


def test_neither_what_is_unreachable_nor_a_method_without_tools_changes_a_name() -> None:
    unreachable = found("/a", "POST", reachable=False)
    assert names(built(found("/a"), unreachable)) == ["handler"]
    traced = found("/a", "TRACE", severity=Severity.ENDPOINT_DROPPED)
    assert names(built(found("/a"), traced)) == ["handler"]
    assert names(built(found("/a"), found("/a", "POST"))) == ["get_handler", "post_handler"]


def test_a_raised_finding_of_tags_body_or_curation_takes_its_operation_away() -> None:
    @mcp_tool(tags=["A", "a"])
    def tagged() -> None: ...

    def raised(code: str) -> dict[str, Any]:
        return {"diagnostics": {"escalate": {code: "endpointDropped"}}}

    assert names(built(found("/a", endpoint=tagged))) == ["tagged"]
    assert names(built(found("/a", endpoint=tagged), **raised("duplicate_tag"))) == []
    silent = found("/a", "POST", accepts=None)
    assert names(built(silent, **raised("undeclared_body"))) == []
    assert names(built(silent, **raised("optional_body_argument"))) == []


def test_a_check_for_a_token_of_pages_drops_forms_and_leaves_other_bodies() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    form = found(
        "/a",
        "POST",
        antiforgery=True,
        request_body=RequestBody(schema=schema, content_type=FORM),
    )
    assert told(built(form)) == [("form_antiforgery_required", "/a")]
    body = RequestBody(schema=schema)
    as_json = replace(form, descriptor=replace(form.descriptor, request_body=body))
    assert told(built(as_json)) == []
    bare = replace(form, descriptor=replace(form.descriptor, request_body=None))
    assert names(built(bare)) == ["handler"]


def test_a_build_without_families_asks_for_no_source() -> None:
    options = Options(selection={"default": "include"}, families={"rpc": list})
    build = CatalogBuild(Discovery(operations=(found("/a"),)), options)
    assert build.sources == ()
    assert names(build.finish(generation=3)) == ["handler"]
