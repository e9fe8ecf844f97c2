"""The schema of a tool's arguments (spec: tool-definition 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sezzlee_py.catalog.arguments import CuratedArgument
from sezzlee_py.catalog.defs import merge_defs
from sezzlee_py.catalog.references import points_at_its_root, property_pointer, relocate
from sezzlee_py.model import JSONObject, JSONValue

_ROOT_DEFS = "$defs"


def build_input_schema(
    arguments: Sequence[CuratedArgument], *, additional: JSONValue = False, body_defs: JSONObject
) -> JSONObject:
    """Return the published schema of `arguments`; the hidden ones leave no trace.

    Args:
        arguments: all arguments in publishing order.
        additional: `additionalProperties` of the root, verbatim from a free-form body.
        body_defs: definitions of a flattened body.

    Raises:
        OperationError: when two slots define one key differently.
    """
    shown = [argument for argument in arguments if argument.fill is None]
    properties: dict[str, JSONValue] = {}
    bags = [body_defs]
    for one in shown:
        schema = _placed(one)
        if one.argument.owns_defs and isinstance(schema, Mapping) and "$defs" in schema:
            schema, bag = lift_defs(schema)
            bags.append(bag)
        properties[one.agent_name] = _described(schema, one)
    root: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [one.agent_name for one in shown if one.argument.required],
        "additionalProperties": additional,
    }
    defs = merge_defs(bags)
    return {**root, _ROOT_DEFS: defs} if defs else root


def lift_defs(schema: JSONObject) -> tuple[JSONObject, JSONObject]:
    """Return `schema` without the definitions at its root, and those definitions.

    A schema with an `$id` resolves its own references and keeps them.
    """
    bag = schema.get(_ROOT_DEFS)
    if "$id" in schema or not isinstance(bag, Mapping):
        return schema, {}
    return {key: value for key, value in schema.items() if key != _ROOT_DEFS}, bag


def _placed(one: CuratedArgument) -> JSONValue:
    schema = one.argument.schema
    if one.argument.owns_defs and points_at_its_root(schema):
        return relocate(schema, property_pointer(one.agent_name))
    return schema


def _described(schema: JSONValue, one: CuratedArgument) -> JSONValue:
    text = one.description
    if text is None:
        text = one.argument.description
        if not text or (isinstance(schema, Mapping) and "description" in schema):
            return schema
    if isinstance(schema, Mapping):
        return {**schema, "description": text}
    # A boolean schema has no place for a text.
    return {"description": text} if schema is True else {"not": {}, "description": text}
