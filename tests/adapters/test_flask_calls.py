"""Calls through a Flask application: its guards, contexts, sessions, faults and deadlines."""

import functools
import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    g,
    redirect,
    request,
    session,
    stream_with_context,
)
from flask.typing import ResponseReturnValue
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.test import create_environ, run_wsgi_app

from sezzlee_flask import Sezzlee, mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.testing import AgentClient

ADA = {"authorization": "Bearer ada"}


def app_of(view: Callable[..., ResponseReturnValue], rule: str = "/view", **settings: Any) -> Flask:
    app = Flask("shop")
    app.add_url_rule(rule, "view", mcp_tool(name="view")(view), **settings)
    return app


# --- guards -------------------------------------------------------------------------------------


def test_a_guard_before_every_request_stands_before_the_endpoint_and_before_the_view() -> None:
    asked: list[tuple[str, str | None]] = []
    app = app_of(lambda: "secret")

    @app.before_request
    def guard() -> None:
        asked.append((request.path, request.headers.get("authorization")))
        if request.headers.get("authorization") is None:
            abort(401)
        if request.path != "/mcp":
            abort(403)

    mount_mcp(app)
    with AgentClient(app, headers=ADA) as agent:
        assert agent.invoke("view")["error"] == "forbidden"
        assert agent.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status != 401
    assert asked[:2] == [("/mcp", "Bearer ada"), ("/view", "Bearer ada")]
    with AgentClient(app) as stranger:
        assert stranger.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 401


def test_a_guard_that_reads_the_body_leaves_it_to_the_endpoint() -> None:
    read: list[Any] = []
    app = app_of(lambda: {"got": request.get_json()}, methods=["POST"])

    @app.before_request
    def log_body() -> None:
        read.append(request.get_json(silent=True) and request.path)

    sezzlee = mount_mcp(app)
    with AgentClient(app) as agent:
        answer = agent.invoke("view", {"body": {"a": 1}})
    assert answer == {"status": 200, "body": {"got": {"a": 1}}}
    assert read == ["/mcp", "/view"]
    assert sezzlee.invoke("view", {"body": {"a": 2}})["body"] == {"got": {"a": 2}}


def test_a_body_over_flask_s_own_limit_is_refused_by_flask() -> None:
    app = app_of(lambda: "")
    app.config["MAX_CONTENT_LENGTH"] = 400
    mount_mcp(app)
    with AgentClient(app) as agent:
        document = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"x": "x" * 500}}
        assert agent.post(document).status == 413


def test_a_body_of_unknown_length_over_flask_s_own_limit_is_refused_by_flask() -> None:
    app = app_of(lambda: "")
    app.config["MAX_CONTENT_LENGTH"] = 400
    mount_mcp(app)
    environ = create_environ("/mcp", method="POST", content_type="application/json")
    environ.pop("CONTENT_LENGTH", None)
    environ |= {"wsgi.input": io.BytesIO(b"x" * 900), "wsgi.input_terminated": True}
    _, status, _ = run_wsgi_app(app, environ)
    assert status == "413 REQUEST ENTITY TOO LARGE"


