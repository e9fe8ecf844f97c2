"""A probe of a Flask view ends right before it, and only where that is proven."""

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask, abort, request
from flask.views import MethodView, View
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from sezzlee_flask import FlaskAdapter, mount_mcp
from sezzlee_py import Options, is_sezzlee_probe
from sezzlee_py.testing import AgentClient

PROBING = Options(
    selection={"default": "include"}, visibility={"probe": True}, cache={"lifetime_ms": 0}
)


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def around(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return around


def renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    def around(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    around.__name__ = function.__name__
    return around


def renamed_twice(function: Callable[..., Any]) -> Callable[..., Any]:
    checked = wrapped(function)

    def around(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) if args else checked(**kwargs)

    around.__name__ = function.__name__
    return around


def app_with_views(ran: list[str]) -> Flask:
    app = Flask("shop")

    @app.before_request
    def guard() -> None:
        if request.path.startswith("/staff") and request.headers.get("authorization") != "clerk":
            abort(403)

    @app.route("/open/<int:number>", methods=["GET", "POST"])
    def open_view(number: int) -> str:
        ran.append("open")
        return "open"

    @app.post("/staff/close")
    def close() -> str:
        ran.append("close")
        return "close"

    return app


def test_a_guard_before_every_request_decides_what_a_caller_sees_and_no_view_runs() -> None:
    ran: list[str] = []
    app = app_with_views(ran)
    mount_mcp(app, options=PROBING)
    with AgentClient(app) as agent:
        cards = {card["name"]: card for card in agent.search()["results"]}
        assert sorted(cards) == ["get_open_view", "post_open_view"]
        assert not any("authUncertain" in card for card in cards.values())
        assert agent.load("close")["error"] == "unknown_tool"
    assert ran == []
    with AgentClient(app, headers={"authorization": "clerk"}) as agent:
        assert "close" in {card["name"] for card in agent.search()["results"]}
        assert ran == []
        assert agent.invoke("close")["body"] == "close"
    assert app.test_client().get("/open/3").text == "open"
    assert ran == ["close", "open"]


class Plain(MethodView):
    def get(self) -> str:
        return "get"


class Decorated(MethodView):
    decorators = [wrapped]  # noqa: RUF012 - as Flask spells it

    def get(self) -> str:
        return "get"


class Handler(MethodView):
    @wrapped
    def get(self) -> str:
        return "get"


class Dispatching(MethodView):
    def dispatch_request(self, **values: Any) -> Any:
        return super().dispatch_request(**values)

    def get(self) -> str:
        return "get"


class Made(MethodView):
    def __init__(self) -> None:
        self.made = True

    def get(self) -> str:
        return "get"


class Own(View):
    def dispatch_request(self) -> str:
        return "own"


class Guarded(View):
    @wrapped
    def dispatch_request(self) -> str:
        return "own"


class Guard:
    """A decorator that is a class, and serves functions and methods alike."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.function(*args, **named)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


class GuardedVerb(MethodView):
    @Guard
    def get(self) -> str:
        return "get"


class GuardedDispatch(View):
    @Guard
    def dispatch_request(self) -> str:
        return "own"


class OnInstances:
    """A decorator of methods that shows the plain one to whoever asks its class."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self.function if instance is None else functools.partial(abort, 403)


class SpecialVerb(MethodView):
    @OnInstances
    def get(self) -> str:
        return "get"


class SpecialDispatch(View):
    @OnInstances
    def dispatch_request(self) -> str:
        return "own"


class PartialVerb(MethodView):
    def checked(self, view: Callable[..., Any]) -> Any:
        return view(self)

    get = functools.partialmethod(checked, Plain.get)


class StaticVerb(MethodView):
    @staticmethod
    def get() -> str:
        return "get"


class GuardedStaticVerb(MethodView):
    get = staticmethod(Guard(lambda: "get"))


class NewEachTime(Plain):
    def __new__(cls) -> Any:
        abort(403)


class Looking(Plain):
    def __getattribute__(self, name: str) -> Any:
        return abort if name == "get" else super().__getattribute__(name)


class Calling(type):
    def __call__(cls, *args: Any, **named: Any) -> Any:
        abort(403)


class MadeByItsClass(Plain, metaclass=Calling):
    pass


def unnamed(function: Callable[..., Any]) -> Callable[..., Any]:
    def around(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return around


def generating() -> Iterator[str]:
    yield "x"


async def asynchronous() -> str:
    return "x"


@pytest.mark.parametrize(
    ("view", "is_proven"),
    [
        (lambda: "x", True),
        (asynchronous, True),
        (Plain.as_view("view"), True),
        (Own.as_view("view"), True),
        (Plain.as_view("by_another_name"), True),
        (wrapped(lambda: "x"), False),
        (renamed(lambda: "x"), False),
        (renamed_twice(lambda: "x"), False),
        (generating, False),
        (functools.partial(str), False),
        (Decorated.as_view("view"), False),
        (Handler.as_view("view"), False),
        (Dispatching.as_view("view"), False),
        (Made.as_view("view"), False),
        (Guarded.as_view("view"), False),
        (Guard(lambda: "x"), False),
        (GuardedVerb.as_view("view"), False),
        (GuardedDispatch.as_view("view"), False),
        (SpecialVerb.as_view("view"), False),
        (SpecialDispatch.as_view("view"), False),
        (PartialVerb.as_view("view"), False),
        (StaticVerb.as_view("view"), True),
        (GuardedStaticVerb.as_view("view"), False),
        (NewEachTime.as_view("view"), False),
        (Looking.as_view("view"), False),
        (MadeByItsClass.as_view("view"), False),
        (unnamed(lambda: "x"), False),
        (unnamed(functools.partial(str)), False),
        ("x".upper, True),
        (types.MethodType(Guard(str), "x"), False),
        (types.MethodType(functools.partial(str), "x"), False),
    ],
)
def test_a_cut_is_proven_where_no_guard_can_stand_behind_it(view: Any, is_proven: bool) -> None:
    app = Flask("shop")
    app.add_url_rule("/view", "view", view, methods=["GET"])
    adapter = FlaskAdapter(app)
    (operation,) = adapter.discover().operations
    key = (operation.descriptor.endpoint_key, "GET")
    assert adapter.cut() == ({key} if is_proven else set())
    assert adapter.cut() == ({key} if is_proven else set())


def test_an_operation_is_proven_only_where_each_of_its_routes_is() -> None:
    app = Flask("shop")
    app.add_url_rule("/a", "a", Plain.as_view("a"))
    app.add_url_rule("/b", "b", wrapped(Plain.as_view("b")))
    app.add_url_rule("/new-order", "new", app_with_views, methods=["POST"])
    app.add_url_rule("/new/order", "old", wrapped(app_with_views), methods=["POST"])
    adapter = FlaskAdapter(app)
    assert len({op.descriptor.endpoint_key for op in adapter.discover().operations}) == 2
    assert adapter.cut() == frozenset()


def test_a_cut_view_is_still_what_it_was_to_discovery_and_to_whoever_asks_its_name() -> None:
    app = app_with_views([])
    adapter = FlaskAdapter(app)
    before = adapter.discover()
    names = {name: (v.__module__, v.__name__) for name, v in app.view_functions.items()}
    adapter.cut()
    assert adapter.discover() == before
    assert {n: (v.__module__, v.__name__) for n, v in app.view_functions.items()} == names


def test_a_cut_view_takes_what_an_application_hands_it_that_dispatches_by_itself() -> None:
    class Handing(Flask):
        def dispatch_request(self) -> Any:
            rule = request.url_rule
            assert rule is not None
            return self.view_functions[rule.endpoint](request.method, **(request.view_args or {}))

    app = Handing("shop")

    @app.get("/orders/<int:number>")
    def order(method: str, number: int) -> str:
        return f"{method} {number}"

    FlaskAdapter(app).cut()
    assert app.test_client().get("/orders/7").text == "GET 7"


def test_views_below_a_dispatcher_are_cut_too() -> None:
    ran: list[str] = []
    outer, inner = Flask("outer"), app_with_views(ran)
    outer.wsgi_app = DispatcherMiddleware(outer.wsgi_app, {"/in": inner})  # type: ignore[method-assign]
    mount_mcp(outer, options=PROBING)
    with AgentClient(outer) as agent:
        names = {card["name"] for card in agent.search()["results"]}
    assert names == {"get_open_view", "post_open_view"}
    assert ran == []


def test_a_host_can_tell_a_probe_from_a_call() -> None:
    seen: list[bool] = []
    app = app_with_views([])
    app.before_request(lambda: seen.append(is_sezzlee_probe(request.environ)))
    mount_mcp(app, options=PROBING)
    with AgentClient(app) as agent:
        agent.load("get_open_view")
        agent.invoke("get_open_view", {"number": 1})
    assert seen == [False, True, False, False]
