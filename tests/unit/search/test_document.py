"""What of a tool becomes text to be found by."""

from typing import Any

import pytest

from sezzlee_py.model import ToolDefinition
from sezzlee_py.search import ToolDocument, documents_from_tools


def tool(schema: Any, **fields: Any) -> ToolDefinition:
    return ToolDefinition(
        name="search_orders",
        description="Search.",
        input_schema=schema,
        annotations={},
        method="GET",
        route="/orders",
        **fields,
    )


def parameters(schema: Any, **fields: Any) -> tuple[tuple[str, str], ...]:
    return documents_from_tools([tool(schema, **fields)])[0].parameters


def test_a_document_holds_what_the_tool_publishes() -> None:
    (document,) = documents_from_tools(
        [
            tool(
                {"properties": {"q": {"description": "Words."}, "n": {}}},
                tags=("Orders",),
                search_terms=("siparis",),
                alternate_routes=("/v1/orders",),
                container="orders",
            )
        ]
    )
    assert document == ToolDocument(
        "search_orders",
        "Search.",
        search_terms=("siparis",),
        tags=("Orders",),
        route="/orders",
        alternate_routes=("/v1/orders",),
        parameters=(("q", "Words."), ("n", "")),
        container="orders",
    )


def test_the_members_of_a_group_are_named_after_it() -> None:
    schema = {
        "properties": {
            "filter": {
                "description": "By.",
                "properties": {
                    "status": {"description": "State."},
                    "deep": {"properties": {"x": {}}},
                },
            },
            "body": {"properties": {"hidden": {}}},
        }
    }
    assert parameters(schema, grouped_parameters=("filter",)) == (
        ("filter", "By."),
        ("filter.status", "State."),
        ("filter.deep", ""),
        ("body", ""),
    )


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({}, ()),
        (True, ()),
        ({"properties": None}, ()),
        ({"properties": ["a"]}, ()),
        (
            {"properties": {"a": True, "b": None, "c": {"description": 4}}},
            (("a", ""), ("b", ""), ("c", "")),
        ),
        ({"properties": {7: {}}}, ()),
    ],
)
def test_malformed_schemas_give_what_can_be_read(schema: Any, found: Any) -> None:
    assert parameters(schema, grouped_parameters=("a", "b")) == found


def test_a_document_keeps_no_list_of_the_host() -> None:
    tags = ["a"]
    document = ToolDocument("x", tags=tags, parameters=[["k", "d"]])  # type: ignore[arg-type]
    tags.append("b")
    assert (document.tags, document.parameters) == (("a",), (("k", "d"),))
