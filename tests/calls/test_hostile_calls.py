"""What a hostile agent sends, against a FastAPI application, through the real endpoint."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Header, HTTPException
from fastapi.responses import PlainTextResponse

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, Sezzlee, mcp_tool
from sezzlee_py.testing import AgentClient


class Records:
    """What the application's handlers saw, in order."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []


def build_app(records: Records, options: Options | None = None) -> FastAPI:
    app = FastAPI()

    @app.get("/users/me")
    def me() -> dict[str, str]:
        records.seen.append(("me", None))
        return {"name": "me"}

    @app.get("/users/{name}")
    @mcp_tool
    def get_user(name: str, note: str = "") -> dict[str, str]:
        """Fetch a user."""
        records.seen.append(("get_user", name))
        return {"name": name}

    @app.get("/admin/{name}")
    def admin(name: str) -> dict[str, str]:
        records.seen.append(("admin", name))
        return {"secret": "yes"}

    @app.get("/files/{path:path}")
    @mcp_tool
    def get_file(path: str) -> dict[str, str]:
        """Fetch a file."""
        records.seen.append(("get_file", path))
        return {"path": path}

    @app.get("/traced")
    @mcp_tool
    def traced(x_trace: Annotated[str, Header()]) -> dict[str, str]:
        """Echo a header."""
        return {"trace": x_trace}

    @app.get("/whoami")
    @mcp_tool
    async def whoami(authorization: Annotated[str | None, Header()] = None) -> dict[str, Any]:
        """Echo the caller."""
        await asyncio.sleep(0)
        return {"caller": authorization}

    @app.get("/broken")
    @mcp_tool
    def broken() -> None:
        """Raise with a connection string in the text."""
        raise RuntimeError("postgresql://root:hunter2@db.internal/shop is down")

    @app.get("/leaky")
    @mcp_tool
    def leaky() -> None:
        """Answer an error that holds a path and a token."""
        raise HTTPException(400, "see /home/app/secrets.py, token=abcdef0123456789")

    @app.get("/page")
    @mcp_tool
    def page() -> PlainTextResponse:
        """Answer text."""
        return PlainTextResponse("hello")

    @app.get("/forever")
    @mcp_tool
    async def forever() -> None:
        """Never answer."""
        await asyncio.Event().wait()

    options = options or Options()
    options.naming.prefix = lambda container: ""
    mount_mcp(app, options=options)
    return app


@pytest.fixture
def records() -> Records:
    return Records()


@pytest.fixture
def agent(records: Records) -> Iterator[AgentClient]:
    with AgentClient(build_app(records), headers={"authorization": "Bearer t"}) as agent:
        yield agent


@pytest.mark.parametrize(
    "value",
    [
        "../admin/x",
        "..",
        ".",
        "",
        "a/b",
        "/admin/x",
        "a\\b",
        "a\0b",
        "a\nb",
        "me",
        "//admin/x",
    ],
)
def test_a_path_value_that_leaves_its_segment_is_refused(
    agent: AgentClient, records: Records, value: str
) -> None:
    answer = agent.invoke("get_user", {"name": value})
    assert answer["error"] in {"invalid_path_type", "missing_path_parameter"}
    assert records.seen == []


@pytest.mark.parametrize(
    "value", ["%2e%2e", "%2e%2e/admin"[:6], "a?x=1#y", "a%2Fb", "a b", "ü", "'; drop", "a;b=c", "+"]
)
def test_a_path_value_that_stays_in_its_segment_arrives_as_it_is(
    agent: AgentClient, records: Records, value: str
) -> None:
    assert agent.invoke("get_user", {"name": value})["body"] == {"name": value}
    assert records.seen == [("get_user", value)]


@pytest.mark.parametrize("value", ["../x", "a/../b", "a/./b", "a//b", "/etc/passwd", "a/..", ""])
def test_a_spanning_path_value_refuses_dot_segments(
    agent: AgentClient, records: Records, value: str
) -> None:
    assert "error" in agent.invoke("get_file", {"path": value})
    assert records.seen == []


def test_a_spanning_path_value_carries_slashes(agent: AgentClient) -> None:
    assert agent.invoke("get_file", {"path": "a/b c/d"})["body"] == {"path": "a/b c/d"}


