"""Tools of an application whose extension writes a document, against that document."""

import importlib
from typing import Any

import pytest
from flask import Flask

from sezzlee_flask import FlaskAdapter, mount_mcp
from sezzlee_py import ToolDefinition
from tests.adapters.flask_sources.oracle import (
    documented_inputs,
    documented_output,
    everything,
    published_inputs,
    published_output,
    served_document,
)

EXTENSIONS = {
    "smorest": "flask_smorest",
    "apiflask": "apiflask",
    "openapi3": "flask_openapi3",
    "restx": "flask_restx",
    "spectree": "spectree",
    "flasgger": "flasgger",
}
# What the extension was told nothing about, and whose body the document does not know.
UNTOLD = {("POST", "/notes"), ("POST", "/v1/pets/notes")}


@pytest.fixture(params=EXTENSIONS)
def module(request: pytest.FixtureRequest) -> Any:
    """One spelling of the API; skipped where its extension is not installed."""
    package = EXTENSIONS[request.param]
    pytest.importorskip(package, reason=f"make flask-extensions installs {package}")
    return importlib.import_module(f"tests.adapters.flask_sources.apps.{request.param}_app")


def tools_of(app: Flask) -> list[ToolDefinition]:
    return list(mount_mcp(app, options=everything()).build().tools)


def path_in(document: Any, route: str) -> str:
    return str(route.removeprefix(document.get("basePath", "").rstrip("/")))


def test_every_documented_operation_is_a_tool_and_pages_are_none(module: Any) -> None:
    document = served_document(module.make_app(), module.DOCUMENT)
    base = document.get("basePath", "").rstrip("/")
    documented = {
        (method.upper(), f"{base}{path}")
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    }
    sezzlee = mount_mcp(module.make_app(), options=everything())

    assert {(tool.method, tool.route) for tool in sezzlee.catalog.tools} == documented
    unmatched = [d for d in sezzlee.catalog.diagnostics if d.code == "document_route_unmatched"]
    assert unmatched == []


def test_inputs_are_those_of_the_extensions_own_document(module: Any) -> None:
    document = served_document(module.make_app(), module.DOCUMENT)
    for tool in tools_of(module.make_app()):
        expected = documented_inputs(document, tool.method, path_in(document, tool.route))
        found = published_inputs(tool)
        if (tool.method, tool.route) in UNTOLD:
            assert expected == {}
            assert found == {("body", "body"): (False, {"type": "object"} | OPEN)}
            continue
        for place in [p for p, (_, schema) in expected.items() if is_file(schema)]:
            required, _ = expected.pop(place)
            assert found.pop(place)[0] is required
        assert repaired(expected) == found, tool.name


OPEN = {"additionalProperties": True}


def is_file(schema: Any) -> bool:
    return schema.get("format") == "binary" or schema.get("type") == "file"


def repaired(expected: Any) -> Any:
    """Python's name for a number, which flasgger shows as it is written."""
    return {
        place: (required, {**schema, "type": "integer"} if schema["type"] == "int" else schema)
        for place, (required, schema) in expected.items()
    }


def test_answers_are_those_of_the_extensions_own_document(module: Any) -> None:
    document = served_document(module.make_app(), module.DOCUMENT)
    for tool in tools_of(module.make_app()):
        path = path_in(document, tool.route)
        expected = documented_output(document, tool.method, path) or None
        assert published_output(tool) == expected, tool.name


def test_the_document_of_the_host_stays_what_it_would_have_been(module: Any) -> None:
    """Whether it was asked for before the walk, after it, or both."""
    untouched = served_document(module.make_app(), module.DOCUMENT)
    walked, asked_before = module.make_app(), module.make_app()
    served_document(asked_before, module.DOCUMENT)
    for app in (walked, asked_before):
        FlaskAdapter(app, everything()).discover()
        FlaskAdapter(app, everything()).discover()

    assert served_document(walked, module.DOCUMENT) == untouched
    assert served_document(asked_before, module.DOCUMENT) == untouched


def test_asking_for_the_document_first_changes_no_operation(module: Any) -> None:
    fresh, asked = module.make_app(), module.make_app()
    served_document(asked, module.DOCUMENT)

    found = [
        [
            (o.descriptor.parameters, o.descriptor.request_body, o.descriptor.responses)
            for o in FlaskAdapter(app, everything()).discover().operations
        ]
        for app in (asked, fresh)
    ]
    assert found[0] == found[1]


def test_a_document_that_cannot_be_written_leaves_the_routes(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = {(tool.method, tool.route) for tool in tools_of(module.make_app())}
    app = module.make_app()
    monkeypatch.setattr(WRITERS[module.__name__.rpartition(".")[2]], refuse)

    sezzlee = mount_mcp(app, options=everything())

    assert {(tool.method, tool.route) for tool in sezzlee.catalog.tools} == routes
    told = [d for d in sezzlee.catalog.diagnostics if d.code == "openapi_document_invalid"]
    assert len(told) == 1
    assert "ValueError: " in told[0].message


WRITERS = {
    "smorest_app": "apispec.APISpec.to_dict",
    "apiflask_app": "apiflask.APIFlask._generate_spec",
    "openapi3_app": "flask_openapi3.OpenAPI.generate_spec_json",
    "restx_app": "flask_restx.swagger.Swagger.as_dict",
    "spectree_app": "spectree.SpecTree._generate_spec",
    "flasgger_app": "flasgger.Swagger.get_apispecs",
}


def refuse(*_: Any, **__: Any) -> str:
    raise ValueError("not today")


def test_a_valid_call_is_accepted_and_an_invalid_one_names_its_argument(module: Any) -> None:
    sezzlee = mount_mcp(module.make_app(), options=everything())
    tools = {(tool.method, tool.route): tool.name for tool in sezzlee.catalog.tools}
    get = next(name for (m, route), name in tools.items() if m == "GET" and route.endswith("}"))
    add = next(n for (m, r), n in tools.items() if m == "POST" and not r.endswith("notes"))
    traced = {"X-Trace": "t"} if "X-Trace" in str(sezzlee.load(get)["inputSchema"]) else {}

    assert sezzlee.invoke(get, {"pet_id": 3, **traced})["status"] == 200
    assert sezzlee.invoke(add, {"name": "Bo", "weight": 2.5})["status"] == 201
    refused = sezzlee.invoke(add, {"name": "B" * 60})
    if module.__name__.endswith("flasgger_app"):
        # It validates only where a view asks for it.
        assert refused["status"] == 201
    else:
        assert refused["error"] == "validation_failed"
        assert [field["name"] for field in refused["fields"]] == ["name"]
