"""YAML below the text of docstrings, in applications without an extension that reads it."""

from typing import Any

import pytest
from flask import Flask, request
from flask.views import MethodView

from sezzlee_flask import Sezzlee, mount_mcp
from sezzlee_py.model import Anonymous, Carrier, ParameterLocation
from tests.adapters.flask_sources.oracle import everything


def sezzlee_of(app: Flask) -> Sezzlee:
    return mount_mcp(app, options=everything())


def app_with(view: Any, *methods: str, rule: str = "/pets") -> Flask:
    app = Flask("pets")
    app.add_url_rule(rule, "pets", view, methods=methods or ("GET",))
    return app


def slots_of(app: Flask) -> list[set[tuple[str, str, bool]]]:
    return [
        {(slot.name, str(slot.location), slot.required) for slot in tool.slots}
        for tool in sezzlee_of(app).catalog.tools
    ]


def codes_of(app: Flask) -> list[str]:
    return [found.code for found in sezzlee_of(app).catalog.diagnostics]


def swagger() -> Any:
    """Find pets.

    By their names.
    ---
    tags: [pets]
    parameters:
      - {name: name, in: query, type: str, required: true, description: A part of it.}
      - {name: limit, in: query, type: int}
      - {name: filter, in: query, schema: {type: object}, style: form, explode: true}
    responses:
      200:
        description: Pets.
        schema: {$ref: '#/definitions/Pet'}
    definitions:
      Pet:
        type: object
        properties:
          name: {type: string}
    """
    return {"name": request.args["name"]}


def test_swagger_in_a_docstring_describes_the_operation() -> None:
    (tool,) = sezzlee_of(app_with(swagger)).catalog.tools

    assert tool.description == "Find pets."
    assert tool.tags == ("pets",)
    assert {s.name: s.required for s in tool.slots}["name"]


def by_verb() -> Any:
    """Find or add pets.
    ---
    tags: [pets]
    get:
      parameters:
        - {name: name, in: query, schema: {type: string}}
      responses:
        200:
          description: Pets.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Pet'}
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Pet'}
      responses:
        201: {description: Added.}
    components:
      schemas:
        Pet:
          type: object
          required: [name]
          properties:
            name: {type: string}
    """
    return {"name": "Bo"}


def test_each_verb_has_its_own_part() -> None:
    tools = {
        tool.method: tool for tool in sezzlee_of(app_with(by_verb, "GET", "POST")).catalog.tools
    }

    assert tools["GET"].input_schema["properties"] == {"name": {"type": "string"}}
    assert tools["GET"].output_schema == {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}},
    }
    assert tools["POST"].input_schema["required"] == ["name"]
    assert [(s.name, str(s.location)) for s in tools["POST"].slots] == [("name", "body")]


def test_a_verb_without_a_part_is_not_described() -> None:
    (slots,) = slots_of(app_with(by_verb, "PUT"))
    assert slots == {("body", "body", False)}


def one() -> Any:
    """Add a pet.
    ---
    parameters:
      - in: body
        name: pet
        required: true
        schema:
          id: NamedPet
          type: object
          properties:
            name: {type: string}
            id: {type: integer}
    """
    return request.get_json()


def other() -> Any:
    """Get a pet.
    ---
    responses:
      200:
        description: A pet.
        schema: {$ref: '#/definitions/NamedPet'}
    """
    return {"name": "Bo"}


def test_a_schema_named_in_one_docstring_is_there_for_all() -> None:
    app = app_with(one, "POST")
    app.add_url_rule("/pet", view_func=other)
    tools = {tool.method: tool for tool in sezzlee_of(app).catalog.tools}

    fields = {"name": {"type": "string"}, "id": {"type": "integer"}}
    assert tools["POST"].input_schema["properties"] == fields
    assert tools["GET"].output_schema == {"type": "object", "properties": fields}


class Pets(MethodView):
    """Pets of the shop.
    ---
    get:
      parameters:
        - {name: q, in: query, schema: {type: string}}
    """

    def get(self) -> Any:
        """Find pets."""
        return {}

    def post(self) -> Any:
        """Add a pet.
        ---
        parameters:
          - {name: name, in: formData, type: string, required: true}
        """
        return {"name": request.form["name"]}


