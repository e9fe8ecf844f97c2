"""Single shapes of extensions: what they add, hide, nest and say about a handler."""

import enum
import inspect
import json
from typing import Any

import pytest
from flask import Blueprint, Flask, request
from flask.json.provider import JSONProvider
from flask.views import MethodView

from sezzlee_flask import FlaskAdapter, Sezzlee, mount_mcp
from sezzlee_flask.sources.documents import ExtensionDocument, JoinedDocument, Reading
from sezzlee_flask.sources.shadows import copied, shadow, stand_in
from sezzlee_flask.sources.traces import closure_of, is_page
from sezzlee_py import Options, mcp_tool
from sezzlee_py.catalog.adapter import DiscoveredOperation
from tests.adapters.flask_sources.oracle import everything, published_output


def operations_of(app: Flask) -> dict[tuple[str, str], DiscoveredOperation]:
    found = FlaskAdapter(app, everything()).discover().operations
    return {(o.descriptor.method, o.descriptor.route): o for o in found}


def described(app: Flask, method: str, route: str) -> str | None:
    return operations_of(app)[method, route].descriptor.description


def slots_of(sezzlee: Sezzlee, method: str, route: str) -> set[tuple[str, str, bool]]:
    tool = next(t for t in sezzlee.catalog.tools if (t.method, t.route) == (method, route))
    return {(slot.name, str(slot.location), slot.required) for slot in tool.slots}


def codes_of(sezzlee: Sezzlee) -> list[tuple[str, str | None]]:
    return [(found.code, found.operation) for found in sezzlee.catalog.diagnostics]


# -- flask-smorest -----------------------------------------------------------------------------


@pytest.fixture
def two_apis() -> Any:
    """Two APIs of flask-smorest on one application, and a route beside them."""
    smorest = pytest.importorskip("flask_smorest")
    ma = pytest.importorskip("marshmallow")

    class Size(ma.Schema):  # type: ignore[misc, name-defined]
        size = ma.fields.Integer(required=True)

    app = Flask("pets")
    app.config.update(
        API_TITLE="one",
        API_VERSION="1",
        OPENAPI_VERSION="3.0.3",
        V2_API_TITLE="two",
        V2_API_VERSION="2",
        V2_OPENAPI_VERSION="2.0",
        V2_OPENAPI_URL_PREFIX="/v2-docs",
        V2_OPENAPI_SWAGGER_UI_PATH="/ui",
        V2_OPENAPI_SWAGGER_UI_URL="https://ui.example/",
        APPLICATION_ROOT="/shop",
    )
    for prefix in ("", "V2"):
        blueprint = smorest.Blueprint(f"pets{prefix}", "pets", url_prefix=f"/v{prefix or 1}")

        @blueprint.route("/pets", methods=["POST"])  # type: ignore[untyped-decorator]
        @blueprint.arguments(Size, location="form" if prefix else "json")  # type: ignore[untyped-decorator]
        @blueprint.doc(description="Explicit.")  # type: ignore[untyped-decorator]
        def add(data: Any) -> Any:
            """Add."""
            return data

        @blueprint.route("/pets")  # type: ignore[untyped-decorator]
        @blueprint.doc(summary="Every pet")  # type: ignore[untyped-decorator]
        def every() -> Any:
            return []

        smorest.Api(app, config_prefix=prefix).register_blueprint(blueprint)

    @app.get("/plain")
    def plain() -> Any:
        """Answer plainly."""
        return {"q": request.args.get("q")}

    return app


def test_every_api_of_an_application_is_asked(two_apis: Flask) -> None:
    sezzlee = mount_mcp(two_apis, options=everything())

    assert slots_of(sezzlee, "POST", "/v1/pets") == {("size", "body", True)}
    assert slots_of(sezzlee, "POST", "/vV2/pets") == {("size", "form", True)}
    assert {tool.route for tool in sezzlee.catalog.tools} == {"/v1/pets", "/vV2/pets", "/plain"}


def test_a_route_beside_the_documents_is_read_bare_and_named(two_apis: Flask) -> None:
    sezzlee = mount_mcp(two_apis, options=everything())

    assert slots_of(sezzlee, "GET", "/plain") == {("q", "query", False)}
    assert ("document_route_unmatched", "GET /plain") in codes_of(sezzlee)


