"""Which query arguments the source of a view certainly reads."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import flask
import pytest
from flask import Flask, request
from flask.views import MethodView, View

from sezzlee_flask import mount_mcp
from sezzlee_flask.sources.request_reads import form_read, names_read
from sezzlee_py import ToolDefinition, mcp_tool
from tests.adapters.flask_sources.oracle import everything

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT}


class LowerDict(dict[str, str]):
    """A mapping of the host's own."""


def plain_reads() -> Any:
    request.args.get("a")
    request.args.get("b", "x")
    request.args["c"]
    request.args.getlist("d")
    return "e" in request.args or "f" not in request.args


def numbers_made_at_once() -> Any:
    params = request.args.to_dict()
    if "a" in request.args:
        int(request.args["a"])
    float(request.args.get("b", 1.5))
    min(int(request.args.get("c") or 1), 100)
    int(params["d"])
    int(request.args.get("e", "ff"), 16)
    int(request.args.get("f", 1) + "0")
    int(request.args.get("g", 1))
    return request.args.get("g")


def test_a_number_that_is_made_of_a_value_at_once_is_its_type() -> None:
    assert names_read(numbers_made_at_once) == {
        "a": WHOLE,
        "b": {"type": "number"},
        "c": WHOLE,
        "d": WHOLE,
        **dict.fromkeys("efg", TEXT),
    }


def lists_of_values() -> Any:
    listed = request.args.to_dict(flat=False)
    copied = request.args.to_dict(False).copy()
    plain = request.args.to_dict(flat=True)
    return listed.get("a", []), copied["b"], plain["c"]


def test_a_copy_that_keeps_all_values_of_a_name_has_lists() -> None:
    assert names_read(lists_of_values) == {"a": TEXTS, "b": TEXTS, "c": TEXT}


def typed_reads() -> Any:
    request.args.get("a", type=int)
    request.args.get("b", 1, int)
    request.args.get("c", default=1.5, type=float)
    request.args.get("d", type=str)
    request.args.get("e", type=bool)
    request.args.get("f", type=lambda text: text.strip())
    return request.args.getlist("g", type=int)


def through_the_module() -> Any:
    return flask.request.args.get("a")


def through_a_name() -> Any:
    args = request.args
    limit = args.get("a", type=int)
    if (other := request.args) and limit:
        other.get("b")
    return args["c"]


def through_copies() -> Any:
    params = request.args.to_dict()
    texts = dict(request.args)
    lower = LowerDict(request.args.items())
    copy = request.args.copy()
    if "a" in params:
        return params.get("b"), texts["c"], lower.pop("d", None), copy.getlist("e")
    return request.args.to_dict(flat=True)["f"]


def in_a_comprehension() -> Any:
    return [request.args.get("a") for _ in range(3)]


def through_a_name_that_comprehensions_use() -> Any:
    args = request.args
    params = args.to_dict()
    rows = [row for row in range(3) if args.get("a") != params["b"]]
    return rows, {row: params.get("c") for row in rows}


async def asynchronous() -> Any:
    return request.args["a"]


def twice() -> Any:
    request.args.get("a", type=int)
    request.args.get("a")
    request.args.get("b")
    return request.args.getlist("b", type=int)


def values() -> Any:
    return request.values.get("a")


def through_an_import() -> Any:
    import flask as web
    from flask import request as current

    return current.args.get("a"), web.request.args.get("b")


CERTAIN: dict[Callable[..., Any], dict[str, Any]] = {
    plain_reads: {"a": TEXT, "b": TEXT, "c": TEXT, "d": TEXTS, "e": TEXT, "f": TEXT},
    typed_reads: {
        "a": WHOLE,
        "b": WHOLE,
        "c": {"type": "number"},
        "d": TEXT,
        "e": TEXT,
        "f": TEXT,
        "g": {"type": "array", "items": WHOLE},
    },
    through_the_module: {"a": TEXT},
    through_a_name: {"a": WHOLE, "b": TEXT, "c": TEXT},
    through_copies: {"a": TEXT, "b": TEXT, "c": TEXT, "d": TEXT, "e": TEXTS, "f": TEXT},
    in_a_comprehension: {"a": TEXT},
    through_a_name_that_comprehensions_use: {"a": TEXT, "b": TEXT, "c": TEXT},
    asynchronous: {"a": TEXT},
    twice: {"a": TEXT, "b": TEXTS},
    values: {"a": TEXT},
    through_an_import: {"a": TEXT, "b": TEXT},
}


