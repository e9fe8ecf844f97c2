"""What is found in a Flask application, held against Werkzeug's own router."""

import functools
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

import pytest
from flask import Blueprint, Flask, request
from flask.views import MethodView, View
from pydantic import Field
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter, IntegerConverter, Rule

from sezzlee_flask import FlaskAdapter, mount_mcp
from sezzlee_py import Options, declare, mcp_ignore, mcp_tool
from sezzlee_py.catalog.adapter import OWN_ROUTE_MARKER, DiscoveredOperation
from sezzlee_py.catalog.build import build_catalog
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.model import Anonymous, Auth, Parameter, ParameterLocation

EVERYTHING = Options(selection={"default": "include"})


def found_in(app: Flask) -> tuple[DiscoveredOperation, ...]:
    return FlaskAdapter(app).discover().operations


def pairs(app: Flask) -> list[tuple[str, str]]:
    """The operations that a request reaches, by path: Werkzeug lists rules by endpoint."""
    found = [(o.descriptor.method, o.descriptor.route) for o in found_in(app) if o.reachable]
    return sorted(found, key=lambda pair: pair[1])


def catalog_of(app: Flask, options: Options = EVERYTHING) -> Catalog:
    return build_catalog(FlaskAdapter(app).discover(), options)


def names(app: Flask) -> list[str]:
    return [tool.name for tool in catalog_of(app).tools]


def codes(app: Flask) -> list[tuple[str, str | None]]:
    return [(d.code, d.operation) for d in catalog_of(app).diagnostics]


def path_input(name: str, schema: dict[str, Any], **facts: Any) -> Parameter:
    return Parameter(
        name=name, location=ParameterLocation.PATH, schema=schema, required=True, **facts
    )


TEXT = {"type": "string"}


def view(*_: Any, **__: Any) -> str:
    """Answer."""
    return "ok"


def app_with(*rules: tuple[str, dict[str, Any]]) -> Flask:
    app = Flask("shop")
    for number, (rule, settings) in enumerate(rules):
        app.add_url_rule(rule, f"view{number}", settings.pop("view", view), **settings)
    return app


# --- rules and methods --------------------------------------------------------------------------


def test_every_declared_method_of_a_rule_is_an_operation_and_added_ones_are_not() -> None:
    app = app_with(
        ("/a", {"methods": ["POST", "GET", "DELETE"]}),
        ("/b", {}),
        ("/c", {"methods": ["HEAD"]}),
        ("/d", {"methods": ["GET", "OPTIONS"]}),
        ("/e", {"methods": ["OPTIONS"]}),
        ("/f", {"methods": ["QUERY"]}),
    )
    assert pairs(app) == [
        ("GET", "/a"),
        ("POST", "/a"),
        ("DELETE", "/a"),
        ("GET", "/b"),
        ("HEAD", "/c"),
        ("GET", "/d"),
        ("OPTIONS", "/e"),
        ("QUERY", "/f"),
    ]


def test_a_method_without_counterpart_is_reported_where_its_route_is_selected() -> None:
    app = Flask("shop")
    app.add_url_rule("/a", view_func=mcp_tool(name="a")(lambda: ""), methods=["TRACE", "GET"])
    app.add_url_rule("/b", "b", view, methods=["CONNECT"])
    catalog = catalog_of(app, Options())
    assert [(d.code, d.operation) for d in catalog.diagnostics] == [
        ("unsupported_method", "TRACE /a")
    ]
    assert [tool.name for tool in catalog.tools] == ["a"]


def test_routes_flask_and_werkzeug_answer_by_themselves_are_no_operations() -> None:
    app = Flask("shop", static_folder=".", static_url_path="/files")
    blueprint = Blueprint("part", "shop", static_folder=".", url_prefix="/part")
    app.register_blueprint(blueprint)
    app.add_url_rule("/live", "live", view)
    app.url_map.add(Rule("/socket", endpoint="live", websocket=True))
    app.url_map.add(Rule("/old", endpoint="live", redirect_to="/live"))
    app.url_map.add(Rule("/other-name", endpoint="live", alias=True))
    app.url_map.add(Rule("/only-built", endpoint="live", build_only=True))
    app.url_map.add(Rule("/nobody", endpoint="nobody"))
    own = functools.partial(view)
    setattr(own, OWN_ROUTE_MARKER, True)
    app.add_url_rule("/own", "own", own)
    assert pairs(app) == [("GET", "/live")]


def test_a_host_s_own_endpoint_called_static_is_an_operation() -> None:
    app = Flask("shop", static_folder=None)
    app.add_url_rule("/figures", "static", view)
    app.add_url_rule("/static/<name>/report", "static_report", view)
    app.add_url_rule("/analyses/<name>", "static_analysis", view)
    app.add_url_rule("/static/checks/<name>", "static_check", view, methods=["POST"])
    app.add_url_rule("/checks/<path:name>", "static_checks", view, methods=["POST"])
    app.add_url_rule("/static/pages/<name>", "pages", view)
    app.add_url_rule("/static/files/<name>", "static_file", mcp_tool()(lambda name: name))
    assert pairs(app) == [
        ("GET", "/analyses/{name}"),
        ("POST", "/checks/{name}"),
        ("GET", "/figures"),
        ("POST", "/static/checks/{name}"),
        ("GET", "/static/files/{name}"),
        ("GET", "/static/pages/{name}"),
        ("GET", "/static/{name}/report"),
    ]