def test_explicit_text_of_a_document_beats_the_docstring(two_apis: Flask) -> None:
    assert described(two_apis, "POST", "/v1/pets") == "Explicit."
    assert described(two_apis, "GET", "/v1/pets") == "Every pet"


def test_what_a_decorator_declares_beats_the_document() -> None:
    smorest = pytest.importorskip("flask_smorest")
    ma = pytest.importorskip("marshmallow")

    class Size(ma.Schema):  # type: ignore[misc, name-defined]
        a = ma.fields.Integer()

    app = Flask("pets")
    app.config.update(API_TITLE="one", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    blueprint = smorest.Blueprint("pets", "pets")

    @blueprint.route("/pets")  # type: ignore[untyped-decorator]
    @blueprint.arguments(Size, location="query")  # type: ignore[untyped-decorator]
    @mcp_tool(
        query={"type": "object", "properties": {"b": {"type": "string"}}}, description="Mine."
    )
    def every(args: Any) -> Any:
        """Every pet."""
        return []

    smorest.Api(app).register_blueprint(blueprint)
    (tool,) = mount_mcp(app, options=Options()).catalog.tools

    assert tool.description == "Mine."
    assert list(tool.input_schema["properties"]) == ["b"]


def test_a_documented_operation_without_a_route_is_a_finding() -> None:
    flasgger = pytest.importorskip("flasgger")
    app = Flask("pets")
    paths = {"/gone": {"get": {"responses": {}}}}
    flasgger.Swagger(app, template={"paths": paths})

    assert [found.code for found in FlaskAdapter(app).discover().diagnostics] == [
        "document_route_unmatched"
    ]
    assert paths == {"/gone": {"get": {"responses": {}}}}


# -- flask-restx -------------------------------------------------------------------------------


@pytest.fixture
def restx_app() -> Any:
    """An API of flask-restx on the application itself, and one on a blueprint with a variable."""
    restx = pytest.importorskip("flask_restx")
    app = Flask("pets")
    api = restx.Api(app, doc="/docs", prefix="/api")
    model = api.model("Pet", {"id": restx.fields.Integer(readonly=True), "n": restx.fields.String})

    @api.route("/pets", "/animals", doc={"description": "All of them."})  # type: ignore[untyped-decorator]
    class Pets(restx.Resource):  # type: ignore[misc, name-defined]
        @api.marshal_list_with(model)  # type: ignore[untyped-decorator]
        def get(self) -> Any:
            """List pets. More words."""
            return []

        @api.doc(description="Explicit.", params={"q": "A text."})  # type: ignore[untyped-decorator]
        def post(self) -> Any:
            """Add a pet."""
            return {}

        @api.hide  # type: ignore[untyped-decorator]
        def put(self) -> Any:
            """Change pets."""
            return {"x": request.args.get("x")}

    blueprint = Blueprint("inner", "pets", url_prefix="/<tenant>/b")
    inner = restx.Api(blueprint, doc=False)

    @inner.route("/pets/<int:pet_id>")  # type: ignore[untyped-decorator]
    class Pet(restx.Resource):  # type: ignore[misc, name-defined]
        def get(self, tenant: str, pet_id: int) -> Any:
            """Get one pet."""
            return {"tenant": tenant, "id": pet_id}

    app.register_blueprint(blueprint)
    return app


def test_apis_of_an_application_and_of_a_blueprint_with_a_variable_are_joined(
    restx_app: Flask,
) -> None:
    sezzlee = mount_mcp(restx_app, options=everything())

    assert {(t.method, t.route) for t in sezzlee.catalog.tools} == {
        ("GET", "/api/pets"),
        ("POST", "/api/pets"),
        ("PUT", "/api/pets"),
        ("GET", "/{tenant}/b/pets/{pet_id}"),
    }
    assert slots_of(sezzlee, "GET", "/api/pets") == {("X-Fields", "header", False)}
    assert slots_of(sezzlee, "GET", "/{tenant}/b/pets/{pet_id}") == {
        ("tenant", "path", True),
        ("pet_id", "path", True),
    }
    name = next(t.name for t in sezzlee.catalog.tools if t.route.startswith("/{tenant}"))
    answer = sezzlee.invoke(name, {"tenant": "a b", "pet_id": 7})
    assert answer["body"] == {"tenant": "a b", "id": 7}


def test_what_is_said_about_a_resource_describes_no_method(restx_app: Flask) -> None:
    assert described(restx_app, "GET", "/api/pets") == "List pets. More words."
    assert described(restx_app, "POST", "/api/pets") == "Explicit."


def test_a_hidden_method_is_read_bare(restx_app: Flask) -> None:
    sezzlee = mount_mcp(restx_app, options=everything())
    assert slots_of(sezzlee, "PUT", "/api/pets") == {
        ("x", "query", False),
        ("body", "body", False),
    }


@pytest.fixture
def noted_app() -> Any:
    """Resources of flask-restx whose notes are about something else than what a method reads."""
    restx = pytest.importorskip("flask_restx")
    app = Flask("pets")
    api = restx.Api(app)
    pet = api.model("Pet", {"name": restx.fields.String})
    search = api.parser()
    search.add_argument("name", location="args", required=True)

    @api.route("/pets/<int:pet_id>")  # type: ignore[untyped-decorator]
    @api.param("pet_id", "Which one.")  # type: ignore[untyped-decorator]
    class Pet(restx.Resource):  # type: ignore[misc, name-defined]
        @api.marshal_with(pet)  # type: ignore[untyped-decorator]
        def get(self, pet_id: int) -> Any:
            """Get a pet."""
            return {"name": search.parse_args()["name"]}

        def put(self, pet_id: int) -> Any:
            """Change a pet."""
            return request.get_json()

        @api.param("force", "Also a living one.")  # type: ignore[untyped-decorator]
        def post(self, pet_id: int) -> Any:
            """Bury a pet."""
            return {}

    @api.route("/pets/<int:pet_id>/photo")  # type: ignore[untyped-decorator]
    @api.param("alt", "What is on it.", _in="formData")  # type: ignore[untyped-decorator]
    class Photo(restx.Resource):  # type: ignore[misc, name-defined]
        @api.param("pet_id", "Which one.")  # type: ignore[untyped-decorator]
        def put(self, pet_id: int) -> Any:
            """Describe the photo."""
            return {}

    return app


def test_notes_about_a_resource_or_its_path_leave_open_what_a_method_reads(
    noted_app: Flask,
) -> None:
    sezzlee = mount_mcp(noted_app, options=everything())
    pet_id = ("pet_id", "path", True)

    assert slots_of(sezzlee, "PUT", "/pets/{pet_id}") == {pet_id, ("body", "body", False)}
    assert slots_of(sezzlee, "POST", "/pets/{pet_id}") == {pet_id, ("force", "query", False)}
    assert ("alt", "form", False) in slots_of(sezzlee, "PUT", "/pets/{pet_id}/photo")


def test_a_parser_of_the_view_leaves_what_else_the_document_knows(noted_app: Flask) -> None:
    sezzlee = mount_mcp(noted_app, options=everything())
    (tool,) = (t for t in sezzlee.catalog.tools if t.method == "GET")

    assert slots_of(sezzlee, "GET", "/pets/{pet_id}") == {
        ("pet_id", "path", True),
        ("name", "query", True),
        ("X-Fields", "header", False),
    }
    assert published_output(tool) == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
    }


