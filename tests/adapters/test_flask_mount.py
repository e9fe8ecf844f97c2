"""How the endpoint gets into a Flask application, and what a host plugs into it."""

import asyncio
import contextlib
import gc
import logging
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from a2wsgi import WSGIMiddleware as A2WSGIMiddleware
from flask import Blueprint, Flask, abort, current_app, g, has_app_context, request
from starlette.applications import Starlette
from starlette.routing import Mount
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.routing import PathConverter

from sezzlee_flask import Sezzlee, mount_mcp
from sezzlee_py import Arg, CatalogError, Options, Provider, mcp_tool
from sezzlee_py.errors import CatalogReloadError, OptionsError
from sezzlee_py.invoke.recognizers import ErrorResponse, Recognized
from sezzlee_py.search import RankRequest
from sezzlee_py.testing import AgentClient, AgentError
from sezzlee_starlette import mount_mcp as mount_on_starlette

ROOT = Path(__file__).parents[2]


def shop(**settings: Any) -> Flask:
    app = Flask("shop", **settings)

    @app.get("/ping")
    @mcp_tool(name="ping")
    def ping() -> dict[str, Any]:
        """Answer at once."""
        return {"pong": request.args.get("who")}

    return app


# --- where the endpoint is ----------------------------------------------------------------------


def test_routes_declared_before_and_after_the_mount_are_tools() -> None:
    app = shop()
    sezzlee = mount_mcp(app)
    late = Blueprint("late", __name__, url_prefix="/late")
    late.add_url_rule("/x", "x", mcp_tool(name="x")(lambda: "x"))
    app.register_blueprint(late)
    assert [tool.name for tool in sezzlee.catalog.tools] == ["ping", "x"]
    assert [tool.route for tool in sezzlee.catalog.tools] == ["/ping", "/late/x"]


def test_a_second_path_serves_the_same_catalog_and_the_same_path_raises() -> None:
    app = shop()
    options = Options()
    first = mount_mcp(app, options=options)
    second = mount_mcp(app, "/agents", options)
    assert first.catalog is second.catalog
    for path in ("/mcp", "/agents"):
        with AgentClient(app, path) as agent:
            assert agent.invoke("ping")["status"] == 200
    with pytest.raises(OptionsError, match="already has an endpoint"):
        mount_mcp(app, "/agents")
    for wrong in ("agents", "/agents/"):
        with pytest.raises(OptionsError, match="must start with"):
            mount_mcp(app, wrong)


@pytest.mark.parametrize(
    "settings", [{"options": Options()}, {"ranker": object}, {"dispatch_app": shop()}]
)
def test_settings_belong_to_the_first_call(settings: dict[str, Any]) -> None:
    app = shop()
    mount_mcp(app)
    with pytest.raises(OptionsError, match="first call"):
        mount_mcp(app, "/agents", **settings)


def test_the_option_names_the_path_where_the_call_does_not() -> None:
    app = shop()
    mount_mcp(app, options=Options(transport={"path": "/agents"}))
    with AgentClient(app, "/agents") as agent:
        assert len(agent.tools()) == 3


def test_the_extension_idiom_serves_several_applications() -> None:
    sezzlee = Sezzlee(options=Options(selection={"default": "include"}))
    with pytest.raises(RuntimeError, match="init_app"):
        _ = sezzlee.catalog
    first, second = Flask("first"), Flask("second")
    first.add_url_rule("/a", "a", lambda: "a", methods=["GET"])
    second.add_url_rule("/b", "b", lambda: "b", methods=["GET"])
    for app in (first, second):
        sezzlee.init_app(app)
    assert [tool.route for tool in sezzlee.build().tools] == ["/b"]
    with AgentClient(first) as agent:
        assert agent.search()["results"][0]["name"] == "get_a"
    again = Sezzlee(Flask("third"), "/agents")
    assert again.options == Options()
    assert len(again.catalog) == 0


def test_what_a_mount_returns_keeps_its_application() -> None:
    sezzlee = mount_mcp(shop())
    gc.collect()
    assert sezzlee.invoke("ping")["status"] == 200


def test_the_endpoint_answers_what_its_protocol_says_and_nothing_else() -> None:
    app = shop()
    mount_mcp(app)
    client = app.test_client()
    answers = {method: client.open("/mcp", method=method) for method in ("GET", "PUT", "DELETE")}
    assert {method: answer.status_code for method, answer in answers.items()} == dict.fromkeys(
        answers, 405
    )
    assert answers["GET"].headers["allow"] == "POST"
    assert client.head("/mcp").status_code == 405
    assert client.options("/mcp").status_code == 200
    assert client.post("/mcp", data="x").status_code == 415
    notified = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (notified.status_code, notified.data) == (202, b"")
    assert "content-type" not in notified.headers