def test_a_class_describes_its_verbs_where_they_do_not() -> None:
    app = Flask("pets")
    app.add_url_rule("/pets", view_func=Pets.as_view("pets"))
    sezzlee = sezzlee_of(app)
    tools = {tool.method: tool for tool in sezzlee.catalog.tools}

    assert [(s.name, str(s.location)) for s in tools["GET"].slots] == [("q", "query")]
    assert [(s.name, str(s.location)) for s in tools["POST"].slots] == [("name", "form")]
    assert sezzlee.invoke(tools["POST"].name, {"name": "é"})["body"] == {"name": "é"}


def described_without_inputs() -> Any:
    """Start.
    ---
    responses:
      200: {description: Started.}
    """
    return {"speed": request.args.get("speed")}


def test_a_described_write_without_a_body_takes_none() -> None:
    (slots,) = slots_of(app_with(described_without_inputs, "POST"))
    assert slots == {("speed", "query", False)}


def test_an_object_that_stands_for_the_whole_query_is_left_out() -> None:
    (tool,) = sezzlee_of(app_with(swagger)).catalog.tools
    assert list(tool.input_schema["properties"]) == ["name", "limit"]
    assert codes_of(app_with(swagger)) == ["unbound_query_object"]


def only_yaml() -> Any:
    """---
    summary: Make {thing}
    requestBody:
      required: true
      content:
        application/json:
          schema: {schema_class}
    responses: {201: {description: Made.}}
    """
    return request.get_json()


def text_and_yaml() -> Any:
    """Make things.
    ---
    description: Make a thing of parts.
    """
    return ""


def test_text_of_the_yaml_is_the_description() -> None:
    (tool,) = sezzlee_of(app_with(only_yaml, "POST")).catalog.tools
    assert tool.description == "Make {thing}"
    (tool,) = sezzlee_of(app_with(text_and_yaml)).catalog.tools
    assert tool.description == "Make a thing of parts."


def test_a_placeholder_for_a_schema_admits_anything() -> None:
    sezzlee = sezzlee_of(app_with(only_yaml, "POST"))
    (tool,) = sezzlee.catalog.tools

    assert tool.input_schema["additionalProperties"] is True
    assert sezzlee.invoke(tool.name, {"a": 1})["body"] == {"a": 1}


def both_versions(pet_id: str) -> Any:
    """Photograph a pet.
    ---
    parameters:
      - {name: pet_id, in: path, required: true, type: string, format: uuid}
      - {name: tag, in: query, type: array, items: {type: string}, collectionFormat: csv}
      - {name: size, in: query, schema: {type: integer}}
      - {name: kind, in: query, content: {application/json: {schema: {type: object}}}}
      - {name: photo, in: formData, type: file, required: true, description: A picture.}
      - {name: caption, in: formData, type: string, maxLength: 9}
    responses:
      200: {description: Kept., content: {application/json: {schema: {type: object}}}}
    """
    return {"query": request.args, "form": request.form, "files": list(request.files)}


def several_files() -> Any:
    """Photograph pets.
    ---
    parameters:
      - {name: photos, in: formData, type: array, items: {type: file}, description: Pictures.}
      - {name: caption, in: formData, schema: {type: string, maxLength: 9}}
    responses:
      200: {description: Kept., content: {application/json: {schema: {type: object}}}}
    """
    return {"form": request.form, "files": list(request.files)}


def test_files_and_schemas_of_form_fields_are_read_in_a_document_of_version_3() -> None:
    (tool,) = sezzlee_of(app_with(several_files, "POST")).catalog.tools
    assert tool.template.body is not None
    assert tool.template.body.content_type == "multipart/form-data"
    assert tool.input_schema["properties"].keys() == {"caption", "photos"}
    assert tool.input_schema["properties"]["caption"] == {"type": "string", "maxLength": 9}
    assert tool.input_schema["properties"]["photos"]["type"] == "array"


def a_whole_body(pet_id: str) -> Any:
    """Change a pet.
    ---
    parameters:
      - {name: pet_id, in: path, required: true, type: string}
      - name: pet
        in: body
        required: true
        schema: {type: object, required: [name], properties: {name: {type: string}}}
    responses:
      200: {description: Changed., content: {application/json: {schema: {type: object}}}}
    """
    return request.get_json()


