"""What a case may say though no shared one does: a runner feeds it to the project all the same."""

from typing import Any

import pytest

from tests.conformance.runners import argument_mapping, tool_definition

GROUP = {"name": "g", "type": "object", "members": [{"name": "a", "type": "string"}]}
FORM = {"content_type": "application/x-www-form-urlencoded", "fields": ["g"]}


@pytest.mark.parametrize(
    ("template", "arguments", "expected"),
    [
        pytest.param(
            {"body": {**FORM, "form": {"fields": [{**GROUP, "notation": "dot"}]}}},
            {"g": {"a": "x"}},
            {"content_type": FORM["content_type"], "body_form": "g.a=x"},
            id="an object field with a notation of its own",
        ),
        pytest.param(
            {"body": {"root": "body", "fill": {"kind": "omit"}}},
            {},
            {},
            id="a root that is omitted",
        ),
        pytest.param(
            {"body": {"root": "body", "fill": {"kind": "deferred", "source": "nobody"}}},
            {},
            {},
            id="a root whose fill has no value",
        ),
        pytest.param(
            {
                "route": "/x/<float:n>",
                "parameters": [{"name": "n", "in": "path", "type": "number"}],
            },
            {"n": 1},
            {"path_and_query": "/x/1.0"},
            id="a float converter of Werkzeug",
        ),
        pytest.param(
            {"body": {"root": "body"}},
            {"body": 1.2345678901234568e20},
            {"content_type": "application/json; charset=utf-8", "body_json": 123456789012345680000},
            id="a float that is written as an integer",
        ),
    ],
)
def test_a_case_of_argument_mapping_may_say(
    template: dict[str, Any], arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    whole = {"method": "POST", "route": "/x", "parameters": [], **template}
    argument_mapping.check(
        {"template": whole, "arguments": arguments}, {"path_and_query": "/x", **expected}
    )


def test_a_tool_case_may_give_folded_routes_with_converters() -> None:
    case = {
        "method": "GET",
        "route": "/orders",
        "auth": {"anonymous": "no", "policies": [], "imperative": False},
        "arguments": [{"name": "region", "hidden": {"kind": "omit"}}],
        "folded_routes": ["/regions/<int:region>/orders"],
    }
    assert tool_definition.outcome(case)["name"] == "get_orders"