def test_a_parser_that_is_noted_is_read_once_though_the_view_reads_a_body_too() -> None:
    restx = pytest.importorskip("flask_restx")
    app = Flask("pets")
    api = restx.Api(app)
    anywhere = api.parser()
    anywhere.add_argument("draft", type=restx.inputs.boolean)

    @api.route("/noted")  # type: ignore[untyped-decorator]
    class Noted(restx.Resource):  # type: ignore[misc, name-defined]
        @api.expect(anywhere)  # type: ignore[untyped-decorator]
        def post(self) -> Any:
            """Save a pet."""
            return {**anywhere.parse_args(), **request.get_json()}

    @api.route("/unnoted")  # type: ignore[untyped-decorator]
    @api.param("draft", "Not for sale.")  # type: ignore[untyped-decorator]
    class Unnoted(restx.Resource):  # type: ignore[misc, name-defined]
        def post(self) -> Any:
            """Save a pet."""
            return anywhere.parse_args()

    sezzlee = mount_mcp(app, options=everything())

    assert slots_of(sezzlee, "POST", "/noted") == {
        ("draft", "query", False),
        ("body", "body", False),
    }
    assert slots_of(sezzlee, "POST", "/unnoted") == {("draft", "body", False)}


def test_a_model_that_a_resource_expects_takes_no_tool_of_its_get() -> None:
    restx = pytest.importorskip("flask_restx")
    app = Flask("pets")
    api = restx.Api(app)
    query = api.parser()
    query.add_argument("limit", type=int, location="args")
    pet = api.model("Pet", {"name": restx.fields.String})

    @api.route("/pets")  # type: ignore[untyped-decorator]
    @api.expect(pet)  # type: ignore[untyped-decorator]
    class Pets(restx.Resource):  # type: ignore[misc, name-defined]
        @api.expect(query)  # type: ignore[untyped-decorator]
        def get(self) -> Any:
            """List pets."""
            return query.parse_args()

        def post(self) -> Any:
            """Add a pet."""
            return {}

    sezzlee = mount_mcp(app, options=everything())

    assert slots_of(sezzlee, "GET", "/pets") == {("limit", "query", False)}
    assert slots_of(sezzlee, "POST", "/pets") == {("name", "body", False)}
    assert codes_of(sezzlee) == [("template_rejected", "GET /pets")]
    assert sezzlee.invoke("get", {"limit": 2})["body"] == {"limit": 2}


