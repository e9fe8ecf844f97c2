"""Resources of flask-restful and the parsers that they ask."""

import argparse
import base64
import types
import uuid
from typing import Any

import pytest
from flask import Flask, request
from flask.views import MethodView

from sezzlee_flask import Sezzlee, mount_mcp
from sezzlee_py import ToolDefinition
from tests.adapters.flask_sources.oracle import everything

inputs = pytest.importorskip(
    "flask_restful.inputs", reason="make flask-extensions installs flask-restful"
)
reqparse = pytest.importorskip(
    "flask_restful.reqparse", reason="make flask-extensions installs flask-restful"
)

TEXT = {"type": "string"}


@pytest.fixture
def sezzlee() -> Sezzlee:
    """The API."""
    from tests.adapters.flask_sources.apps.restful_app import make_app

    return mount_mcp(make_app(), options=everything())


def by_route(sezzlee: Sezzlee) -> dict[tuple[str, str], ToolDefinition]:
    return {(tool.method, tool.route): tool for tool in sezzlee.catalog.tools}


def inputs_of(tool: ToolDefinition) -> dict[tuple[str, str], tuple[bool, Any]]:
    properties = tool.input_schema["properties"]
    return {
        (slot.name, str(slot.location)): (slot.required, properties[slot.argument])
        for slot in tool.slots
    }


def test_a_resource_has_the_verbs_it_handles_and_one_tool_for_its_urls(sezzlee: Sezzlee) -> None:
    found = sorted((t.method, t.route, t.alternate_routes) for t in sezzlee.catalog.tools)
    assert found == [
        ("DELETE", "/v1/pets/{pet_id}", ()),
        ("GET", "/v1/pets", ("/v1/animals",)),
        ("GET", "/v1/pets/{pet_id}", ()),
        ("POST", "/v1/pets", ("/v1/animals",)),
        ("POST", "/v1/pets/{pet_id}/photo", ()),
        ("POST", "/v1/unclear", ()),
        ("PUT", "/v1/pets/{pet_id}", ()),
        ("PUT", "/v1/unclear", ()),
    ]


def test_a_parser_of_the_module_tells_the_inputs(sezzlee: Sezzlee) -> None:
    assert inputs_of(by_route(sezzlee)["GET", "/v1/pets"]) == {
        ("name", "query"): (False, {**TEXT, "description": "A part of the name."}),
        ("limit", "query"): (True, {"type": "integer"}),
        ("kind", "query"): (False, {**TEXT, "enum": ["cat", "dog"]}),
        ("tag", "query"): (False, {"type": "array", "items": TEXT}),
        ("X-Trace", "header"): (False, TEXT),
    }


def test_a_parser_that_the_source_puts_together_tells_optional_inputs(sezzlee: Sezzlee) -> None:
    tools = by_route(sezzlee)
    assert inputs_of(tools["POST", "/v1/pets"]) == {
        ("name", "body"): (False, {**TEXT, "description": "name is required"}),
        ("weight", "body"): (False, {"type": "number"}),
        ("good", "body"): (False, {"type": "boolean"}),
    }
    assert inputs_of(tools["PUT", "/v1/pets/{pet_id}"]) == {
        ("pet_id", "path"): (True, {"type": "integer", "minimum": 0}),
        ("name", "body"): (False, TEXT),
        ("weight", "body"): (False, {"type": "integer"}),
    }


def test_what_is_not_certain_is_left_open(sezzlee: Sezzlee) -> None:
    for method in ("POST", "PUT"):
        tool = by_route(sezzlee)[method, "/v1/unclear"]
        assert [(s.name, str(s.location), s.required) for s in tool.slots] == [
            ("body", "body", False)
        ]