def two_bodies(pet_id: str) -> Any:
    """Change a pet.
    ---
    consumes: [multipart/form-data]
    parameters:
      - {name: pet_id, in: path, required: true, type: string}
      - {name: name, in: formData, type: string}
    requestBody:
      required: true
      content:
        application/json:
          schema: {type: object, properties: {size: {type: integer}}}
    responses: {200: {description: Changed.}}
    """
    return request.get_json()


def test_parameters_as_version_2_spells_them_are_read_beside_version_3() -> None:
    app = app_with(both_versions, "POST", rule="/pets/<pet_id>")
    sezzlee = sezzlee_of(app)
    (tool,) = sezzlee.catalog.tools
    properties = dict(tool.input_schema["properties"])

    assert properties.pop("photo")["description"] == "A picture."
    assert properties == {
        "pet_id": {"type": "string", "format": "uuid"},
        "tag": {"type": "array", "items": {"type": "string"}},
        "size": {"type": "integer"},
        "kind": {"type": "object"},
        "caption": {"type": "string", "maxLength": 9},
    }
    assert tool.input_schema["required"] == ["pet_id", "photo"]
    photo = {"text": "x", "name": "a.png"}
    sent = {"pet_id": "7", "tag": ["a", "b"], "photo": photo, "caption": "Bo"}
    assert sezzlee.invoke(tool.name, sent)["body"] == {
        "query": {"tag": "a,b"},
        "form": {"caption": "Bo"},
        "files": ["photo"],
    }


@pytest.mark.parametrize("view", [a_whole_body, two_bodies])
def test_a_body_as_version_2_spells_it_is_read_where_version_3_tells_none(view: Any) -> None:
    app = app_with(view, "PUT", rule="/pets/<pet_id>")
    name, required = ("name", True) if view is a_whole_body else ("size", False)
    assert slots_of(app) == [{("pet_id", "path", True), (name, "body", required)}]


def a_body_of_a_get() -> Any:
    """Find pets.
    ---
    tags: [pets]
    parameters:
      - {name: before, in: formData, type: string}
      - {name: pet, in: body, schema: {type: object, properties: {name: {type: string}}}}
    responses: {200: {description: Pets.}}
    """
    return {"after": request.args.get("after")}


def a_form_of_objects() -> Any:
    """Add pets.
    ---
    consumes: [multipart/form-data]
    parameters:
      - name: pets
        in: formData
        type: array
        items: {type: object, properties: {a: {type: object, properties: {b: {type: object}}}}}
    responses: {200: {description: Pets.}}
    """
    return request.get_json()


@pytest.mark.parametrize(
    ("view", "method", "inputs", "codes"),
    [
        (a_body_of_a_get, "GET", {("after", "query", False)}, ["multiple_body_bindings"]),
        (
            *(a_form_of_objects, "POST", {("body", "body", False)}),
            ["optional_body_argument", "undeclared_body", "unsupported_body_shape"],
        ),
    ],
)
def test_what_is_written_about_inputs_takes_no_tool_away(
    view: Any, method: str, inputs: set[Any], codes: list[str]
) -> None:
    catalog = sezzlee_of(app_with(view, method)).catalog
    (tool,) = catalog.tools

    assert {(slot.name, str(slot.location), slot.required) for slot in tool.slots} == inputs
    assert sorted(found.code for found in catalog.diagnostics) == codes
    assert {str(found.severity) for found in catalog.diagnostics} == {"warning"}
    assert tool.description in ("Find pets.", "Add pets.")


def inputs_some_of_which_cannot_be() -> Any:
    """Find pets.
    ---
    parameters:
      - {name: name, in: query, required: true, style: simple, schema: {type: string}}
      - name: places
        in: query
        style: [form]
        schema: {type: array, items: {type: object, properties: {id: {type: string}}}}
    requestBody:
      content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}
    responses: {200: {description: Pets.}}
    """
    return {"name": request.args["name"], "unread": request.args.get("unread")}


def test_an_input_that_cannot_be_takes_no_other_away() -> None:
    sezzlee = sezzlee_of(app_with(inputs_some_of_which_cannot_be, "GET"))
    (tool,) = sezzlee.catalog.tools

    assert [(slot.name, str(slot.location), slot.required) for slot in tool.slots] == [
        ("name", "query", True)
    ]
    (finding,) = sezzlee.catalog.diagnostics
    assert (finding.code, str(finding.severity)) == ("template_rejected", "warning")
    assert sezzlee.invoke(tool.name, {"name": "Rex"})["body"] == {"name": "Rex", "unread": None}