def test_a_decorator_around_a_view_runs_before_it() -> None:
    app = Flask("shop")
    reached: list[str] = []

    def login_required(view: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(view)
        def guarded(**values: Any) -> Any:
            if request.headers.get("authorization") != "Bearer ada":
                abort(401)
            return view(**values)

        return guarded

    @app.get("/account")
    @mcp_tool(name="account")
    @login_required
    def account() -> str:
        reached.append("account")
        return "yours"

    mount_mcp(app)
    with AgentClient(app) as agent:
        assert agent.invoke("account")["error"] == "unauthenticated"
        assert reached == []
        assert agent.invoke("account", headers=ADA)["body"] == "yours"


def test_a_guard_of_a_blueprint_stands_before_its_views_only() -> None:
    app = Flask("shop")
    staff = Blueprint("staff", __name__, url_prefix="/staff")
    staff.before_request(lambda: abort(403))
    staff.add_url_rule("/x", "x", mcp_tool(name="staff")(lambda: "staff"))
    app.register_blueprint(staff)
    app.add_url_rule("/y", "y", mcp_tool(name="open")(lambda: "open"))
    mount_mcp(app)
    with AgentClient(app) as agent:
        assert agent.invoke("staff")["error"] == "forbidden"
        assert agent.invoke("open")["body"] == "open"


# --- contexts -----------------------------------------------------------------------------------


def test_g_is_the_inner_request_s_own_and_everything_is_torn_down_once() -> None:
    order: list[str] = []
    app = Flask("shop")

    @app.before_request
    def before() -> None:
        order.append(f"before {request.path} {getattr(g, 'user', None)}")
        g.user = request.path

    @app.after_request
    def after(response: Response) -> Response:
        order.append(f"after {request.path} {g.user}")
        return response

    @app.teardown_request
    def teardown(fault: BaseException | None) -> None:
        order.append(f"teardown {request.path} {type(fault).__name__}")

    @app.get("/fine")
    @mcp_tool(name="fine")
    def fine() -> str:
        return "fine"

    @app.get("/broken")
    @mcp_tool(name="broken")
    def broken() -> str:
        raise ValueError("postgresql://u:p@db/x")

    mount_mcp(app)
    with AgentClient(app) as agent:
        assert agent.invoke("fine")["body"] == "fine"
        assert agent.invoke("broken")["error"] == "backend_error"

    def one_call(path: str, fault: str) -> list[str]:
        return [
            "before /mcp None",
            f"before {path} None",
            f"after {path} {path}",
            f"teardown {path} {fault}",
            "after /mcp /mcp",
            "teardown /mcp NoneType",
        ]

    fault = order[9].rpartition(" ")[2]
    assert order == [*one_call("/fine", "NoneType"), *one_call("/broken", fault)]


def test_a_session_is_read_from_a_carried_cookie_and_never_set_for_anybody() -> None:
    app = Flask("shop")
    app.secret_key = "k"

    @app.get("/visits")
    @mcp_tool(name="visits")
    def visits() -> dict[str, Any]:
        session["visits"] = session.get("visits", 0) + 1
        return {"visits": session["visits"], "user": session.get("user")}

    @app.get("/login")
    def login() -> str:
        session["user"] = "ada"
        return ""

    mount_mcp(app, options=Options(identity={"carriers": ("cookie",)}))
    cookie = app.test_client().get("/login").headers["set-cookie"].partition(";")[0]
    with AgentClient(app, headers={"cookie": cookie}) as agent:
        for _ in range(2):
            answer = agent.invoke("visits")
            assert answer == {"status": 200, "body": {"visits": 1, "user": "ada"}}
        raw = agent.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert "set-cookie" not in raw.headers
    with AgentClient(app) as stranger:
        assert stranger.invoke("visits")["body"] == {"visits": 1, "user": None}


def test_a_hundred_callers_at_once_are_never_mixed_up() -> None:
    app = Flask("shop")
    turn = threading.Barrier(4)

    @app.before_request
    def identify() -> None:
        g.user = request.headers.get("authorization")

    @app.get("/me/<int:number>")
    @mcp_tool(name="me")
    def me(number: int) -> dict[str, Any]:
        turn.wait(20)
        return {"user": g.user, "number": number, "asked": request.args["asked"]}

    app.view_functions["me"] = mcp_tool(query={"properties": {"asked": {"type": "string"}}})(
        app.view_functions["me"]
    )
    mount_mcp(app)
    wrong: list[Any] = []

    def call(number: int) -> None:
        with AgentClient(app, headers={"authorization": f"t{number}"}) as agent:
            answer = agent.invoke("me", {"number": number, "asked": f"a{number}"})
        expected = {"user": f"t{number}", "number": number, "asked": f"a{number}"}
        if answer.get("body") != expected:
            wrong.append(answer)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(100)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert wrong == []


def test_the_application_sees_the_agent_s_address_and_host() -> None:
    app = app_of(
        lambda: {"address": request.remote_addr, "url": request.url, "scheme": request.scheme}
    )
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1, x_proto=1, x_host=1)  # type: ignore[method-assign]
    mount_mcp(app)
    forwarded = {
        "x-forwarded-for": "203.0.113.9",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "shop.example",
    }
    with AgentClient(app, headers=forwarded) as agent:
        assert agent.invoke("view")["body"] == {
            "address": "203.0.113.9",
            "url": "https://shop.example/view",
            "scheme": "https",
        }


def test_an_application_below_a_prefix_is_called_below_it() -> None:
    app = app_of(lambda: {"root": request.root_url, "path": request.path})
    mount_mcp(app)

    def served(environ: dict[str, Any], start_response: Any) -> Any:
        environ["SCRIPT_NAME"], environ["PATH_INFO"] = "/shop", environ["PATH_INFO"][5:]
        return app(environ, start_response)

    with AgentClient(served, "/shop/mcp") as agent:
        body = agent.invoke("view")["body"]
    assert body == {"root": "http://127.0.0.1/shop/", "path": "/view"}


# --- faults -------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["PROPAGATE_EXCEPTIONS", "TESTING", "DEBUG", None])
def test_a_view_that_raises_is_the_same_backend_error_in_every_mode(setting: str | None) -> None:
    def fails() -> str:
        raise RuntimeError("mysql://root:secret@db/shop")

    app = app_of(fails)
    if setting is not None:
        app.config[setting] = True
    mount_mcp(app)
    with AgentClient(app) as agent:
        for _ in range(2):
            answer = agent.invoke("view")
            assert (answer["error"], answer["status"]) == ("backend_error", 500)
            assert "secret" not in str(answer)


