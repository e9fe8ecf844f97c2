"""What a tool publishes is what the real handler takes, from the schema to the answer."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, Sezzlee, ToolDefinition
from sezzlee_py.model import JSONObject
from tests.adapters.fastapi_shapes import SHAPES
from tests.adapters.schema_values import broken, values_of
from tests.adapters.test_fastapi_discovery_shapes import NAMES, app_of, declared

# Nobody has signed in, so the handler is not reached, whatever is sent.
GUARDED = {401, 403}

few = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@cache
def served(name: str) -> tuple[Sezzlee, ToolDefinition]:
    options = Options(selection={"default": "include"}, naming={"prefix": lambda _: ""})
    sezzlee = mount_mcp(app_of(SHAPES[name]), options=options)
    (tool,) = sezzlee.build()
    return sezzlee, tool


def answer_of(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    sezzlee, tool = served(name)
    return asyncio.run(sezzlee.invoke(tool.name, arguments))


def test_there_are_shapes_enough() -> None:
    assert len(SHAPES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_is_one_slot_under_the_name_that_fastapi_reads(name: str) -> None:
    _, tool = served(name)
    properties = tool.input_schema["properties"]
    assert sorted(slot.argument for slot in tool.slots) == sorted(properties)
    assert {s.argument for s in tool.slots if s.required} == set(tool.input_schema["required"])
    read = {(place, wire) for place, wire, _ in declared(app_of(SHAPES[name]))}
    sent = {(s.location, s.name) for s in tool.slots if s.location not in ("body", "form", "path")}
    assert sent == {(place, wire) for place, wire in read if place != "path"}
    body = {s.name for s in tool.slots if s.location in ("body", "form")}
    fields = SHAPES[name].body
    assert body == (fields or set()) or body == {"body"}


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_valid_self_contained_and_carry_no_definition_too_many(name: str) -> None:
    _, tool = served(name)
    for schema in filter(None, (tool.input_schema, tool.output_schema)):
        Draft202012Validator.check_schema(schema)
        reached = references_of(schema)
        assert reached == {f"#/$defs/{key}" for key in schema.get("$defs", {})}
        resolver = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
        for reference in reached:
            resolver.lookup(reference)


def references_of(node: Any) -> set[str]:
    if isinstance(node, list):
        return {found for item in node for found in references_of(item)}
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
    return own | {found for value in node.values() for found in references_of(value)}


@pytest.mark.parametrize("name", NAMES)
@few
@given(data=st.data())
def test_a_value_of_the_schema_is_accepted_by_the_handler(name: str, data: st.DataObject) -> None:
    schema = served(name)[1].input_schema
    arguments = data.draw(values_of(schema, schema))
    Draft202012Validator(schema).validate(arguments)
    answer = answer_of(name, arguments)
    assert answer.get("status") in {200, *GUARDED}, answer


@pytest.mark.parametrize("name", NAMES)
@few
@given(data=st.data())
def test_a_value_that_breaks_the_schema_is_refused(name: str, data: st.DataObject) -> None:
    schema = served(name)[1].input_schema
    arguments = data.draw(values_of(schema, schema))
    wrong = [*_of_another_kind(schema, arguments), *_incomplete(schema, arguments)]
    wrong.append({**arguments, "no_such_argument": 1})
    for attempt in wrong:
        if Draft202012Validator(schema).is_valid(attempt):
            continue
        answer = answer_of(name, attempt)
        assert "error" in answer, attempt
        assert answer.get("status") in {None, 400, 422, *GUARDED}, answer


def _of_another_kind(schema: JSONObject, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    found = {name: broken(inner, schema) for name, inner in schema["properties"].items()}
    return [{**arguments, name: value} for name, value in found.items() if value is not None]


def _incomplete(schema: JSONObject, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in arguments.items() if name != missing}
        for missing in schema["required"]
    ]
