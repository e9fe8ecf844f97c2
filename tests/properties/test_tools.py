"""What holds for the tools of any operation, whatever its parameters, body and curation."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sezzlee_py.catalog.projection import card, loaded_shape
from sezzlee_py.catalog.tool_builder import build_tools
from sezzlee_py.model import (
    OMIT,
    ArgumentCuration,
    Constant,
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
    Provider,
    RequestBody,
    Response,
    ToolDefinition,
)

NAMES = ["id", "q", "body", "id_query", "page", "X-Trace", "0", "a/b", "é"]
DEFS = {
    "Leaf": {"type": "string", "description": "A leaf."},
    "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}},
}

scalars = st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": "integer", "minimum": 0},
        {"type": ["number", "null"]},
        {"enum": ["a", 1]},
        {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        {"$ref": "#/$defs/Leaf"},
    ]
)
arrays = scalars.map(lambda item: {"type": "array", "items": item})
objects = st.dictionaries(st.sampled_from(NAMES), scalars | arrays, max_size=3).map(
    lambda properties: {"type": "object", "properties": properties}
)
members = (
    scalars
    | arrays
    | objects
    | st.just({"$ref": "#/$defs/Tree"})
    | st.just({"$ref": "#"})
    | st.just(True)
)


def with_defs(schema: Any) -> dict[str, Any]:
    used = json.dumps(schema)
    return {**schema, **({"$defs": DEFS} if "#/$defs/" in used else {})}


parameter_schemas = (scalars | arrays | objects).map(with_defs)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    location = draw(st.sampled_from(ParameterLocation))
    return Parameter(
        name=draw(st.sampled_from(NAMES)),
        location=location,
        schema=draw(parameter_schemas),
        required=draw(st.booleans()),
        description=draw(st.none() | st.just("Of the parameter.")),
        style=draw(st.sampled_from([None, None, None, "simple", "deepObject", "form"])),
        explode=draw(st.sampled_from([None, None, False])),
        content_type=draw(st.sampled_from([None, None, None, None, "application/json"])),
    )


@st.composite
def bodies(draw: st.DrawFn) -> RequestBody:
    root = draw(
        st.dictionaries(st.sampled_from(NAMES), members, max_size=4).map(
            lambda properties: {"type": "object", "properties": properties}
        )
        | members.filter(lambda schema: schema is not True)
    )
    extra = draw(
        st.sampled_from(
            [
                {},
                {},
                {"additionalProperties": True},
                {"additionalProperties": {"$ref": "#/$defs/Leaf"}},
                {"minProperties": 1},
            ]
        )
    )
    names = sorted(root.get("properties", {}))
    if names and draw(st.booleans()):
        extra = {**extra, "required": [*names[:2], names[0]][: draw(st.integers(0, 2))]}
    return RequestBody(
        schema=with_defs({**root, **extra}),
        required=draw(st.booleans()),
        description=draw(st.none() | st.just("Of the body.")),
        content_type=draw(
            st.sampled_from(
                [None, None, "multipart/form-data", "application/x-www-form-urlencoded"]
            )
        ),
    )


records = st.builds(
    ArgumentCuration,
    name=st.sampled_from(NAMES),
    agent_name=st.sampled_from([None, "other", "id", "renamed"]),
    description=st.sampled_from([None, "Curated."]),
    hidden=st.sampled_from([None, None, OMIT, Provider("p"), Constant(1), Constant("x")]),
)


@st.composite
def descriptors(draw: st.DrawFn) -> EndpointDescriptor:
    drawn = draw(
        st.lists(parameters(), max_size=4, unique_by=lambda p: (p.location, p.name.lower()))
    )
    in_path = [p.name for p in drawn if p.location is ParameterLocation.PATH]
    body = draw(st.none() | bodies())
    return EndpointDescriptor(
        method="GET" if body is None else "POST",
        route="/things" + "".join(f"/{{{name}}}" for name in in_path),
        parameters=tuple(drawn),
        request_body=body,
        responses={"200": Response(schema=draw(st.none() | members.map(with_defs_of_member)))},
        arguments=tuple(draw(st.lists(records, max_size=2, unique_by=lambda r: r.name))),
    )


def with_defs_of_member(schema: Any) -> Any:
    return with_defs(schema) if isinstance(schema, dict) else {}


def tools(descriptor: EndpointDescriptor) -> tuple[ToolDefinition, ...]:
    # A record about a name that is not there is no news to these properties.
    return build_tools(descriptor, ("probe",), fill_sources={"p"}, optional=NAMES).tools


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def resolves(reference: str, root: Any) -> bool:
    for step in reference.removeprefix("#").split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(root, dict) or key not in root:
            return False
        root = root[key]
    return True


@given(descriptors())
@settings(max_examples=400)
def test_published_schemas_are_valid_and_closed_in_themselves(
    descriptor: EndpointDescriptor,
) -> None:
    for tool in tools(descriptor):
        for schema in (tool.input_schema, tool.output_schema or {}):
            Draft202012Validator.check_schema(as_meant(schema))
            assert [ref for ref in references(schema) if not resolves(ref, schema)] == []
        required = tool.input_schema["required"]
        assert len(required) == len(set(required))
        assert set(required) <= set(tool.input_schema["properties"])


def as_meant(schema: Any) -> Any:
    """`schema` without names repeated in the `required` of a whole body, published as written."""
    body = schema.get("properties", {}).get("body")
    if not isinstance(body, dict) or not isinstance(body.get("required"), list):
        return schema
    once = {**body, "required": sorted(set(body["required"]))}
    return {**schema, "properties": {**schema["properties"], "body": once}}


@given(descriptors())
@settings(max_examples=400)
def test_every_published_argument_has_exactly_one_slot(descriptor: EndpointDescriptor) -> None:
    for tool in tools(descriptor):
        published = list(tool.input_schema["properties"])
        assert [slot.argument for slot in tool.slots] == published
        assert len({(slot.location, slot.name) for slot in tool.slots}) == len(published)
        assert tool.template is not None
        body = tool.template.body
        written = [p.agent_name for p in tool.template.parameters if p.fill is None]
        if body is not None and body.root is None:
            written += [field.agent_name for field in body.fields if field.fill is None]
        elif body is not None and body.fill is None:
            written.append(body.root or "")
        assert written == published


@given(descriptors())
def test_building_changes_nothing_and_repeats_exactly(descriptor: EndpointDescriptor) -> None:
    before = repr(descriptor)
    assert tools(descriptor) == tools(descriptor)
    assert repr(descriptor) == before


@given(descriptors())
def test_hidden_names_leave_no_trace_in_what_an_agent_sees(descriptor: EndpointDescriptor) -> None:
    for tool in tools(descriptor):
        assert tool.template is not None
        hidden = {p.agent_name for p in tool.template.parameters if p.fill is not None}
        assert hidden.isdisjoint(tool.input_schema["properties"])
        shown = loaded_shape(tool)
        assert card(tool)["name"] == shown["name"]
        assert json.loads(json.dumps(shown)) == shown


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["properties", "required", "type", "3", "a", "null"]) | st.text(),
            inner,
            max_size=4,
        )
    ),
)


@given(any_json, st.text(), st.booleans())
def test_a_card_is_made_from_any_schema(schema: Any, text: str, uncertain: bool) -> None:
    tool = ToolDefinition(
        name="probe",
        description=text,
        input_schema=schema,
        annotations={},
        method="GET",
        route="/",
    )
    shown = card(tool, auth_uncertain=uncertain)
    assert ("authUncertain" in shown) is uncertain
    assert len(shown["description"].encode("utf-16-le", "surrogatepass")) <= 161 * 2
    assert (
        shown["description"].removesuffix("…").rstrip() == shown["description"].removesuffix("…")
        or shown["description"] == text
    )
    assert loaded_shape(tool)["inputSchema"] is schema
