"""Schemas that a view gives to a parser of webargs itself."""

import types
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask, request
from flask.views import MethodView

from sezzlee_flask import mount_mcp
from sezzlee_py import ToolDefinition
from tests.adapters.flask_sources.oracle import everything

webargs = pytest.importorskip("webargs", reason="make flask-extensions installs webargs")
flaskparser = pytest.importorskip("webargs.flaskparser")
fields, validate = webargs.fields, pytest.importorskip("marshmallow.validate")
marshmallow = pytest.importorskip("marshmallow")

parser = flaskparser.parser
of_forms = flaskparser.FlaskParser(location="form")
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


class Person(marshmallow.Schema):  # type: ignore[misc]
    name = fields.Str(required=True)
    age = fields.Int()


PERSON = Person()
PAGE = {"page": fields.Int(required=True), "per_page": fields.Int(validate=validate.Range(1, 50))}
MORE = {"data_key": "seite"}
HOLDER = types.ModuleType("holder")
HOLDER.person = Person  # type: ignore[attr-defined]


def at_least_one(number: int) -> None:
    """Refuse others."""


def written() -> Any:
    asked = {
        "page": fields.Int(validate=at_least_one, load_default=1),
        "kind": fields.Str(required=True, validate=validate.OneOf(["cat", "dog"])),
        "tags": fields.List(fields.Str()),
        "ids": fields.DelimitedList(fields.Int()),
    }
    return parser.parse(asked, request, location="query")


def written_in_place() -> Any:
    return flaskparser.parser.parse({"page": fields.Int()}, location="querystring")


def of_the_module() -> Any:
    return parser.parse(PAGE, request, location="query")


def of_a_class() -> Any:
    return parser.parse(HOLDER.person, req=request, location="query")


def of_an_instance() -> Any:
    return parser.parse(PERSON, location="query")


def made_here() -> Any:
    person = Person()
    return parser.parse(person, request, location="query")


NAME = ("name", "query", True, TEXT)
AGE = ("age", "query", False, WHOLE)


def tool_of(view: Callable[..., Any], method: str) -> ToolDefinition:
    app = Flask("people")
    app.add_url_rule("/people", "people", view, methods=[method])
    (tool,) = mount_mcp(app, options=everything()).catalog.tools
    return tool


def inputs_of(view: Callable[..., Any], method: str = "GET") -> list[tuple[str, str, bool, Any]]:
    tool = tool_of(view, method)
    shown = tool.input_schema["properties"]
    return [(s.name, str(s.location), s.required, shown[s.argument]) for s in tool.slots]


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (written_in_place, [("page", "query", False, WHOLE)]),
        (
            of_the_module,
            [
                ("page", "query", True, WHOLE),
                ("per_page", "query", False, {**WHOLE, "minimum": 1, "maximum": 50}),
            ],
        ),
        (of_a_class, [NAME, AGE]),
        (of_an_instance, [NAME, AGE]),
        (made_here, [NAME, AGE]),
    ],
)
def test_what_a_parser_is_given_are_the_inputs(view: Any, expected: list[Any]) -> None:
    assert inputs_of(view) == expected


def test_fields_that_a_view_writes_are_optional_inputs() -> None:
    found = {name: (required, schema) for name, _, required, schema in inputs_of(written)}
    assert found == {
        "page": (False, WHOLE),
        "kind": (False, {**TEXT, "enum": ["cat", "dog"]}),
        "tags": (False, {"type": "array", "items": TEXT}),
        "ids": (False, {"type": "array", "items": WHOLE}),
    }


def by_what_was_sent() -> Any:
    asked = {"name": fields.Str(required=True)}
    if not request.is_json:
        return parser.parse(asked, request, location="form")
    return parser.parse(asked, request, location="json")


def nested() -> Any:
    return parser.parse({"of": fields.Nested(Person)}, request)


def of_a_form() -> Any:
    return of_forms.parse({"name": fields.Str()})


def with_a_file() -> Any:
    files = parser.parse({"photo": fields.Raw()}, location="files")
    return [*files, *parser.parse({"name": fields.Str()}, location="form")]


