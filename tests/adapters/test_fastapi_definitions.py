"""Schemas that a host writes into its routes, with definitions of their own."""

from __future__ import annotations

import copy
from typing import Any, Literal

import pytest
from fastapi import FastAPI, Request
from pydantic import BaseModel

from sezzlee_fastapi.definitions import point_at_own_definitions
from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_py.catalog.adapter import DiscoveredOperation


class Part(BaseModel):
    size: int
    parts: list[Part] = []


class Whole(BaseModel):
    first: Part
    others: list[Part] = []


async def declared(_body: Whole) -> Whole:
    raise AssertionError("only its schemas are read")


async def by_hand(request: Request) -> Any:
    raise AssertionError("only its schemas are read")


def operation_of(app: FastAPI) -> DiscoveredOperation:
    (operation,) = FastAPIAdapter(app).discover().operations
    return operation


def content(word: str, mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    schema = Whole.model_json_schema(mode=mode, ref_template=f"#/{word}/{{model}}")
    schema[word] = schema.pop("$defs")
    return {"application/json": {"schema": schema}}


@pytest.mark.parametrize("word", ["$defs", "definitions"])
def test_a_models_schema_in_a_route_says_what_the_declared_model_says(word: str) -> None:
    taken = {"required": True, "content": content(word, "validation")}
    declaring, writing = FastAPI(), FastAPI()
    declaring.add_api_route("/w", declared, methods=["POST"])
    writing.add_api_route(
        "/w",
        by_hand,
        methods=["POST"],
        openapi_extra={"requestBody": taken},
        responses={200: {"content": content(word, "serialization")}},
    )

    told, written = operation_of(declaring), operation_of(writing)

    assert written.descriptor.request_body == told.descriptor.request_body
    assert written.descriptor.responses["200"].schema == told.descriptor.responses["200"].schema
    assert written.diagnostics == ()


def test_values_and_names_that_look_like_definitions_stay_what_they_are() -> None:
    value = {"$ref": "#/$defs/X", "$defs": {"X": {}}}
    kept: dict[str, Any] = {"enum": [value], "const": value, "default": value, "example": value}
    document: dict[str, Any] = {
        "$defs": {"X": {}, "default": {"$ref": "#/$defs/X"}},
        "properties": {
            "$defs": {"X": {}},
            "const": {"$ref": "#/$defs/X"},
            "properties": copy.deepcopy(kept),
        },
        "examples": [value],
    }
    before = copy.deepcopy(document)

    point_at_own_definitions({"s": document})

    led = {"$ref": "#/s/$defs/X"}
    before["$defs"]["default"] = before["properties"]["const"] = led
    assert document == before


def test_a_reference_leads_to_the_nearest_definitions_that_have_it() -> None:
    document: dict[str, Any] = {
        "a/b": {
            "$defs": {"X": {"type": "string"}, "Y": {"$ref": "#/$defs/X/not"}},
            "items": [
                {"$defs": {"X": {}}, "not": {"$ref": "#/$defs/X"}},
                {"$ref": "#/$defs/Nowhere"},
                {"$ref": "#/definitions/X"},
                {"$ref": "#/components/schemas/X"},
                {"properties": {"$ref": {"type": "string"}}},
            ],
        },
        "c": {"$ref": "#/$defs/X"},
    }

    point_at_own_definitions(document)

    assert document == {
        "a/b": {
            "$defs": {"X": {"type": "string"}, "Y": {"$ref": "#/a~1b/$defs/X/not"}},
            "items": [
                {"$defs": {"X": {}}, "not": {"$ref": "#/a~1b/items/0/$defs/X"}},
                {"$ref": "#/$defs/Nowhere"},
                {"$ref": "#/definitions/X"},
                {"$ref": "#/components/schemas/X"},
                {"properties": {"$ref": {"type": "string"}}},
            ],
        },
        "c": {"$ref": "#/$defs/X"},
    }
