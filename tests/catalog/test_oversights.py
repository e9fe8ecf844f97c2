"""What the log warns of that no finding about one operation can say."""

from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI
from fastapi.security import APIKeyHeader

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, mcp_tool


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_an_application_that_offers_nothing_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    app.get("/ping")(lambda: "pong")
    mount_mcp(app).build()
    assert warned(caplog) == [
        "none of 1 operations is offered to agents: put @mcp_tool on handlers, or set "
        "options.selection"
    ]


def key_app(options: Options | None = None) -> Any:
    app = FastAPI()

    @app.get("/mine")
    @mcp_tool(name="mine")
    def mine(key: Annotated[str, Depends(APIKeyHeader(name="X-API-Key"))]) -> str:
        return key

    return mount_mcp(app, options=options)


def test_a_credential_that_does_not_travel_is_told(caplog: pytest.LogCaptureFixture) -> None:
    key_app().build()
    (warning,) = warned(caplog)
    assert "1 tools take a credential in 'x-api-key', which does not travel" in warning
    assert "options.identity.carriers" in warning


async def test_a_credential_that_is_named_travels(caplog: pytest.LogCaptureFixture) -> None:
    sezzlee = key_app(Options(identity={"carriers": ("authorization", "x-api-key")}))
    answer = await sezzlee.invoke("mine", headers={"x-api-key": "k"})
    assert answer == {"status": 200, "body": "k"}
    assert warned(caplog) == []
