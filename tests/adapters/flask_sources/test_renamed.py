"""Views behind decorators that take over a name by hand, as Flask needs one per endpoint."""

import functools
from typing import Any, Literal

import pytest
from flask import Flask, request

from sezzlee_flask import FlaskAdapter, mount_mcp
from sezzlee_py import ToolDefinition
from tests.adapters.flask_sources.oracle import everything


def guarded(view: Any) -> Any:
    def guard(*args: Any, **given: Any) -> Any:
        return view(*args, **given)

    guard.__name__ = view.__name__
    return guard


def timed(view: Any) -> Any:
    @functools.wraps(view)
    def time(*args: Any, **given: Any) -> Any:
        return view(*args, **given)

    return time


def find_pets(kind: Literal["cat", "dog"]) -> Any:
    """Find pets."""
    return {"kind": kind, "limit": request.args.get("limit", type=int)}


def said_by(view: Any) -> ToolDefinition:
    app = Flask("pets")
    app.add_url_rule("/pets/<kind>", view_func=view, methods=["GET"])
    (tool,) = mount_mcp(app, options=everything()).build().tools
    return tool


@pytest.mark.parametrize("around", [guarded, lambda view: guarded(timed(guarded(view)))])
def test_a_view_speaks_through_wrappers_that_took_its_name(around: Any) -> None:
    tool = said_by(around(find_pets))
    assert (tool.name, tool.description) == ("find_pets", "Find pets.")
    assert tool.input_schema["properties"] == {
        "kind": {"type": "string", "enum": ["cat", "dog"]},
        "limit": {"type": "integer"},
    }


def test_a_wrapper_under_its_own_name_or_around_several_speaks_for_itself() -> None:
    def guard(*args: Any, **given: Any) -> Any:
        return find_pets(*args, **given)

    other = guarded(find_pets)

    def either(*args: Any, **given: Any) -> Any:
        return other(*args, **given) or first(*args, **given)

    first = find_pets
    either.__name__ = "find_pets"
    # What only calls another function reads what that reads; the rest it says itself.
    for view, inputs in ((guard, {"kind", "limit"}), (either, {"kind"})):
        tool = said_by(view)
        assert tool.description == "GET /pets/{kind}"
        assert tool.input_schema["properties"].keys() == inputs
        assert tool.input_schema["properties"]["kind"] == {"type": "string"}


def test_text_of_the_wrapper_counts_where_the_view_has_none() -> None:
    def silent(kind: str) -> Any:
        return {}

    for view, text in ((find_pets, "Find pets."), (silent, "Guard a view.")):
        wrapper = guarded(view)
        wrapper.__doc__ = "Guard a view."
        assert said_by(wrapper).description == text


def test_a_wrapper_that_took_a_name_may_be_a_guard() -> None:
    app = Flask("pets")
    app.add_url_rule("/open/<kind>", "open", find_pets, methods=["GET"])
    app.add_url_rule("/kept/<kind>", "kept", guarded(find_pets), methods=["GET"])
    adapter = FlaskAdapter(app, everything())

    found = {
        o.descriptor.route: o.descriptor.auth.imperative for o in adapter.discover().operations
    }
    assert found == {"/open/{kind}": False, "/kept/{kind}": True}
    # A probe may end before the view alone.
    assert len(adapter.cut()) == 1