@pytest.mark.parametrize(
    ("view", "expected"), CERTAIN.items(), ids=lambda v: v.__name__[:20] if callable(v) else ""
)
def test_a_literal_name_of_the_query_is_read(view: Any, expected: dict[str, Any]) -> None:
    assert names_read(view) == expected


def test_the_type_of_a_shadowed_name_is_not_believed() -> None:
    def int(text: str) -> str:
        return text

    def view() -> Any:
        return request.args.get("a", type=int)

    assert names_read(view) == {"a": TEXT}


def computed(name: str = "a") -> Any:
    return request.args.get(name), request.args[name + "b"], name in request.args


def of_another_request(request: Any) -> Any:
    return request.args.get("a")


def of_a_local_request() -> Any:
    request = flask.Request({})
    return request.args.get("a")


def of_something_else() -> Any:
    args = plain_reads()
    return args.get("a"), args["b"]


def rebound() -> Any:
    args = request.args
    args = plain_reads() or args
    return args.get("a")


def looped() -> Any:
    for args in [request.args]:
        args.get("a")


def given(args: Any) -> Any:
    args = args or request.args
    return args.get("a")


def written() -> Any:
    params = request.args.to_dict()
    params["a"] = "x"
    return params["a"]


def updated() -> Any:
    params = dict(request.args)
    params.update(a="x")
    return params["a"]


def handed_on() -> Any:
    params = dict(request.args)
    plain_reads(params)  # type: ignore[call-arg]
    return params["a"]


def made_by_others() -> Any:
    params = plain_reads(request.args)  # type: ignore[call-arg]
    return params["a"]


def with_more() -> Any:
    return dict(request.args, a="x")["a"]


def imported_and_bound() -> Any:
    if plain_reads():
        from flask import request as current
    else:
        current = flask.Request({})
    return current.args.get("a")


def imported_from_elsewhere() -> Any:
    from flask.json import request  # type: ignore[attr-defined]

    return request.args.get("a")


def inside_a_function() -> Any:
    def inner() -> Any:
        return request.args.get("a")

    return inner


def rebound_inside() -> Any:
    args = request.args

    def inner() -> None:
        nonlocal args
        args = plain_reads()

    inner()
    return args.get("a")


def written_inside() -> Any:
    params = request.args.to_dict()

    def inner() -> None:
        params["a"] = "x"

    inner()
    return params["a"]


def of_a_form() -> Any:
    return request.form.get("a"), request.json["b"], request.headers["c"]


def of_each_request(requests: Any = ()) -> Any:
    return [request.args.get("a") for request in requests]


def bound_by_a_handler_of_errors() -> Any:
    try:
        plain_reads()
    except KeyError as args:
        return args.get("a")  # type: ignore[attr-defined]
    args = request.args
    return args.copy()


def bound_by_a_pattern(given: Any = None) -> Any:
    args = request.args
    match given:
        case {"args": args} | {"more": [*args]} | {**args}:
            pass
    return args.get("a")


def bound_by_a_function() -> Any:
    args = request.args

    def args() -> None: ...  # type: ignore[no-redef]  # noqa: F811 - what is tested

    return args.get("a")


def handed_on_by_another_name() -> Any:
    params = request.args.to_dict()
    more = params or {}
    more["a"] = "x"
    return params["a"]


def empty_name() -> Any:
    return request.args.get("")


@pytest.mark.parametrize(
    "view",
    [
        *(computed, of_another_request, of_a_local_request, of_something_else, rebound, looped),
        *(given, written, updated, handed_on, made_by_others, with_more, inside_a_function),
        *(imported_and_bound, imported_from_elsewhere, of_each_request),
        *(bound_by_a_handler_of_errors, bound_by_a_pattern, bound_by_a_function),
        handed_on_by_another_name,
        *(rebound_inside, written_inside, of_a_form, empty_name, lambda: request.args.get("a")),
    ],
)
def test_what_is_not_certain_is_no_input(view: Any) -> None:
    assert names_read(view) == {}


def test_what_cannot_be_read_has_no_inputs() -> None:
    space: dict[str, Any] = {"request": request}
    exec("def view():\n    return request.args.get('a')", space)

    assert names_read(space["view"]) == {}
    assert names_read(functools.partial(plain_reads)) == {}
    assert names_read(object()) == {}


