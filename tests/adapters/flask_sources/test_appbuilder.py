"""Flask-AppBuilder's documents, told by stand-ins that leave on an application what it does."""

from types import SimpleNamespace
from typing import Any

from flask import Blueprint, Flask, request

from sezzlee_flask import mount_mcp
from tests.adapters.flask_sources.oracle import everything


class Specification:
    """What one version's document is collected in."""

    def __init__(self) -> None:
        self.paths: dict[str, Any] = {}

    def to_dict(self) -> Any:
        schemas = {"PetApi.post": {"type": "object", "properties": {"name": {"type": "string"}}}}
        return {"openapi": "3.0.2", "components": {"schemas": schemas}, "paths": self.paths}


class Api:
    """An API whose views are bound methods on a blueprint of its own."""

    def __init__(self, version: str) -> None:
        self.version = version

    def register(self, app: Flask) -> None:
        blueprint = Blueprint(f"pets_{self.version}", "pets", url_prefix=f"/{self.version}/pets")
        # As its hooks stand around a view: what is behind is not told.
        blueprint.add_url_rule("", "post", lambda **given: self.post(**given), methods=["POST"])
        blueprint.add_url_rule("/count", "count", self.count, methods=["POST"])
        app.register_blueprint(blueprint)

    def post(self) -> Any:
        return dict(request.get_json())

    def count(self) -> Any:
        return {}

    def add_api_spec(self, specification: Specification) -> None:
        body = {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/PetApi.post"}}
            },
        }
        page = {"type": "int"}
        query = {"schema": {"type": "object", "properties": {"page": page}}}
        told = {
            "summary": "Buy a pet",
            "parameters": [{"in": "query", "name": "q", "content": {"application/json": query}}],
            "requestBody": body,
            "responses": {},
        }
        # An operation that its docstring leaves out is listed all the same.
        listed = {"tags": ["Pets"], "security": [{"jwt": []}]}
        specification.paths[f"/{self.version}/pets"] = {"post": {**listed, **told}}
        specification.paths[f"/{self.version}/pets/count"] = {"post": listed}


class OpenApi(Api):
    """The API that serves the documents."""

    def __init__(self, opened: list[str]) -> None:
        super().__init__("v1")
        self._opened = opened

    def register(self, app: Flask) -> None:
        view = self.get
        app.add_url_rule("/api/<version>/_openapi", view_func=view, methods=["GET"])

    def get(self, version: str) -> Any:
        return {}

    def _create_api_spec(self, version: str) -> Specification:
        self._opened.append(f"{version} {request.host_url}")
        return Specification()

    def add_api_spec(self, specification: Specification) -> None:
        specification.paths["/api/{version}/_openapi"] = {"get": {"responses": {}}}


OpenApi.get.__module__ = "flask_appbuilder.api.manager"


def app_with(*apis: Any) -> Flask:
    app = Flask("pets")
    app.extensions["appbuilder"] = SimpleNamespace(baseviews=[SimpleNamespace(), *apis])
    for api in apis:
        api.register(app)
    return app


def test_each_version_has_a_document_and_its_page_is_no_tool() -> None:
    opened: list[str] = []
    app = app_with(Api("v1"), Api("v2"), OpenApi(opened))
    catalog = mount_mcp(app, options=everything()).build()

    told = {(t.route, t.description): t.input_schema["properties"] for t in catalog.tools}
    page = {"type": "object", "properties": {"page": {"type": "integer"}}}
    open_body = {"body": {"type": "object", "additionalProperties": True}}
    documented = {"q": page, "name": {"type": "string"}}
    assert told == {
        ("/v1/pets", "Buy a pet"): documented,
        ("/v1/pets/count", "POST /v1/pets/count"): open_body,
        ("/v2/pets", "Buy a pet"): documented,
        ("/v2/pets/count", "POST /v2/pets/count"): open_body,
    }
    assert opened == ["v1 http://localhost/", "v2 http://localhost/"]
    unlisted = [d.route for d in catalog.diagnostics if d.code == "document_route_unmatched"]
    assert unlisted == ["/v1/pets/count", "/v2/pets/count"]


def test_without_the_api_that_opens_documents_views_are_read_alone() -> None:
    app = app_with(Api("v1"))
    catalog = mount_mcp(app, options=everything()).build()
    assert {tool.route for tool in catalog.tools} == {"/v1/pets", "/v1/pets/count"}
    codes = {found.code for found in catalog.diagnostics}
    assert codes.isdisjoint({"document_route_unmatched", "openapi_document_invalid"})