def test_no_stream_of_changes_is_promised() -> None:
    app = shop()
    mount_mcp(app)
    with AgentClient(app) as agent:
        capabilities = agent.request("server/discover", {})["capabilities"]
        assert capabilities["tools"] == {"listChanged": False}
        with pytest.raises(AgentError) as refused:
            agent.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    assert refused.value.code == -32601


def test_a_fatal_catalog_refuses_every_call_and_names_why() -> None:
    app = Flask("shop")
    for rule in ("/a", "/b"):
        app.add_url_rule(rule, rule.strip("/"), mcp_tool(name="same")(lambda: ""))
    sezzlee = mount_mcp(app)
    with AgentClient(app) as agent:
        calls: tuple[Callable[[], object], ...] = (
            agent.search,
            lambda: agent.load("same"),
            lambda: agent.invoke("same"),
        )
        for call in calls:
            with pytest.raises(AgentError, match="name_collision") as refused:
                call()
            assert refused.value.code == -32603
    with pytest.raises(CatalogError):
        sezzlee.build()


def test_a_reload_swaps_the_catalog_and_a_fatal_one_leaves_it() -> None:
    app = shop()
    sezzlee = mount_mcp(app)
    assert sezzlee.build().generation == 1
    app.add_url_rule("/x", "x", mcp_tool(name="x")(lambda: "x"))
    reloaded = sezzlee.reload()
    assert (reloaded.generation, [t.name for t in reloaded.tools]) == (2, ["ping", "x"])
    assert sezzlee.reload().tools == reloaded.tools
    app.add_url_rule("/y", "y", mcp_tool(name="x")(lambda: "y"))
    with pytest.raises(CatalogError):
        sezzlee.reload()
    assert sezzlee.invoke("x")["body"] == "x"


@pytest.mark.parametrize(
    ("settings", "server_name"),
    [
        ({"subdomain_matching": True}, "shop.example"),
        ({"host_matching": True, "static_host": "static.example"}, None),
    ],
)
def test_tools_of_one_host_are_called_from_there(
    settings: dict[str, Any], server_name: str | None
) -> None:
    app = Flask("shop", **settings)
    app.config["SERVER_NAME"] = server_name
    place: dict[str, Any] = (
        {"subdomain": "<shop>"} if server_name else {"host": "<shop>.shop.example"}
    )
    app.add_url_rule(
        "/x/<int:n>", "x", mcp_tool(name="x")(lambda shop, n: {"shop": shop, "n": n}), **place
    )
    mount_mcp(app)
    for name in ("north", "south"):
        with AgentClient(app, headers={"host": f"{name}.shop.example"}) as agent:
            answer = agent.invoke("x", {"n": 4})
            assert answer == {"status": 200, "body": {"shop": name, "n": 4}}
            assert agent.load("x")["inputSchema"]["required"] == ["n"]


def test_calls_enter_at_the_application_as_it_is_served() -> None:
    app = shop()

    def outermost(environ: dict[str, Any], start_response: Any) -> Any:
        environ["QUERY_STRING"] = "who=outermost"
        return app(environ, start_response)

    mount_mcp(app, dispatch_app=outermost)
    with AgentClient(app) as agent:
        assert agent.invoke("ping")["body"] == {"pong": "outermost"}


def test_an_application_below_a_dispatcher_is_called_through_it() -> None:
    outer, inner = shop(), Flask("inner")
    inner.add_url_rule(
        "/x/<name>", "x", mcp_tool(name="x")(lambda name: f"{request.script_root} {name}")
    )
    outer.wsgi_app = DispatcherMiddleware(outer.wsgi_app, {"/in": inner})  # type: ignore[method-assign]
    sezzlee = mount_mcp(outer)
    assert sezzlee.invoke("x", {"name": "ada"})["body"] == "/in ada"
    assert sezzlee.invoke("ping")["body"] == {"pong": None}