def test_a_file_that_has_changed_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(__file__, encoding="utf-8") as file:
        lines = file.readlines()
    for changed in (["\n", *lines], [*lines, "def view(:\n"], []):
        monkeypatch.setattr("linecache.getlines", lambda *_, changed=changed: changed)
        assert names_read(plain_reads) == {}


def test_names_read_are_optional_arguments_that_arrive() -> None:
    app = Flask("shop")

    def guarded(view: Any) -> Any:
        @functools.wraps(view)
        def around() -> Any:
            return view()

        return around

    @app.get("/books")
    @guarded
    def list_books() -> Any:
        limit = request.args.get("limit", 20, type=int)
        return {"limit": limit, "q": request.args.get("q"), "tags": request.args.getlist("tag")}

    sezzlee = mount_mcp(app, options=everything())
    (tool,) = sezzlee.catalog.tools

    assert tool.input_schema["properties"] == {
        "limit": WHOLE,
        "q": TEXT,
        "tag": {"type": "array", "items": TEXT},
    }
    assert tool.input_schema["required"] == []
    answer = sezzlee.invoke("list_books", {"limit": 3, "q": "a b", "tag": ["x", "y"]})
    assert answer["body"] == {"limit": 3, "q": "a b", "tags": ["x", "y"]}
    assert sezzlee.invoke("list_books")["body"] == {"limit": 20, "q": None, "tags": []}


def test_a_declared_query_takes_the_place_of_what_is_read() -> None:
    app = Flask("shop")

    @app.get("/books")
    @mcp_tool(query={"type": "object", "properties": {"page": WHOLE}})
    def list_books() -> Any:
        return str(request.args.get("q"))

    (tool,) = mount_mcp(app).catalog.tools
    assert list(tool.input_schema["properties"]) == ["page"]


def test_a_write_keeps_its_open_body_beside_what_is_read() -> None:
    app = Flask("shop")

    @app.post("/books")
    def add_book() -> Any:
        return {"dry": request.args.get("dry_run"), "sent": request.get_json()}

    sezzlee = mount_mcp(app, options=everything())
    (tool,) = sezzlee.catalog.tools

    assert {(s.name, str(s.location), s.required) for s in tool.slots} == {
        ("dry_run", "query", False),
        ("body", "body", False),
    }
    answer = sezzlee.invoke("add_book", {"dry_run": "1", "body": {"a": 1}})
    assert answer["body"] == {"dry": "1", "sent": {"a": 1}}


# --- forms --------------------------------------------------------------------------------------


def form_fields() -> Any:
    form = request.form
    return form["a"], form.get("b", type=int), form.getlist("c"), request.values.get("d")


def form_with_files() -> Any:
    return request.files["a"], request.files.getlist("b"), request.form.get("c")


FILE = {"type": "string", "format": "binary"}
FORMS: dict[Callable[..., Any], tuple[str, dict[str, Any]]] = {
    form_fields: (
        "application/x-www-form-urlencoded",
        {"a": TEXT, "b": WHOLE, "c": TEXTS, "d": TEXT},
    ),
    form_with_files: (
        "multipart/form-data",
        {"a": FILE, "b": {"type": "array", "items": FILE}, "c": TEXT},
    ),
}


@pytest.mark.parametrize(
    ("view", "expected"), FORMS.items(), ids=lambda v: v.__name__ if callable(v) else ""
)
def test_a_literal_field_of_the_form_is_read(view: Any, expected: tuple[str, Any]) -> None:
    media_type, fields = expected
    schema = {"type": "object", "properties": fields}
    assert form_read(view) == {"required": True, "content": {media_type: {"schema": schema}}}


def form_or_json() -> Any:
    return request.form.get("a") or request.get_json()["a"]


def whole_form() -> Any:
    return dict(request.form)


@pytest.mark.parametrize("view", [form_or_json, whole_form, values, plain_reads, object()])
def test_a_body_that_may_be_no_form_stays_unknown(view: Any) -> None:
    assert form_read(view) is None