# -- APIFlask, flask-openapi3, spectree --------------------------------------------------------


def test_apiflask_leaves_a_bare_method_and_a_hidden_view_to_what_they_say() -> None:
    apiflask = pytest.importorskip("apiflask")
    app = apiflask.APIFlask("pets")
    auth = apiflask.HTTPTokenAuth()

    class Pet(MethodView):
        decorators = [app.auth_required(auth)]  # noqa: RUF012

        @app.input({"size": apiflask.fields.Integer(required=True)})  # type: ignore[untyped-decorator]
        def patch(self, pet_id: int, json_data: Any) -> Any:
            """Change a pet."""
            return {}

        def get(self, pet_id: int) -> Any:
            """Get one pet."""
            return {"deep": request.args.get("deep", type=int)}

    @app.get("/hidden")  # type: ignore[untyped-decorator]
    @app.input({"z": apiflask.fields.Integer()}, location="query")  # type: ignore[untyped-decorator]
    @app.doc(hide=True)  # type: ignore[untyped-decorator]
    def hidden(query_data: Any) -> Any:
        return {}

    app.add_url_rule("/pets/<int:pet_id>", view_func=Pet.as_view("pet"))
    sezzlee = mount_mcp(app, options=everything())
    pet_id = ("pet_id", "path", True)

    assert slots_of(sezzlee, "PATCH", "/pets/{pet_id}") == {pet_id, ("size", "body", True)}
    assert slots_of(sezzlee, "GET", "/pets/{pet_id}") == {pet_id, ("deep", "query", False)}
    assert slots_of(sezzlee, "GET", "/hidden") == {("z", "query", False)}
    assert app._spec is None


def test_openapi3_views_and_lists_are_read() -> None:
    openapi3 = pytest.importorskip("flask_openapi3")
    from pydantic import BaseModel, RootModel, create_model

    path = create_model("Path", pet_id=(int, ...))

    class Names(RootModel[list[str]]):
        pass

    app = openapi3.OpenAPI("pets", doc_ui=False)
    view = openapi3.APIView(url_prefix="/v1")

    @view.route("/pets/<pet_id>")  # type: ignore[untyped-decorator]
    class Pet:
        @view.doc(summary="Rename")  # type: ignore[untyped-decorator]
        def put(self, path: path, body: Names) -> Any:  # type: ignore[valid-type]
            return {"names": body.root}

    app.register_api_view(view)
    assert issubclass(path, BaseModel)
    sezzlee = mount_mcp(app, options=everything())

    assert slots_of(sezzlee, "PUT", "/v1/pets/{pet_id}") == {
        ("pet_id", "path", True),
        ("body", "body", True),
    }
    (tool,) = sezzlee.catalog.tools
    sent = sezzlee.invoke(tool.name, {"pet_id": 7, "body": ["a"]})
    assert sent["body"] == {"names": ["a"]}


