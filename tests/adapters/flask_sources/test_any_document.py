"""What is done with any extension's document, told by one that needs no extension."""

from types import SimpleNamespace
from typing import Any

from flask import Flask, current_app, request
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from sezzlee_flask import FlaskAdapter, mount_mcp
from sezzlee_py import Options
from sezzlee_py.model import Severity
from tests.adapters.flask_sources.oracle import everything

TEXT = {"type": "string"}


def app_with(*writers: Any) -> Flask:
    """An application that carries what flask-smorest leaves, and one read-only route."""
    app = Flask("pets")
    apis = {
        str(number): {"ext_obj": SimpleNamespace(spec=SimpleNamespace(to_dict=writer))}
        for number, writer in enumerate(writers)
    }
    app.extensions["flask-smorest"] = {"apis": {**apis, "odd": None}}

    @app.get("/pets/<int:pet_id>")
    def get_pet(pet_id: int) -> Any:
        """Get one pet.

        It may be asleep.
        """
        return {"id": pet_id, "q": request.args.get("q")}

    return app


def document(operation: Any, path: str = "/pets/{pet_id}", **parts: Any) -> Any:
    return {"openapi": "3.0.3", "paths": {path: {"get": operation}}, **parts}


def found_in(app: Flask) -> tuple[list[str], str | None, list[tuple[str, Severity]]]:
    """The inputs and the text of the route, and every finding."""
    catalog = mount_mcp(app, options=everything()).build()
    (tool,) = catalog.tools
    findings = [(found.code, found.severity) for found in catalog.diagnostics]
    return [slot.name for slot in tool.slots], tool.description, findings


QUERY = {"parameters": [{"name": "name", "in": "query", "schema": TEXT}], "responses": {}}


def test_a_document_is_written_inside_the_application_and_joined() -> None:
    app = app_with(lambda: document(QUERY, info={"title": current_app.name}))
    assert found_in(app) == (["pet_id", "name"], "Get one pet.", [])


def test_the_first_document_that_lists_a_route_describes_it() -> None:
    app = app_with(lambda: document({}, "/other"), lambda: document(QUERY))
    inputs, _, findings = found_in(app)

    assert inputs == ["pet_id", "name"]
    assert findings == [("document_route_unmatched", Severity.WARNING)]


def test_the_path_of_a_server_and_of_the_application_count_once() -> None:
    servers = [{"url": "https://shop.example/root/v1"}]
    app = app_with(lambda: document(QUERY, "/{pet_id}", servers=servers))
    app.config["APPLICATION_ROOT"] = "/root"
    app.add_url_rule("/v1/<pet_id>", "v1", app.view_functions["get_pet"], methods=["GET"])

    found = FlaskAdapter(app, everything()).discover().operations
    named = [p.name for o in found for p in o.descriptor.parameters if "v1" in o.descriptor.route]
    assert named == ["pet_id", "name"]


def test_a_text_made_of_the_docstring_or_of_names_gives_way_to_the_docstring() -> None:
    derived = (
        "It may be asleep.",
        "Get one pet.<br/>It may be asleep.",
        "Get Pet",
        "get_pet <GET>",
    )
    for text in derived:
        told = found_in(app_with(lambda text=text: document({"description": text})))
        assert told[1] == "Get one pet."
    assert found_in(app_with(lambda: document({"summary": "Fetch it"})))[1] == "Fetch it"


def test_values_of_the_hosts_own_are_written_as_the_application_writes_them() -> None:
    import datetime

    day = datetime.date(2026, 1, 31)
    app = app_with(lambda: document({**QUERY, "x-since": day}))
    assert found_in(app)[0] == ["pet_id", "name"]


def test_a_document_that_fails_or_is_none_leaves_the_route() -> None:
    def fail() -> Any:
        raise RuntimeError("no schema")

    expected = {
        fail: "openapi_document_invalid",
        lambda: {"paths": {1: object()}}: "openapi_document_invalid",
        lambda: {"openapi": "9.0.0"}: "openapi_version_unsupported",
        list: "openapi_document_unparseable",
    }
    for writer, code in expected.items():
        told = found_in(app_with(writer))
        assert told == (["pet_id", "q"], "Get one pet.", [(code, Severity.WARNING)])


def test_a_page_and_a_method_without_a_counterpart_are_no_findings() -> None:
    paths = {"/mcp": {"post": {}}, "/pets/{pet_id}": {"get": QUERY, "trace": {}}}
    app = app_with(lambda: {"openapi": "3.0.3", "paths": paths})
    assert found_in(app)[2] == []


def test_findings_about_a_mounted_application_are_told_too() -> None:
    inner, outer = app_with(lambda: document({}, "/gone")), Flask("outer")
    outer.wsgi_app = DispatcherMiddleware(outer.wsgi_app, {"/in": inner})  # type: ignore[method-assign]

    found = FlaskAdapter(outer, Options()).discover().diagnostics
    assert [finding.code for finding in found] == ["document_route_unmatched"]


class Obliging(Flask):
    """An application that answers to any name, as those with event hooks do."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def test_an_application_that_answers_to_any_name_carries_no_extension() -> None:
    app = Obliging("pets")
    app.add_url_rule("/pets", "pets", lambda: "", methods=["GET"])
    catalog = mount_mcp(app, options=everything()).build()
    assert ([tool.name for tool in catalog.tools], catalog.diagnostics) == (["get_pets"], ())
