"""Fields that a view reads of its JSON body by a literal name."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask, abort, request
from flask import json as flask_json

from sezzlee_flask import mount_mcp
from sezzlee_flask.sources.json_reads import json_fields_read
from sezzlee_py import Options, mcp_tool

OPEN = {"type": "object", "additionalProperties": True}


def by_attribute() -> Any:
    return request.json["name"], request.json.get("age")  # type: ignore[index,union-attr]


def by_call() -> Any:
    return request.get_json(force=True)["name"], request.get_json(silent=True).get("age", 3)


def by_local_name() -> Any:
    data = request.get_json()
    if not data or "name" not in data:
        abort(400)
    for key in data:
        print(key)
    return dict(**data), data["name"], data.pop("age", None), len(data)


def by_a_name_that_may_be_empty() -> Any:
    data = request.get_json(silent=True)
    if data and "name" not in data:
        abort(400)
    return data and data["name"], (data or {}).get("age"), (request.json or {}).get("age")


def by_a_name_that_is_empty_instead() -> Any:
    data = request.get_json(silent=True) or {}
    return data["name"], (request.json or {}).get("age")


def out_of_its_text() -> Any:
    data = json.loads(request.data)
    return data["name"], json.loads(request.get_data(as_text=True))["age"]


def out_of_its_text_by_flask() -> Any:
    return flask_json.loads(request.data)["name"], flask_json.loads(request.get_data())["age"]


READS = (
    *(by_attribute, by_call, by_local_name, by_a_name_that_may_be_empty),
    *(by_a_name_that_is_empty_instead, out_of_its_text, out_of_its_text_by_flask),
)


@pytest.mark.parametrize("view", READS)
def test_what_is_read_by_a_literal_name_is_a_field(view: Callable[..., Any]) -> None:
    assert tuple(json_fields_read(view)) == ("name", "age")


def checked(data: Any) -> Any:
    data.setdefault("extra", 1)
    return data


def written_to() -> Any:
    data = request.get_json()
    data["total"] = 3
    return data["total"]


def given_away() -> Any:
    data = request.get_json()
    checked(data)
    return data["extra"]


def updated() -> Any:
    data = request.get_json()
    data.update(total=3)
    return data["total"]


def bound_twice() -> Any:
    data = request.get_json()
    data = {"name": data}
    return data["name"]


def filled_by_default() -> Any:
    data = request.get_json() or {"name": "nobody"}
    return data["name"]


def known_by_another_name() -> Any:
    data = request.get_json()
    more = data or {}
    more["name"] = "nobody"
    return data["name"]


def seen_inside() -> Any:
    data = request.get_json()

    def later() -> Any:
        data["later"] = 1

    return later, data["later"]


def out_of_another_text() -> Any:
    data = json.loads(request.headers["x-data"])
    return data["name"], request.data


def by_a_variable(name: str = "name") -> Any:
    return request.json[name], request.args["name"], request.headers["name"]  # type: ignore[index]


UNCERTAIN = (
    *(written_to, given_away, updated, bound_twice, filled_by_default, seen_inside),
    *(out_of_another_text, by_a_variable, known_by_another_name),
)


@pytest.mark.parametrize("view", UNCERTAIN)
def test_what_is_not_certain_is_no_field(view: Callable[..., Any]) -> None:
    assert tuple(json_fields_read(view)) == ()


def test_an_open_body_stays_open_and_tells_what_is_read_of_it() -> None:
    app = Flask("shop")

    @app.post("/orders")
    def place_order() -> Any:
        data = request.get_json()
        return {"title": data["title"], "all": dict(data)}

    sezzlee = mount_mcp(app, options=Options(selection={"default": "include"}))
    (tool,) = sezzlee.catalog.tools
    assert tool.input_schema["properties"] == {"body": {**OPEN, "properties": {"title": {}}}}
    assert tool.input_schema["required"] == []
    assert [d.code for d in sezzlee.catalog.diagnostics] == [
        "optional_body_argument",
        "undeclared_body",
    ]
    sent = {"title": "Emma", "copies": 2}
    assert sezzlee.invoke("place_order", {"body": sent})["body"] == {"title": "Emma", "all": sent}


def test_what_is_declared_stands_alone() -> None:
    app = Flask("shop")
    declared = {"type": "object", "properties": {"isbn": {"type": "string"}}}

    @app.post("/orders")
    @mcp_tool(body=declared)
    def place_order() -> Any:
        return {"title": request.get_json()["title"]}

    @app.post("/closing")
    @mcp_tool(body=False)
    def close() -> Any:
        return {"title": request.get_json()["title"]}

    shapes = {tool.name: tool.input_schema["properties"] for tool in mount_mcp(app).catalog.tools}
    assert shapes == {"place_order": {"isbn": {"type": "string"}}, "close": {}}


def test_a_method_without_a_body_has_no_fields() -> None:
    app = Flask("shop")

    @app.delete("/orders")
    @mcp_tool
    def drop_order() -> Any:
        return {"title": request.get_json()["title"]}

    (tool,) = mount_mcp(app).catalog.tools
    assert tool.input_schema["properties"] == {}
