import re
from dataclasses import replace
from types import MappingProxyType

from sezzlee_py.catalog.version import shape_version
from sezzlee_py.model import AnnotationHints, Anonymous, Auth, Response
from tests.unit.catalog.builders import INTEGER, STRING, endpoint, query, tool


def test_key_order_does_not_count_and_array_order_does() -> None:
    assert shape_version({"a": {"b": 1, "c": 2}, "d": 3}) == shape_version(
        {"d": 3, "a": {"c": 2, "b": 1}}
    )
    assert shape_version({"a": ["x", "y"]}) != shape_version({"a": ["y", "x"]})


def test_a_version_is_pinned_for_every_process() -> None:
    found = shape_version({"name": "sipariş", "description": "é"})
    # Computed apart: printf '{"description":"é","name":"sipariş"}' | sha256sum
    assert found == "9144a1add8fafa60"


def test_what_json_cannot_write_still_has_a_version() -> None:
    odd = {"maximum": float("inf"), "at": MappingProxyType({"x": 1}), "type": {1, 2}, "s": "\ud800"}
    assert re.fullmatch("[0-9a-f]{16}", shape_version(odd))
    assert shape_version(odd) == shape_version(dict(reversed(odd.items())))


def test_what_an_agent_loads_decides_and_nothing_else() -> None:
    descriptor = endpoint(query("q"), description="Find.")
    version = tool(descriptor).version
    for same in (
        replace(descriptor, route="/elsewhere"),
        replace(descriptor, tags=("x",), search_terms=("y",)),
        replace(descriptor, auth=Auth(anonymous=Anonymous.YES)),
        replace(descriptor, source="m:f", line=3),
        replace(descriptor, parameters=(query("q", allow_reserved=True),)),
    ):
        assert tool(same).version == version
    for other in (
        replace(descriptor, description="Seek."),
        replace(descriptor, deprecated=True),
        replace(descriptor, annotations=AnnotationHints(read_only=False)),
        replace(descriptor, responses={"200": Response(schema=STRING)}),
        replace(descriptor, parameters=(query("q", INTEGER),)),
    ):
        assert tool(other).version != version
