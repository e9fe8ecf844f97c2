"""Kind `card`: a tool as search results show it."""

from typing import Any

from sezzlee_py.catalog.projection import card
from sezzlee_py.model import ToolDefinition
from tests.conformance.runners.tool_definition import read_auth


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    assert card(read_tool(case["tool"]), auth_uncertain=is_uncertain(case)) == expected


def read_tool(case: dict[str, Any]) -> ToolDefinition:
    return ToolDefinition(
        name=case["name"],
        description=case["description"],
        input_schema=case["input_schema"],
        output_schema=case.get("output_schema"),
        annotations=case["annotations"],
        deprecated=case.get("deprecated", False),
        tags=tuple(case.get("tags", ())),
        method="GET",
        route=case.get("route", "/"),
        alternate_routes=tuple(case.get("alternate_routes", ())),
        search_terms=tuple(case.get("search_terms", ())),
        auth=read_auth(case["auth"]),
    )


def is_uncertain(case: dict[str, Any]) -> bool:
    return bool(case.get("decision") == "unknown")
