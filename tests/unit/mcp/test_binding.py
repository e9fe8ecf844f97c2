"""Binding of meta-arguments (spec: tool-definition 10)."""

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.mcp import InvokeCall, LoadCall, SearchCall, bind, bind_arguments
from sezzlee_py.mcp.meta_tools import META_ARGUMENTS, meta_tool_definitions

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def refusal(tool: str, arguments: Any) -> tuple[ErrorCode, str]:
    with pytest.raises(InvocationError) as caught:
        bind(tool, arguments)
    return caught.value.code, caught.value.message


def test_the_definitions_publish_the_contract() -> None:
    shapes = {
        tool["name"]: (
            {
                name: {k: v for k, v in schema.items() if k != "description"}
                for name, schema in tool["inputSchema"]["properties"].items()
            },
            tool["inputSchema"]["required"],
            tool["inputSchema"]["additionalProperties"],
        )
        for tool in meta_tool_definitions(1)
    }
    assert shapes == {
        "search_tools": (
            {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
                "detail": {"type": "string", "enum": ["card", "schema"], "default": "card"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            ["query"],
            False,
        ),
        "load_tool": ({"name": {"type": "string"}}, ["name"], False),
        "invoke_tool": (
            {"name": {"type": "string"}, "arguments": {}, "version": {"type": "string"}},
            ["name"],
            False,
        ),
    }
    invoke = meta_tool_definitions(1)[2]["inputSchema"]["properties"]
    assert invoke["arguments"]["description"]


def test_the_search_tool_tells_how_to_search_again() -> None:
    description = meta_tool_definitions(1)[0]["description"]
    assert all(hint in description for hint in ("short", "other words", "tags", "unmatched"))


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        ({"query": ""}, SearchCall(query="")),
        (
            {"query": "a", "limit": 3, "detail": "schema", "tags": ["x", "x"]},
            SearchCall(query="a", limit=3, detail="schema", tags=("x", "x")),
        ),
        ({"query": "a", "tags": ["x"] * 10**5}, SearchCall(query="a", tags=("x",) * 100)),
        ({"query": "a", "detail": "Schema"}, SearchCall(query="a")),
        ({"query": "a", "detail": 7, "tags": None, "limit": None}, SearchCall(query="a")),
        ('{"query": "a"}', SearchCall(query="a")),
    ],
)
def test_a_search_binds(arguments: Any, call: SearchCall) -> None:
    assert bind("search_tools", arguments) == call


@pytest.mark.parametrize(
    ("limit", "bound"),
    [
        (1, 1),
        (50, 50),
        (0, 1),
        (-1, 1),
        (51, 50),
        (1000, 50),
        (10**400, 50),
        (5.0, 5),
        (1e300, 50),
        (2.5, 20),
        (float("inf"), 20),
        (float("nan"), 20),
        ("5", 20),
        (True, 20),
        ([], 20),
        ({}, 20),
    ],
)
def test_a_limit_is_clamped(limit: Any, bound: int) -> None:
    assert bind("search_tools", {"query": "", "limit": limit}) == SearchCall(query="", limit=bound)


def test_a_load_and_an_invoke_bind() -> None:
    assert bind("load_tool", {"name": ""}) == LoadCall(name="")
    assert bind("invoke_tool", {"name": "x"}) == InvokeCall(name="x", arguments={})
    assert bind("invoke_tool", {"name": "x", "arguments": {"a": 1}, "version": None}) == InvokeCall(
        name="x", arguments={"a": 1}
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "message"),
    [
        (
            "search_tools",
            {},
            ErrorCode.UNKNOWN_ARGUMENT,
            "Missing argument(s): query. Allowed: query, limit, detail, tags.",
        ),
        (
            "search_tools",
            {"q": 1, "text": 2},
            ErrorCode.UNKNOWN_ARGUMENT,
            "Unknown argument(s): q, text. Allowed: query, limit, detail, tags.",
        ),
        (
            "load_tool",
            {"name": "x", "version": "1"},
            ErrorCode.UNKNOWN_ARGUMENT,
            "Unknown argument(s): version. Allowed: name.",
        ),
        (
            "load_tool",
            {"name": None},
            ErrorCode.INVALID_TYPE,
            "Argument 'name' must be of type string.",
        ),
        (
            "search_tools",
            {"query": None},
            ErrorCode.INVALID_TYPE,
            "Argument 'query' must be of type string.",
        ),
        (
            "search_tools",
            {"query": "", "tags": "billing"},
            ErrorCode.INVALID_TYPE,
            "Argument 'tags' must be an array.",
        ),
        (
            "search_tools",
            {"query": "", "tags": ["a", 1]},
            ErrorCode.INVALID_TYPE,
            "Argument 'tags' must be an array of strings.",
        ),
        (
            "invoke_tool",
            {"name": "x", "version": 3},
            ErrorCode.INVALID_TYPE,
            "Argument 'version' must be of type string.",
        ),
    ],
)
def test_what_does_not_bind_names_what_does(
    tool: str, arguments: Any, code: ErrorCode, message: str
) -> None:
    assert refusal(tool, arguments) == (code, message)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([], "array"),
        (7, "number"),
        (1.5, "number"),
        (False, "boolean"),
        ("", "string"),
        ("[]", "string"),
        ("null", "string"),
        ('{"a": NaN}', "string"),
        ('{"a":' * 100_000, "string"),
    ],
)
def test_arguments_that_are_no_object_are_named_by_kind(value: Any, kind: str) -> None:
    message = f"Arguments must be a JSON object, not {kind}."
    expected = (ErrorCode.INVALID_TYPE, message)
    assert refusal("invoke_tool", {"name": "x", "arguments": value}) == expected
    assert refusal("invoke_tool", value) == expected


def test_an_object_in_a_text_is_taken_and_logged_without_its_values(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="sezzlee_py"):
        assert bind_arguments('{"password": "hunter2"}') == {"password": "hunter2"}
    assert len(caplog.records) == 1
    assert "hunter2" not in caplog.text


def test_a_flood_of_names_is_cut_in_the_message() -> None:
    names = {f"{'x' * 1000}{i}": i for i in range(1000)}
    _, message = refusal("load_tool", names)
    assert len(message) < 1000


@given(tool=st.sampled_from(sorted(META_ARGUMENTS)), arguments=JSON)
def test_any_json_binds_or_is_refused(tool: str, arguments: Any) -> None:
    try:
        bind(tool, arguments)
    except InvocationError as error:
        refused = error.code
    else:
        return
    assert refused in (ErrorCode.UNKNOWN_ARGUMENT, ErrorCode.INVALID_TYPE)


@given(
    query=st.text(),
    rest=st.fixed_dictionaries({}, optional={"limit": JSON, "detail": JSON}),
)
def test_any_limit_and_detail_bind(query: str, rest: dict[str, Any]) -> None:
    call = bind("search_tools", {"query": query, **rest})
    assert isinstance(call, SearchCall)
    assert 1 <= call.limit <= 50
    assert call.detail in ("card", "schema")
