from typing import Any

import pytest

from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.hoist import Slot, hoist
from sezzlee_py.catalog.schema.names import simple_name
from sezzlee_py.catalog.schema.slots import Direction, SlotKind
from tests.unit.schema.reading import check_published, codes, read, read_all, ref


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("Item", "Item"),
        ("Item-Input", "Item"),
        ("Item-Output__2", "Item"),
        ("app__models__Sub", "Sub"),
        ("app__models__Sub-Input", "Sub"),
        ("app__models__Sub__1", "Sub"),
        ("Page_Item_", "Page_Item_"),
        ("a__Page_a__Item_", "a__Page_a__Item_"),
        ("Foo__", "Foo__"),
    ],
)
def test_a_key_shows_its_simple_name(key: str, name: str) -> None:
    assert simple_name(key) == name


def test_a_type_used_once_is_inlined_and_one_used_twice_is_a_definition() -> None:
    components = {"A": obj(b=ref("B")), "B": obj(x={"type": "string"})}
    assert read(obj(a=ref("A")), components) == obj(a=obj(b=obj(x={"type": "string"})))
    assert read(obj(a=ref("A"), b=ref("B")), components) == {
        **obj(a=obj(b={"$ref": "#/$defs/B"}), b={"$ref": "#/$defs/B"}),
        "$defs": {"B": components["B"]},
    }


def test_uses_count_over_all_slots_of_the_scope() -> None:
    components = {"A": obj(x={"type": "string"})}
    slots, _ = read_all([{"type": "array", "items": ref("A")}, obj(a=ref("A"))], components)
    bag = {"A": components["A"]}
    assert slots == [
        {"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": bag},
        {**obj(a={"$ref": "#/$defs/A"}), "$defs": bag},
    ]


def test_a_root_is_never_moved_away() -> None:
    components = {"A": obj(x={"type": "string"})}
    slots, _ = read_all([ref("A"), obj(a=ref("A"))], components)
    assert slots[0] == components["A"]
    assert slots[1]["$defs"] == {"A": components["A"]}


def test_a_recursive_root_is_inlined_and_kept_as_a_definition() -> None:
    components = {"Tree-Input": obj(kids={"type": "array", "items": ref("Tree-Input")})}
    tree = obj(kids={"type": "array", "items": {"$ref": "#/$defs/Tree"}})
    assert read(ref("Tree-Input"), components) == {**tree, "$defs": {"Tree": tree}}
    nullable = {"anyOf": [ref("Tree-Input"), {"type": "null"}]}
    assert read(nullable, components, direction=Direction.RESPONSE) == {
        **tree,
        "type": ["object", "null"],
        "$defs": {"Tree": tree},
    }


def test_a_root_that_lies_on_a_cycle_is_told() -> None:
    components = {"A": obj(b=ref("B")), "B": obj(a=ref("A")), "C": obj(a=ref("A"))}
    bag = SchemaComponents({"components": {"schemas": components}})
    reading = bag.reading(kind=SlotKind.PARAMETER)
    slots = [Slot(schema=bag.normalise(ref(n), reading), reading=reading) for n in "ABC"]
    placed, _ = hoist(bag, slots)
    assert [slot.recursive for slot in placed] == [True, True, False]
    for slot in placed:
        check_published(slot.schema)


def test_a_reference_to_nothing_but_itself_says_nothing() -> None:
    assert read(ref("A"), {"A": ref("A")}) == {}
    assert read(ref("A"), {"A": ref("B"), "B": ref("A")}) == {}


def test_equal_simple_names_are_numbered_by_stable_identity() -> None:
    components = {
        "z__Sub": obj(z={"type": "string"}),
        "a__Sub": obj(a={"type": "string"}),
        "Sub_2": obj(two={"type": "string"}),
    }
    body = obj(z=ref("z__Sub"), z2=ref("z__Sub"), a=ref("a__Sub"), a2=ref("a__Sub"))
    body["properties"] |= {"t": ref("Sub_2"), "t2": ref("Sub_2")}
    (schema,), findings = read_all([body], components)
    assert schema["$defs"] == {
        "Sub": components["a__Sub"],
        "Sub_2": components["Sub_2"],
        "Sub_3": components["z__Sub"],
    }
    assert schema["properties"]["z"] == {"$ref": "#/$defs/Sub_3"}
    assert [(f.code, f.about) for f in findings] == [("schema_def_name_disambiguated", "Sub_3")]


