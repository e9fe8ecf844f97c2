"""The document that flask-apispec keeps of views, kept here by a stand-in."""

from typing import Any

from flask import Blueprint, Flask, request
from flask.views import MethodView

from sezzlee_flask import mount_mcp
from sezzlee_py.catalog.snapshot import Catalog
from tests.adapters.flask_sources.oracle import everything

PETS = {
    "get": {
        "description": "Find pets.",
        "tags": ["Pets"],
        "parameters": [{"in": "query", "name": "kind", "type": "string", "required": False}],
        "responses": {"default": {"description": "", "schema": {"type": "array", "items": {}}}},
    },
    "post": {
        "parameters": [
            {
                "in": "body",
                "name": "body",
                "required": False,
                "schema": {"$ref": "#/definitions/Pet"},
            }
        ],
        "responses": {},
    },
    "put": {"description": "Change pets.", "parameters": [], "responses": {}},
    "options": {"parameters": [], "responses": {}},
}
DOCUMENT = {
    "swagger": "2.0.0",
    "info": {"title": "pets", "version": "1"},
    "paths": {"/pets": PETS},
    "definitions": {
        "Pet": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        }
    },
}


class Specification:
    def to_dict(self) -> dict[str, Any]:
        return DOCUMENT


def swagger_json(_: object) -> Any:
    return DOCUMENT


swagger_json.__module__ = "flask_apispec.extension"
FlaskApiSpec: Any = type(
    "FlaskApiSpec",
    (),
    {
        "__module__": "flask_apispec.extension",
        "spec": Specification(),
        "swagger_json": swagger_json,
    },
)


def noted(view: Any) -> Any:
    """Leave what `use_kwargs` leaves."""
    view.__apispec__ = {"args": [object()], "wrapped": True}
    return view


class Pets(MethodView):
    @noted
    def get(self) -> Any:
        return [request.args.get("kind")]

    @noted
    def post(self) -> Any:
        return request.get_json()

    def put(self) -> Any:
        return request.get_json()


def catalog() -> Catalog:
    app, pages = Flask("shop"), Blueprint("flask-apispec", "flask_apispec.extension")
    pages.add_url_rule("/swagger/", "swagger-json", FlaskApiSpec().swagger_json)
    app.register_blueprint(pages)
    app.add_url_rule("/pets", view_func=Pets.as_view("pets"))
    return mount_mcp(app, options=everything()).build()


def test_operations_are_what_the_document_says_and_its_page_is_none() -> None:
    found = catalog()
    assert [
        (tool.method, tool.description, tool.tags, [(s.name, str(s.location)) for s in tool.slots])
        for tool in found.tools
    ] == [
        ("GET", "Find pets.", ("Pets",), [("kind", "query")]),
        ("POST", "POST /pets", ("Pets",), [("name", "body")]),
        ("PUT", "Change pets.", ("Pets",), [("body", "body")]),
    ]
    assert found.tools[1].input_schema["required"] == ["name"]


def test_a_view_that_the_extension_reads_nothing_for_is_read_like_one_without_a_document() -> None:
    assert {(found.code, found.operation) for found in catalog().diagnostics} == {
        ("undeclared_body", "PUT /pets"),
        ("optional_body_argument", "PUT /pets"),
    }