@pytest.mark.parametrize("wrap", [A2WSGIMiddleware], ids=["a2wsgi"])
def test_a_flask_application_below_a_starlette_one_is_walked_and_called(wrap: Any) -> None:
    inner = Flask("inner")
    inner.add_url_rule(
        "/orders/<int:order_id>",
        "order",
        mcp_tool(name="order")(lambda order_id: {"id": order_id, "path": request.path}),
    )
    mount_mcp(inner)
    app = Starlette(routes=[Mount("/legacy", app=wrap(inner))])
    sezzlee = mount_on_starlette(app)
    with AgentClient(app) as agent:
        assert agent.invoke("order", {"order_id": 3}) == {
            "status": 200,
            "body": {"id": 3, "path": "/orders/3"},
        }
    assert [tool.route for tool in sezzlee.catalog.tools] == ["/legacy/orders/{order_id}"]


# --- a protected endpoint -----------------------------------------------------------------------

PROTECTED = {
    "metadata": {
        "resource": "https://shop.example/mcp",
        "authorization_servers": ["https://login.example"],
    }
}
DOCUMENT = "/.well-known/oauth-protected-resource/mcp"


def test_the_metadata_are_served_to_anybody_and_every_401_of_the_endpoint_names_them() -> None:
    app = shop()
    app.before_request(lambda: ("who?", 401))
    mount_mcp(app, options=Options(resource_server=PROTECTED))
    client = app.test_client()
    document = client.get(DOCUMENT)
    assert (document.status_code, document.json) == (200, PROTECTED["metadata"])
    refused = client.post("/mcp", json={})
    assert (refused.status_code, refused.text) == (401, "who?")
    assert refused.headers["www-authenticate"] == (
        f'Bearer resource_metadata="https://shop.example{DOCUMENT}"'
    )
    assert "www-authenticate" not in client.get("/ping").headers


def test_a_document_of_the_host_s_own_is_left_alone() -> None:
    app = shop()
    app.add_url_rule(DOCUMENT, "document", lambda: "the host's")
    mount_mcp(app, options=Options(resource_server=PROTECTED))
    assert app.test_client().get(DOCUMENT).text == "the host's"


def test_an_application_below_a_prefix_cannot_serve_the_document() -> None:
    app = shop()
    app.config["APPLICATION_ROOT"] = "/shop"
    sezzlee = mount_mcp(app, options=Options(resource_server=PROTECTED))
    with pytest.raises(CatalogError, match="prm_path_prefixed"):
        sezzlee.build()
    unaware = shop()
    mount_mcp(unaware, options=Options(resource_server=PROTECTED))
    served = DispatcherMiddleware(Flask("outer"), {"/shop": unaware})
    with AgentClient(served, "/shop/mcp") as agent, pytest.raises(AgentError, match="prefixed"):
        agent.search()


def test_a_prefix_that_a_server_tells_of_later_fails_no_reload() -> None:
    app = shop()
    sezzlee = mount_mcp(app, options=Options(resource_server=PROTECTED))
    sezzlee.build()
    assert app.test_client().get("/ping", environ_overrides={"SCRIPT_NAME": "/shop"}).status == (
        "200 OK"
    )
    assert sezzlee.reload().generation == 2
    app.config["APPLICATION_ROOT"] = "/shop"
    with pytest.raises(CatalogReloadError, match="prm_path_prefixed"):
        sezzlee.reload()


# --- the host's own functions -------------------------------------------------------------------


def test_async_functions_of_the_host_are_waited_for() -> None:
    app = Flask("shop")

    @app.get("/x")
    @mcp_tool(
        name="x",
        query={"properties": {"tenant": {"type": "string"}}},
        arguments={"tenant": Arg(hidden=Provider("tenant"))},
    )
    def x() -> dict[str, Any]:
        return {"tenant": request.args["tenant"], "who": request.headers["authorization"]}

    x.__mcp_auth__ = {"anonymous": "no", "policies": ["clerk"]}  # type: ignore[attr-defined]

    async def project(outer: Any) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"authorization": f"inner {outer.header('authorization')}"}

    async def tenant(context: Any) -> str:
        await asyncio.sleep(0)
        return f"tenant of {context.caller.headers['authorization']} on {current_app.name}"

    async def identity(caller: Any) -> str:
        await asyncio.sleep(0)
        return "present"

    async def evaluate(policy: str, caller: Any) -> str:
        await asyncio.sleep(0)
        return "allow" if caller.headers["authorization"] == "inner ada" else "deny"

    mount_mcp(
        app,
        options=Options(
            fills={"tenant": tenant},
            identity={"project": project},
            visibility={"identity": identity, "evaluate_policy": evaluate},
            cache={"lifetime_ms": 0},
        ),
    )
    with AgentClient(app, headers={"authorization": "ada"}) as agent:
        assert agent.invoke("x")["body"] == {
            "tenant": "tenant of inner ada on shop",
            "who": "inner ada",
        }
        assert agent.search("x")["total"] == 1
    with AgentClient(app, headers={"authorization": "bob"}) as agent:
        assert agent.search("x")["total"] == 0