def test_calls_reach_resources(sezzlee: Sezzlee) -> None:
    tools = by_route(sezzlee)
    find, add = tools["GET", "/v1/pets"].name, tools["POST", "/v1/pets"].name
    change, photo = tools["PUT", "/v1/pets/{pet_id}"].name, tools["POST", "/v1/pets/{pet_id}/photo"]

    found = sezzlee.invoke(find, {"limit": 3, "tag": ["a", "b"], "kind": "cat"})
    assert found["body"] == {
        "name": None,
        "limit": 3,
        "kind": "cat",
        "tag": ["a", "b"],
        "X-Trace": None,
    }
    added = sezzlee.invoke(add, {"name": "Bo", "weight": 2.5, "good": True})
    assert added["body"] == {"name": "Bo", "weight": 2.5, "good": True}
    changed = sezzlee.invoke(change, {"pet_id": 7, "name": "Bo", "weight": 2})
    assert changed["body"] == {"id": 7, "name": "Bo", "weight": 2}
    content = {"base64": base64.b64encode(b"x").decode(), "name": "bo.png"}
    sent = sezzlee.invoke(photo.name, {"pet_id": 7, "photo": content, "caption": "Bo"})
    assert sent["body"] == {"name": "bo.png", "caption": "Bo"}
    refused = sezzlee.invoke(add, {"weight": 2.5})
    assert refused["error"] == "validation_failed"
    assert [field["name"] for field in refused["fields"]] == ["name"]


def slots_of_view(view: Any, method: str = "POST") -> set[tuple[str, str, bool]]:
    app = Flask("pets")
    app.add_url_rule("/pets", "pets", view, methods=[method])
    (tool,) = mount_mcp(app, options=everything()).catalog.tools
    return {(slot.name, str(slot.location), slot.required) for slot in tool.slots}


SPREAD = {"type": int}
OPEN_BODY = {("body", "body", False)}
KNOWN = reqparse.RequestParser()
KNOWN.add_argument("a", location="form", type=dict)
KNOWN.add_argument("b", location="json", choices=[1, object()])
KNOWN.add_argument("c", location="cookies", action="split", type=[].append)
KNOWN.add_argument("d", location="views")
KNOWN.add_argument("e", location="args", action="split")
HOLDER = types.ModuleType("holder")
HOLDER.parser = KNOWN  # type: ignore[attr-defined]
NO_PARSER = argparse.ArgumentParser()
PAGED = reqparse.RequestParser()
PAGED.add_argument("page", type=int, location="args", required=True)
PAGED.add_argument("owner", location="args")
PAGED.add_argument("sort", location="args")


def make_parser() -> Any:
    return KNOWN.copy()


def known() -> Any:
    return HOLDER.parser.parse_args()


def both() -> Any:
    first = reqparse.RequestParser()
    first.add_argument("x")
    return {**first.parse_args(), **KNOWN.parse_args()}


def of_a_request() -> Any:
    return KNOWN.parse_args(HOLDER)


def of_something_else() -> Any:
    return NO_PARSER.parse_args()


def of_another_request() -> Any:
    return KNOWN.parse_args(req=HOLDER)


def of_options() -> Any:
    return KNOWN.parse_args(**SPREAD)


def of_no_arguments() -> Any:
    return reqparse.RequestParser().parse_args()


def of_a_call() -> Any:
    return make_parser().parse_args()


def a_computed_name_added() -> Any:
    parser = KNOWN.copy()
    parser.add_argument("a" + "b")
    return parser.parse_args()


def a_computed_name_removed() -> Any:
    parser = KNOWN.copy()
    parser.remove_argument("a" + "b")
    return parser.parse_args()


def a_copy_of_a_copy() -> Any:
    parser = KNOWN.copy()
    other = parser.copy()
    return other.parse_args()


def computed_name() -> Any:
    parser = reqparse.RequestParser()
    parser.add_argument("a" + "b")
    return parser.parse_args()


def computed_place() -> Any:
    parser = reqparse.RequestParser()
    parser.add_argument("a", location=KNOWN)
    return parser.parse_args()


def by_a_computed_key(name: str = "paged") -> Any:
    return PARSERS[name].parse_args()


def by_an_unknown_key() -> Any:
    return PARSERS["other"].parse_args()


def spread() -> Any:
    parser = reqparse.RequestParser()
    parser.add_argument("a", **SPREAD)
    return parser.parse_args()


def handed_on() -> Any:
    parser = reqparse.RequestParser()
    print(parser)
    return parser.parse_args()