def test_static_files_that_a_host_serves_by_itself_are_no_operations() -> None:
    app = Flask("shop", static_folder=None)
    blueprint = Blueprint("board", "shop", url_prefix="/board")
    blueprint.add_url_rule("/static/<path:filename>", "static", view)
    app.register_blueprint(blueprint)
    app.add_url_rule("/static-files/<path:path>", "serve_static_file", view)
    app.add_url_rule("/static/<group>/<filename>", "static_content", view)
    app.add_url_rule("/themes/<theme>/<path:filename>", "themes.static", view)
    app.add_url_rule("/assets/<path:name>", "send_static", view)
    app.add_url_rule("/icon", "icon", app.send_static_file, defaults={"filename": "i.ico"})
    app.add_url_rule("/board/<path:filename>", "board", blueprint.send_static_file)
    assert pairs(app) == []


@pytest.mark.parametrize("rules", [("<int:name>", "<name>"), ("<name>", "<int:name>")])
def test_rules_of_one_view_that_differ_in_a_converter_take_what_any_of_them_takes(
    rules: tuple[str, str],
) -> None:
    app = Flask("shop")
    for rule in rules:
        app.add_url_rule(f"/orders/{rule}", "show", view)
    (operation,) = found_in(app)
    assert operation.descriptor.parameters == (path_input("name", {"type": "string"}),)


def test_a_rule_added_by_hand_answers_get_when_it_names_no_method() -> None:
    app = Flask("shop")
    app.view_functions["hand"] = view
    app.url_map.add(Rule("/hand", endpoint="hand"))
    assert pairs(app) == [("GET", "/hand")]


# --- inputs in the path -------------------------------------------------------------------------


class Custom(BaseConverter):
    regex = "[a-z]+"


class Flat(BaseConverter):
    regex = r"[^/\]]+"


class Dated(BaseConverter):
    regex = r"\d{4}/\d\d"


class Deep(BaseConverter):
    regex = "[a-z]+(?:/[a-z]+)*"


class Signed(IntegerConverter):
    regex = r"-?\d+"


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("<x>", path_input("x", {"type": "string"})),
        ("<string(length=2):x>", path_input("x", {**TEXT, "minLength": 2, "maxLength": 2})),
        ("<int:x>", path_input("x", {"type": "integer", "minimum": 0})),
        ("<int(min=3, max=9):x>", path_input("x", {"type": "integer", "minimum": 3, "maximum": 9})),
        ("<int(signed=True):x>", path_input("x", {"type": "integer"})),
        ("<float:x>", path_input("x", {"type": "number", "minimum": 0}, fractional=True)),
        ("<uuid:x>", path_input("x", {"type": "string", "format": "uuid"})),
        ("<any(red, 'deep blue'):x>", path_input("x", {**TEXT, "enum": ["red", "deep blue"]})),
        ("<path:x>", path_input("x", {"type": "string"}, spans_segments=True)),
        ("<custom:x>", path_input("x", {"type": "string"})),
        ("<deep:x>", path_input("x", {"type": "string"}, spans_segments=True)),
        ("<flat:x>", path_input("x", {"type": "string"})),
        ("<dated:x>", path_input("x", {"type": "string"}, spans_segments=True)),
    ],
)  # fmt: skip
def test_a_converter_says_what_its_values_are(spelled: str, expected: Parameter) -> None:
    app = Flask("shop")
    app.url_map.converters |= {"custom": Custom, "deep": Deep, "flat": Flat, "dated": Dated}
    app.add_url_rule(f"/start/{spelled}/end", "one", view)
    (operation,) = found_in(app)
    assert operation.descriptor.route == "/start/{x}/end"
    assert operation.descriptor.parameters == (expected,)


def test_a_converter_of_the_host_under_a_known_name_takes_any_text() -> None:
    app = Flask("shop")
    app.url_map.converters["int"] = Signed
    app.add_url_rule("/<int:x>", "one", view)
    (operation,) = found_in(app)
    assert operation.descriptor.parameters == (path_input("x", {"type": "string"}),)


def test_several_variables_in_one_segment_and_signs_between_them_are_kept() -> None:
    app = app_with(("/img/<int:w>x<int:h>.<any(png,jpg):kind>/~<user>", {}))
    (operation,) = found_in(app)
    assert operation.descriptor.route == "/img/{w}x{h}.{kind}/~{user}"
    assert [p.name for p in operation.descriptor.parameters] == ["w", "h", "kind", "user"]


