"""The lock: what of a change agents meet, and how it reads."""

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py import ToolDefinition
from sezzlee_py.model import canonical_json
from sezzlee_py.testing import (
    Change,
    Lock,
    LockError,
    compare_locks,
    lock_of,
    read_lock,
    write_lock,
)
from sezzlee_py.testing.lock import lock_text


def tool(name: str = "get_order", **facts: Any) -> ToolDefinition:
    defaults: dict[str, Any] = {
        "description": "Fetch one order.",
        "input_schema": {
            "type": "object",
            "properties": {"order_id": {"type": "integer", "description": "Which."}},
            "required": ["order_id"],
            "additionalProperties": False,
        },
        "output_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
        "annotations": {"readOnlyHint": True},
        "tags": ("orders",),
        "method": "GET",
        "route": "/orders/{order_id}",
    }
    return ToolDefinition(name=name, **{**defaults, **facts})


def changes(old: list[ToolDefinition], new: list[ToolDefinition]) -> list[tuple[str, str, bool]]:
    found = compare_locks(lock_of(old), lock_of(new))
    assert {change.tool for change in found} <= {t.name for t in (*old, *new)}
    return [(change.kind, change.text, change.breaking) for change in found]


def arguments(**properties: Any) -> dict[str, Any]:
    required = [name for name, schema in properties.items() if schema.pop("required", False)]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def test_equal_tools_have_equal_locks_in_any_order() -> None:
    one, other = tool("a"), tool("b", route="/b")
    assert lock_text(lock_of([one, other])) == lock_text(lock_of([other, one]))
    assert compare_locks(lock_of([one, other]), lock_of([other, one])) == ()


def test_tools_that_come_and_go_are_told() -> None:
    assert changes([tool("a", route="/a")], [tool("b", route="/b")]) == [
        ("tool_removed", "GET /a is no tool any more", True),
        ("tool_added", "GET /b is a new tool", False),
    ]


def test_a_new_name_of_the_same_operation_is_a_rename_with_its_other_changes() -> None:
    assert changes([tool("a")], [tool("b", description="Get it.")]) == [
        ("tool_renamed", "was a", True),
        ("description", "description 'Get it.', was 'Fetch one order.'", False),
    ]


def test_variants_of_one_operation_are_not_taken_for_renames() -> None:
    found = changes([tool("a"), tool("b")], [tool("c"), tool("d")])
    assert [kind for kind, _, _ in found] == ["tool_removed"] * 2 + ["tool_added"] * 2


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            {"input_schema": arguments(id={"type": "integer", "required": True})},
            [
                ("argument_removed", "argument order_id is gone", True),
                ("argument_added", "argument id is new (integer, required)", True),
            ],
        ),
        (
            {
                "input_schema": arguments(
                    order_id={"type": ["integer", "null"], "description": "Which."},
                    verbose={"type": ["boolean", "null"]},
                    extra={},
                )
            },
            [
                ("argument", "argument order_id is optional now", False),
                ("argument", 'argument order_id type: ["integer","null"], was "integer"', True),
                ("argument_added", "argument verbose is new (boolean or null, optional)", False),
                ("argument_added", "argument extra is new (any type, optional)", False),
            ],
        ),
        (
            {
                "input_schema": arguments(
                    order_id={"type": "integer", "minimum": 1, "required": True}
                )
            },
            [
                ("argument", 'argument order_id description: absent, was "Which."', False),
                ("argument", "argument order_id minimum: 1, was absent", True),
            ],
        ),
        (
            {"output_schema": {"type": "object", "properties": {"id": {"type": "string"}}}},
            [("output", 'output properties.id.type: "string", was "integer"', False)],
        ),
        (
            {"output_schema": None},
            [
                (
                    "output",
                    'output: null, was {"properties":{"id":{"type":"integer"}},"type":"object"}',
                    False,
                )
            ],
        ),
        (
            {"annotations": {"readOnlyHint": False, "destructiveHint": True}},
            [
                ("hint", "destructiveHint is true, was null", False),
                ("hint", "readOnlyHint is false, was true", False),
            ],
        ),
        ({"tags": ()}, [("tags", "tags none, were orders", False)]),
        ({"deprecated": True}, [("deprecated", "is deprecated", False)]),
        (
            {"route": "/v2/orders/{order_id}"},
            [("operation", "calls GET /v2/orders/{order_id}, was GET /orders/{order_id}", False)],
        ),
    ],
)
def test_what_changed_in_a_tool_is_told(
    facts: dict[str, Any], expected: list[tuple[str, str, bool]]
) -> None:
    assert changes([tool()], [tool(**facts)]) == expected