def unpacked() -> Any:
    parser, _ = reqparse.RequestParser(), 1
    return parser.parse_args()


def twice() -> Any:
    parser = reqparse.RequestParser()
    parser = KNOWN.copy() or parser
    return parser.parse_args()


def of_a_local_class() -> Any:
    parser = argparse.ArgumentParser()
    return parser.parse_args()


@pytest.mark.parametrize(
    "view",
    [
        *(of_a_request, of_something_else, of_a_call, computed_name, computed_place, spread),
        *(handed_on, unpacked, twice, of_a_local_class, of_another_request, of_options),
        *(of_no_arguments, by_a_computed_key, by_an_unknown_key),
        *(a_computed_name_added, a_computed_name_removed, a_copy_of_a_copy),
    ],
)
def test_a_parser_that_is_not_certain_tells_nothing(view: Any) -> None:
    assert slots_of_view(view) == OPEN_BODY


def test_a_form_is_written_where_one_argument_needs_it() -> None:
    cookie, query = ("c", "cookie", False), ("e", "query", False)
    assert slots_of_view(known) == {("a", "form", False), cookie, query}
    assert slots_of_view(both) == {("a", "form", False), cookie, query}


def test_without_a_body_arguments_from_anywhere_are_written_to_the_query() -> None:
    assert slots_of_view(both, "GET") == {
        ("x", "query", False),
        ("c", "cookie", False),
        ("e", "query", False),
    }


def copied() -> Any:
    parser = PAGED.copy()
    parser.add_argument("owner", type=int, location="args")
    parser.add_argument("active", location="args")
    parser.replace_argument("page", type=float, location="args")
    parser.remove_argument("sort")
    return parser.parse_args()


def copied_in_place() -> Any:
    return PAGED.copy().remove_argument("sort").parse_args()


def under_another_name() -> Any:
    parser = HOLDER.paged
    return parser.add_argument("more", location="args").parse_args()


def in_a_chain() -> Any:
    parser = reqparse.RequestParser().add_argument("a", location="args")
    parser.add_argument("b", location="args").add_argument("c", location="args")
    return parser.parse_args()


def of_the_request() -> Any:
    return PAGED.parse_args(request), PAGED.copy().parse_args(req=request, strict=False)


def of_what_was_parsed() -> Any:
    outer = PAGED.parse_args()
    inner = reqparse.RequestParser()
    inner.add_argument("name", location="owner")
    return inner.parse_args(req=outer)


HOLDER.paged = PAGED  # type: ignore[attr-defined]
PARSERS = {"paged": PAGED, None: KNOWN}
HOLDER.parsers = PARSERS  # type: ignore[attr-defined]


def by_key() -> Any:
    return PARSERS["paged"].parse_args()


def by_key_copied() -> Any:
    return HOLDER.parsers["paged"].copy().remove_argument("sort").parse_args()


@pytest.mark.parametrize(
    ("view", "inputs"),
    [
        (copied, {("owner", False), ("active", False), ("page", False)}),
        (copied_in_place, {("page", True), ("owner", False)}),
        (under_another_name, {("page", True), ("owner", False), ("sort", False), ("more", False)}),
        (in_a_chain, {("a", False), ("b", False), ("c", False)}),
        (of_the_request, {("page", True), ("owner", False), ("sort", False)}),
        (of_what_was_parsed, {("page", True), ("owner", False), ("sort", False)}),
        (by_key, {("page", True), ("owner", False), ("sort", False)}),
        (by_key_copied, {("page", True), ("owner", False)}),
    ],
)
def test_what_a_view_asks_of_its_parsers_counts(view: Any, inputs: set[tuple[str, bool]]) -> None:
    assert slots_of_view(view, "GET") == {(name, "query", required) for name, required in inputs}


def of_the_query() -> Any:
    return {**PAGED.parse_args(), **request.get_json()}


def test_a_parser_of_the_query_leaves_the_body_open() -> None:
    query = {("page", "query", True), ("owner", "query", False), ("sort", "query", False)}
    assert slots_of_view(of_the_query) == query | OPEN_BODY
    assert slots_of_view(of_the_query, "DELETE") == query


