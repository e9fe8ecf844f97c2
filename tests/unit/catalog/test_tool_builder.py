from types import MappingProxyType

import pytest

from sezzlee_py.catalog.tool_builder import ToolBuild
from sezzlee_py.invoke.compose import compose
from sezzlee_py.model import (
    AnnotationHints,
    Anonymous,
    Auth,
    Diagnostic,
    ParameterSlot,
    RequestBody,
    RequestTemplate,
    Response,
    ScalarKind,
    Severity,
    Slot,
    ToolDefinition,
)
from tests.unit.catalog.builders import (
    INTEGER,
    STRING,
    build,
    dropped,
    endpoint,
    json_body,
    path,
    query,
    record,
    tool,
)


def test_everything_a_descriptor_says_reaches_the_tool() -> None:
    descriptor = endpoint(
        path("id", INTEGER),
        method="DELETE",
        description="Deletes.",
        deprecated=True,
        auth=Auth(anonymous=Anonymous.NO, policies=("admin",)),
        operation_id="delete_thing",
        container="things",
        tags=("a", "b"),
        search_terms=("drop",),
        annotations=AnnotationHints(idempotent=False),
        responses={"200": Response(schema={"type": "object"})},
        endpoint_key="key",
        source="app:delete_thing",
        line=7,
    )
    found = tool(descriptor, alternate_routes=["/old/{id}"])
    assert found == ToolDefinition(
        name="probe",
        description="Deletes.",
        input_schema={
            "type": "object",
            "properties": {"id": INTEGER},
            "required": ["id"],
            "additionalProperties": False,
        },
        output_schema={"type": "object"},
        annotations={"destructiveHint": True, "idempotentHint": False},
        deprecated=True,
        tags=("a", "b"),
        version=found.version,
        method="DELETE",
        route="/things/{id}",
        alternate_routes=("/old/{id}",),
        search_terms=("drop",),
        container="things",
        operation_id="delete_thing",
        auth=Auth(anonymous=Anonymous.NO, policies=("admin",)),
        slots=(Slot(argument="id", name="id", location="path", required=True),),
        template=RequestTemplate(
            method="DELETE",
            route="/things/{id}",
            parameters=(
                ParameterSlot(
                    name="id",
                    agent_name="id",
                    location=path("id").location,
                    required=True,
                    kinds=(ScalarKind.INTEGER,),
                    style="simple",
                    explode=False,
                ),
            ),
        ),
        endpoint_key="key",
        source="app:delete_thing",
        line=7,
    )
    assert len(found.version) == 16


@pytest.mark.parametrize("description", [None, "", " \n"])
def test_method_and_route_stand_in_for_a_description(description: str | None) -> None:
    assert tool(endpoint(description=description)).description == "GET /things"


def test_a_diagnostic_tells_where_the_handler_stands() -> None:
    descriptor = endpoint(query("a"), query("a"), source="app:list", line=3)
    (found,) = build(descriptor).diagnostics
    assert found == Diagnostic(
        code="duplicate_argument",
        severity=Severity.ENDPOINT_DROPPED,
        message=found.message,
        operation="GET /things",
        route="/things",
        source="app:list",
        line=3,
    )


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PURGE", "get"])
def test_a_method_without_counterpart_drops_the_endpoint(method: str) -> None:
    assert dropped(endpoint(method=method)) == "unsupported_method"


def test_a_schema_nested_too_deep_drops_only_its_endpoint() -> None:
    schema = {"type": "string"}
    for _ in range(200_000):
        schema = {"items": schema}  # type: ignore[dict-item]  # Deeper than its type can say.
    body = RequestBody(schema={"type": "object", "properties": {"a": schema}})
    try:
        assert dropped(endpoint(request_body=body)) == "template_rejected"
    finally:
        # Freed from the outside in, or the interpreter recurses.
        while "items" in schema:
            schema = schema.pop("items")  # type: ignore[assignment]


def test_a_schema_that_holds_itself_drops_only_its_endpoint() -> None:
    knot: dict[str, object] = {"type": "object", "properties": {}}
    knot["properties"] = {"again": knot}
    for descriptor in (
        endpoint(request_body=RequestBody(schema=knot)),
        endpoint(responses={"200": Response(schema=knot)}),
        endpoint(responses={"200": Response(schema={"anyOf": [knot]})}),
    ):
        assert dropped(descriptor) == "template_rejected"


def test_read_only_mappings_are_read_like_dicts() -> None:
    proxy = MappingProxyType(
        {
            "type": "object",
            "properties": MappingProxyType({"a": MappingProxyType({"type": "integer"})}),
        }
    )
    descriptor = endpoint(
        query("q", MappingProxyType(INTEGER)), request_body=RequestBody(schema=proxy)
    )
    plain = endpoint(
        query("q", INTEGER),
        request_body=RequestBody(
            schema={
                "type": "object",
                "properties": {"a": {"type": "integer"}},
            }
        ),
    )
    assert tool(descriptor).version == tool(plain).version
    assert tool(descriptor).template == tool(plain).template


def test_equal_input_gives_equal_output() -> None:
    descriptor = endpoint(
        path("id"),
        query("id"),
        request_body=json_body({"a": STRING}, additionalProperties=True),
        arguments=(record("a", "b"),),
    )
    first = build(descriptor)
    assert first == build(descriptor)
    assert isinstance(first, ToolBuild)


def test_a_placeholder_that_is_no_identifier_is_an_argument_of_its_own_name() -> None:
    made = tool(endpoint(path("order-id"), path("X.y"), route="/orders/{order-id}/{X.y}"))

    assert list(made.input_schema["properties"]) == ["order-id", "X.y"]
    request = compose(made.template, {"order-id": "a b", "X.y": "7"})
    assert request.path == "/orders/a%20b/7"
