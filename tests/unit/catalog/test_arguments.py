import pytest

from sezzlee_py.model import OMIT, BodySlot, Constant, ParameterSlot, RequestBody, Slot
from tests.unit.catalog.builders import (
    INTEGER,
    STRING,
    build,
    codes,
    dropped,
    endpoint,
    json_body,
    path,
    query,
    record,
    tool,
)


def test_one_resolution_feeds_schema_template_and_slots() -> None:
    found = tool(
        endpoint(
            path("id", INTEGER),
            query("trace"),
            request_body=json_body({"note": STRING, "source": STRING}, "note"),
            arguments=(
                record("id", "order"),
                record("trace", "hidden_trace", hidden=Constant("t")),
                record("note", "text"),
                record("source", hidden=OMIT),
            ),
        )
    )
    assert found.slots == (
        Slot(argument="order", name="id", location="path", required=True),
        Slot(argument="text", name="note", location="body", required=True),
    )
    assert found.template is not None
    assert [(p.name, p.agent_name, p.fill) for p in found.template.parameters] == [
        ("id", "order", None),
        ("trace", "hidden_trace", Constant("t")),
    ]
    assert isinstance(found.template.body, BodySlot)
    assert [(f.name, f.agent_name, f.fill) for f in found.template.body.fields] == [
        ("note", "text", None),
        ("source", "source", OMIT),
    ]


def test_the_whole_body_can_be_renamed_and_filled() -> None:
    array = RequestBody(schema={"type": "array"})
    renamed = tool(endpoint(request_body=array, arguments=(record("body", "items"),)))
    assert renamed.template is not None
    assert renamed.template.body == BodySlot(root="items")
    assert renamed.slots == (Slot(argument="items", name="body", location="body", required=True),)
    filled = tool(endpoint(request_body=array, arguments=(record("body", hidden=Constant([1])),)))
    assert filled.template is not None
    assert filled.template.body == BodySlot(root="body", fill=Constant([1]))
    assert filled.slots == ()


def test_a_parameter_that_nobody_curates_keeps_its_slot() -> None:
    found = tool(endpoint(query("a"), query("b"), arguments=(record("a", "c"),))).template
    assert found is not None
    assert found.parameters[1] == ParameterSlot(
        name="b", agent_name="b", location=query("b").location, kinds=found.parameters[1].kinds
    )


def test_a_derived_name_is_what_a_record_addresses() -> None:
    descriptor = endpoint(
        path("id"), query("id"), arguments=(record("id_query", "revision"), record("id", "order"))
    )
    assert [slot.argument for slot in tool(descriptor).slots] == ["order", "revision"]


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ((record("q", "other"),), "argument_collision"),
        ((record("q", "note"),), "argument_collision"),
        ((record("q", "x"), record("other", "x")), "argument_collision"),
        ((record("q", "other"), record("other", "y")), "argument_collision"),
        ((record("q", "other"), record("other", hidden=OMIT)), "argument_collision"),
        ((record("other", "y", hidden=OMIT), record("q", "y")), "argument_collision"),
        ((record("id_query", "id"),), "argument_collision"),
        ((record("q", "a.b"),), "template_rejected"),
        ((record("q", ""),), "template_rejected"),
        ((record("q", "1a"),), "template_rejected"),
        ((record("q", "a\n"),), "template_rejected"),
        ((record("q", "näme"),), "template_rejected"),
        ((record("q", "x"), record("q", "x")), "duplicate_argument"),
        ((record("ghost"),), "curation_unresolved"),
        ((record("Q", "x"),), "curation_unresolved"),
    ],
)
def test_a_record_that_cannot_stand_drops_the_endpoint(
    records: tuple[object, ...], code: str
) -> None:
    descriptor = endpoint(
        path("id"),
        query("id"),
        query("q"),
        query("other"),
        request_body=json_body({"note": STRING}),
        arguments=records,
    )
    assert dropped(descriptor) == code


def test_a_name_may_be_renamed_to_itself() -> None:
    assert codes(build(endpoint(query("q"), arguments=(record("q", "q"),)))) == []


def test_a_body_field_is_unknown_while_the_body_is_one_argument() -> None:
    body = RequestBody(schema=json_body({"note": STRING}).schema, required=False)
    descriptor = endpoint(request_body=body, arguments=(record("note", "text"),))
    result = build(descriptor)
    assert result.tools == ()
    assert codes(result) == ["optional_body_argument", "curation_unresolved"]


def test_a_name_of_a_folded_route_is_reported_and_spared() -> None:
    descriptor = endpoint(query("q"), arguments=(record("region", hidden=OMIT),))
    assert dropped(descriptor) == "curation_unresolved"
    result = build(descriptor, alternate_routes=("/{region}/things",))
    assert codes(result) == ["curation_unused_on_kept_route"]
    assert result.tools[0].alternate_routes == ("/{region}/things",)


def test_an_optional_record_applies_where_it_fits() -> None:
    descriptor = endpoint(query("q"), arguments=(record("tenant", hidden=OMIT), record("q", "x")))
    result = build(descriptor, optional={"tenant"})
    assert codes(result) == []
    assert [slot.argument for slot in result.tools[0].slots] == ["x"]


def test_an_empty_description_erases_nothing() -> None:
    found = tool(endpoint(query("q", description="Own."), arguments=(record("q", text=""),)))
    assert found.input_schema["properties"]["q"]["description"] == "Own."