def test_spectree_on_a_blueprint_keeps_to_its_views() -> None:
    spectree = pytest.importorskip("spectree")
    from pydantic import create_model

    size = create_model("Size", size=(int, ...))
    spec = spectree.SpecTree("flask", mode="strict")
    app, blueprint = Flask("pets"), Blueprint("v1", "pets", url_prefix="/v1")

    @blueprint.post("/pets")
    @spec.validate(json=size)  # type: ignore[untyped-decorator]
    def add() -> Any:
        """Add a pet."""
        return {}

    @app.get("/plain")
    def plain() -> Any:
        """Answer plainly."""
        return {}

    spec.register(blueprint)
    app.register_blueprint(blueprint)
    sezzlee = mount_mcp(app, options=everything())

    assert slots_of(sezzlee, "POST", "/v1/pets") == {("size", "body", True)}
    assert {tool.route for tool in sezzlee.catalog.tools} == {"/v1/pets", "/plain"}


def test_flasgger_with_openapi_3_is_read() -> None:
    flasgger = pytest.importorskip("flasgger")
    app = Flask("pets")
    app.config["SWAGGER"] = {"openapi": "3.0.2"}
    flasgger.Swagger(app, template={"info": {"title": "Pets", "version": "1"}})

    @app.post("/pets/<name>")
    def add(name: str) -> Any:
        """Add a pet.
        ---
        parameters:
          - {name: name, in: path, required: true, schema: {type: string, minLength: 2}}
        requestBody:
          required: true
          content:
            application/json:
              schema: {type: object, required: [size], properties: {size: {type: int}}}
        responses: {200: {description: Added.}}
        """
        return {}

    (tool,) = mount_mcp(app, options=everything()).catalog.tools
    assert tool.input_schema["properties"] == {
        "name": {"type": "string", "minLength": 2},
        "size": {"type": "integer"},
    }


def test_flasgger_with_version_2_parameters_in_a_version_3_document_is_read() -> None:
    flasgger = pytest.importorskip("flasgger")
    app = Flask("pets")
    app.config["SWAGGER"] = {"openapi": "3.0.2"}
    flasgger.Swagger(app, template={"info": {"title": "Pets", "version": "1"}})

    @app.post("/pets/<name>/photo")
    def add(name: str) -> Any:
        """Add a photo.
        ---
        parameters:
          - {name: name, in: path, required: true, type: str, minLength: 2}
          - {name: limit, in: query, type: int, example: 3}
          - {name: caption, in: formData, type: string, required: true}
        responses: {200: {description: Added.}}
        """
        return {}

    sezzlee = mount_mcp(app, options=everything())
    (tool,) = sezzlee.catalog.tools
    assert tool.input_schema["properties"] == {
        "name": {"type": "string", "minLength": 2},
        "limit": {"type": "integer", "examples": [3]},
        "caption": {"type": "string"},
    }
    assert slots_of(sezzlee, "POST", "/pets/{name}/photo") == {
        ("name", "path", True),
        ("limit", "query", False),
        ("caption", "form", True),
    }
    assert codes_of(sezzlee) == []


def test_a_document_with_dates_is_read_whatever_writes_the_json_of_the_application() -> None:
    flasgger = pytest.importorskip("flasgger")

    class Provider(JSONProvider):
        """Stands on a library that knows dates by itself, so it has no `default`."""

        def dumps(self, obj: Any, **options: Any) -> str:
            return json.dumps(obj, default=str, **options)

        def loads(self, s: str | bytes, **options: Any) -> Any:
            return json.loads(s, **options)

    app = Flask("pets")
    app.json = Provider(app)
    flasgger.Swagger(app)

    @app.get("/pets")
    def find() -> Any:
        """Find pets.
        ---
        parameters:
          - {name: born, in: query, type: string, format: date, required: true, example: 2022-07-12}
        responses: {200: {description: Pets.}}
        """
        return {}

    sezzlee = mount_mcp(app, options=everything())
    assert slots_of(sezzlee, "GET", "/pets") == {("born", "query", True)}
    assert codes_of(sezzlee) == []