def a_form_with_a_field_that_cannot_be() -> Any:
    """Add a picture.
    ---
    requestBody:
      required: true
      content:
        multipart/form-data:
          schema:
            type: object
            properties:
              picture: {type: string, format: binary}
              title: {type: string}
              options: {type: object, properties: {a: {type: object, properties: {b: {}}}}}
            required: [picture]
    responses: {200: {description: The picture.}}
    """
    return {"title": request.form["title"], "files": list(request.files)}


def a_form_that_needs_what_cannot_be() -> Any:
    """Add a picture.
    ---
    requestBody:
      content:
        application/x-www-form-urlencoded:
          schema:
            type: object
            properties: {title: {type: string}, all: {type: object, additionalProperties: true}}
            required: [all]
    responses: {200: {description: The picture.}}
    """
    return ""


def test_an_optional_field_that_cannot_be_takes_no_form_away() -> None:
    sezzlee = sezzlee_of(app_with(a_form_with_a_field_that_cannot_be, "POST"))
    (tool,) = sezzlee.catalog.tools

    assert [(slot.name, str(slot.location), slot.required) for slot in tool.slots] == [
        ("picture", "form", True),
        ("title", "form", False),
    ]
    (finding,) = sezzlee.catalog.diagnostics
    assert (finding.code, str(finding.severity)) == ("unsupported_body_shape", "warning")
    answer = sezzlee.invoke(tool.name, {"picture": {"text": "x"}, "title": "Sun"})
    assert answer["body"] == {"title": "Sun", "files": ["picture"]}


def test_a_form_whose_required_field_cannot_be_stays_open() -> None:
    app = app_with(a_form_that_needs_what_cannot_be, "POST")
    assert slots_of(app) == [{("body", "body", False)}]


def a_body_that_nobody_describes() -> Any:
    """Add a pet.
    ---
    parameters:
      - {name: dry, in: query, type: boolean}
    responses: {200: {description: The pet.}}
    """
    return request.get_json()


def no_body_at_all() -> Any:
    """Feed the pets.
    ---
    parameters:
      - {name: dry, in: query, type: boolean}
    responses: {200: {description: Fed.}}
    """
    return {"dry": request.args.get("dry")}


@pytest.mark.parametrize(
    ("view", "slots"),
    [
        (a_body_that_nobody_describes, {("dry", "query", False), ("body", "body", False)}),
        (no_body_at_all, {("dry", "query", False)}),
    ],
)
def test_a_body_stays_open_where_a_view_reads_one_that_is_not_described(
    view: Any, slots: set[Any]
) -> None:
    (tool,) = sezzlee_of(app_with(view, "POST")).catalog.tools
    assert {(slot.name, str(slot.location), slot.required) for slot in tool.slots} == slots


def a_list_in_a_form() -> Any:
    """Add tags.
    ---
    consumes: [application/x-www-form-urlencoded]
    parameters:
      - {name: tag, in: formData, type: array, items: {type: string}}
    responses: {200: {description: Tags.}}
    """
    return request.form.getlist("tag")


def test_a_list_in_a_form_repeats_its_name() -> None:
    sezzlee = sezzlee_of(app_with(a_list_in_a_form, "POST"))
    (tool,) = sezzlee.catalog.tools
    assert sezzlee.invoke(tool.name, {"tag": ["a", "b"]})["body"] == ["a", "b"]


def prose() -> Any:
    """Go.

    ---
    Note: nothing of this is YAML: at all {
    """
    return ""


def broken() -> Any:
    """Go.
    ---
    parameters: [}
    """
    return ""


def a_list() -> Any:
    """Go.
    ---
    - responses: x
    """
    return ""


def tabs_and_two_documents() -> str:
    return "ok"


tabs_and_two_documents.__doc__ = (
    "Go.\n---\nparameters:\n\t- {name: q, in: query, type: string}\n---\nmore: {"
)


def test_prose_below_a_ruler_is_prose() -> None:
    assert slots_of(app_with(prose)) == [set()]
    assert codes_of(app_with(prose)) == []
    assert slots_of(app_with(a_list)) == [set()]


def test_broken_yaml_is_a_finding_and_no_loss() -> None:
    assert slots_of(app_with(broken, "POST")) == [{("body", "body", False)}]
    assert "openapi_document_invalid" in codes_of(app_with(broken, "POST"))