def test_the_two_directions_of_a_class_share_one_name() -> None:
    components = {"Item-Input": obj(a={"type": "string"}), "Item-Output": obj(a={}, b={})}
    request = read(obj(x=ref("Item-Input"), y=ref("Item-Input")), components)
    response = read(obj(x=ref("Item-Output"), y=ref("Item-Output")), components)
    assert (list(request["$defs"]), list(response["$defs"])) == (["Item"], ["Item"])


def test_keys_that_a_pointer_must_escape_resolve() -> None:
    components = {"a/b~c d%é": obj(x={"type": "string"})}
    place = {"$ref": "#/components/schemas/a~1b~0c%20d%25%C3%A9"}
    schema = read(obj(a=place, b=place), components)
    assert list(schema["$defs"]) == ["a/b~c d%é"]


def test_constraints_beside_an_inlined_reference_hold_as_well() -> None:
    components = {"A": obj(x=ref("B")), "B": obj(y={"type": "string"})}
    schema = obj(a={**ref("A"), "minProperties": 1}, b=ref("B"))
    read_schema = read(schema, components)
    assert read_schema["properties"]["a"] == {
        "allOf": [obj(x={"$ref": "#/$defs/B"})],
        "minProperties": 1,
    }


def test_a_chain_of_thousands_of_types_is_cut_into_definitions() -> None:
    last = 3_000
    components = {f"M{at}": obj(next=ref(f"M{at + 1}")) for at in range(last)}
    components[f"M{last}"] = obj(x={"type": "string"})
    schema = read(ref("M0"), components)
    assert 50 < len(schema["$defs"]) < last


def test_aliases_that_double_stay_references() -> None:
    components: dict[str, Any] = {"A0": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}
    for at in range(1, 40):
        components[f"A{at}"] = {"anyOf": [ref(f"A{at - 1}"), {"items": ref(f"A{at - 1}")}]}
    schema = read(obj(a=ref("A39")), components)
    assert len(str(schema)) < 200_000


def test_merged_members_that_agree_refer_once() -> None:
    components = {
        "A": obj(x=ref("X"), a={"type": "string"}),
        "B": obj(x=ref("X"), b={"type": "string"}),
        "X": obj(y={"type": "string"}),
    }
    assert read({"allOf": [ref("A"), ref("B")]}, components) == obj(
        x=components["X"], a={"type": "string"}, b={"type": "string"}
    )


def test_inheritance_that_doubles_stays_small() -> None:
    components: dict[str, Any] = {"A0": {**obj(x=ref("X")), "x-a": 1}, "X": obj(y={})}
    for at in range(1, 60):
        components[f"A{at}"] = {"allOf": [ref(f"A{at - 1}"), ref(f"A{at - 1}")]}
    (schema,), findings = read_all([ref("A59")], components)
    assert schema == obj(x=components["X"])
    assert len(findings) < 3


def test_findings_of_every_reached_type_are_told() -> None:
    components = {"A": {**obj(b=ref("B")), "x-a": 1}, "B": {**obj(a=ref("A")), "x-b": 1}}
    assert codes(obj(a=ref("A")), components) == ["annotation_removed", "annotation_removed"]


def test_same_document_gives_the_same_bytes_in_any_order_of_reading() -> None:
    components = {
        "A": {"allOf": [ref("B"), obj(a={"type": "string"})]},
        "B": obj(c=ref("C"), n={"anyOf": [ref("A"), {"type": "null"}]}),
        "C": {"allOf": [obj(d={"type": "string"}), ref("D")]},
        "D": obj(e={"type": "string"}),
    }
    document = {"components": {"schemas": components}}

    def place(order: str) -> dict[str, Any]:
        bag = SchemaComponents(document)
        reading = bag.reading()
        found = {}
        for name in order:
            slot = Slot(schema=bag.normalise(ref(name), reading), reading=reading)
            found[name] = hoist(bag, [slot])[0][0].schema
        return dict(sorted(found.items()))

    assert place("ABCD") == place("DCBA") == place("BDAC")
