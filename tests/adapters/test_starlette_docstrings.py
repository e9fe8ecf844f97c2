"""YAML in docstrings of Starlette applications, held against Starlette's own reader of it."""

import types
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.schemas import SchemaGenerator

from sezzlee_py import Options, ToolDefinition
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.testing import AgentClient
from sezzlee_starlette import mount_mcp

EVERYTHING = Options(selection={"default": "include"})

schemas = SchemaGenerator(
    {
        "openapi": "3.0.0",
        "info": {"title": "Pets", "version": "1"},
        "components": {
            "schemas": {
                "Pet": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
                }
            }
        },
    }
)


async def list_pets(request: Request) -> Response:
    """List the pets.

    The youngest first.
    ---
    tags: [pets]
    parameters:
      - {name: limit, in: query, schema: {type: integer, maximum: 100}, description: At most.}
      - {name: X-Shop, in: header, required: true, schema: {type: string}}
    responses:
      200:
        description: Pets.
        content: {application/json: {schema: {type: array, items: {type: string}}}}
    """
    return JSONResponse([request.query_params.get("limit"), request.headers["x-shop"]])


async def add_pet(request: Request) -> Response:
    """
    summary: Add a pet.
    requestBody:
      required: true
      content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
    responses:
      201: {description: Added.}
    """
    return JSONResponse(await request.json(), 201)


class Pet(HTTPEndpoint):
    """A pet."""

    async def get(self, request: Request) -> Response:
        """
        description: Get a pet by its name.
        responses: {200: {description: A pet.}}
        """
        return JSONResponse(request.path_params)

    async def delete(self, _: Request) -> Response:
        """Let a pet go. Note: for good."""
        return Response(status_code=204)


def app_of(*routes: Any) -> Starlette:
    return Starlette(routes=list(routes))


def catalog_of(*routes: Any) -> Catalog:
    return mount_mcp(app_of(*routes), options=EVERYTHING).build()


def shop() -> Starlette:
    return app_of(
        Route("/pets", list_pets),
        Route("/pets", add_pet, methods=["POST"]),
        Mount("/shop", routes=[Route("/pets/{name}", Pet)]),
    )


def slots(tool: ToolDefinition) -> list[tuple[str, str, bool]]:
    return [(slot.name, str(slot.location), slot.required) for slot in tool.slots]


def test_docstrings_give_what_starlette_s_generator_reads_from_them() -> None:
    app = shop()
    paths = schemas.get_schema(app.routes)["paths"]
    catalog = mount_mcp(app, options=EVERYTHING).build()
    tools = {(tool.method, tool.route): tool for tool in catalog.tools}
    listing, adding = tools["GET", "/pets"], tools["POST", "/pets"]

    query, header = paths["/pets"]["get"]["parameters"]
    assert slots(listing) == [("limit", "query", False), ("X-Shop", "header", True)]
    properties = listing.input_schema["properties"]
    assert properties["limit"] == {**query["schema"], "description": query["description"]}
    assert properties["X-Shop"] == header["schema"]
    assert listing.description == "List the pets."
    assert listing.tags == ("pets",)

    pet = schemas.base_schema["components"]["schemas"]["Pet"]
    assert adding.input_schema["properties"] == pet["properties"]
    assert adding.input_schema["required"] == pet["required"]
    assert adding.description == paths["/pets"]["post"]["summary"]

    assert (
        tools["GET", "/shop/pets/{name}"].description
        == paths["/shop/pets/{name}"]["get"]["description"]
    )
    assert tools["DELETE", "/shop/pets/{name}"].description == "Let a pet go. Note: for good."
    assert catalog.diagnostics == ()


def test_calls_carry_what_docstrings_describe() -> None:
    app = app_of(Route("/pets", list_pets), Route("/pets", add_pet, methods=["POST"]))
    tools = {t.method: t.name for t in mount_mcp(app, options=EVERYTHING).build().tools}
    with AgentClient(app) as agent:
        listed = agent.invoke(tools["GET"], {"limit": 2, "X-Shop": "a"})
        assert listed["body"] == ["2", "a"]
        added = agent.invoke(tools["POST"], {"name": "Bo"})
        assert added == {"status": 201, "body": {"name": "Bo"}}


