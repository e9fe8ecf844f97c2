"""The schema of a tool's result (spec: tool-definition 5)."""

from __future__ import annotations

from collections.abc import Mapping

from sezzlee_py.catalog.input_schema import lift_defs
from sezzlee_py.catalog.references import points_at_its_root, property_pointer, relocate
from sezzlee_py.model import JSONObject, Response

_PREFERRED = ("200", "201", "202", "204")
_RESULT = "result"


def build_output_schema(responses: Mapping[str, Response]) -> JSONObject | None:
    """Return the published schema of the primary success, `None` when it has none."""
    response = primary_response(responses)
    schema = None if response is None else response.schema
    if not schema:
        return None
    return schema if _is_object_root(schema) else _wrapped(schema)


def primary_response(responses: Mapping[str, Response]) -> Response | None:
    """Return the response that stands for success; never `default`."""
    if not responses:
        return None
    status = next((status for status in _PREFERRED if status in responses), None)
    if status is None:
        others = [s for s in responses if len(s) == 3 and s[0] == "2" and s.isdecimal()]
        status = min(others, default="2XX")
    return responses.get(status)


def _is_object_root(schema: JSONObject) -> bool:
    declared = schema.get("type")
    if isinstance(declared, list):
        return [name for name in declared if name != "null"] == ["object"]
    return bool(declared == "object")


def _wrapped(schema: JSONObject) -> JSONObject:
    if points_at_its_root(schema):
        schema = relocate(schema, property_pointer(_RESULT))
    result, defs = lift_defs(schema)
    root = {"type": "object", "properties": {_RESULT: result}, "required": [_RESULT]}
    return {**root, "$defs": defs} if defs else root
