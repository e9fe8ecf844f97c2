"""Listing and calling the meta-tools through the wire (spec: tool-definition 10)."""

import json
from typing import Any

import pytest

from sezzlee_py.errors import CatalogError
from sezzlee_py.mcp import NotReady
from sezzlee_py.model import Diagnostic, Severity
from tests.endpoint.drive import App, call, modern
from tests.endpoint.stub import StubService


def invoke(app: App, tool: str, arguments: Any) -> Any:
    """The parsed text of a call, with `isError` beside it."""
    result = call(app, "tools/call", {"name": tool, "arguments": arguments}).document["result"]
    (block,) = result["content"]
    return json.loads(block["text"]), result.get("isError", False)


def test_the_three_tools_are_listed_in_order_with_the_generation(
    app: App, service: StubService
) -> None:
    service.generation_number = 3
    for reply in (call(app, "tools/list"), modern(app, "tools/list")):
        tools = reply.document["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["search_tools", "load_tool", "invoke_tool"]
        assert [tool["_meta"] for tool in tools] == [{"sezzlee/catalogGeneration": 3}] * 3
        assert [tool.get("annotations") for tool in tools] == [
            {"readOnlyHint": True},
            {"readOnlyHint": True},
            None,
        ]


def test_a_cursor_does_not_matter_where_nothing_is_paged(app: App) -> None:
    assert call(app, "tools/list", {"cursor": "x"}).document["result"]["tools"]


def test_a_call_reaches_the_service_bound(app: App) -> None:
    assert invoke(app, "search_tools", {"query": "a", "tags": ["t"], "limit": 99}) == (
        {"call": "SearchCall", "query": "a", "limit": 50, "detail": "card", "tags": ["t"]},
        False,
    )
    assert invoke(app, "load_tool", {"name": "n"}) == ({"call": "LoadCall", "name": "n"}, False)
    assert invoke(app, "invoke_tool", {"name": "n", "arguments": None, "version": "v"}) == (
        {"call": "InvokeCall", "name": "n", "arguments": {}, "version": "v"},
        False,
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("search_tools", None, "unknown_argument"),
        ("search_tools", {"q": "x"}, "unknown_argument"),
        ("search_tools", {"query": 7}, "invalid_type"),
        ("load_tool", {"tool": "x"}, "unknown_argument"),
        ("invoke_tool", {"name": "x", "args": {}}, "unknown_argument"),
        ("invoke_tool", {"name": "x", "arguments": [1]}, "invalid_type"),
        ("invoke_tool", [], "invalid_type"),
        ("invoke_tool", "text", "invalid_type"),
    ],
)
def test_a_call_that_does_not_bind_is_an_envelope_and_no_protocol_fault(
    app: App, tool: str, arguments: Any, code: str
) -> None:
    payload, is_error = invoke(app, tool, arguments)
    assert (payload["error"], payload["retryable"], is_error) == (code, False, True)


@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
def test_a_catalog_that_is_not_served_names_its_findings(
    app: App, service: StubService, method: str
) -> None:
    findings = [("name_collision", "fatal"), ("invalid_name", "fatal"), ("duplicate_tag", "info")]
    service.raises = CatalogError(
        [Diagnostic(code=c, severity=Severity(s), message="secret route") for c, s in findings]
    )
    reply = call(app, method, {"name": "load_tool", "arguments": {"name": "x"}})
    assert reply.document["error"] == {
        "code": -32603,
        "message": "The catalog is not served: name_collision, invalid_name.",
    }


def test_an_application_that_has_not_started_says_so(app: App, service: StubService) -> None:
    service.raises = NotReady("The application has not finished starting.")
    assert call(app, "tools/list").document["error"] == {
        "code": -32603,
        "message": "The application has not finished starting.",
    }
