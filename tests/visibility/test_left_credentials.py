"""A call that is refused for want of a credential which its request had is told to the host."""

from __future__ import annotations

import logging

import pytest
from flask import Flask, abort, request

from sezzlee_flask import mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.testing import AgentClient


def shop() -> Flask:
    app = Flask(__name__)

    @app.post("/close")
    @mcp_tool(name="close_shop", body=False)
    def close() -> dict[str, bool]:
        """Close the shop."""
        if request.headers.get("x-api-key") != "k":
            abort(401)
        return {"closed": True}

    return app


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if getattr(record, "sezzlee_about", "") == "credential_left"
    ]


def test_a_credential_that_stayed_behind_is_told_once_with_the_way_to_carry_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = shop()
    mount_mcp(app)
    agent = AgentClient(app, headers={"X-Api-Key": "k"})
    with caplog.at_level(logging.WARNING):
        assert {agent.invoke("close_shop")["error"] for _ in range(3)} == {"unauthenticated"}
    assert told(caplog) == [
        "a call was answered with 401: its request had x-api-key, which is no carrier, so the call "
        "went without it; name it in Options(identity={'carriers': ('authorization', 'x-api-key')})"
        " to have it carried"
    ]


def test_a_session_cookie_that_stayed_behind_is_told(caplog: pytest.LogCaptureFixture) -> None:
    app = shop()
    mount_mcp(app)
    with caplog.at_level(logging.WARNING):
        AgentClient(app, headers={"Cookie": "session=s3cret"}).invoke("close_shop")
    (text,) = told(caplog)
    assert "had cookie, which is no carrier" in text
    assert "'authorization', 'cookie'" in text
    assert "s3cret" not in text


def test_nothing_is_told_where_it_is_carried_or_no_credential_came(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = shop()
    mount_mcp(app, options=Options(identity={"carriers": ("x-api-key",)}))
    with caplog.at_level(logging.WARNING):
        AgentClient(app, headers={"X-Api-Key": "wrong"}).invoke("close_shop")
        AgentClient(app, headers={"Idempotency-Key": "1"}).invoke("close_shop")
    assert told(caplog) == []


def test_a_client_that_invents_names_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    app = shop()
    mount_mcp(app)
    with caplog.at_level(logging.WARNING):
        for number in range(40):
            AgentClient(app, headers={f"x-{number}-token": "s3cret"}).invoke("close_shop")
        AgentClient(app, headers={"x" * 100 + "-token": "s3cret"}).invoke("close_shop")
    assert len(told(caplog)) == 8
    assert "s3cret" not in caplog.text