def test_tabs_count_as_indentation_and_the_first_document_counts() -> None:
    assert slots_of(app_with(tabs_and_two_documents)) == [{("q", "query", False)}]


def test_without_a_yaml_reader_the_route_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sezzlee_py.openapi.yaml_reader", None)
    assert slots_of(app_with(other)) == [set()]
    assert codes_of(app_with(other)) == ["openapi_document_invalid"]


def with_shared_answers() -> Any:
    """Get pets.
    ---
    responses:
      200: {description: Pets., content: {application/json: {schema: {type: array}}}}
      401: {$ref: '#/components/responses/401'}
      422: {$ref: '#/components/responses/Unread'}
    components:
      responses:
        Unread: {description: No., content: {application/json: {schema: {$ref: '#/nowhere'}}}}
    """
    return []


def test_an_answer_that_another_document_names_is_passed_over() -> None:
    app = app_with(with_shared_answers)
    found = [(d.code, d.message) for d in sezzlee_of(app).catalog.diagnostics]
    assert [code for code, message in found if "/401" in message] == []
    (tool,) = sezzlee_of(app_with(with_shared_answers)).catalog.tools
    assert tool.output_schema is not None


def with_shared_schemes() -> Any:
    """Get pets.
    ---
    security:
      - bearerAuth: []
      - {}
    """
    return []


def with_own_scheme() -> Any:
    """Get pets.
    ---
    security:
      - {key: [], bearerAuth: []}
    components:
      securitySchemes:
        key: {type: apiKey, in: header, name: X-Key}
    """
    return []


def test_a_security_scheme_that_another_document_describes_is_passed_over() -> None:
    (shared,) = sezzlee_of(app_with(with_shared_schemes)).catalog.tools
    (own,) = sezzlee_of(app_with(with_own_scheme)).catalog.tools

    assert codes_of(app_with(with_shared_schemes)) == codes_of(app_with(with_own_scheme)) == []
    assert (shared.auth.anonymous, shared.auth.carriers) == (Anonymous.UNKNOWN, ())
    assert own.auth.carriers == (Carrier(location=ParameterLocation.HEADER, name="X-Key"),)


def by_name() -> Any:
    """Add pets.
    ---
    tags: ["{tag_name}"]
    parameters:
      - {name: kind, in: query, schema: integer}
    requestBody:
      required: true
      content:
        application/json:
          schema: PetOfYAMLSchema
    responses:
      201: {description: Added., content: {application/json: {schema: PetOfYAMLSchema}}}
    """
    return request.get_json()


def by_name_in_version_2() -> Any:
    """Add pets.
    ---
    parameters:
      - name: pets
        in: body
        required: true
        schema: {type: object, properties: {pets: {type: array, items: PetOfYAMLSchema}}}
    responses: {200: {description: Added., schema: PetOfYAMLSchema}}
    """
    return request.get_json()


def by_a_name_that_nobody_knows() -> Any:
    """Add pets.
    ---
    requestBody:
      required: true
      content:
        application/json:
          schema: {type: object, properties: {pet: {type: array, items: NoSuchSchema}}}
    responses: {200: {description: Added.}}
    """
    return request.get_json()


def test_schemas_that_yaml_names_are_those_of_marshmallow() -> None:
    ma = pytest.importorskip("marshmallow", reason="make flask-extensions installs marshmallow")

    class OwnerOfYAMLSchema(ma.Schema):  # type: ignore[misc, name-defined]
        name = ma.fields.String(required=True)

    class PetOfYAMLSchema(ma.Schema):  # type: ignore[misc, name-defined]
        id = ma.fields.Integer(dump_only=True)
        name = ma.fields.String(required=True)
        owners = ma.fields.List(ma.fields.Nested(OwnerOfYAMLSchema))
        first = ma.fields.Nested(OwnerOfYAMLSchema)

    catalog = sezzlee_of(app_with(by_name, "POST")).catalog
    (tool,) = catalog.tools
    owner = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    assert tool.input_schema["properties"] == {
        "kind": {"type": "integer"},
        "name": {"type": "string"},
        "owners": {"type": "array", "items": {"$ref": "#/$defs/OwnerOfYAML"}},
        "first": {"$ref": "#/$defs/OwnerOfYAML"},
    }
    assert tool.input_schema["$defs"] == {"OwnerOfYAML": owner}
    assert tool.input_schema["required"] == ["name"]
    assert (tool.tags, catalog.diagnostics) == ((), ())
    older = sezzlee_of(app_with(by_name_in_version_2, "POST")).catalog
    pets = older.tools[0].input_schema["properties"]["pets"]
    assert list(pets["items"]["properties"]) == ["name", "owners", "first"]
    assert older.diagnostics == ()


