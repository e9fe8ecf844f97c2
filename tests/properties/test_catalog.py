"""What holds for the catalog of any operations, in whatever order they are found."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from sezzlee_py import Arg, Constant, Member, Options, mcp_family, mcp_tool, mcp_variant
from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.catalog.build import build_catalog
from sezzlee_py.catalog.projection import card, loaded_shape
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.model import EndpointDescriptor, Parameter, ParameterLocation, RequestBody

LEGAL = re.compile(r"[a-z][a-z0-9_]{0,255}")
WORDS = ("orders", "Order", "items", "v2", "ö", "users")
SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "string"},
    {"type": "integer", "minimum": 0},
    {"type": "array", "items": {"type": "string"}},
    {"$ref": "#/$defs/Leaf", "$defs": {"Leaf": {"type": "string"}}},
)
LEAF = {"type": "object", "properties": {"self": {"$ref": "#/$defs/Leaf"}}}
BODIES: tuple[dict[str, Any], ...] = (
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/Leaf"}}, "$defs": {"Leaf": LEAF}},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "additionalProperties": True},
)


def plain() -> None: ...


@mcp_tool("declared", tags=["Kept"])
def declared() -> None: ...


@mcp_variant("first", description="First.", arguments={"q": Arg(hidden=Constant("a"))})
@mcp_variant("second", description="Second.", arguments={"q": Arg("query")})
def varied() -> None: ...


@mcp_family(
    "q",
    members=[
        Member(key="x", name="do_x", description="Do x.", body=BODIES[1]),
        Member(key="y", name="do_y", description="Do y."),
    ],
)
def family() -> None: ...


def undecorated(name: str) -> Any:
    def handler() -> None: ...

    handler.__name__ = name
    return handler


FUNCTIONS = [plain, declared, varied, family, *map(undecorated, ("list", "get_order", "<lambda>"))]


@st.composite
def operations(draw: st.DrawFn) -> DiscoveredOperation:
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))
    in_path = draw(st.lists(st.sampled_from(("id", "q")), max_size=1))
    route = "".join(f"/{word}" for word in words) + "".join(f"/{{{name}}}" for name in in_path)
    names = draw(st.lists(st.sampled_from(("q", "page", "name", "body")), max_size=3))
    places = (ParameterLocation.QUERY, ParameterLocation.HEADER)
    parameters = [
        Parameter(
            name=name,
            location=ParameterLocation.PATH,
            schema={"type": "string"},
            required=True,
        )
        for name in in_path
    ]
    parameters += [
        Parameter(
            name=name,
            location=draw(st.sampled_from(places)),
            schema=draw(st.sampled_from(SCHEMAS)),
            required=draw(st.booleans()),
        )
        for name in names
    ]
    body = draw(st.none() | st.sampled_from(BODIES))
    container = draw(st.none() | st.sampled_from(("orders", "OrderView", "Ödeme")))
    endpoint = draw(st.sampled_from(FUNCTIONS))
    return DiscoveredOperation(
        descriptor=EndpointDescriptor(
            method=draw(st.sampled_from(("POST", "PUT") if body else ("GET", "DELETE", "TRACE"))),
            route=route,
            container=container,
            container_key=container,
            parameters=tuple(parameters),
            request_body=body and RequestBody(schema=body, required=draw(st.booleans())),
            endpoint_key=FUNCTIONS.index(endpoint),
            source=f"app:{getattr(endpoint, '__name__', 'handler')}",
            line=FUNCTIONS.index(endpoint),
        ),
        endpoint=endpoint,
        accepts=draw(st.sampled_from([(), None])),
        reachable=draw(st.integers(0, 9)) > 0,
    )


@st.composite
def every_option(draw: st.DrawFn) -> Options:
    lowered = dict.fromkeys(("name_collision", "invalid_name"), "endpointDropped")
    return Options(
        selection={"default": draw(st.sampled_from(("include", "exclude")))},
        naming={
            "prefix_mode": draw(st.sampled_from(("always", "on_collision"))),
            "on_collision": draw(st.sampled_from(("route", "error"))),
        },
        diagnostics={"downgrade": lowered},
    )


applications = st.lists(operations(), max_size=6)


def build(found: list[DiscoveredOperation], options: Options) -> Catalog:
    return build_catalog(Discovery(operations=tuple(found)), options)


def bytes_of(catalog: Catalog) -> str:
    shown = [(loaded_shape(tool), card(tool), tool.tags, tool.route) for tool in catalog]
    return json.dumps([catalog.version, shown, list(map(str, catalog.diagnostics))])


@given(applications, every_option(), st.randoms())
@settings(deadline=None, max_examples=60)
def test_any_order_gives_the_same_bytes(
    found: list[DiscoveredOperation], options: Options, random: Any
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    one, other = build(found, options), build(shuffled, options)
    assert bytes_of(one) == bytes_of(other)
    assert one == other


@given(applications, every_option())
@settings(deadline=None, max_examples=60)
def test_names_of_served_tools_are_legal_and_unique(
    found: list[DiscoveredOperation], options: Options
) -> None:
    catalog = build(found, options)
    names = [tool.name for tool in catalog]
    assert all(LEGAL.fullmatch(name) for name in names)
    assert names == sorted(names)
    assert max(Counter(names).values(), default=1) == 1
    assert catalog.fatal == ()


@given(applications)
@settings(deadline=None, max_examples=60)
def test_every_argument_is_one_slot_and_every_reference_resolves(
    found: list[DiscoveredOperation],
) -> None:
    options = Options(
        selection={"default": "include"},
        diagnostics={
            "downgrade": dict.fromkeys(("name_collision", "invalid_name"), "endpointDropped")
        },
    )
    for tool in build(found, options):
        schema = tool.input_schema
        Draft202012Validator.check_schema(schema)
        assert sorted(slot.argument for slot in tool.slots) == sorted(schema["properties"])
        # Two arguments never travel in one place.
        assert max(Counter((s.location, s.name) for s in tool.slots).values(), default=1) == 1
        resolver = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
        for reference in references(schema):
            resolver.lookup(reference)


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from references(inner)


@given(applications, every_option())
@settings(deadline=None, max_examples=60)
def test_each_operation_is_a_tool_or_a_finding_where_it_is_selected(
    found: list[DiscoveredOperation], options: Options
) -> None:
    catalog = build(found, options)
    # A finding about several operations or routes names each of them.
    told = "\n".join(map(str, catalog.diagnostics))
    offered = {route for tool in catalog for route in (tool.route, *tool.alternate_routes)}
    decorated = {declared, varied, family}
    for operation in found:
        selected = options.selection.default == "include" or operation.endpoint in decorated
        if selected and operation.reachable:
            route = operation.descriptor.route
            assert route in offered or route in told
    if options.selection.default == "exclude" and not any(o.endpoint in decorated for o in found):
        assert (catalog.tools, catalog.diagnostics) == ((), ())


@given(applications, every_option())
@settings(deadline=None, max_examples=60)
def test_findings_name_their_operation_and_come_in_their_order(
    found: list[DiscoveredOperation], options: Options
) -> None:
    diagnostics = build(found, options).diagnostics
    places = [(f.route or "", f.operation or "", f.code) for f in diagnostics]
    assert places == sorted(places)
    assert all(f.operation and f.source and f.line is not None for f in diagnostics)
    assert len(set(diagnostics)) == len(diagnostics)
