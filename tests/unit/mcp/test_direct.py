"""Pages, cursors and structured content of direct listing (spec: transport 10)."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.mcp.direct import list_page, read_cursor, structured_content, write_cursor
from sezzlee_py.mcp.jsonrpc import RPCCode, RPCFault
from tests.endpoint.stub import emission, tool

OBJECT = {"type": "object", "title": "Order", "properties": {"id": {}}}
WRAPPED = {"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]}


def names(tools: Any, after: str | None = None) -> tuple[list[str], str | None]:
    page = list_page(tools, after=after, generation=1)
    return [tool["name"] for tool in page["tools"]], page.get("nextCursor")


def test_a_tool_is_listed_whole() -> None:
    listed = list_page(
        [tool("b", output_schema=OBJECT), tool("a", annotations={}, deprecated=True)],
        after=None,
        generation=4,
    )
    schema = {"type": "object", "properties": {}, "required": []}
    assert listed == {
        "tools": [
            {
                "name": "a",
                "description": "Does a.",
                "inputSchema": schema,
                "annotations": {},
                "_meta": {"sezzlee/catalogGeneration": 4},
            },
            {
                "name": "b",
                "description": "Does b.",
                "inputSchema": schema,
                "outputSchema": OBJECT,
                "annotations": {"readOnlyHint": True},
                "_meta": {"sezzlee/catalogGeneration": 4},
            },
        ]
    }


@pytest.mark.parametrize(
    ("count", "pages"), [(0, [0]), (1, [1]), (100, [100]), (101, [100, 1]), (250, [100, 100, 50])]
)
def test_pages_hold_a_hundred_each_and_every_tool_once(count: int, pages: list[int]) -> None:
    tools = [tool(f"t{i}") for i in range(count)]
    seen: list[list[str]] = []
    cursor: str | None = None
    while not seen or cursor is not None:
        found, cursor = names(tools, read_cursor(cursor))
        seen.append(found)
    assert [len(page) for page in seen] == pages
    assert [name for page in seen for name in page] == sorted(tool.name for tool in tools)


def test_a_page_goes_on_after_its_name_whatever_was_reloaded() -> None:
    _, cursor = names([tool(f"t{i:03}") for i in range(101)])
    after = read_cursor(cursor)
    assert names([tool("a"), tool("t100"), tool("t200")], after) == (["t100", "t200"], None)
    assert names([], after) == ([], None)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_cursor_holds_any_name(name: str) -> None:
    assert read_cursor(write_cursor(name)) == name


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "é",
        "t099",
        7,
        [],
        {},
        False,
        base64.b64encode(b"t099").decode(),
        base64.b64encode(b"after:\xff").decode(),
    ],
)
def test_a_cursor_from_elsewhere_is_invalid(cursor: Any) -> None:
    with pytest.raises(RPCFault) as caught:
        read_cursor(cursor)
    assert caught.value.code == RPCCode.INVALID_PARAMS


@pytest.mark.parametrize(
    ("schema", "payload", "expected"),
    [
        (OBJECT, {"status": 200, "body": {"id": 1}}, {"id": 1}),
        (WRAPPED, {"status": 200, "body": [1]}, {"result": [1]}),
        (WRAPPED, {"status": 200, "body": {"a": 1}}, {"result": {"a": 1}}),
        (WRAPPED, {"status": 200, "body": None}, {"result": None}),
        (WRAPPED | {"$defs": {"A": {}}}, {"status": 200, "body": 7}, {"result": 7}),
        (WRAPPED | {"title": "Own"}, {"status": 200, "body": {"result": 7}}, {"result": 7}),
        (OBJECT, {"status": 200, "body": "text", "contentType": "text/plain"}, None),
        (OBJECT, {"status": 204}, None),
        (None, {"status": 200, "body": {"id": 1}}, None),
    ],
)
def test_a_json_body_becomes_structured_content(schema: Any, payload: Any, expected: Any) -> None:
    assert structured_content(tool("a", output_schema=schema), emission(payload)) == expected


def test_a_failure_has_no_structured_content() -> None:
    failed = emission({"error": "not_found", "status": 404, "body": {}}, is_error=True)
    assert structured_content(tool("a", output_schema=OBJECT), failed) is None