@pytest.mark.parametrize("value", ["a\r\nx-admin: 1", "a\nb", "a\0b", "\u2028", "ключ"])
def test_a_header_value_that_no_header_can_carry_is_refused(agent: AgentClient, value: str) -> None:
    assert agent.invoke("traced", {"x-trace": value})["error"] == "header_injection"


def test_a_header_value_in_latin_1_arrives(agent: AgentClient) -> None:
    assert agent.invoke("traced", {"x-trace": "é"})["body"] == {"trace": "é"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("text", "invalid_type"),
        ('["a"]', "invalid_type"),
        (["a"], "invalid_type"),
        (7, "invalid_type"),
        (True, "invalid_type"),
        ({"name": ["a"]}, "invalid_path_type"),
        ({"name": {"deep": {"deeper": {}}}}, "invalid_path_type"),
        ({"name": 5}, "invalid_path_type"),
        ({"name": None}, "missing_path_parameter"),
        ({}, "missing_path_parameter"),
        ({"nam": "a"}, "unknown_argument"),
        ({"name": "a", "authorization": "Bearer other"}, "unknown_argument"),
        ({"name": "a", "note": 5}, "invalid_type"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_a_code(
    agent: AgentClient, records: Records, arguments: Any, code: str
) -> None:
    answer = agent.invoke("get_user", arguments)
    assert (answer["error"], answer["retryable"]) == (code, False)
    assert "status" not in answer
    assert records.seen == []


def test_arguments_as_the_text_of_an_object_are_read(agent: AgentClient) -> None:
    assert agent.invoke("get_user", '{"name": "ada"}')["body"] == {"name": "ada"}


def test_a_body_over_the_limit_is_refused_unread(agent: AgentClient, records: Records) -> None:
    call = {"name": "invoke_tool", "arguments": {"name": "get_user", "arguments": "x" * 5_000_000}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    assert agent.post(message).status == 413
    assert records.seen == []


def test_deep_nesting_is_an_answer_and_not_a_crash(agent: AgentClient) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    assert agent.invoke("get_user", {"name": deep})["error"] == "invalid_path_type"


def test_an_unknown_tool_and_one_that_nobody_declared_answer_alike(agent: AgentClient) -> None:
    undeclared, missing = agent.invoke("admin", {"name": "x"}), agent.invoke("ghost", {})
    assert undeclared["message"].replace("admin", "ghost") == missing["message"]
    assert undeclared["error"] == missing["error"] == "unknown_tool"
    assert agent.load("admin")["message"] == undeclared["message"]


def test_a_misspelt_meta_argument_is_named(agent: AgentClient) -> None:
    answer = agent.call("invoke_tool", {"name": "get_user", "argumens": {"name": "a"}})
    assert answer["error"] == "unknown_argument"
    assert "argumens" in answer["message"]
    assert "arguments" in answer["message"]


@pytest.mark.parametrize("tool", ["broken", "leaky"])
def test_what_a_failing_handler_says_does_not_leak(agent: AgentClient, tool: str) -> None:
    answer = agent.invoke(tool)
    assert answer["error"] in {"backend_error", "bad_request"}
    told = str(answer)
    for secret in ("postgresql", "hunter2", "RuntimeError", "/home", "abcdef"):
        assert secret not in told


def test_a_handler_that_never_returns_frees_the_agent(records: Records) -> None:
    with AgentClient(
        build_app(records, Options(invoke={"timeout_ms": 50, "cancel_grace_ms": 10}))
    ) as agent:
        answer = agent.invoke("forever")
        assert (answer["error"], answer["retryable"]) == ("invoke_timeout", True)
        assert agent.invoke("page")["body"] == "hello"


async def test_parallel_callers_never_mix(records: Records) -> None:
    app = build_app(records)
    sezzlee: Sezzlee = mount_mcp(app, "/second")

    async def call(number: int) -> tuple[str, str]:
        token = f"Bearer {number % 20}"
        answer = await sezzlee.invoke("whoami", headers={"authorization": token})
        return token, answer["body"]["caller"]

    answers = await asyncio.gather(*[call(number) for number in range(200)])
    assert [sent for sent, _ in answers] == [seen for _, seen in answers]
