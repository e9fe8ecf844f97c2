"""The same on Flask, whose requests run in threads."""

import json
import threading
from typing import Any

import pytest
from flask import Flask, abort, request

from sezzlee_flask import mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.callers import CallerScope, McpCaller
from sezzlee_py.testing import AgentClient

ADA = {"authorization": "Bearer ada"}
BOSS = {"authorization": "Bearer boss"}


def user_of(caller: McpCaller) -> str:
    return caller.headers.get("authorization", "").removeprefix("Bearer ")


class Host:
    def __init__(self, **more: Any) -> None:
        self.bosses = {"boss"}
        self.asked: list[str] = []
        self.app = Flask(__name__)

        @self.app.get("/own")
        @mcp_tool(name="own")
        def own() -> dict[str, Any]:
            """Tell who calls."""
            return {"user": request.headers.get("Authorization")}

        @self.app.post("/fire")
        @mcp_tool(name="fire")
        def fire() -> dict[str, Any]:
            """Fire somebody."""
            if request.headers.get("Authorization") != "Bearer boss":
                abort(403)
            return {}

        fire.__mcp_auth__ = {"anonymous": "no", "policies": ["boss"]}  # type: ignore[attr-defined]
        options = Options(**more)
        options.visibility.identity = self.identity
        options.visibility.evaluate_policy = self.evaluate
        options.cache.scope_resolver = lambda caller: CallerScope(
            caller.scope_key, (f"user:{user_of(caller) or 'nobody'}",)
        )
        self.sezzlee = mount_mcp(self.app, options=options)

    async def identity(self, caller: McpCaller) -> str:
        self.asked.append(user_of(caller))
        return "present" if caller.fields else "absent"

    def evaluate(self, policy: str, caller: McpCaller) -> str:
        return "allow" if user_of(caller) in self.bosses else "deny"

    def found_by(self, headers: dict[str, str]) -> list[str]:
        answer = self.sezzlee.search("", headers=headers)
        return [card["name"] for card in answer["results"]]


def test_each_finds_its_own_and_is_asked_about_once() -> None:
    host = Host()
    for _ in range(2):
        assert host.found_by(ADA) == ["own"]
        assert host.found_by(BOSS) == ["fire", "own"]
        assert host.found_by({}) == ["own"]
    assert host.asked == ["ada", "boss", ""]


def test_a_guessed_name_loads_as_a_missing_one_and_is_refused_by_the_application() -> None:
    host = Host()
    with AgentClient(host.app, headers=ADA) as agent:
        assert agent.load("fire")["error"] == "unknown_tool"
        assert agent.load("fire") == {
            **agent.load("firx"),
            "message": agent.load("firx")["message"].replace("firx", "fire"),
        }
        assert agent.invoke("fire")["error"] == "forbidden"


@pytest.mark.parametrize("how", ["caller", "tag", "all", "reload"])
def test_a_new_role_shows_as_soon_as_the_host_says_so(how: str) -> None:
    host = Host()
    assert host.found_by(ADA) == ["own"]
    host.bosses.add("ada")
    assert host.found_by(ADA) == ["own"]
    match how:
        case "caller":
            key = McpCaller(fields=(("authorization", "Bearer ada"),)).scope_key
            host.sezzlee.invalidate_caller(key)
        case "tag":
            host.sezzlee.invalidate_tag("user:ada")
        case "all":
            host.sezzlee.invalidate_all()
        case _:
            host.sezzlee.reload()
    assert host.found_by(ADA) == ["fire", "own"]


def server_login(**visibility: Any) -> Flask:
    """An application whose users its server has logged in."""
    app = Flask(__name__)

    @app.before_request
    def guard() -> None:
        if request.path == "/fire" and request.environ.get("REMOTE_USER") != "boss":
            abort(403)

    @app.get("/fire")
    @mcp_tool(name="fire")
    def fire() -> dict[str, Any]:
        """Fire somebody."""
        return {}

    fire.__mcp_auth__ = {"anonymous": "no", "imperative": True}  # type: ignore[attr-defined]
    mount_mcp(app, options=Options(identity={"environ": ["REMOTE_USER"]}, visibility=visibility))
    return app


def found_as(app: Flask, user: str) -> list[dict[str, Any]]:
    call = {"name": "search_tools", "arguments": {"query": ""}}
    answer = app.test_client().post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        environ_overrides={"REMOTE_USER": user},
    )
    results: list[dict[str, Any]] = json.loads(answer.json["result"]["content"][0]["text"])[
        "results"
    ]
    return results


def test_what_a_probe_found_for_one_user_of_the_server_is_not_shown_to_another() -> None:
    app = server_login(probe=True)
    assert [card["name"] for card in found_as(app, "boss")] == ["fire"]
    assert found_as(app, "ada") == []
    assert [card["name"] for card in found_as(app, "boss")] == ["fire"]


def test_a_user_of_the_server_without_any_header_is_somebody() -> None:
    (card,) = found_as(server_login(), "boss")
    assert (card["name"], card["authUncertain"]) == ("fire", True)


def test_threads_of_many_callers_never_mix() -> None:
    host = Host(cache={"max_callers": 3, "lifetime_ms": 5})
    host.sezzlee.build()
    faults: list[Any] = []

    def call(name: str) -> None:
        headers = {"authorization": f"Bearer {name}"}
        expected = ["fire", "own"] if name in host.bosses else ["own"]
        for _ in range(40):
            found = host.found_by(headers)
            own = host.sezzlee.invoke("own", headers=headers)["body"]
            if found != expected or own != {"user": f"Bearer {name}"}:
                faults.append((name, found, own))

    names = ["boss", *(f"user{number}" for number in range(7))]
    threads = [threading.Thread(target=call, args=(name,)) for name in names * 2]
    for thread in threads:
        thread.start()
    for _ in range(5):
        host.sezzlee.reload()
        host.sezzlee.invalidate_all()
    for thread in threads:
        thread.join(30)
    assert faults == []