@pytest.mark.parametrize(
    ("view", "slots"),
    [
        (by_what_was_sent, {("name", "body")}),
        (nested, {("of", "body")}),
        (of_a_form, {("name", "form")}),
        (with_a_file, {("name", "form"), ("photo", "form")}),
        (of_the_module, {("page", "query"), ("per_page", "query"), ("body", "body")}),
    ],
)
def test_a_write_has_one_body(view: Any, slots: set[tuple[str, str]]) -> None:
    assert {(slot.name, str(slot.location)) for slot in tool_of(view, "POST").slots} == slots


def test_a_read_has_no_body() -> None:
    assert inputs_of(by_what_was_sent) == []


def make_schema(request: Any) -> Any:
    return Person(only=["name"])


def by_a_callable() -> Any:
    return parser.parse(make_schema, request, location="query")


def narrowed() -> Any:
    return parser.parse(Person(only=["name"]), request, location="query")


def of_another_request() -> Any:
    return parser.parse(PAGE, object(), location="query")


def of_a_computed_place(place: str = "query") -> Any:
    return parser.parse(PAGE, request, location=place)


def of_an_own_place() -> Any:
    return parser.parse(PAGE, request, location="somewhere")


def added_to() -> Any:
    asked = {"page": fields.Int()}
    asked["more"] = fields.Int()
    return parser.parse(asked, request, location="query")


def by_a_computed_name(name: str = "page") -> Any:
    return parser.parse({name: fields.Int()}, request, location="query")


def of_an_own_field() -> Any:
    return parser.parse({"page": at_least_one(3)}, request, location="query")  # type: ignore[func-returns-value]


def of_no_field() -> Any:
    return parser.parse({"page": fields.List()}, request, location="query")


def of_an_own_inner_field(inner: Any = None) -> Any:
    return parser.parse({"page": fields.List(inner)}, request, location="query")


def under_a_computed_name(name: str = "page") -> Any:
    return parser.parse({"page": fields.Int(data_key=name)}, request, location="query")


def of_a_field_with_more(**more: Any) -> Any:
    return parser.parse({"page": fields.Int(**more)}, request, location="query")


def of_a_field_with_more_of_the_module() -> Any:
    return parser.parse({"page": fields.Int(**MORE)}, request, location="query")


def with_more(**more: Any) -> Any:
    return parser.parse(PAGE, request, **more)


def of_two_bodies() -> Any:
    return parser.parse(PERSON, request), parser.parse(PAGE, request)


def without_a_schema() -> Any:
    return parser.parse()


def by_another_parser() -> Any:
    return HOLDER.parse(PAGE, request, location="query")


UNCERTAIN = (
    *(by_a_callable, narrowed, of_another_request, of_a_computed_place, of_an_own_place, added_to),
    *(by_a_computed_name, of_an_own_field, of_no_field, of_an_own_inner_field, with_more),
    *(of_two_bodies, without_a_schema, by_another_parser, under_a_computed_name),
    *(of_a_field_with_more, of_a_field_with_more_of_the_module),
)


@pytest.mark.parametrize("view", UNCERTAIN)
def test_a_parser_that_is_not_certain_tells_nothing(view: Any) -> None:
    assert [slot.name for slot in tool_of(view, "POST").slots] == ["body"]


class People(MethodView):
    """Parses by a method of its own."""

    def get(self) -> Any:
        """Find people."""
        return self.asked()

    def post(self) -> Any:
        """Add a person."""
        return parser.parse(PERSON, request)

    def asked(self) -> Any:
        return parser.parse({"page": fields.Int()}, request, location="query")


def test_calls_reach_a_view_that_parses_by_itself() -> None:
    app = Flask("people")
    app.add_url_rule("/people", view_func=People.as_view("people"))
    sezzlee = mount_mcp(app, options=everything())

    assert sezzlee.invoke("get", {"page": 3})["body"] == {"page": 3}
    assert sezzlee.invoke("post", {"name": "Ann", "age": 4})["body"] == {
        "name": "Ann",
        "age": 4,
    }
    assert sezzlee.invoke("post", {"name": "Ann", "age": "old"})["status"] == 422