def test_fields_read_are_optional_arguments_that_arrive_as_a_form() -> None:
    app = Flask("shop")

    @app.route("/orders/<int:order_id>/notes", methods=["GET", "POST"])
    def notes(order_id: int) -> Any:
        text, page = request.form.get("text"), request.args.get("page", type=int)
        return {"id": order_id, "text": text, "by": request.values.get("by"), "page": page}

    sezzlee = mount_mcp(app, options=everything())
    get, post = sezzlee.build().tools
    assert [(s.name, str(s.location), s.required) for s in get.slots] == [
        ("order_id", "path", True),
        ("page", "query", False),
        ("by", "query", False),
    ]
    assert [(s.name, str(s.location), s.required) for s in post.slots] == [
        ("order_id", "path", True),
        ("page", "query", False),
        ("text", "form", False),
        ("by", "form", False),
    ]
    told = {"order_id": 7, "text": "a b", "by": "Ada", "page": 2}
    answer = sezzlee.invoke("post_notes", told)
    assert answer["body"] == {"id": 7, "text": "a b", "by": "Ada", "page": 2}
    assert sezzlee.invoke("post_notes", {"order_id": 7})["status"] == 200


def test_a_name_that_is_read_of_the_query_or_the_form_is_one_argument_of_a_write() -> None:
    app = Flask("shop")

    @app.route("/shelf", methods=["GET", "POST"])
    def shelf() -> Any:
        name = request.args.get("name") or request.form.get("name")
        return {"name": name, "dry": request.args.get("dry")}

    sezzlee = mount_mcp(app, options=everything())
    get, post = sezzlee.build().tools
    assert [(s.name, str(s.location)) for s in get.slots] == [("name", "query"), ("dry", "query")]
    assert [(s.name, str(s.location)) for s in post.slots] == [("dry", "query"), ("name", "form")]
    assert sezzlee.catalog.diagnostics == ()
    answer = sezzlee.invoke("post_shelf", {"name": "top", "dry": "1"})
    assert answer["body"] == {"name": "top", "dry": "1"}


def test_what_the_host_declares_takes_the_place_of_the_form_that_is_read() -> None:
    app = Flask("shop")

    @app.post("/notes")
    @mcp_tool(body={"type": "object", "properties": {"text": TEXT}}, consumes="application/json")
    def add_note() -> Any:
        return {"text": request.form.get("other")}

    catalog = mount_mcp(app).build()
    (tool,) = catalog.tools
    assert [(s.name, str(s.location)) for s in tool.slots] == [("text", "body")]
    assert catalog.diagnostics == ()


def test_a_form_that_only_the_source_tells_of_takes_no_checked_view_away() -> None:
    app = Flask("shop")
    app.extensions["csrf"] = object()

    @app.post("/notes")
    def add_note() -> Any:
        return str(request.form.get("text"))

    (tool,) = mount_mcp(app, options=everything()).build().tools
    assert [(s.name, str(s.location)) for s in tool.slots] == [("body", "body")]


