"""What always holds of schemas that are read from components."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.hoist import Slot, hoist
from sezzlee_py.catalog.schema.slots import Direction, SlotKind
from tests.unit.schema.reading import check_published

NAMES = ["A", "B", "C-Input", "pkg__A", "pkg__B", "D"]
REFS = st.sampled_from(NAMES).map(lambda name: {"$ref": f"#/components/schemas/{name}"})
LEAVES = st.sampled_from(
    [
        {"type": "string", "title": "T", "default": "d"},
        {"type": "integer", "nullable": True},
        {"enum": ["a", None]},
        {"type": "string", "format": "binary"},
        True,
        {},
    ]
)


def _grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda item: {"type": "array", "items": item}, inner),
        st.builds(
            lambda fields, flags: {
                "type": "object",
                "properties": fields,
                "required": sorted(fields),
                **flags,
            },
            st.dictionaries(st.sampled_from(["x", "y", "title"]), inner, max_size=3),
            st.sampled_from([{}, {"readOnly": True}, {"minProperties": 1}, {"x-a": 1}]),
        ),
        st.builds(lambda word, one: {word: [one, {"type": "null"}]}, UNIONS, inner),
        st.builds(lambda word, many: {word: many}, UNIONS, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda many: {"allOf": many}, st.lists(inner, max_size=3)),
        st.builds(lambda one: {**one, "description": "d"}, REFS),
        st.builds(lambda one: {**one, "maxProperties": 3}, REFS),
    )


UNIONS = st.sampled_from(["anyOf", "oneOf"])
SCHEMAS = st.recursive(st.one_of(LEAVES, REFS), _grow, max_leaves=8)
DOCUMENTS = st.fixed_dictionaries(dict.fromkeys(NAMES, SCHEMAS))
READINGS = st.tuples(st.sampled_from(Direction), st.sampled_from(SlotKind))


def _placed(bag: SchemaComponents, slots: list[Any], reading: Any) -> list[Any]:
    way = bag.reading(*reading)
    placed, _ = hoist(bag, [Slot(schema=bag.normalise(s, way), reading=way) for s in slots])
    return [slot.schema for slot in placed]


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS, st.lists(SCHEMAS, min_size=1, max_size=3), READINGS)
def test_slots_are_valid_finite_and_self_contained(
    components: Any, slots: list[Any], reading: Any
) -> None:
    bag = SchemaComponents({"components": {"schemas": components}})
    for schema in _placed(bag, slots, reading):
        check_published(schema)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, SCHEMAS, SCHEMAS, READINGS)
def test_what_was_read_before_changes_nothing(
    components: Any, first: Any, second: Any, reading: Any
) -> None:
    document = {"components": {"schemas": components}}
    fresh = _placed(SchemaComponents(document), [second], reading)
    used = SchemaComponents(document)
    _placed(used, [first], reading)
    assert _placed(used, [second], reading) == fresh


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, SCHEMAS, READINGS)
def test_one_type_has_one_key_in_every_slot_of_a_scope(
    components: Any, slot: Any, reading: Any
) -> None:
    bag = SchemaComponents({"components": {"schemas": components}})
    schemas = _placed(bag, [slot, {"type": "array", "items": slot}], reading)
    bags = [schema.get("$defs", {}) for schema in schemas]
    assert all(bags[0][key] == bags[1][key] for key in bags[0].keys() & bags[1].keys())