def test_flasgger_with_version_3_parameters_in_a_version_2_document_is_read() -> None:
    flasgger = pytest.importorskip("flasgger")
    app = Flask("pets")
    flasgger.Swagger(app)

    @app.get("/pets")
    def find() -> Any:
        """Find pets.
        ---
        parameters:
          - {name: kind, in: query, schema: {type: str, enum: [cat, dog]}, style: form}
          - {name: any, in: query, schema: {type: object}, style: form, explode: true}
        responses:
          200:
            description: Pets.
            schema: {type: object, properties: {in: {type: string}}}
        """
        return {}

    sezzlee = mount_mcp(app, options=everything())
    (tool,) = sezzlee.catalog.tools
    assert tool.input_schema["properties"] == {"kind": {"type": "string", "enum": ["cat", "dog"]}}
    assert codes_of(sezzlee) == [("unbound_query_object", "GET /pets")]


# -- webargs and marshmallow -------------------------------------------------------------------


def test_fields_of_marshmallow_are_read_as_far_as_they_say() -> None:
    ma = pytest.importorskip("marshmallow")
    from sezzlee_flask.sources.marshmallow import SchemaReader

    class Kind(enum.Enum):
        CAT = 1

    class Odd(ma.fields.Field):  # type: ignore[misc, name-defined]
        pass

    class Leaf(ma.Schema):  # type: ignore[misc, name-defined]
        class Meta:
            unknown = ma.INCLUDE

        a = ma.fields.Integer()

    class LeafSchema(Leaf):
        b = ma.fields.Integer()

    def even(value: Any) -> None:
        raise AssertionError(value)

    class Shape(ma.Schema):  # type: ignore[misc, name-defined]
        kind = ma.fields.Enum(Kind)
        value = ma.fields.Enum(Kind, by_value=True)
        odd = Odd()
        raw = ma.fields.Raw()
        named = ma.fields.Dict(values=ma.fields.Integer())
        free = ma.fields.Dict()
        day = ma.fields.DateTime(format="%d.%m.%Y")
        at = ma.fields.DateTime()
        plucked = ma.fields.Pluck(Leaf, "a")
        leaves = ma.fields.Nested(Leaf(many=True))
        second = ma.fields.Nested(LeafSchema)
        pair = ma.fields.List(ma.fields.Integer(), validate=ma.validate.Length(equal=2))
        over = ma.fields.Integer(validate=[ma.validate.Range(min=1, min_inclusive=False), even])
        code = ma.fields.String(validate=ma.validate.Regexp("^[a-z]+$"))
        choice = ma.fields.Raw(validate=ma.validate.OneOf([Kind.CAT]))
        uneven = ma.fields.Integer(validate=ma.validate.NoneOf([2]))

    reader = SchemaReader()
    found = reader.object_schema(reader.schema_of(Shape))["properties"]
    leaf = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "additionalProperties": True,
    }

    assert found == {
        "kind": {"type": "string", "enum": ["CAT"]},
        "value": {},
        "odd": {},
        "raw": {},
        "named": {"type": "object", "additionalProperties": {"type": "integer"}},
        "free": {"type": "object", "additionalProperties": True},
        "day": {"type": "string"},
        "at": {"type": "string", "format": "date-time"},
        "plucked": {},
        "leaves": {"type": "array", "items": {"$ref": "#/components/schemas/Leaf"}},
        "second": {"$ref": "#/components/schemas/Leaf2"},
        "pair": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        "over": {"type": "integer", "exclusiveMinimum": 1},
        "code": {"type": "string", "pattern": "^[a-z]+$"},
        "choice": {},
        "uneven": {"type": "integer"},
    }
    assert reader.components["Leaf"] == leaf
    assert reader.object_schema(Leaf(many=True)) == {"type": "array", "items": leaf}