def test_a_body_that_a_view_reads_by_itself_stays_open_though_flask_smorest_lists_none() -> None:
    smorest = pytest.importorskip("flask_smorest")
    ma = pytest.importorskip("marshmallow")
    app = Flask("pets")
    app.config.update(API_TITLE="pets", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    blueprint = smorest.Blueprint("pets", "pets")
    query = ma.Schema.from_dict({"dry": ma.fields.Boolean()}, name="Query")

    @blueprint.route("/json")  # type: ignore[untyped-decorator]
    class Whole(MethodView):
        @blueprint.response(200)  # type: ignore[untyped-decorator]
        def post(self) -> Any:
            return request.get_json()

        @blueprint.response(200)  # type: ignore[untyped-decorator]
        def put(self) -> Any:
            return {"touched": True}

    @blueprint.route("/form")  # type: ignore[untyped-decorator]
    class Form(MethodView):
        @blueprint.arguments(query, location="query")  # type: ignore[untyped-decorator]
        def post(self, told: Any) -> Any:
            return request.form.get("name")

    smorest.Api(app).register_blueprint(blueprint)

    def slots(tool: ToolDefinition) -> list[Any]:
        return [(slot.name, str(slot.location), slot.required) for slot in tool.slots]

    sezzlee = mount_mcp(app, options=everything())

    assert {(t.method, t.route): slots(t) for t in sezzlee.build().tools} == {
        ("POST", "/json"): [("body", "body", False)],
        ("PUT", "/json"): [],
        ("POST", "/form"): [("dry", "query", False), ("name", "form", False)],
    }
    assert sezzlee.invoke("post_json", {"body": {"name": "Rex"}})["body"] == {"name": "Rex"}


def logged(view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    def logging(*args: Any, **named: Any) -> Any:
        return view(*args, **named)

    return logging


class Page(View):
    """Chooses by itself what answers."""

    methods = ["GET", "POST"]  # noqa: RUF012 - as Flask spells it
    decorators = [logged]  # noqa: RUF012 - as Flask spells it

    @logged
    def dispatch_request(self) -> Any:
        if request.method == "POST":
            return request.form.get("title")
        return request.args.get("page", type=int)


def test_a_view_that_chooses_by_itself_is_read_where_it_does() -> None:
    app = Flask("shop")
    app.add_url_rule("/page", view_func=Page.as_view("page"))
    tools = mount_mcp(app, options=everything()).build().tools
    assert {tool.method: tool.input_schema["properties"] for tool in tools} == {
        "GET": {"page": WHOLE},
        "POST": {"title": TEXT},
    }


# -- helpers ----------------------------------------------------------------------------------


def text_arg(given: Any, name: str, default: str | None = None) -> Any:
    return given.args.get(name) or default


def int_arg(name: str) -> Any:
    return request.args.get(name, type=int)


def changed_arg(name: str) -> Any:
    name = name.upper()
    return request.args.get(name)


def other_arg(given: Any, name: str) -> Any:
    given = given or {}
    return given.args.get(name)


def fixed_arg(name: str) -> Any:
    return request.args.get("fixed"), name


def item_or_list(mapping: Any, key: str) -> Any:
    found = mapping.getlist(key)
    return found[0] if len(found) == 1 else found


def first_of(mapping: Any, *, key: str) -> Any:
    return mapping.get(key)


def rebound_mapping(mapping: Any, key: str) -> Any:
    mapping = {"other": key}
    return mapping.get(key)


def given_the_mapping() -> Any:
    query = request.args
    return item_or_list(request.args, "id"), first_of(query, key="q")


def given_another_mapping(told: dict[str, str]) -> Any:
    copied = request.args.to_dict()
    first_of(copied, key="a")
    first_of(told, key="b")
    rebound_mapping(request.args, "c")
    return first_of(request.headers, key="d")


def through_helpers() -> Any:
    text_arg(request, "a")
    text_arg(flask.request, name="b", default="x")
    int_arg("c")
    int_arg("e")
    request.args.getlist("d")
    return request.args.get("e")


def through_helpers_in_comprehensions() -> Any:
    return {text_arg(request, "a") for _ in range(2)}, [int_arg("b") for _ in range(2)]


def through_uncertain_helpers(name: str, names: list[str], told: dict[str, str]) -> Any:
    text_arg(told, "a")
    int_arg(name)
    int_arg(*names)
    int_arg(**told)
    changed_arg("b")
    other_arg(request, "c")
    return fixed_arg("d"), request.args.get("kept")


@pytest.mark.parametrize(
    ("view", "names"),
    [
        (through_helpers, {"d": TEXTS, "e": TEXT, "a": TEXT, "b": TEXT, "c": WHOLE}),
        (through_helpers_in_comprehensions, {"a": TEXT, "b": WHOLE}),
        (through_uncertain_helpers, {"kept": TEXT}),
        (given_the_mapping, {"id": TEXTS, "q": TEXT}),
        (given_another_mapping, {}),
        (int_arg, {}),
    ],
)
def test_names_that_a_view_gives_to_a_helper_are_read(
    view: Callable[..., Any], names: dict[str, Any]
) -> None:
    assert names_read(view) == names


def form_arg(name: str) -> Any:
    return request.form.get(name)


def any_arg(name: str) -> Any:
    return request.form.get(name) or request.get_json()[name]


def form_through_a_helper() -> Any:
    return form_arg("folder"), request.files["file"], request.form.get("hash")


def form_through_helpers_alone() -> Any:
    return form_arg("folder"), any_arg("account")


def chosen_arg(name: str, place: str = "query") -> Any:
    if place == "form":
        return request.form.get(name)
    return request.args.get(name)


def matched_arg(name: str, place: str = "query") -> Any:
    match place:
        case "form":
            return request.form.get(name)
    return request.args.get(name) if name else request.headers.get(name)


def form_or_query_arg(name: str, default: str | None = None) -> Any:
    value = request.form.get(name) if name in request.form else request.args.get(name)
    return value or default


def through_helpers_that_choose() -> Any:
    return chosen_arg("a", "form"), matched_arg("b"), chosen_arg("c", place="query")


def through_a_helper_that_looks_in_both() -> Any:
    return form_or_query_arg("a", "x")


def test_a_helper_that_is_told_where_to_read_tells_nothing() -> None:
    assert names_read(through_helpers_that_choose) == {}
    assert form_read(through_helpers_that_choose) is None
    assert names_read(through_a_helper_that_looks_in_both) == {"a": TEXT}
    assert form_read(through_a_helper_that_looks_in_both) is not None


def form_through_an_uncertain_helper() -> Any:
    return any_arg("account")


def test_form_fields_that_a_view_gives_to_a_helper_are_read() -> None:
    assert form_read(form_through_a_helper) == {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"hash": TEXT, "folder": TEXT, "file": FILE},
                }
            }
        },
    }


