"""What a view reads that only calls another function and returns its answer."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask, request
from flask.views import MethodView

from sezzlee_flask import mount_mcp
from sezzlee_py import ToolDefinition
from tests.adapters.flask_sources.oracle import everything

HERE = sys.modules[__name__]


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@logged
def find_orders(shop: str | None = None) -> Any:
    return [shop, request.args.get("q"), int(request.args.get("page", 1))]


def create_order() -> Any:
    return {"sku": request.get_json()["sku"]}


def by_name(name: str) -> Any:
    return [request.args.get(name)]


def passed_on(shop: str) -> Any:
    return find_orders(shop)


def endless() -> Any:
    return endless()


def with_docstring() -> Any:
    """Find orders."""
    return find_orders()


def of_a_module(shop: str) -> Any:
    return HERE.find_orders(shop=shop)


async def awaited() -> Any:
    return await find_orders()


def over_two(shop: str) -> Any:
    return passed_on(shop)


def twice_by_method() -> Any:
    if request.method == "POST":
        return create_order()
    return find_orders()


def with_a_name() -> Any:
    return by_name("title")


def with_more() -> Any:
    found = find_orders()
    return [found]


def with_its_own() -> Any:
    return find_orders(request.args.get("shop"))


def one_of_two() -> Any:
    if HERE.__doc__:
        return find_orders()
    return create_order()


def of_kind(kind: str, page: int = 1) -> Any:
    if kind == "search":
        return [request.args.get("q"), page]
    return [kind]


def of_kind_in_short(kind: str) -> Any:
    return (kind and request.args["q"]) or [kind]


def of_kind_again_and_again(kind: str) -> Any:
    while kind:
        kind = request.args["q"]
    return []


def of_shop(shop: str) -> Any:
    if not shop:
        return []
    return [request.args.get("q")]


def chosen(kind: str) -> Any:
    return of_kind(kind)


def chosen_in_short(kind: str) -> Any:
    return of_kind_in_short(kind)


def chosen_again_and_again(kind: str) -> Any:
    return of_kind_again_and_again(kind)


def unchosen(shop: str) -> Any:
    return of_shop(shop)


class Orders(MethodView):
    def get(self) -> Any:
        return self.found()

    def found(self) -> Any:
        return [request.args.get("state")]


def tools_of(view: Callable[..., Any], rule: str = "/orders") -> list[ToolDefinition]:
    app = Flask("orders")
    app.add_url_rule(rule, "orders", view, methods=["GET", "POST"])
    return list(mount_mcp(app, options=everything()).build().tools)


def inputs_of(tool: ToolDefinition) -> list[tuple[str, str, bool]]:
    return [(slot.name, str(slot.location), slot.required) for slot in tool.slots]


FOUND = [("q", "query", False), ("page", "query", False)]
SHOP = [("shop", "path", True)]


@pytest.mark.parametrize(
    ("view", "rule", "inputs"),
    [
        (with_docstring, "/orders", FOUND),
        (awaited, "/orders", FOUND),
        (of_a_module, "/<shop>/orders", SHOP + FOUND),
        (over_two, "/<shop>/orders", SHOP + FOUND),
        (with_a_name, "/orders", [("title", "query", False)]),
        (with_more, "/orders", []),
        (with_its_own, "/orders", [("shop", "query", False)]),
        (one_of_two, "/orders", []),
        (endless, "/orders", []),
        (chosen, "/<kind>", [("kind", "path", True)]),
        (chosen_in_short, "/<kind>", [("kind", "path", True)]),
        (chosen_again_and_again, "/<kind>", [("kind", "path", True)]),
        (unchosen, "/<shop>/orders", [*SHOP, ("q", "query", False)]),
        (Orders.as_view("orders"), "/orders", [("state", "query", False)]),
    ],
)
def test_a_view_that_only_calls_a_function_reads_what_that_reads(
    view: Callable[..., Any], rule: str, inputs: list[tuple[str, str, bool]]
) -> None:
    (tool,) = (tool for tool in tools_of(view, rule) if tool.method == "GET")
    assert inputs_of(tool) == inputs


def test_of_a_view_that_calls_by_method_each_reads_its_own() -> None:
    tools = {tool.method: tool for tool in tools_of(twice_by_method)}
    assert inputs_of(tools["GET"]) == FOUND
    assert list(tools["POST"].input_schema["properties"]["body"]["properties"]) == ["sku"]


def test_what_a_view_only_calls_gives_no_name_and_no_description() -> None:
    (tool,) = (tool for tool in tools_of(passed_on, "/<shop>/orders") if tool.method == "GET")
    assert (tool.name, tool.description) == ("get_passed_on", "GET /{shop}/orders")


def documented() -> Any:
    """Create an order.
    ---
    parameters:
      - {name: dry, in: query, schema: {type: boolean}}
    """
    return create_order()


def test_what_a_view_only_calls_adds_no_body_to_what_is_documented() -> None:
    (tool,) = (tool for tool in tools_of(documented) if tool.method == "POST")
    assert inputs_of(tool) == [("dry", "query", False)]