def by_fields() -> Any:
    """Find pets.
    ---
    get:
      parameters:
        - {in: query, schema: PetFilterOfYAMLSchema}
        - {in: query, name: page, schema: {type: integer}}
        - {in: query, schema: NoSuchSchema}
      responses: {200: {description: Found.}}
    """
    return request.args


def test_a_parameter_without_a_name_stands_for_the_fields_of_its_schema() -> None:
    ma = pytest.importorskip("marshmallow", reason="make flask-extensions installs marshmallow")

    class PetFilterOfYAMLSchema(ma.Schema):  # type: ignore[misc, name-defined]
        kind = ma.fields.String(required=True)
        tags = ma.fields.List(ma.fields.String())

    (tool,) = sezzlee_of(app_with(by_fields, "GET")).catalog.tools
    assert tool.input_schema["properties"] == {
        "kind": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "page": {"type": "integer"},
    }
    assert tool.input_schema["required"] == ["kind"]


def by_names_inside() -> Any:
    """Add a pet.
    ---
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            properties:
              pet: PetInsideOfYAMLSchema
              items: {type: array, items: PetInsideOfYAMLSchema}
              either:
                oneOf:
                  - PetInsideOfYAMLSchema
                  - NoSuchSchema
              not: {not: PetInsideOfYAMLSchema}
    responses:
      201:
        description: Added.
        content:
          application/json:
            schema: {type: object, properties: {pet: PetInsideOfYAMLSchema}}
    """
    return request.get_json()


def test_schemas_are_named_wherever_a_schema_stands() -> None:
    ma = pytest.importorskip("marshmallow", reason="make flask-extensions installs marshmallow")

    class PetInsideOfYAMLSchema(ma.Schema):  # type: ignore[misc, name-defined]
        kind = ma.fields.String()

    pet = {"type": "object", "properties": {"kind": {"type": "string"}}}
    catalog = sezzlee_of(app_with(by_names_inside, "POST")).catalog
    assert catalog.tools[0].input_schema["properties"] == {
        "pet": pet,
        "items": {"type": "array", "items": pet},
        "either": {"oneOf": [pet, {}]},
        "not": {"not": pet},
    }
    assert catalog.diagnostics == ()


def with_loose_answers() -> Any:
    """Add a pet.
    ---
    requestBody:
      required: true
      content: {application/json: {schema: {type: object, properties: {kind: {type: string}}}}}
    responses:
      200:
        description: Added.
        content:
          application/json:
            schema:
              type: object
              properties:
                pet: {$ref: '#/components/schemas/NobodysPet'}
                more: {type: array, items: {$ref: '#/definitions/NobodysPet'}}
    """
    return {}


def with_a_loose_body() -> Any:
    """Add a pet.
    ---
    requestBody:
      content: {application/json: {schema: {$ref: '#/components/schemas/NobodysPet'}}}
    responses: {200: {description: Added.}}
    """
    return {}


def test_a_schema_that_nobody_names_is_any_value_in_an_answer_and_reported_of_a_body() -> None:
    catalog = sezzlee_of(app_with(with_loose_answers, "POST")).catalog
    assert list(catalog.tools[0].input_schema["properties"]) == ["kind"]
    assert catalog.tools[0].output_schema is not None
    assert catalog.diagnostics == ()
    reported = sezzlee_of(app_with(with_a_loose_body, "POST")).catalog.diagnostics
    told = [found.message for found in reported if found.code == "openapi_document_invalid"]
    assert ["NobodysPet" in message for message in told] == [True]


def with_a_key_twice() -> Any:
    """Find pets.
    ---
    parameters:
      - in: query
        name: kind
        schema: {type: string}
        name: sort
        schema: {type: integer}
    responses: {200: {description: Found.}}
    """
    return request.args


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    catalog = sezzlee_of(app_with(with_a_key_twice, "GET")).catalog
    assert catalog.tools[0].input_schema["properties"] == {"sort": {"type": "integer"}}
    assert catalog.diagnostics == ()