def test_a_helper_that_reads_json_too_makes_no_form() -> None:
    form = form_read(form_through_helpers_alone)
    assert form is not None
    (media,) = form["content"].values()
    assert media["schema"]["properties"] == {"folder": TEXT}
    assert form_read(form_through_an_uncertain_helper) is None


class Proxy:
    """Stands for what only a request has."""

    @property
    def __class__(self) -> Any:
        raise RuntimeError("outside of a request")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("outside of a request")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("outside of a request")

    __hash__ = None  # type: ignore[assignment]


proxy: Any = Proxy()


def of_proxies() -> Any:
    proxy(request.args, "b")
    proxy.parse({"c": proxy("d")})
    proxy.parse_args()
    copied = proxy(request.args)
    return copied.get("e"), proxy.args.get("f"), proxy["g"], request.args["a"]


def test_objects_of_the_module_are_asked_for_nothing() -> None:
    app = Flask("shop")
    app.add_url_rule("/v", "v", of_proxies)
    (tool,) = mount_mcp(app, options=everything()).build().tools
    assert [slot.name for slot in tool.slots] == ["a"]


def test_an_object_in_the_place_of_a_module_has_no_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "slotted", type("Slotted", (), {"__slots__": ()})())  # type: ignore[arg-type]

    def view() -> Any:
        from slotted import helper  # type: ignore[import-not-found]

        return helper(request.args["a"])

    assert list(names_read(view)) == ["a"]


# -- methods ----------------------------------------------------------------------------------


def find_or_add() -> Any:
    if request.method == "POST":
        asked = request.form
        return {"title": asked["title"]}
    asked = request.args
    return {"q": asked.get("q")}


def helper_by_method(name: str) -> Any:
    return request.form.get(name) if request.method == "POST" else request.args.get(name)


def through_a_helper_by_method() -> Any:
    return str(helper_by_method("q"))


def test_what_never_runs_for_a_method_is_no_input_of_it() -> None:
    app = Flask("shop")
    app.add_url_rule("/books", view_func=find_or_add, methods=["GET", "POST"])
    app.add_url_rule("/q", view_func=through_a_helper_by_method, methods=["GET", "POST"])

    sezzlee = mount_mcp(app, options=everything())

    slots = {t.name: [(s.name, str(s.location)) for s in t.slots] for t in sezzlee.catalog.tools}
    assert slots == {
        "get_find_or_add": [("q", "query")],
        "post_find_or_add": [("title", "form")],
        "get_through_a_helper_by_method": [("q", "query")],
        "post_through_a_helper_by_method": [("q", "form")],
    }
    assert sezzlee.invoke("post_find_or_add", {"title": "Emma"})["body"] == {"title": "Emma"}
    assert sezzlee.invoke("get_find_or_add", {"q": "e"})["body"] == {"q": "e"}


def upload() -> Any:
    return {"text": request.form["text"], "file": request.files["attachment"].filename}


def upload_under_a_name_of_the_day() -> Any:
    name = max(request.files)
    return {"text": request.form["text"], "file": request.files[name].filename}


@pytest.mark.parametrize(
    ("view", "files"),
    [
        (upload, None),
        (upload, ["attachment"]),
        (upload_under_a_name_of_the_day, ["attachment"]),
    ],
)
def test_naming_the_files_of_a_form_costs_none_of_its_fields(
    view: Callable[[], Any], files: list[str] | None
) -> None:
    app = Flask("shop")
    app.add_url_rule("/b", view_func=mcp_tool(name="b", files=files)(view), methods=["POST"])
    sezzlee = mount_mcp(app)
    assert list(sezzlee.load("b")["inputSchema"]["properties"]) == ["text", "attachment"]
    assert sezzlee.catalog.diagnostics == ()
    answer = sezzlee.invoke("b", {"text": "x", "attachment": {"text": "a", "name": "a.txt"}})
    assert answer["body"] == {"text": "x", "file": "a.txt"}
