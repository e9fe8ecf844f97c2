"""Kind `tool_definition`: from an endpoint descriptor to the tools an agent loads."""

from typing import Any

from sezzlee_py.catalog.naming import assign_names
from sezzlee_py.catalog.projection import loaded_shape
from sezzlee_py.catalog.tool_builder import build_tools
from sezzlee_py.model import (
    OMIT,
    AnnotationHints,
    Anonymous,
    ArgumentCuration,
    Auth,
    Carrier,
    Constant,
    EndpointDescriptor,
    Fill,
    Parameter,
    ParameterLocation,
    Provider,
    RequestBody,
    Response,
    Severity,
    ToolDefinition,
    Variant,
)
from sezzlee_py.model.routes import normalize_route

_UNPINNED = ("text", "base64", "name", "mediaType")


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    got = outcome(case)
    assert without_file_texts(got) == without_file_texts(expected)
    if "tools" not in got and "error" not in got:
        assert list(got["inputSchema"]["properties"]) == list(expected["inputSchema"]["properties"])


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    descriptor = read_descriptor(case)
    naming = assign_names([descriptor], on_collision="error")
    resolver = case.get("file_resolver")
    build = build_tools(
        descriptor,
        naming.names[0],
        alternate_routes=tuple(
            normalize_route(route).template for route in case.get("folded_routes", ())
        ),
        fill_sources=frozenset(case.get("fill_sources", ())),
        file_ref_description=None if resolver is None else resolver["ref_description"],
    )
    found = (*build.diagnostics, *(finding.diagnostic for finding in naming.findings))
    for diagnostic in found:
        if diagnostic.severity.rank >= Severity.ENDPOINT_DROPPED.rank:
            return {"error": diagnostic.code}
    tools = [shape(tool) for tool in build.tools]
    return {"tools": tools} if descriptor.variants else tools[0]


def shape(tool: ToolDefinition) -> dict[str, Any]:
    shown = loaded_shape(tool)
    del shown["version"]
    return shown


def read_descriptor(case: dict[str, Any]) -> EndpointDescriptor:
    return EndpointDescriptor(
        method=case["method"],
        route=normalize_route(case["route"]).template,
        auth=read_auth(case["auth"]),
        operation_id=case.get("operation_id"),
        tool_name=case.get("tool_name"),
        description=case.get("description"),
        deprecated=case.get("deprecated", False),
        parameters=tuple(_parameter(each, case["route"]) for each in case.get("parameters", ())),
        request_body=RequestBody(**case["request_body"]) if "request_body" in case else None,
        responses={key: Response(**value) for key, value in case.get("responses", {}).items()},
        tags=tuple(case.get("tags", ())),
        arguments=_records(case),
        variants=tuple(
            Variant(
                name=each["name"],
                description=each["description"],
                arguments=_records(each),
                annotations=AnnotationHints(**each.get("annotations", {})),
            )
            for each in case.get("variants", ())
        ),
        annotations=AnnotationHints(**case.get("annotations", {})),
    )


def read_auth(auth: dict[str, Any]) -> Auth:
    return Auth(
        anonymous=Anonymous(auth["anonymous"]),
        policies=tuple(auth["policies"]),
        imperative=auth["imperative"],
        carriers=tuple(
            Carrier(location=ParameterLocation(each["in"]), name=each["name"])
            for each in auth.get("carriers", ())
        ),
    )


def without_file_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [without_file_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    bare = {key: without_file_texts(item) for key, item in value.items()}
    if {"text", "base64", "name", "mediaType"} <= bare.get("properties", {}).keys():
        for name in _UNPINNED:
            bare["properties"][name].pop("description", None)
    return bare


def _parameter(case: dict[str, Any], route: str) -> Parameter:
    facts = {key: value for key, value in case.items() if key != "in"}
    spans = any(
        each.name == case["name"] and each.converter == "path"
        for each in normalize_route(route).placeholders
    )
    return Parameter(location=ParameterLocation(case["in"]), spans_segments=spans, **facts)


def _records(case: dict[str, Any]) -> tuple[ArgumentCuration, ...]:
    return tuple(
        ArgumentCuration(
            name=each["name"],
            agent_name=each.get("as"),
            description=each.get("description"),
            hidden=_fill(each["hidden"]) if "hidden" in each else None,
        )
        for each in case.get("arguments", ())
    )


def _fill(case: dict[str, Any]) -> Fill:
    if case["kind"] == "constant":
        return Constant(case["value"])
    return Provider(case["source"]) if case["kind"] == "deferred" else OMIT
