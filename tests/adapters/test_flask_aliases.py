"""Rules of Flask views that are one operation although they are different functions."""

import functools
from typing import Any

from flask import Blueprint, Flask

from sezzlee_flask import FlaskAdapter, mount_mcp
from tests.adapters.flask_sources.oracle import everything


def outdated(view: Any) -> Any:
    """Warn whoever comes by an old path."""

    @functools.wraps(view)
    def warned(*args: Any, **given: Any) -> Any:
        return view(*args, **given), 200, {"warning": "299"}

    return warned


def new_order() -> Any:
    """Start an order."""
    return {}


def app_with(*routes: tuple[str, str, Any]) -> Flask:
    app, orders = Flask("shop"), Blueprint("shop", "shop")
    for path, endpoint, view in routes:
        orders.add_url_rule(path, endpoint, view, methods=["GET"])
    app.register_blueprint(orders)
    return app


def test_a_decorated_copy_on_a_path_of_the_same_name_is_the_same_operation() -> None:
    new = ("/orders-new", "new", new_order)
    old = ("/orders/new", "old", outdated(new_order))
    for routes in ((new, old), (old, new)):
        sezzlee = mount_mcp(app_with(*routes), options=everything())
        tools = [(tool.name, tool.route) for tool in sezzlee.catalog.tools]
        assert tools == [("new_order", "/orders-new")]
        assert [found.code for found in sezzlee.catalog.diagnostics] == ["route_folded"]
        assert sezzlee.invoke("new_order") == {"status": 200, "body": {}}


def test_a_decorated_copy_on_another_path_is_an_operation_of_its_own() -> None:
    app = app_with(("/orders/new", "new", new_order), ("/basket", "old", outdated(new_order)))
    catalog = mount_mcp(app, options=everything()).build()
    tools = [(tool.name, tool.route) for tool in catalog.tools]
    assert tools == [("get_basket", "/basket"), ("get_orders_new", "/orders/new")]


def test_methods_of_two_objects_are_never_one_operation() -> None:
    class Api:
        def find(self) -> Any:
            return {}

    routes = (("/a-b", "one", Api().find), ("/a/b", "other", Api().find))
    found = FlaskAdapter(app_with(*routes)).discover().operations
    assert len({operation.descriptor.endpoint_key for operation in found}) == 2