class Fixed:
    """A ranker that answers in its own order."""

    def __init__(self, *names: str) -> None:
        self.names = names or ("b", "a")

    def rank(self, request: Any) -> list[str]:
        return list(self.names)


class Slow(Fixed):
    async def rank(self, request: Any) -> list[str]:  # type: ignore[override]
        await asyncio.sleep(0)
        return list(self.names)


entered: list[str] = []


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[Fixed]:
    entered.append(f"opened on {current_app.name}")
    yield Slow()


def made_in_context() -> Fixed:
    entered.append(f"made on {current_app.name}")
    return Fixed()


async def made_later() -> Fixed:
    entered.append(f"made later on {current_app.name}")
    return Slow()


@pytest.mark.parametrize(
    ("ranker", "steps"),
    [
        (Fixed(), []),
        (Slow(), []),
        (Fixed, []),
        (made_in_context, ["made on shop"]),
        (made_later, ["made later on shop"]),
        (opened, ["opened on shop"]),
    ],
)
def test_a_ranker_is_bound_as_object_class_factory_or_context_manager(
    ranker: Any, steps: list[str]
) -> None:
    entered.clear()
    app = Flask("shop")
    for name in ("a", "b"):
        app.add_url_rule(f"/{name}", name, mcp_tool(name=name)(lambda: ""))
    sezzlee = mount_mcp(app, ranker=ranker)
    for _ in range(2):
        found = sezzlee.search("either of them")["results"]
        assert [card["name"] for card in found] == ["b", "a"]
    assert entered == steps
    assert not has_app_context()


def failing() -> Any:
    raise RuntimeError("no model")


@pytest.mark.parametrize("ranker", [failing, lambda: object()])
def test_a_ranker_that_cannot_be_made_fails_as_the_host_chose(ranker: Any) -> None:
    app = shop()
    sezzlee = mount_mcp(app, ranker=ranker)
    assert [card["name"] for card in sezzlee.search("ping")["results"]] == ["ping"]
    strict = shop()
    sezzlee = mount_mcp(
        strict, ranker=ranker, options=Options(search={"on_ranker_failure": "error"})
    )
    assert sezzlee.search("ping")["error"] == "search_ranker_unavailable"


class InContext(PathConverter):
    """Reads a path the way of the application at hand, as one that looks into a database does."""

    def to_python(self, value: str) -> str:
        return f"{value} of {current_app.name}"


def in_context(response: ErrorResponse) -> Recognized | None:
    return Recognized(message=f"told by {current_app.name}")


@pytest.mark.parametrize("errors", [{"recognize": (in_context,)}, {"mapper": in_context}])
def test_who_reads_a_refusal_sees_the_application(errors: dict[str, Any]) -> None:
    app = Flask("shop")
    app.add_url_rule("/broken", "broken", mcp_tool(name="broken")(lambda: abort(409)))
    sezzlee = mount_mcp(app, options=Options(errors=errors))
    for _ in range(2):
        assert sezzlee.invoke("broken")["message"] == "told by shop"


def test_a_converter_sees_the_application_where_a_path_is_tried_before_the_call() -> None:
    app = Flask("shop")
    app.url_map.converters["seen"] = InContext
    app.add_url_rule("/<seen:x>", "seen", mcp_tool(name="seen")(lambda x: x))
    app.add_url_rule("/<seen:x>/secret", "secret", lambda x: "secret")
    sezzlee = mount_mcp(app)
    for _ in range(2):
        assert sezzlee.invoke("seen", {"x": "it"})["body"] == "it of shop"
        assert sezzlee.invoke("seen", {"x": "it/secret"})["error"] == "invalid_path_type"