def by_fields_of_the_path(pet_id: int) -> Any:
    """Find a pet.
    ---
    get:
      parameters:
        - {in: path, schema: PetPathOfYAMLSchema}
      responses: {200: {description: Found.}}
    """
    return {"id": pet_id}


def test_a_schema_of_the_path_describes_the_variables_that_the_rule_has() -> None:
    ma = pytest.importorskip("marshmallow", reason="make flask-extensions installs marshmallow")

    class PetPathOfYAMLSchema(ma.Schema):  # type: ignore[misc, name-defined]
        pet_id = ma.fields.Integer(metadata={"description": "Which pet."})
        owner_id = ma.fields.Integer()

    app = Flask("shop")
    app.add_url_rule("/pets/<int:pet_id>", view_func=by_fields_of_the_path)
    catalog = sezzlee_of(app).catalog

    (tool,) = catalog.tools
    assert tool.input_schema["properties"] == {
        "pet_id": {"type": "integer", "description": "Which pet."}
    }
    assert (tool.input_schema["required"], catalog.diagnostics) == (["pet_id"], ())


def test_a_schema_of_an_unknown_name_admits_anything() -> None:
    catalog = sezzlee_of(app_with(by_a_name_that_nobody_knows, "POST")).catalog
    (tool,) = catalog.tools
    assert tool.input_schema["properties"] == {"pet": {"type": "array", "items": {}}}
    assert catalog.diagnostics == ()


@pytest.mark.parametrize(
    "yaml",
    [
        f"parameters: [{{in: query, name: a, schema: {'{items: ' * 380}{'}' * 380}}}]",
        f"parameters: {'[' * 5_000}{']' * 5_000}",
        "parameters: &whole [*whole]",
        "parameters: [{in: [query], schema: Nobody}, {in: {a: b}, schema: Nobody}]",
        "parameters: [{in: query, name: {a: b}, type: [x]}, 5, null]",
        'parameters: [{in: query, name: "\\ud800", type: string}]',
    ],
)
def test_yaml_that_nobody_can_mean_takes_no_tool_away(yaml: str) -> None:
    def view() -> Any:
        return {}

    view.__doc__ = f"Find.\n---\n{yaml}"
    catalog = sezzlee_of(app_with(view, "GET")).catalog
    assert [(tool.name, tool.slots) for tool in catalog.tools] == [("view", ())]
    assert {found.code for found in catalog.diagnostics} == {"openapi_document_invalid"}


def yaml_alone() -> Any:
    """
    summary: Find pets.
    parameters:
      - {name: name, in: query, required: true, schema: {type: string}}
    responses:
      200: {description: Pets.}
    """
    return {"name": request.args["name"]}


def yaml_above_prose() -> Any:
    """
    summary : Write {class_name}
    description : Write a pet down
    responses :
        201 :
            description : Written.
    ---
    HTTP POST: as the standard says.
    """
    return {}


def yaml_without_text() -> Any:
    """
    responses:
      200: {description: Pets.}
    """
    return {}


def test_a_docstring_may_begin_with_its_yaml() -> None:
    (alone,) = sezzlee_of(app_with(yaml_alone)).catalog.tools
    assert alone.description == "Find pets."
    assert slots_of(app_with(yaml_alone)) == [{("name", "query", True)}]
    (above,) = sezzlee_of(app_with(yaml_above_prose, "POST")).catalog.tools
    assert above.description == "Write a pet down"
    # It says nothing about a body, which is no word for there being none.
    assert slots_of(app_with(yaml_above_prose, "POST")) == [{("body", "body", False)}]
    (silent,) = sezzlee_of(app_with(yaml_without_text)).catalog.tools
    assert silent.description == "GET /pets"


@pytest.mark.parametrize(
    "text",
    [
        "description: all pets there are",
        "parameters: none",
        "parameters:\n  name: a part of it",
        "summary: Pets\nNote: it is slow",
        "responses: 200\nwith {all of them",
        "tags:\n- pets\nand prose",
        "responses:\n  200: pets",
    ],
)
def test_prose_that_begins_like_yaml_is_prose(text: str) -> None:
    def view() -> Any:
        return {}

    view.__doc__ = text
    (tool,) = sezzlee_of(app_with(view)).catalog.tools
    assert tool.description == " ".join(line.strip() for line in text.splitlines())
    assert codes_of(app_with(view)) == []
