from typing import Any

import pytest

from sezzlee_py.catalog.projection import card, loaded_shape, parameter_list, short_description
from sezzlee_py.model import ToolDefinition


def a_tool(**facts: Any) -> ToolDefinition:
    return ToolDefinition(
        **{
            "name": "get_order",
            "description": "Fetch one order.",
            "input_schema": {
                "type": "object",
                "properties": {"id": {"type": "integer"}},
                "required": ["id"],
            },
            "annotations": {"readOnlyHint": True},
            "version": "v1",
            "method": "GET",
            "route": "/orders/{id}",
            **facts,
        }
    )


def test_a_card_has_its_keys_in_order() -> None:
    found = card(a_tool(deprecated=True, tags=("x",)), auth_uncertain=True)
    assert list(found.items()) == [
        ("name", "get_order"),
        ("description", "Fetch one order."),
        ("parameters", "id: integer (required)"),
        ("deprecated", True),
        ("authUncertain", True),
    ]
    assert list(card(a_tool())) == ["name", "description", "parameters"]


def test_a_loaded_shape_has_its_keys_in_order_and_the_version_beside() -> None:
    tool = a_tool(output_schema={"type": "object"}, deprecated=True)
    assert list(loaded_shape(tool, auth_uncertain=True).items()) == [
        ("name", "get_order"),
        ("description", "Fetch one order."),
        ("inputSchema", tool.input_schema),
        ("outputSchema", {"type": "object"}),
        ("annotations", {"readOnlyHint": True}),
        ("deprecated", True),
        ("authUncertain", True),
        ("version", "v1"),
    ]
    assert "outputSchema" not in loaded_shape(a_tool())
    assert loaded_shape(a_tool(output_schema={}))["outputSchema"] == {}


def test_what_one_caller_is_shown_does_not_reach_the_next() -> None:
    tool = a_tool()
    for project in (card, loaded_shape):
        shown = project(tool, auth_uncertain=True)
        shown["name"] = "other"
        again = project(tool)
        assert again["name"] == "get_order"
        assert "authUncertain" not in again


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("x" * 160, "x" * 160),
        ("x" * 161, "x" * 160 + "…"),
        ("x" * 160 + " y", "x" * 160 + "…"),
        ("x" * 80 + " " + "y" * 90, "x" * 80 + "…"),
        ("x" * 79 + " " + "y" * 90, "x" * 79 + " " + "y" * 80 + "…"),
        ("x" * 100 + " \t  " + "y" * 100, "x" * 100 + "…"),
        (" " * 200, "…"),
        ("\N{PACKAGE}" * 80, "\N{PACKAGE}" * 80),
        ("\N{PACKAGE}" * 81, "\N{PACKAGE}" * 80 + "…"),
        ("x" + "\N{PACKAGE}" * 80, "x" + "\N{PACKAGE}" * 79 + "…"),
        ("\N{PACKAGE}" * 40 + " " + "\N{PACKAGE}" * 60, "\N{PACKAGE}" * 40 + "…"),
        ("é" * 161, "é" * 160 + "…"),
        ("\ud83d" * 161, "\ud83d" * 160 + "…"),
        ("x" * 159 + "\ud83d" + "y" * 9, "x" * 159 + "\ud83d…"),
    ],
)
def test_a_card_cuts_a_long_description(text: str, shown: str) -> None:
    assert short_description(text) == shown


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        (None, ""),
        ([], ""),
        ({}, ""),
        ({"properties": None}, ""),
        (
            {"properties": {"a": True, "b": 1, "c": {}, "d": {"type": None}}},
            "a: any, b: any, c: any, d: any",
        ),
        ({"properties": {"a": {"type": "null"}}}, "a: null"),
        ({"properties": {"a": {"type": ["null", "integer", "string"]}}}, "a: integer"),
        ({"properties": {"a": {"type": ["null", 3]}}}, "a: any"),
        ({"properties": {"a": {}}, "required": "a"}, "a: any"),
        ({"properties": {"a": {}}, "required": ["a", None]}, "a: any"),
        ({"properties": {"a": {}}, "required": ["z", "a"]}, "a: any (required)"),
        (
            {
                "properties": {
                    "b": {},
                    "10": {},
                    "9": {},
                    "01": {},
                    "4294967295": {},
                    "0": {},
                    "٣": {},
                }
            },
            "0: any, 9: any, 10: any, b: any, 01: any, 4294967295: any, ٣: any",
        ),
        ({"properties": {"9" * 9999: {}, "a": {}}}, "9" * 9999 + ": any, a: any"),
    ],
)
def test_parameters_are_listed_from_any_json(schema: Any, shown: str) -> None:
    assert parameter_list(schema) == shown
