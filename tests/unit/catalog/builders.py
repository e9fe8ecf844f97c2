"""Short spellings of descriptors for the tests of this directory."""

from typing import Any

from sezzlee_py.catalog.tool_builder import ToolBuild, build_tools
from sezzlee_py.model import (
    ArgumentCuration,
    EndpointDescriptor,
    Fill,
    Parameter,
    ParameterLocation,
    RequestBody,
    ToolDefinition,
)

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}}}


def path(name: str, schema: Any = None, **facts: Any) -> Parameter:
    return _parameter(name, ParameterLocation.PATH, schema, facts)


def query(name: str, schema: Any = None, **facts: Any) -> Parameter:
    return _parameter(name, ParameterLocation.QUERY, schema, facts)


def header(name: str, schema: Any = None, **facts: Any) -> Parameter:
    return _parameter(name, ParameterLocation.HEADER, schema, facts)


def cookie(name: str, schema: Any = None, **facts: Any) -> Parameter:
    return _parameter(name, ParameterLocation.COOKIE, schema, facts)


def querystring(name: str, schema: Any = None, **facts: Any) -> Parameter:
    return _parameter(name, ParameterLocation.QUERYSTRING, schema, facts)


def endpoint(*parameters: Parameter, **facts: Any) -> EndpointDescriptor:
    placeholders = "".join(
        f"/{{{p.name}}}" for p in parameters if p.location is ParameterLocation.PATH
    )
    facts.setdefault("method", "POST" if "request_body" in facts else "GET")
    facts.setdefault("route", f"/things{placeholders}")
    return EndpointDescriptor(parameters=parameters, **facts)


def json_body(properties: dict[str, Any], *required: str, **root: Any) -> RequestBody:
    return RequestBody(
        schema={
            "type": "object",
            "properties": properties,
            "required": list(required),
            **root,
        }
    )


def record(
    name: str, agent_name: str | None = None, text: str | None = None, hidden: Fill | None = None
) -> ArgumentCuration:
    return ArgumentCuration(name=name, agent_name=agent_name, description=text, hidden=hidden)


def build(descriptor: EndpointDescriptor, *names: str, **options: Any) -> ToolBuild:
    return build_tools(descriptor, names or ("probe",), **options)


def tool(descriptor: EndpointDescriptor, **options: Any) -> ToolDefinition:
    result = build(descriptor, **options)
    assert result.tools, result.diagnostics
    return result.tools[0]


def codes(result: ToolBuild) -> list[str]:
    return [diagnostic.code for diagnostic in result.diagnostics]


def dropped(descriptor: EndpointDescriptor, *names: str, **options: Any) -> str:
    """The code that dropped the endpoint."""
    result = build(descriptor, *names, **options)
    assert result.tools == ()
    return result.diagnostics[-1].code


def _parameter(
    name: str, location: ParameterLocation, schema: Any, facts: dict[str, Any]
) -> Parameter:
    return Parameter(
        name=name, location=location, schema=STRING if schema is None else schema, **facts
    )
