from typing import Any

import pytest

from sezzlee_py.catalog.output_schema import build_output_schema, primary_response
from sezzlee_py.model import Response

OBJECT = {"type": "object"}


def response(name: str) -> Response:
    return Response(schema={"type": "object", "title": name})


@pytest.mark.parametrize(
    ("statuses", "chosen"),
    [
        (("default",), None),
        (("422", "500"), None),
        ((), None),
        (("201", "200"), "200"),
        (("204", "202", "201"), "201"),
        (("203", "204"), "204"),
        (("226", "206"), "206"),
        (("2XX", "206"), "206"),
        (("2XX", "default"), "2XX"),
        (("20x", "2XX"), "2XX"),
    ],
)
def test_the_primary_response(statuses: tuple[str, ...], chosen: str | None) -> None:
    responses = {status: response(status) for status in statuses}
    assert primary_response(responses) == (None if chosen is None else response(chosen))


@pytest.mark.parametrize("schema", [None, {}])
def test_no_schema_gives_none(schema: Any) -> None:
    assert build_output_schema({"200": Response(schema=schema), "201": response("x")}) is None


@pytest.mark.parametrize(
    "schema",
    [OBJECT, {"type": ["object"]}, {"type": ["null", "object"]}, {**OBJECT, "$defs": {"A": {}}}],
)
def test_an_object_root_stays(schema: Any) -> None:
    assert build_output_schema({"200": Response(schema=schema)}) is schema


@pytest.mark.parametrize(
    "schema",
    [{"type": "array"}, {"type": ["object", "array"]}, {"anyOf": [OBJECT]}, {"properties": {}}],
)
def test_another_root_is_wrapped(schema: Any) -> None:
    assert build_output_schema({"200": Response(schema=schema)}) == {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
    }


def test_wrapping_lifts_definitions_unless_the_root_has_an_id() -> None:
    bare = {"type": "array", "items": {"$ref": "#/$defs/A"}}
    defs = {"$defs": {"A": {"type": "string"}}}
    wrapped = {"type": "object", "properties": {"result": bare}, "required": ["result"], **defs}
    assert build_output_schema({"200": Response(schema={**bare, **defs})}) == wrapped
    own = {"$id": "https://example.net/x", **bare, **defs}
    found = build_output_schema({"200": Response(schema=own)})
    assert found == {"type": "object", "properties": {"result": own}, "required": ["result"]}


def test_wrapping_keeps_a_reference_to_the_old_root() -> None:
    schema = {"type": "array", "items": {"$ref": "#"}}
    found = build_output_schema({"200": Response(schema=schema)})
    assert found is not None
    assert found["properties"]["result"]["items"] == {"$ref": "#/properties/result"}
