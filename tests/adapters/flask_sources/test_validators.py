"""Tools of views that an extension validates without writing a document."""

import base64
from typing import Any

import pytest
from pydantic import TypeAdapter

from sezzlee_flask import Sezzlee, mount_mcp
from sezzlee_py import ToolDefinition
from tests.adapters.flask_sources.oracle import (
    everything,
    plain,
    published_inputs,
    published_output,
)


def by_route(sezzlee: Sezzlee) -> dict[tuple[str, str], ToolDefinition]:
    return {(tool.method, tool.route): tool for tool in sezzlee.catalog.tools}


@pytest.fixture
def validated() -> Sezzlee:
    """The API with flask-pydantic."""
    pytest.importorskip("flask_pydantic", reason="make flask-extensions installs flask-pydantic")
    from tests.adapters.flask_sources.apps.pydantic_app import make_app

    return mount_mcp(make_app(), options=everything())


@pytest.fixture
def parsed() -> Sezzlee:
    """The API with webargs."""
    pytest.importorskip("webargs", reason="make flask-extensions installs webargs")
    from tests.adapters.flask_sources.apps.webargs_app import make_app

    return mount_mcp(make_app(), options=everything())


def inputs_of(model: Any, place: str) -> dict[tuple[str, str], tuple[bool, Any]]:
    """What pydantic itself writes about a model, field by field."""
    schema = TypeAdapter(model).json_schema()
    root = {"components": {"schemas": schema.get("$defs", {})}}
    return {
        (name, place): (name in schema.get("required", []), plain(root, field))
        for name, field in schema["properties"].items()
    }


PET_ID = {("pet_id", "path"): (True, {"type": "integer", "minimum": 0})}


def test_models_of_flask_pydantic_are_the_inputs(validated: Sezzlee) -> None:
    from tests.adapters.flask_sources.apps.pydantic_app import Caption, PetIn, PetQuery

    tools = by_route(validated)
    walk = published_inputs(tools["POST", "/pets/{pet_id}/walks"])

    assert published_inputs(tools["GET", "/pets"]) == inputs_of(PetQuery, "query")
    assert published_inputs(tools["POST", "/pets"]) == inputs_of(PetIn, "body")
    assert published_inputs(tools["PUT", "/pets/{pet_id}/caption"]) == PET_ID | inputs_of(
        Caption, "form"
    )
    assert walk == PET_ID | inputs_of(PetQuery, "query")
    assert published_inputs(tools["GET", "/pets/{pet_id}"]) == PET_ID
    many = published_inputs(tools["POST", "/pets/{pet_id}"])
    assert many["body", "body"][1]["items"]["required"] == ["name"]


def test_an_annotated_answer_of_flask_pydantic_is_the_output(validated: Sezzlee) -> None:
    from tests.adapters.flask_sources.apps.pydantic_app import PetOut

    tools = by_route(validated)
    expected = plain({}, TypeAdapter(PetOut).json_schema(mode="serialization"))

    for operation in (("GET", "/pets"), ("POST", "/pets"), ("GET", "/pets/{pet_id}")):
        assert published_output(tools[operation]) == expected
    assert tools["PUT", "/pets/{pet_id}/caption"].output_schema is None


def test_calls_reach_views_behind_flask_pydantic(validated: Sezzlee) -> None:
    tools = by_route(validated)
    add, caption = tools["POST", "/pets"].name, tools["PUT", "/pets/{pet_id}/caption"].name
    find, many = tools["GET", "/pets"].name, tools["POST", "/pets/{pet_id}"].name

    assert validated.invoke(add, {"name": "Bo"})["status"] == 201
    found = validated.invoke(find, {"limit": 3, "name": "a b", "tags": ["x", "y"]})
    assert found["body"] == {"id": 3, "name": "a b"}
    assert validated.invoke(caption, {"pet_id": 7, "text": "é"})["body"] == {"id": 7, "text": "é"}
    assert validated.invoke(many, {"pet_id": 7, "body": [{"name": "Ann"}]})["status"] == 200
    refused = validated.invoke(add, {"name": "B" * 60})
    assert [field["name"] for field in refused["fields"]] == ["name"]


def test_schemas_of_webargs_are_the_inputs(parsed: Sezzlee) -> None:
    tools = by_route(parsed)
    added = tools["POST", "/pets"]
    name = {"type": "string", "minLength": 1, "maxLength": 20}
    friend = {"type": "object", "properties": {"name": name}, "required": ["name"]}

    assert published_inputs(tools["GET", "/pets"]) == {
        ("X-Trace", "header"): (True, {"type": "string"}),
        ("name", "query"): (False, {"type": "string", "description": "A part of the name."}),
        ("limit", "query"): (False, {"type": "integer", "minimum": 1, "maximum": 100}),
        ("tags", "query"): (False, {"type": "array", "items": {"type": "string"}}),
        ("ids", "query"): (False, {"type": "array", "items": {"type": "integer"}}),
    }
    assert {
        slot.argument: added.input_schema["properties"][slot.argument] for slot in added.slots
    } == {
        "name": name,
        "weight": {"type": ["number", "null"], "minimum": 0},
        "kind": {"type": "string", "enum": ["cat", "dog"]},
        "bornOn": {"type": "string", "format": "date"},
        "owner": {"$ref": "#/$defs/Owner"},
        "friends": {"type": "array", "items": friend},
        "parents": {"type": "array", "items": {"$ref": "#/$defs/Pet"}},
    }
    assert added.input_schema["required"] == ["name"]
    assert {(s.name, str(s.location), s.required) for s in tools["PUT", "/notes"].slots} == {
        ("note", "form", False)
    }


def test_a_schema_that_each_request_makes_is_left_open(parsed: Sezzlee) -> None:
    slots = by_route(parsed)["POST", "/notes"].slots
    assert [(slot.name, str(slot.location), slot.required) for slot in slots] == [
        ("body", "body", False)
    ]


def test_calls_reach_views_behind_webargs(parsed: Sezzlee) -> None:
    tools = by_route(parsed)
    find, add = tools["GET", "/pets"].name, tools["POST", "/pets"].name
    photo = tools["PUT", "/pets/{pet_id}/photo"].name

    found = parsed.invoke(find, {"ids": [3, 4], "X-Trace": "t"})
    assert found["body"] == {"ids": [3, 4], "trace": "t"}
    assert parsed.invoke(add, {"name": "Bo", "bornOn": "2026-01-31"})["status"] == 201
    content = {"base64": base64.b64encode(b"x").decode(), "name": "bo.png"}
    sent = parsed.invoke(photo, {"pet_id": 7, "photo": content, "caption": "Bo"})
    assert sent["body"] == {"id": 7, "caption": "Bo", "name": "bo.png"}
    refused = parsed.invoke(add, {"name": "B" * 60})
    assert refused["error"] == "validation_failed"
    assert [field["name"] for field in refused["fields"]] == ["name"]