def test_who_reads_the_events_of_calls_sees_the_application(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def of_application(record: logging.LogRecord) -> bool:
        record.app = current_app.name
        return True

    sezzlee = mount_mcp(shop())
    caplog.set_level(logging.INFO, logger="sezzlee_py")
    caplog.handler.addFilter(of_application)
    try:
        for _ in range(2):
            assert sezzlee.invoke("ping")["status"] == 200
    finally:
        caplog.handler.removeFilter(of_application)
    invokes = [r for r in caplog.records if getattr(r, "sezzlee_event", None) == "invoke"]
    assert [vars(record)["app"] for record in invokes] == ["shop", "shop"]


def test_a_call_that_asks_nothing_of_the_host_pushes_no_context_beside_the_applications() -> None:
    app = shop()
    torn_down: list[str] = []
    app.teardown_appcontext(lambda fault: torn_down.append(current_app.name))
    sezzlee = mount_mcp(app)
    sezzlee.invoke("ping")
    torn_down.clear()
    sezzlee.invoke("ping")
    assert torn_down == ["shop"]


def test_host_functions_see_no_g_of_the_outer_request() -> None:
    app = shop()
    seen: list[Any] = []
    app.before_request(lambda: setattr(g, "user", "outer"))

    @app.get("/x")
    @mcp_tool(
        name="x",
        query={"properties": {"t": {"type": "string"}}},
        arguments={"t": Arg(hidden=Provider("t"))},
    )
    def x() -> str:
        return ""

    def fill(context: Any) -> str:
        seen.append(getattr(g, "user", None))
        return "t"

    mount_mcp(app, options=Options(fills={"t": fill}))
    with AgentClient(app) as agent:
        assert agent.invoke("x")["status"] == 200
    assert seen == [None]


# --- threads and processes ----------------------------------------------------------------------


class PlainRanker:
    def rank(self, request: RankRequest) -> list[str]:
        return [document.name for document in request.catalog.documents]


class AsyncRanker(PlainRanker):
    async def rank(self, request: RankRequest) -> list[str]:  # type: ignore[override]
        return super().rank(request)


async def ada(outer: object) -> dict[str, str]:
    return {"authorization": "ada"}


@pytest.mark.parametrize(
    ("ranker", "options"),
    [
        (None, {}),
        (PlainRanker(), {}),
        (AsyncRanker(), {}),
        (None, {"identity": {"project": ada}}),
    ],
    ids=["nothing of the host's", "plain ranker", "async ranker", "async projection"],
)
def test_no_thread_and_no_event_loop_is_made_per_request(
    ranker: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = shop()
    mount_mcp(app, options=Options(**options), ranker=ranker)
    made: list[str] = []
    start, new_loop = threading.Thread.start, asyncio.new_event_loop

    def counted(thread: threading.Thread) -> None:
        made.append(thread.name)
        start(thread)

    def counted_loop() -> asyncio.AbstractEventLoop:
        made.append("loop")
        return new_loop()

    with AgentClient(app) as agent:
        agent.invoke("ping")
        agent.search("ping")
        monkeypatch.setattr(threading.Thread, "start", counted)
        monkeypatch.setattr(asyncio, "new_event_loop", counted_loop)
        for _ in range(200):
            assert agent.invoke("ping")["status"] == 200
            assert agent.search("ping")["total"] == 1
    assert made == []


FORKED = """
import os
from flask import Flask
from sezzlee_flask import mount_mcp
from sezzlee_py import mcp_tool

class Ranker:
    async def rank(self, request):
        return ["pid"]

made = []
def factory():
    made.append(os.getpid())
    return Ranker()

app = Flask("shop")
app.add_url_rule("/pid", "pid", mcp_tool(name="pid")(lambda: {"pid": os.getpid()}))
sezzlee = mount_mcp(app, ranker=factory)

def serves():
    found = sezzlee.search("process")["results"][0]["name"] == "pid"
    called = sezzlee.invoke("pid")["body"] == {"pid": os.getpid()}
    return found and called and made[-1] == os.getpid()

assert serves()
children = []
for _ in range(2):
    child = os.fork()
    if child == 0:
        os._exit(0 if serves() and serves() and len(made) == 2 else 1)
    children.append(child)
raise SystemExit(sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


def test_forked_workers_serve_with_threads_and_rankers_of_their_own() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORKED], cwd=ROOT, timeout=60, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


LEFT = """
from contextlib import asynccontextmanager
from flask import Flask
from sezzlee_flask import mount_mcp
from sezzlee_py import mcp_tool

class Ranker:
    def rank(self, request):
        return ["x"]

@asynccontextmanager
async def opened():
    print("opened", flush=True)
    yield Ranker()
    print("closed", flush=True)

app = Flask("shop")
app.add_url_rule("/x", "x", mcp_tool(name="x")(lambda: ""))
sezzlee = mount_mcp(app, ranker=opened)
for _ in range(2):
    print(sezzlee.search("any of them")["results"][0]["name"], flush=True)
"""


def test_a_ranker_s_context_manager_is_left_when_the_process_ends() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LEFT], cwd=ROOT, timeout=60, capture_output=True, text=True
    )
    assert (ended.stdout.split(), ended.returncode) == (["opened", "x", "x", "closed"], 0)