class Made(MethodView):
    """Its parser is made for each request, and each verb adds what it reads."""

    def __init__(self) -> None:
        self.parser = reqparse.RequestParser()
        self.parser.add_argument("shared", location="json")

    def post(self) -> Any:
        self.parser.add_argument("own", type=int, required=True, location="json")
        return self.parser.parse_args()

    def put(self) -> Any:
        print(self.parser)
        return self.parser.parse_args()


class Inherited(Made):
    """Its `__init__` makes no parser itself."""

    def __init__(self) -> None:
        super().__init__()


@pytest.mark.parametrize("cls", [Made, Inherited])
def test_a_parser_made_for_each_request_has_what_its_verbs_add(cls: type[MethodView]) -> None:
    view = cls.as_view("pets")
    assert slots_of_view(view) == {("shared", "body", False), ("own", "body", False)}
    assert slots_of_view(view, "PUT") == OPEN_BODY


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (inputs.boolean, {"type": "boolean"}),
        (inputs.natural, {"type": "integer", "minimum": 0}),
        (inputs.int_range(1, 5), {"type": "integer", "minimum": 1, "maximum": 5}),
        (inputs.datetime_from_iso8601, {**TEXT, "format": "date-time"}),
        (uuid.UUID, {**TEXT, "format": "uuid"}),
        (inputs.regex("^a"), {}),
        (len, {}),
    ],
)
def test_a_converter_that_reads_one_kind_of_value_tells_it(kind: Any, schema: Any) -> None:
    parser = reqparse.RequestParser()
    parser.add_argument("a", type=kind, location="json")
    app = Flask("pets")

    @app.post("/pets")
    def add() -> Any:
        return parser.parse_args()

    (tool,) = mount_mcp(app, options=everything()).catalog.tools
    assert tool.input_schema["properties"] == {"a": schema}


class Asking(MethodView):
    """Asks its parsers in methods that several verbs share."""

    def get(self) -> Any:
        found = self.page()
        return {**found, **self.page(), "more": PAGED.copy().remove_argument("page").parse_args()}

    def post(self) -> Any:
        return self.unclear(["a"])

    def put(self) -> Any:
        return other.page()

    def page(self) -> Any:
        parser = reqparse.RequestParser()
        parser.add_argument("page", type=int, location="args")
        return parser.parse_args()

    def unclear(self, names: list[str]) -> Any:
        parser = reqparse.RequestParser()
        for name in names:
            parser.add_argument(name)
        return parser.parse_args()


other = Asking()


def test_what_a_method_of_the_class_asks_for_a_view_counts() -> None:
    view = Asking.as_view("pets")
    assert slots_of_view(view, "GET") == {
        ("page", "query", False),
        ("owner", "query", False),
        ("sort", "query", False),
    }
    assert slots_of_view(view, "POST") == slots_of_view(view, "PUT") == OPEN_BODY


class Array:
    """What compares and counts as values of their own do, such as NumPy's."""

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __eq__(self, other: object) -> Any:
        return self


class Unhashable(type):
    __hash__ = None  # type: ignore[assignment]


ODD = reqparse.RequestParser()
ODD.add_argument("choices", choices=Array(), location="args")
ODD.add_argument("infinite", choices=[float("inf")], type=float, location="args")
ODD.add_argument("number", location=5)
ODD.add_argument("array", location=Array())
ODD.add_argument("nested", location=[["args"], Array(), "args"])
ODD.add_argument("texts", type=Array(), help=Array(), action=Array(), location={"args"})
ODD.add_argument("typed", type=Unhashable("Typed", (), {}), location="args")


def of_odd_arguments() -> Any:
    return ODD.parse_args()


def test_values_of_the_host_in_a_parser_are_compared_with_nothing() -> None:
    app = Flask("shop")
    app.add_url_rule("/odd", view_func=of_odd_arguments)
    (tool,) = mount_mcp(app, options=everything()).build().tools
    text = {"type": "string"}
    assert tool.input_schema["properties"] == {
        "choices": text,
        "infinite": {"type": "number"},
        "nested": text,
        "texts": text,
        "typed": text,
    }