def test_what_defaults_preprocessors_and_decorators_supply_is_no_input() -> None:
    app = Flask("shop")

    def with_user(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            return function(*args, user="ada", **kwargs)

        return guarded

    @app.url_value_preprocessor
    def pull(endpoint: str | None, values: dict[str, Any] | None) -> None:
        if values is not None:
            values["shop"] = "north"

    @app.get("/page", defaults={"number": 1})
    @app.get("/page/<int:number>")
    @with_user
    def page(number: int, user: str, shop: str) -> str:
        return f"{number} {user} {shop}"

    first, second = sorted(found_in(app), key=lambda found: found.descriptor.route)
    assert first.descriptor.parameters == ()
    assert second.descriptor.parameters == (
        path_input("number", {"type": "integer", "minimum": 0}),
    )
    assert names(app) == ["page", "page_by_number"]
    # Where the path says the default, Werkzeug itself redirects.
    assert app.test_client().get("/page").text == "1 ada north"


def test_annotations_refine_inputs_of_the_path_and_add_none() -> None:
    app = Flask("shop")

    @app.get("/<a>/<b>/<int:c>/<int:d>/<e>/<f>/<g>")
    def read(
        a: int,
        b: Literal["x", "y"],
        c: Annotated[int, Field(le=9, description="How many.")],
        d: str,
        e: uuid.UUID | None,
        f: "Unknown",  # type: ignore[name-defined]  # noqa: F821 - a name that is only imported for types
        g: dict[str, int],
        h: int = 3,
    ) -> str:
        return ""

    (operation,) = found_in(app)
    assert [(p.name, p.schema) for p in operation.descriptor.parameters] == [
        ("a", {"type": "integer"}),
        ("b", {"type": "string", "enum": ["x", "y"]}),
        ("c", {"type": "integer", "minimum": 0, "maximum": 9, "description": "How many."}),
        ("d", {"type": "integer", "minimum": 0}),
        ("e", {"type": "string", "format": "uuid"}),
        ("f", {"type": "string"}),
        ("g", {"type": "string"}),
    ]


def test_a_view_that_shows_no_signature_keeps_what_the_converter_says() -> None:
    app = Flask("shop")
    app.add_url_rule("/<int:x>", "one", cast("Any", int))
    (operation,) = found_in(app)
    assert operation.descriptor.parameters == (path_input("x", {"type": "integer", "minimum": 0}),)


def test_literal_text_that_reads_like_a_placeholder_gives_no_tool() -> None:
    app = app_with(("/{a}/<b>", {}), ("/{{}}/<b>", {}))
    assert codes(app) == [("template_rejected", "GET /{a}/{b}")]
    assert pairs(app)[1] == ("GET", "/{{}}/{b}")


# --- class-based views --------------------------------------------------------------------------


class Base(MethodView):
    methods = ["GET", "POST", "PUT", "DELETE"]  # noqa: RUF012 - as Flask spells it

    def delete(self, order_id: int) -> str:
        """Remove it."""
        return "gone"


class OrderResource(Base):
    """Orders."""

    def get(self, order_id: int | None = None) -> str:
        """Read orders."""
        return f"get {order_id}"


def order_app() -> Flask:
    app = Flask("shop")
    orders = OrderResource.as_view("orders")
    app.add_url_rule("/orders", view_func=orders)
    app.add_url_rule("/orders/<int:order_id>", view_func=orders)
    return app


def test_a_class_serves_the_verbs_it_has_a_handler_for_own_or_inherited() -> None:
    app = order_app()
    assert pairs(app) == [
        ("GET", "/orders"),
        ("DELETE", "/orders"),
        ("GET", "/orders/{order_id}"),
        ("DELETE", "/orders/{order_id}"),
    ]
    assert names(app) == ["delete_by_order_id", "get_by_order_id", "order_delete", "order_get"]


def test_a_class_is_container_and_documents_its_verbs_one_by_one() -> None:
    operation = found_in(order_app())[0]
    descriptor = operation.descriptor
    key = f"{__name__}.OrderResource"
    assert (descriptor.container, descriptor.container_key) == ("OrderResource", key)
    assert descriptor.description == "Read orders."
    assert descriptor.source == f"{__name__}:OrderResource.get"
    assert operation.endpoint is OrderResource.get
    assert operation.class_view
    assert operation.containers[0] is OrderResource


def test_two_views_of_one_class_are_one_unless_the_class_is_given_arguments() -> None:
    class Plain(MethodView):
        def get(self) -> str:
            return ""

    class Group(MethodView):
        def __init__(self, model: str) -> None:
            self.model = model

        def get(self) -> str:
            return self.model

    app = Flask("shop")
    app.add_url_rule("/plain", view_func=Plain.as_view("one"))
    app.add_url_rule("/plain/again", view_func=Plain.as_view("two"))
    app.add_url_rule("/users", view_func=Group.as_view("users", "user"))
    app.add_url_rule("/stories", view_func=Group.as_view("stories", "story"))
    assert names(app) == ["get_stories", "get_users", "plain_get"]


def test_a_view_that_dispatches_by_itself_serves_what_its_rule_lists() -> None:
    class Board(View):
        methods = ["GET", "POST"]  # noqa: RUF012 - as Flask spells it

        def dispatch_request(self) -> str:
            return "board"

        def query(self) -> None:
            """A helper, not a verb that the rule lists."""

    class Verbs(View):
        methods = ["GET", "POST"]  # noqa: RUF012 - as Flask spells it

        def dispatch_request(self) -> str:
            return "get"

        def get(self) -> str:
            return "get"

    app = Flask("shop")
    app.add_url_rule("/board", view_func=Board.as_view("user_board"))
    app.add_url_rule("/verbs", view_func=Verbs.as_view("verbs"))
    assert pairs(app) == [("GET", "/board"), ("POST", "/board"), ("GET", "/verbs")]
    assert names(app) == ["get_user_board", "post_user_board", "verbs_get"]


def wrapped_like_itself(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def test_a_view_that_dispatches_by_itself_is_what_its_dispatch_request_says() -> None:
    class Board(View):
        @mcp_tool(name="show_board", tags=["boards"])
        @wrapped_like_itself
        def dispatch_request(self, board_id: int) -> str:
            """Show a board."""
            return f"board {board_id}"

    class Named(View):
        """Show what has a name of its own."""

        def dispatch_request(self) -> str:
            """Answer."""
            return "named"

    app = Flask("shop")
    app.add_url_rule("/boards/<board_id>", view_func=Board.as_view("board"))
    app.add_url_rule("/named", view_func=mcp_tool(name="named")(Named.as_view("named")))
    sezzlee = mount_mcp(app)
    board, named = sezzlee.build().tools[::-1]
    assert (board.name, board.description, board.tags) == (
        "show_board",
        "Show a board.",
        ("boards",),
    )
    assert board.input_schema["properties"] == {"board_id": {"type": "integer"}}
    assert board.auth.imperative
    assert sezzlee.invoke("show_board", {"board_id": 7})["body"] == "board 7"
    assert (named.name, named.description) == ("named", "Show what has a name of its own.")
    assert not named.auth.imperative


def test_a_method_called_like_a_verb_makes_no_view_dispatch_by_verb() -> None:
    class Node(View):
        def __init__(self, command: str) -> None:
            self.command = command

        def dispatch_request(self, node_id: int | None = None) -> str:
            return self.command

        def delete(self) -> str:
            """Drop the node, whichever command asks for it."""
            return "gone"

    app = Flask("shop")
    app.add_url_rule("/sql", view_func=Node.as_view("sql", "sql"), methods=["GET"])
    node = Node.as_view("object", "object")
    app.add_url_rule("/node/<int:node_id>", view_func=node, methods=["GET", "PUT", "DELETE"])
    app.add_url_rule("/drop", view_func=Node.as_view("drop", "drop"), methods=["DELETE"])
    assert pairs(app) == [
        ("DELETE", "/drop"),
        ("GET", "/node/{node_id}"),
        ("PUT", "/node/{node_id}"),
        ("DELETE", "/node/{node_id}"),
        ("GET", "/sql"),
    ]
    assert names(app) == [
        "node_delete_object",
        "node_drop",
        "node_get_object",
        "node_put_object",
        "node_sql",
    ]


def test_the_class_behind_a_wrapped_view_is_found() -> None:
    wrapped = wrapped_like_itself(OrderResource.as_view("orders"))
    del wrapped.view_class  # type: ignore[attr-defined]
    app = Flask("shop")
    app.add_url_rule("/orders", view_func=wrapped)
    (read, _) = found_in(app)
    assert read.descriptor.container == "OrderResource"
    assert read.descriptor.auth.imperative


def test_a_bound_method_has_its_class_as_container() -> None:
    class Desk:
        def list_visits(self) -> str:
            return ""

    app = Flask("shop")
    app.add_url_rule("/visits", view_func=Desk().list_visits)
    (operation,) = found_in(app)
    assert operation.descriptor.container == "Desk"
    assert operation.containers == (Desk, app)
    assert names(app) == ["desk_list_visits"]


# --- blueprints ---------------------------------------------------------------------------------


def blueprint_app() -> tuple[Flask, Blueprint, Blueprint]:
    app = Flask("shop")
    shop = Blueprint("shop", __name__, url_prefix="/shop")
    cart = Blueprint("cart", __name__, url_prefix="/cart")

    @cart.post("/items")
    def add() -> str:
        return ""

    @app.get("/ping")
    def ping() -> str:
        return ""

    shop.register_blueprint(cart)
    app.register_blueprint(shop, url_prefix="/v1/shop")
    return app, shop, cart


def test_a_blueprint_is_container_by_its_dotted_name() -> None:
    app, shop, cart = blueprint_app()
    ping, add = found_in(app)
    assert add.descriptor.route == "/v1/shop/cart/items"
    assert (add.descriptor.container, add.descriptor.container_key) == ("shop.cart", "shop.cart")
    assert add.containers == (cart, shop, app)
    assert (ping.descriptor.container, ping.containers) == (None, (app,))
    assert names(app) == ["cart_add", "ping"]


def test_one_blueprint_registered_twice_gives_two_containers() -> None:
    app = Flask("shop")
    part = Blueprint("part", __name__)
    part.add_url_rule("/list", "list_all", view)
    app.register_blueprint(part, url_prefix="/a")
    app.register_blueprint(part, url_prefix="/b", name="other")
    assert [found.descriptor.container for found in found_in(app)] == ["part", "other"]
    assert names(app) == ["other_view", "part_view"]


def test_an_endpoint_with_a_dot_of_its_own_has_no_blueprint() -> None:
    app = Flask("shop")
    app.add_url_rule("/x", "admin.list", view)
    (operation,) = found_in(app)
    assert (operation.descriptor.container, operation.containers) == (None, (app,))


def test_declarations_on_application_blueprint_class_and_function_count_nearest_first() -> None:
    app, shop, cart = blueprint_app()
    declare(app, ignore=True)
    declare(shop, tags=["shopping"])
    declare(cart, prefix="basket")
    catalog = catalog_of(app, Options())
    assert [(tool.name, tool.tags) for tool in catalog.tools] == [("basket_add", ("shopping",))]


def test_late_routes_and_blueprints_are_there_after_the_next_walk() -> None:
    app = Flask("shop")
    adapter = FlaskAdapter(app)
    assert adapter.discover().operations == ()
    late = Blueprint("late", __name__, url_prefix="/late")
    late.add_url_rule("/x", "x", view)
    app.register_blueprint(late)
    assert [o.descriptor.route for o in adapter.discover().operations] == ["/late/x"]


# --- handlers -----------------------------------------------------------------------------------


def test_a_docstring_ends_before_its_yaml_and_its_second_paragraph() -> None:
    app = Flask("shop")

    @app.get("/yaml")
    def with_yaml() -> str:
        """Returns the
        address.
        ---
        tags: [x]
        """
        return ""

    @app.get("/two")
    def two() -> str:
        """One.

        Two.
        """
        return ""

    assert [o.descriptor.description for o in found_in(app)] == ["Returns the address.", "One."]


def test_wrappers_are_seen_through_and_counted_as_possible_guards() -> None:
    def login_required(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return guarded

    app = Flask("shop")

    @app.get("/a")
    @login_required
    @mcp_tool
    def guarded_view() -> str:
        """Guarded."""
        return ""

    class Decorated(MethodView):
        decorators = [lambda function: lambda **_: function()]  # noqa: RUF012 - as Flask spells it

        def get(self) -> str:
            return ""

    app.add_url_rule("/b", view_func=Decorated.as_view("b"))
    app.add_url_rule("/c", "c", view)
    assert [o.descriptor.auth for o in found_in(app)] == [
        Auth(imperative=True),
        Auth(imperative=True),
        Auth(),
    ]
    assert [tool.name for tool in catalog_of(app, Options()).tools] == ["guarded_view"]


def test_markers_on_view_class_blueprint_and_application_are_joined() -> None:
    app = Flask("shop")
    part = Blueprint("part", __name__)
    part.__mcp_auth__ = {"anonymous": "no", "policies": ["clerk"]}  # type: ignore[attr-defined]

    def marked() -> str:
        return ""

    marked.__mcp_auth__ = {"policies": ["refund"], "imperative": False}  # type: ignore[attr-defined]
    part.add_url_rule("/x", "x", marked)
    app.register_blueprint(part)
    app.__mcp_auth__ = {"anonymous": "yes"}  # type: ignore[attr-defined]
    (operation,) = found_in(app)
    assert operation.descriptor.auth == Auth(
        anonymous=Anonymous.NO, policies=("refund", "clerk"), imperative=False
    )


def test_an_ignored_view_of_an_included_class_is_left_out() -> None:
    @mcp_tool
    class Notes(MethodView):
        def get(self) -> str:
            return ""

        @mcp_ignore
        def post(self) -> str:
            return ""

    app = Flask("shop")
    app.add_url_rule("/notes", view_func=Notes.as_view("notes"))
    assert [tool.name for tool in catalog_of(app, Options()).tools] == ["notes_get"]


def test_a_deprecated_view_says_so() -> None:
    app = Flask("shop")

    def old() -> str:
        return ""

    old.__deprecated__ = "use /new"  # type: ignore[attr-defined]
    app.add_url_rule("/old", "old", old)
    (operation,) = found_in(app)
    assert operation.descriptor.deprecated


# --- bodies -------------------------------------------------------------------------------------


def test_a_write_that_says_nothing_takes_an_optional_open_body() -> None:
    app = app_with(("/a", {"methods": ["POST", "PUT", "PATCH", "DELETE", "GET"]}))
    catalog = catalog_of(app)
    assert [(t.name, list(t.input_schema["properties"])) for t in catalog.tools] == [
        ("delete_view", []),
        ("get_view", []),
        ("patch_view", ["body"]),
        ("post_view", ["body"]),
        ("put_view", ["body"]),
    ]
    assert [t.input_schema["required"] for t in catalog.tools] == [[], [], [], [], []]
    found = {operation for code, operation in codes(app) if code == "undeclared_body"}
    assert found == {"PATCH /a", "POST /a", "PUT /a"}


def test_a_write_whose_query_is_declared_takes_no_open_body() -> None:
    app = Flask("shop")
    query = {"properties": {"copies": {"type": "integer"}}}
    app.add_url_rule("/a", "a", mcp_tool(name="a", query=query)(lambda: ""), methods=["POST"])
    app.add_url_rule("/b", "b", mcp_tool(name="b", query="flat")(lambda: ""), methods=["POST"])
    inputs = [list(tool.input_schema["properties"]) for tool in catalog_of(app).tools]
    assert inputs == [["copies"], ["body"]]
    assert [operation for code, operation in codes(app) if code == "undeclared_body"] == ["POST /b"]


def test_declared_body_query_responses_and_files_become_the_schemas() -> None:
    app = Flask("shop")

    @app.post("/orders/<int:shop>")
    @mcp_tool(
        name="order",
        body={"type": "object", "properties": {"book": {"type": "integer"}}, "required": ["book"]},
        query={"type": "object", "properties": {"dry": {"type": "boolean"}}},
        responses={201: {"type": "object", "properties": {"id": {"type": "integer"}}}},
    )
    def order(shop: int) -> str:
        return ""

    @app.post("/upload")
    @mcp_tool(name="upload", files=["picture"])
    def upload() -> str:
        return ""

    order_tool, upload_tool = catalog_of(app, Options()).tools
    assert order_tool.input_schema == {
        "type": "object",
        "properties": {
            "shop": {"type": "integer", "minimum": 0},
            "dry": {"type": "boolean"},
            "book": {"type": "integer"},
        },
        "required": ["shop", "book"],
        "additionalProperties": False,
    }
    assert order_tool.output_schema == {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
    }
    assert upload_tool.template is not None
    assert upload_tool.template.body is not None
    assert upload_tool.template.body.content_type == "multipart/form-data"
    assert list(upload_tool.input_schema["properties"]) == ["picture"]


# --- a check for forms --------------------------------------------------------------------------


class Csrf:
    """What Flask-WTF leaves in `app.extensions`."""

    def __init__(self, views: set[str], blueprints: set[object]) -> None:
        self._exempt_views = views
        self._exempt_blueprints = blueprints


def form_app(**config: Any) -> Flask:
    app = Flask("shop")
    app.config.update(config)
    form = mcp_tool(consumes="application/x-www-form-urlencoded", body={"properties": {"a": {}}})

    @app.post("/checked")
    @form
    def checked() -> str:
        return ""

    @app.post("/exempt")
    @form
    def exempt() -> str:
        return ""

    part, named = Blueprint("part", __name__), Blueprint("named", __name__)
    part.add_url_rule("/part", "part", form(lambda: ""), methods=["POST"])
    named.add_url_rule("/named", "named", form(lambda: ""), methods=["POST"])
    app.register_blueprint(part)
    app.register_blueprint(named)
    app.extensions["csrf"] = Csrf({f"{__name__}.exempt"}, {part, "named"})
    return app


def dropped_forms(app: Flask) -> list[str | None]:
    return [operation for code, operation in codes(app) if code == "form_antiforgery_required"]


def test_a_form_behind_a_visible_check_is_no_tool() -> None:
    app = form_app()
    assert dropped_forms(app) == ["POST /checked"]
    assert sorted(t.route for t in catalog_of(app).tools) == ["/exempt", "/named", "/part"]


@pytest.mark.parametrize(
    "config",
    [
        {"WTF_CSRF_ENABLED": False},
        {"WTF_CSRF_CHECK_DEFAULT": False},
        {"WTF_CSRF_METHODS": {"PUT"}},
    ],
)
def test_a_check_that_is_switched_off_stands_before_nothing(config: dict[str, Any]) -> None:
    assert dropped_forms(form_app(**config)) == []


def test_an_extension_that_hides_what_is_exempt_exempts_nothing() -> None:
    app = form_app()
    app.extensions["csrf"] = object()
    assert len(dropped_forms(app)) == 4


def test_a_marked_view_is_behind_a_check_of_the_host_s() -> None:
    app = Flask("shop")

    @app.post("/form")
    @mcp_tool(consumes="multipart/form-data", body={"properties": {"a": {"type": "string"}}})
    def form() -> str:
        return ""

    form.__mcp_antiforgery__ = True  # type: ignore[attr-defined]
    assert dropped_forms(app) == ["POST /form"]


# --- what no request reaches --------------------------------------------------------------------


def other(**_: Any) -> str:
    """Answer otherwise."""
    return "other"


def test_a_route_that_an_earlier_one_takes_is_shadowed_whatever_its_variables_are_called() -> None:
    app = app_with(("/a/<int:x>", {}), ("/a/<int:y>", {"view": other}), ("/a/<z>", {"view": other}))
    client = app.test_client()
    assert client.get("/a/5").text == "ok"
    assert pairs(app) == [("GET", "/a/{x}"), ("GET", "/a/{z}")]
    assert codes(app) == [("route_shadowed", "GET /a/{y}")]


def test_the_router_says_which_of_two_equal_paths_is_taken() -> None:
    app = Flask("shop")
    app.add_url_rule("/x", "late", other)
    app.add_url_rule("/a/<uuid:x>/<any(b,c):y>", "early", view)
    # Werkzeug lists it before the rule above, because its endpoint is known already.
    app.add_url_rule("/a/<uuid:p>/<any(b,c):q>", "late", other)
    assert app.test_client().get(f"/a/{uuid.uuid4()}/c").text == "ok"
    assert pairs(app) == [("GET", "/a/{x}/{y}"), ("GET", "/x")]


def test_of_equal_paths_that_no_sample_reaches_the_first_listed_stays() -> None:
    class Odd(BaseConverter):
        regex = "odd[0-9]{9}"

    app = Flask("shop")
    app.url_map.converters["odd"] = Odd
    app.add_url_rule("/a/<odd:x>", "one", view)
    app.add_url_rule("/a/<odd:y>", "two", other)
    assert pairs(app) == [("GET", "/a/{x}")]


def test_a_method_that_is_not_taken_is_served_by_the_later_route() -> None:
    app = app_with(("/a", {}), ("/a", {"methods": ["GET", "POST"], "view": other}))
    assert pairs(app) == [("GET", "/a"), ("POST", "/a")]
    assert app.test_client().post("/a").text == "other"


def test_one_function_registered_twice_for_one_path_is_one_route_without_a_report() -> None:
    app = app_with(("/a", {}), ("/a", {}))
    assert pairs(app) == [("GET", "/a")]
    assert codes(app) == []


def test_one_class_registered_twice_with_the_same_arguments_is_one_route_without_a_report() -> None:
    class Shelf(MethodView):
        def __init__(self, api: object, *, kind: str) -> None:
            self.kind = kind

        def get(self) -> str:
            return self.kind

    api, app = object(), Flask("shop")
    app.add_url_rule("/a", view_func=Shelf.as_view("first", api, kind="a"))
    app.add_url_rule("/a", view_func=Shelf.as_view("second", api, kind="a"))
    app.add_url_rule("/b", view_func=Shelf.as_view("third", api, kind="b"))
    app.add_url_rule("/b", view_func=Shelf.as_view("fourth", api, kind="c"))
    assert pairs(app) == [("GET", "/a"), ("GET", "/b")]
    shadowed = [found for found in codes(app) if found[0] == "route_shadowed"]
    assert shadowed == [("route_shadowed", "GET /b")]


def tell_endpoint(**_: Any) -> str:
    return endpoint_asked() or ""


def endpoint_asked() -> str | None:
    return request.endpoint


def tell_kind() -> str:
    return request.path.rpartition("/")[2]


def test_rules_of_one_view_that_answer_otherwise_are_tools_of_their_own() -> None:
    app = Flask("shop")
    app.add_url_rule("/tell/book", view_func=tell_kind)
    app.add_url_rule("/tell/film", view_func=tell_kind)
    app.add_url_rule("/tell-film", view_func=tell_kind)
    for kind in ("book", "film"):
        app.add_url_rule(f"/{kind}s", f"{kind}s", tell_endpoint)
        app.add_url_rule(f"/alias/{kind}", f"alias_{kind}", other)
        app.add_url_rule(f"/all/{kind}", "all", view, defaults={"kind": kind})
    catalog = catalog_of(app)
    assert [(t.name, t.route, t.alternate_routes) for t in catalog.tools] == [
        ("get_all_book", "/all/book", ()),
        ("get_all_film", "/all/film", ()),
        ("get_books", "/books", ()),
        ("get_films", "/films", ()),
        ("get_tell_book", "/tell/book", ()),
        ("get_tell_film", "/tell-film", ("/tell/film",)),
        ("other", "/alias/book", ("/alias/film",)),
    ]


def test_what_a_comprehension_asks_for_the_path_tells_rules_apart() -> None:
    def kinds() -> list[str]:
        return [tell_kind() for _ in range(2)]

    class Leaf(MethodView):
        def get(self) -> list[str]:
            return [self.part() for _ in range(2)]

        def part(self) -> str:
            return request.path

    app = Flask("shop")
    for kind in ("book", "film"):
        app.add_url_rule(f"/kinds/{kind}", view_func=kinds)
        app.add_url_rule(f"/leaf/{kind}", f"leaf_{kind}", Leaf.as_view(kind))
    assert [tool.name for tool in catalog_of(app).tools] == [
        "get_kinds_book",
        "get_kinds_film",
        "get_leaf_book",
        "get_leaf_film",
    ]


def test_a_view_that_asks_a_method_of_its_class_for_the_path_has_a_tool_for_each_rule() -> None:
    class Node(MethodView):
        def get(self, node_id: int) -> str:
            """Tell what the path names of a node."""
            return f"{self.part()} {node_id}"

        def put(self, node_id: int) -> str:
            """Change a node, by whichever path."""
            return str({"get": node_id}.get("get"))

        @staticmethod
        def part() -> str:
            return request.path.rpartition("/")[2]

    app = Flask("shop")
    for part in ("links", "files"):
        app.add_url_rule(f"/nodes/<int:node_id>/{part}", part, Node.as_view(part))
    assert [(t.name, t.route, t.alternate_routes) for t in catalog_of(app).tools] == [
        ("get_nodes_files_by_node_id", "/nodes/{node_id}/files", ()),
        ("get_nodes_links_by_node_id", "/nodes/{node_id}/links", ()),
        ("node_put", "/nodes/{node_id}/files", ("/nodes/{node_id}/links",)),
    ]


def test_a_subdomain_that_the_application_does_not_match_is_out_of_reach() -> None:
    app = app_with(("/a", {"subdomain": "api"}), ("/a", {}))
    assert [o.reachable for o in found_in(app)] == [False, True]


def test_equal_paths_of_two_subdomains_shadow_nothing() -> None:
    app = Flask("shop", subdomain_matching=True)
    app.config["SERVER_NAME"] = "shop.example"
    app.add_url_rule("/a", "one", view, subdomain="one")
    app.add_url_rule("/a", "two", other, subdomain="<name>")
    assert all(o.reachable for o in found_in(app))
    assert [o.descriptor.parameters for o in found_in(app)] == [(), ()]


# --- dispatchers --------------------------------------------------------------------------------


def test_applications_below_a_dispatcher_are_walked_with_their_prefix() -> None:
    app = app_with(("/a", {}), ("/api/lost", {"view": other}), ("/api/<x>/lost", {"view": other}))
    inner = app_with(("/items/<int:x>", {"view": other}))
    app.wsgi_app = DispatcherMiddleware(  # type: ignore[method-assign]
        ProxyFix(app.wsgi_app),
        {"/api": ProxyFix(inner), "/api/raw": lambda *_: [], "/bound": inner.wsgi_app},
    )
    assert pairs(app) == [
        ("GET", "/a"),
        ("GET", "/api/items/{x}"),
        ("GET", "/bound/items/{x}"),
    ]
    shadowed = [operation for code, operation in codes(app) if code == "route_shadowed"]
    assert shadowed == ["GET /api/lost", "GET /api/{x}/lost"]
    client = app.test_client()
    assert client.get("/api/items/4").text == "other"
    assert client.get("/api/lost").status_code == 404
    keys = {o.descriptor.route: o.descriptor.endpoint_key for o in found_in(app)}
    adapter = FlaskAdapter(app)
    assert adapter.resolve("GET", "/api/items/4") == keys["/api/items/{x}"]
    assert adapter.resolve("GET", "/api/nothing") is None
    assert adapter.resolve("GET", "/api/raw/x") not in (None, *keys.values())


def test_findings_of_a_mounted_application_name_its_prefix() -> None:
    app = Flask("outer")
    inner = app_with(("/x", {"methods": ["TRACE"]}), ("/{a}/<b>", {}))
    app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/in": inner})  # type: ignore[method-assign]
    assert sorted(codes(app)) == [
        ("template_rejected", "GET /in/{a}/{b}"),
        ("unsupported_method", "TRACE /in/x"),
    ]


def test_an_application_below_itself_is_walked_once() -> None:
    app = app_with(("/a", {}))
    app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/again": app})  # type: ignore[method-assign]
    assert pairs(app) == [("GET", "/a")]


# --- the router ---------------------------------------------------------------------------------


def test_resolving_gives_the_key_of_what_the_application_s_router_picks() -> None:
    app = app_with(
        ("/users/<name>", {}),
        ("/users/me", {"view": other}),
        ("/files/<path:p>", {"methods": ["GET", "PUT"]}),
        ("/slash/", {}),
    )
    keys = {o.descriptor.operation: o.descriptor.endpoint_key for o in found_in(app)}
    adapter = FlaskAdapter(app)
    asked = {
        ("GET", "/users/ada"): keys["GET /users/{name}"],
        ("GET", "/users/me"): keys["GET /users/me"],
        ("PUT", "/files/a/b"): keys["PUT /files/{p}"],
        ("GET", "/slash/"): keys["GET /slash/"],
        # Redirects and refusals are the router's answer, and nobody's operation.
        ("GET", "/slash"): None,
        ("GET", "/files//a"): None,
        ("POST", "/users/ada"): None,
        ("GET", "/nowhere"): None,
        ("GET", "/users/ada/x"): None,
    }
    assert {request: adapter.resolve(*request) for request in asked} == asked
    static = adapter.resolve("GET", "/static/shop.css")
    assert static is not None
    assert static not in keys.values()


def test_resolving_looks_at_the_host_where_the_application_does() -> None:
    app = Flask("shop", host_matching=True, static_host="static.example")
    app.add_url_rule("/a", "one", view, host="one.example")
    app.add_url_rule("/a", "two", other, host="<name>.two.example")
    one, two = (o.descriptor.endpoint_key for o in found_in(app))
    adapter = FlaskAdapter(app)
    asked = {"one.example": one, "x.two.example": two, "three.example": None, "b\0d host": None}
    assert {host: adapter.resolve("GET", "/a", host=host) for host in asked} == asked
    assert adapter.resolve("GET", "/a") == one
    assert adapter.resolve("GET", "/b") is None


def test_resolving_follows_subdomains_of_the_server_name() -> None:
    app = Flask("shop", subdomain_matching=True)
    app.config["SERVER_NAME"] = "shop.example"
    app.add_url_rule("/a", "api", view, subdomain="api")
    app.add_url_rule("/a", "plain", other)
    api, plain = (o.descriptor.endpoint_key for o in found_in(app))
    adapter = FlaskAdapter(app)
    asked = {"api.shop.example": api, "shop.example": plain, "api.shop.example:80": api}
    assert {host: adapter.resolve("GET", "/a", host=host) for host in asked} == asked
    assert adapter.resolve("GET", "/a") == api
    for number in range(200):
        adapter.resolve("GET", "/a", host=f"h{number}.shop.example")
    assert adapter.resolve("GET", "/a", host="shop.example") == plain


def test_a_converter_that_raises_is_no_match() -> None:
    class Raising(BaseConverter):
        def to_python(self, value: str) -> Any:
            raise RuntimeError("no database")

    app = Flask("shop")
    app.url_map.converters["row"] = Raising
    app.add_url_rule("/<row:x>", "one", view)
    assert pairs(app) == [("GET", "/{x}")]
    assert FlaskAdapter(app).resolve("GET", "/5") is None


def test_hostile_paths_and_methods_are_asked_without_a_raise() -> None:
    app = app_with(("/<path:x>/end", {}), ("/<int:n>", {}))
    adapter = FlaskAdapter(app)
    for path in ("", "/", "//", "/" + "9" * 6000, "/\0", "/\udcff", "/" + "a/" * 3000, "x" * 9000):
        for method in ("GET", "", "BREW"):
            adapter.resolve(method, path)
    assert adapter.resolve("GET", "/7") is not None


def test_a_root_catch_all_is_offered_by_a_marker_of_its_own_only() -> None:
    app = app_with(("/<path:anything>", {}))
    assert codes(app) == [("catch_all_skipped", "GET /{anything}")]
    mcp_tool(name="page")(view_of_its_own := lambda anything: anything)
    app = app_with(("/<path:anything>", {"view": view_of_its_own}))
    assert names(app) == ["page"]


def test_the_catalog_is_the_same_in_any_order_of_registration() -> None:
    rules: list[tuple[str, Callable[..., Any]]] = [
        ("/a", view),
        ("/b", other),
        ("/b/<int:x>", other),
        ("/c/<y>", view),
    ]

    def built(order: list[tuple[str, Callable[..., Any]]]) -> Catalog:
        app = Flask("shop")
        for rule, function in order:
            app.add_url_rule(rule, rule.replace("/", "_"), function)
        return catalog_of(app)

    assert built(rules).version == built(rules[::-1]).version