def test_a_schema_that_cannot_be_made_is_unknown() -> None:
    ma = pytest.importorskip("marshmallow")
    from sezzlee_flask.sources.marshmallow import SchemaReader

    class Needy(ma.Schema):  # type: ignore[misc, name-defined]
        def __init__(self, need: str) -> None:
            super().__init__()

    assert SchemaReader().schema_of(Needy) is None


def test_a_schema_that_nests_itself_without_some_fields_ends_in_a_reference() -> None:
    ma = pytest.importorskip("marshmallow")
    from sezzlee_flask.sources.marshmallow import SchemaReader

    class Category(ma.Schema):  # type: ignore[misc, name-defined]
        name = ma.fields.String()
        secret = ma.fields.String()
        inner = ma.fields.List(ma.fields.Nested(lambda: Category(exclude=("secret",))))

    reader = SchemaReader()
    text = {"type": "string"}
    known = {
        "type": "object",
        "properties": {
            "name": text,
            "inner": {"type": "array", "items": {"$ref": "#/components/schemas/Category"}},
        },
    }
    assert reader.object_schema(Category()) == {
        "type": "object",
        "properties": {"name": text, "secret": text, "inner": {"type": "array", "items": known}},
    }
    assert reader.components == {"Category": known}


def test_numbers_that_json_has_not_constrain_nothing() -> None:
    ma = pytest.importorskip("marshmallow")
    from sezzlee_flask.sources.marshmallow import SchemaReader

    infinite, nothing = float("inf"), float("nan")
    fields = (
        ma.fields.Float(validate=ma.validate.Range(min=0, max=infinite)),
        ma.fields.Float(validate=ma.validate.OneOf([1, nothing])),
    )
    found = [SchemaReader().field_schema(field) for field in fields]
    assert found == [{"type": "number", "minimum": 0}, {"type": "number"}]


def test_a_document_that_grows_by_what_it_repeats_is_not_written_out() -> None:
    grown: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        grown = {"type": "object", "properties": {"left": grown, "right": grown}}
    app = Flask("shop")
    source = ExtensionDocument(extension="any", write=lambda: {"definitions": {"Grown": grown}})
    document = JoinedDocument(source, app, Reading.of(app, everything()))
    assert not document.is_readable
    assert [found.code for found in document.findings(())] == ["openapi_document_invalid"]


# -- traces and stand-ins ----------------------------------------------------------------------


def test_an_empty_cell_and_a_foreign_object_enclose_nothing() -> None:
    def outer() -> Any:
        def inner() -> Any:
            return later, 1

        found = closure_of(inner)
        later = 2
        return found, closure_of(inner), later

    assert outer() == ({}, {"later": 2}, 2)
    assert closure_of(len) == {}
    assert closure_of(outer, "flask_pydantic") == {}


def test_a_view_of_the_host_is_no_page() -> None:
    assert not is_page(None)
    assert not is_page(test_a_view_of_the_host_is_no_page)


def test_a_stand_in_acts_alike_and_keeps_what_is_set_on_it() -> None:
    def view(a: int = 1, *, b: int = 2) -> int:
        """Answer."""
        return a + b

    vars(view)["notes"] = {"list": [1], "other": view}
    made = stand_in(view)
    made.notes["list"].append(2)
    made.more = 1

    assert made() == 3
    assert inspect.signature(made) == inspect.signature(view)
    assert (made.__doc__, made.__qualname__) == (view.__doc__, view.__qualname__)
    assert vars(view) == {"notes": {"list": [1], "other": view}}
    assert stand_in(len) is len


def test_a_shadow_takes_over_what_it_is_not_told_otherwise() -> None:
    class Writer:
        def __init__(self) -> None:
            self.kept: Any = None
            self.models = {"a": [1]}

        @property
        def place(self) -> str:
            raise AssertionError

        def __getattr__(self, name: str) -> Any:
            return getattr(self.models, name)

    writer = Writer()
    writer.kept = 1
    made = shadow(writer, without=("kept",), models=copied(writer.models), place="/x")
    made.models["a"].append(2)

    assert isinstance(made, Writer)
    assert made.place == "/x"
    assert "kept" not in vars(made)
    assert writer.models == {"a": [1]}