def silent_about_its_body(_: Request) -> Response:
    """
    responses: {200: {description: Done.}}
    """
    return Response()


def test_a_write_that_describes_no_body_stays_open() -> None:
    catalog = catalog_of(Route("/a", silent_about_its_body, methods=["POST"]))
    (tool,) = catalog.tools
    assert (slots(tool), tool.description) == ([("body", "body", False)], "POST /a")
    assert "undeclared_body" in {found.code for found in catalog.diagnostics}


REFERENCES = """
parameters:
  - {$ref: '#/components/parameters/Page'}
  - {name: kind, in: query, schema: {type: string}}
requestBody:
  content: {multipart/form-data: {schema: {$ref: '#/components/schemas/Upload'}}}
responses:
  200:
    description: Done.
    content: {application/json: {schema: {$ref: '#/components/schemas/Done'}}}
  401: {$ref: '#/components/responses/Refused'}
"""


async def cancel(request: Request) -> Response:
    """
    description: |
      Stop a run.

      It may be started again.
    """
    return Response(status_code=204)


def test_a_block_of_text_ends_where_its_words_end() -> None:
    app = Starlette(routes=[Route("/cancel", cancel)])

    (tool,) = mount_mcp(app, options=EVERYTHING).build().tools

    assert tool.description == "Stop a run.\n\nIt may be started again."


def test_what_only_a_generator_elsewhere_knows_is_as_if_not_there() -> None:
    # In a module without a generator.
    view = types.FunctionType(prose_with_colons.__code__, {"Response": Response}, "upload")
    view.__doc__ = REFERENCES
    catalog = catalog_of(Route("/uploads", view, methods=["POST"]))
    (tool,) = catalog.tools
    assert slots(tool) == [("kind", "query", False), ("body", "body", False)]
    codes = {found.code for found in catalog.diagnostics}
    assert codes == {"undeclared_body", "optional_body_argument"}


def broken_below_a_ruler(_: Request) -> Response:
    """Get it.
    ---
    responses: {200: {description
    """
    return Response()


def broken_and_nothing_else(_: Request) -> Response:
    """
    responses:
      200: {description: [}
    """
    return Response()


def prose_with_colons(_: Request) -> Response:
    """Get it: all of it.

    parameters: as they come, see
      - the manual: {
    """
    return Response()


@pytest.mark.parametrize(
    ("view", "description", "codes"),
    [
        (broken_below_a_ruler, "Get it.", ["openapi_document_invalid"]),
        (broken_and_nothing_else, "GET /a", ["openapi_document_invalid"]),
        (prose_with_colons, "Get it: all of it.", []),
    ],
)
def test_yaml_that_cannot_be_read_is_reported_where_it_is_meant(
    view: Any, description: str, codes: list[str]
) -> None:
    catalog = catalog_of(Route("/a", view))
    (tool,) = catalog.tools
    assert (tool.description, slots(tool)) == (description, [])
    assert [found.code for found in catalog.diagnostics] == codes


async def watch(request: Request) -> Response:
    """Watch the clock.
    ---
    responses:
      200: {description: Ticks., content: {text/event-stream: {schema: {type: string}}}}
    """
    return Response(media_type="text/event-stream")


def test_an_endpoint_that_says_it_streams_events_is_dropped_and_named() -> None:
    catalog = catalog_of(Route("/ticks", watch))
    assert catalog.tools == ()
    (found,) = catalog.diagnostics
    assert (found.code, found.operation) == ("streaming_response_unsupported", "GET /ticks")
    assert (found.source, found.line) == (
        "tests.adapters.test_starlette_docstrings:watch",
        watch.__code__.co_firstlineno,
    )
