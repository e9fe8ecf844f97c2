"""Reads single slots for the tests of this folder."""

import json
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from sezzlee_py.catalog.schema.components import SchemaComponents
from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.hoist import Slot, hoist
from sezzlee_py.catalog.schema.slots import Direction, Reading, SlotKind
from sezzlee_py.catalog.schema_shapes import subschemas

PREFIX = "#/components/schemas/"


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"{PREFIX}{name}"}


def read_all(
    slots: list[Any],
    components: dict[str, Any] | None = None,
    kind: SlotKind = SlotKind.JSON,
    direction: Direction = Direction.REQUEST,
    **dialect: Any,
) -> tuple[list[Any], list[Finding]]:
    document = {"components": {"schemas": components or {}}}
    before = json.dumps([slots, document], default=str)
    bag = SchemaComponents(document, dialect=Reading(**dialect))
    reading = bag.reading(direction, kind)
    read = [Slot(schema=bag.normalise(slot, reading, "/s"), reading=reading) for slot in slots]
    placed, findings = hoist(bag, read)
    assert json.dumps([slots, document], default=str) == before, "the source was changed"
    for slot in placed:
        check_published(slot.schema)
    return [slot.schema for slot in placed], list(findings)


def read(slot: Any, components: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    (schema,), _ = read_all([slot], components, **kwargs)
    return schema


def codes(slot: Any, components: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
    _, findings = read_all([slot], components, **kwargs)
    return [finding.code for finding in findings]


def check_published(schema: dict[str, Any]) -> None:
    """A published slot is a valid schema, and its references lead into its own `$defs`."""
    Draft202012Validator.check_schema(schema)
    resource = DRAFT202012.create_resource(schema)
    resolver = Registry().with_resource("urn:slot", resource).resolver("urn:slot")
    used = set()
    for inner in subschemas(schema):
        if "$ref" in inner:
            assert inner["$ref"].startswith("#/$defs/"), inner
            resolver.lookup(inner["$ref"])
            used.add(inner["$ref"])
    assert list(schema.get("$defs", {})) == sorted(schema.get("$defs", {}))
    assert len(used) >= len(schema.get("$defs", {}))
