"""What the test client says where the endpoint is not what answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask, Response, request

from sezzlee_flask import mount_mcp
from sezzlee_py.testing import AgentClient, AgentError


def guarded(body: bytes) -> Flask:
    """An application whose guard answers everything with `body`, as JSON."""
    app = Flask("guarded")
    mount_mcp(app)

    @app.before_request
    def guard() -> Response | None:
        if "Authorization" in request.headers:
            return None
        return Response(body, 401, content_type="application/json")

    return app


ANSWERS: tuple[Any, ...] = (
    {"error": "Unauthorized", "status": 401},
    {"error": {"message": "x"}},
    {"error": {"code": "denied", "message": "x"}},
    {"result": "none"},
    ["Unauthorized"],
    None,
)


@pytest.mark.parametrize("body", [json.dumps(answer).encode() for answer in ANSWERS] + [b"{"])
def test_json_of_a_guard_is_the_status_with_what_the_guard_said(body: bytes) -> None:
    with AgentClient(guarded(body)) as agent, pytest.raises(AgentError) as caught:
        agent.search("anything")
    assert (caught.value.code, str(caught.value)) == (401, f"401: {body.decode()}")


def test_a_caller_that_the_guard_admits_is_answered() -> None:
    with AgentClient(guarded(b"{}"), headers={"authorization": "Bearer ada"}) as agent:
        assert agent.search("anything")["results"] == []


def test_an_error_of_the_endpoint_keeps_its_own_code() -> None:
    client = AgentClient(guarded(b"{}"), headers={"authorization": "x"})
    with client as agent, pytest.raises(AgentError) as caught:
        agent.request("nothing/such", {})
    assert caught.value.code == -32601