def test_what_the_application_raises_on_purpose_keeps_its_status() -> None:
    app = app_of(lambda number: abort(number), "/status/<int:number>")
    app.add_url_rule("/away", "away", mcp_tool(name="away")(lambda: redirect("/elsewhere")))
    mount_mcp(app)
    with AgentClient(app) as agent:
        answers = [agent.invoke("view", {"number": number}) for number in (404, 409, 429, 503)]
        assert [answer["error"] for answer in answers] == [
            "not_found",
            "conflict",
            "rate_limited",
            "backend_unavailable",
        ]
        away = agent.invoke("away")
    assert (away["status"], away["location"]) == (302, "/elsewhere")


def test_a_stream_is_read_within_its_request_and_closed() -> None:
    closed: list[str] = []

    def stream() -> Response:
        def lines() -> Iterator[str]:
            try:
                for number in range(3):
                    yield f"{number} {request.path}\n"
            finally:
                closed.append("stream")

        return Response(stream_with_context(lines()), content_type="text/plain")

    app = app_of(stream)
    app.teardown_request(lambda _: closed.append("request"))
    sezzlee = mount_mcp(app)
    client_text = app.test_client().get("/view").text
    as_served = closed.copy()
    closed.clear()
    assert sezzlee.invoke("view")["body"] == client_text == "0 /view\n1 /view\n2 /view\n"
    assert closed == as_served
    assert "stream" in closed


def test_an_answer_over_the_budget_is_refused_whole_and_its_stream_closed() -> None:
    closed = threading.Event()

    def endless() -> Response:
        def lines() -> Iterator[bytes]:
            try:
                while True:
                    yield b"x" * 1_000
            finally:
                closed.set()

        return Response(lines(), content_type="text/plain")

    sezzlee = mount_mcp(app_of(endless), options=Options(invoke={"max_response_bytes": 5_000}))
    assert sezzlee.invoke("view")["error"] == "response_too_large"
    assert closed.is_set()


def test_a_view_that_blocks_is_abandoned_on_time_and_told() -> None:
    told = threading.Event()

    def slow() -> str:
        if request.environ["sezzlee.cancelled"].wait(10):
            told.set()
        return "late"

    app = app_of(slow)
    app.add_url_rule("/next", "next", mcp_tool(name="next")(lambda: "next"))
    # Long enough for the view to begin on a machine that is busy.
    sezzlee = mount_mcp(app, options=Options(invoke={"timeout_ms": 500}))
    answer = sezzlee.invoke("view")
    assert (answer["error"], answer["retryable"]) == ("invoke_timeout", True)
    assert told.wait(5)
    assert sezzlee.invoke("next")["body"] == "next"


def test_a_tool_that_calls_the_endpoint_is_refused_and_does_not_loop() -> None:
    app = Flask("shop")

    @app.post("/again")
    @mcp_tool(name="again")
    def again() -> ResponseReturnValue:
        # What a view does that forwards the request it is in.
        environ = {**request.environ, "PATH_INFO": "/mcp"}
        return Response.from_app(app.wsgi_app, environ)

    mount_mcp(app)
    with AgentClient(app) as agent:
        assert agent.invoke("again", {"body": {}})["error"] == "forbidden"


def test_an_argument_never_leads_to_another_route() -> None:
    app = Flask("shop")
    reached: list[str] = []

    @app.get("/users/<name>")
    @mcp_tool(name="user")
    def user(name: str) -> str:
        reached.append(name)
        return name

    @app.get("/users/me")
    def me() -> str:
        reached.append("/users/me")
        return ""

    @app.get("/users/<name>/delete")
    def delete(name: str) -> str:
        reached.append("delete")
        return ""

    mount_mcp(app)
    with AgentClient(app) as agent:
        hostile = ("me", "../admin", "a/delete", "%2e%2e", ".", "", "a\\b", "a?x=1#y", "a%2Fdelete")
        answers = {name: agent.invoke("user", {"name": name}) for name in hostile}
    assert {"/users/me", "delete"}.isdisjoint(reached)
    assert {name for name, answer in answers.items() if answer.get("body") == name} == set(reached)
    assert {"a?x=1#y", "%2e%2e", "a%2Fdelete"} <= set(reached)


# --- what the host plugs in ---------------------------------------------------------------------


def test_plain_functions_answer_as_the_endpoint_does() -> None:
    sezzlee = mount_mcp(app_of(lambda: {"user": request.headers.get("authorization")}))
    assert sezzlee.search("view")["results"][0]["name"] == "view"
    assert sezzlee.load("view")["name"] == "view"
    assert sezzlee.load("missing")["error"] == "unknown_tool"
    assert sezzlee.invoke("view", headers=ADA)["body"] == {"user": "Bearer ada"}
    assert sezzlee.invoke("view", ["no object"])["error"] == "invalid_type"
    assert isinstance(sezzlee, Sezzlee)