def test_a_requirement_and_other_keywords_of_the_input_are_breaking() -> None:
    loose = arguments(order_id={"type": "integer"})
    strict = arguments(order_id={"type": "integer", "required": True})
    assert changes([tool(input_schema=loose)], [tool(input_schema=strict)]) == [
        ("argument", "argument order_id is required now", True)
    ]
    opened = {**loose, "additionalProperties": True}
    assert changes([tool(input_schema=loose)], [tool(input_schema=opened)]) == [
        ("schema", "input schema additionalProperties: true, was false", True)
    ]


def test_a_property_called_description_is_no_wording() -> None:
    inner = {"type": "object", "properties": {"description": {"type": "string"}}}
    other = {"type": "object", "properties": {}}
    found = changes(
        [tool(input_schema=arguments(note=inner))], [tool(input_schema=arguments(note=other))]
    )
    assert found == [
        (
            "argument",
            'argument note properties.description: absent, was {"type":"string"}',
            True,
        )
    ]


def test_another_order_of_what_is_required_is_told_as_no_break() -> None:
    one = {**arguments(a={}, b={}), "required": ["a", "b"]}
    other = {**one, "required": ["b", "a"]}
    assert changes([tool(input_schema=one)], [tool(input_schema=other)]) == [
        ("schema", "input schema is written differently", False)
    ]


def test_long_values_are_cut() -> None:
    schema = {"type": "string", "enum": ["word"] * 50}
    [(_, text, _)] = changes(
        [tool(input_schema=arguments(a={"type": "string"}))],
        [tool(input_schema=arguments(a=schema))],
    )
    assert text.startswith('argument a enum: ["word",')
    assert len(text) < 130


def test_schemas_deeper_than_anybody_reads_are_compared_whole() -> None:
    def nested(leaf: str) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": leaf}
        for _ in range(60):
            schema = {"items": schema}
        return schema

    [(kind, text, breaking)] = changes(
        [tool(input_schema=arguments(a=nested("string")))],
        [tool(input_schema=arguments(a=nested("integer")))],
    )
    assert (kind, breaking, "…" in text) == ("argument", True, True)


def test_malformed_schemas_are_compared_without_a_fault() -> None:
    odd = tool(input_schema={"properties": 7, "required": "x", "type": "object"})
    assert changes([odd], [odd]) == []
    assert compare_locks(Lock(tools={"a": {"inputSchema": 1}}), Lock(tools={"a": {}})) == (
        Change(tool="a", kind="schema", text="input schema: null, was 1", breaking=True),
    )


def test_what_json_cannot_hold_is_text_in_a_lock(tmp_path: Path) -> None:
    schema = MappingProxyType({"maximum": float("inf"), "default": Path("x"), "enum": (1, 2)})
    lock = lock_of([tool(input_schema=arguments(a=schema | {"required": False}))])
    write_lock(lock, tmp_path / "lock.json")
    assert compare_locks(read_lock(tmp_path / "lock.json"), lock) == ()


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    lock = lock_of([tool(), replace(tool("other"), deprecated=True)])
    path = tmp_path / "lock.json"
    write_lock(lock, path)
    assert read_lock(path) == lock
    assert json.loads(path.read_text())["sezzlee_lock"] == 1
    assert path.read_text().endswith("}\n")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sezzlee_lock": 1, "tools": {"a": 1}}'])
def test_another_file_is_no_lock(text: str, tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    path.write_text(text)
    with pytest.raises(LockError, match="lock"):
        read_lock(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LockError, match="there is no lock file"):
        read_lock(tmp_path / "none.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "properties", "required", "items", "x"]), inner)
    ),
    max_leaves=8,
)
SOMETHING = JSON.filter(lambda value: value is not None)
LOCKS = st.dictionaries(
    st.sampled_from("abc"),
    st.fixed_dictionaries(
        {},
        optional={
            "operation": st.sampled_from(["GET /a", "GET /b"]),
            "inputSchema": SOMETHING,
            "outputSchema": SOMETHING,
            "description": st.sampled_from(["x", "y"]),
            "tags": SOMETHING,
        },
    ),
    max_size=3,
).map(lambda tools: Lock(tools=tools))


@given(LOCKS)
def test_a_lock_does_not_differ_from_itself(lock: Lock) -> None:
    assert compare_locks(lock, lock) == ()


@given(LOCKS, LOCKS)
def test_locks_that_differ_are_told_apart(old: Lock, new: Lock) -> None:
    differ = canonical_json(old.tools) != canonical_json(new.tools)
    assert bool(compare_locks(old, new)) is differ


@pytest.mark.parametrize("given", ["tools.lock.json", object(), 7, ["get_order"], {"tools": []}])
def test_what_holds_no_tools_is_refused(given: Any) -> None:
    kind = f"builtins.{type(given).__name__}"
    with pytest.raises(TypeError, match=f"expected what mount_mcp returns.*; got {kind}"):
        lock_of(given)
