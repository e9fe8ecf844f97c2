"""What the log warns of that no finding about one operation can say."""

from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Header
from fastapi.security import APIKeyCookie, APIKeyHeader, APIKeyQuery, HTTPBearer
from fastapi.testclient import TestClient

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Arg, CurationRule, Options, SelectionRule, mcp_tool


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_an_application_that_offers_nothing_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    app.get("/ping")(lambda: "pong")
    mount_mcp(app).build()
    assert warned(caplog) == [
        "no operation is offered to agents: put @mcp_tool on handlers, or set options.selection"
    ]


def test_a_route_of_the_host_s_own_at_the_endpoint_s_path_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = FastAPI()
    app.post("/tools")(mcp_tool(name="own")(lambda: None))
    sezzlee = mount_mcp(app)
    sezzlee.build()
    assert warned(caplog) == []

    mount_mcp(app, path="/tools")
    sezzlee.reload()
    assert warned(caplog)[-1] == (
        "'/tools' is the endpoint's path and a route of the application's own, and one of the two "
        "is never reached where both answer a method: choose another by mount_mcp(app, path=...)"
    )


def test_a_route_that_a_slash_tells_from_the_endpoint_s_path_is_reached(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = FastAPI()
    app.post("/tools/")(mcp_tool(name="own")(lambda: "own"))
    mount_mcp(app, path="/tools").build()
    assert warned(caplog) == []
    with TestClient(app) as client:
        assert client.post("/tools/").json() == "own"
        assert client.post("/tools", json={}).json()["jsonrpc"] == "2.0"


def key_app(options: Options | None = None) -> Any:
    app = FastAPI()

    @app.get("/mine")
    @mcp_tool(name="mine")
    def mine(key: Annotated[str, Depends(APIKeyHeader(name="X-API-Key"))]) -> str:
        return key

    return mount_mcp(app, options=options)


def test_a_credential_that_does_not_travel_is_told(caplog: pytest.LogCaptureFixture) -> None:
    key_app().build()
    assert warned(caplog) == [
        "x-api-key is no carrier, so calls of mine go without it; name it in "
        "Options(identity={'carriers': ('authorization', 'x-api-key')}) to have it carried"
    ]


def test_every_credential_that_stays_is_told_with_the_one_line_that_carries_all(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = FastAPI()
    schemes = [
        APIKeyHeader(name="X-Key"),
        APIKeyCookie(name="sid"),
        APIKeyQuery(name="key"),
        HTTPBearer(),
    ]
    guards = [Depends(scheme) for scheme in schemes]
    for number in range(7):
        app.get(f"/{number}", dependencies=guards)(mcp_tool(name=f"tool_{number}")(lambda: None))
    mount_mcp(app).build()
    line = "Options(identity={'carriers': ('authorization', 'cookie', 'x-key')})"
    calls = "so calls of tool_0, tool_1, tool_2, tool_3, tool_4, 2 more tools go without it"
    assert warned(caplog) == [
        f"key is read from the query, which no call carries, {calls}; let its guard take a header "
        "as well",
        f"the cookie sid is not carried, {calls}; name its header in {line} to have it carried",
        f"x-key is no carrier, {calls}; name it in {line} to have it carried",
    ]


async def test_a_credential_that_is_named_travels(caplog: pytest.LogCaptureFixture) -> None:
    sezzlee = key_app(Options(identity={"carriers": ("authorization", "x-api-key")}))
    answer = await sezzlee.invoke("mine", headers={"x-api-key": "k"})
    assert answer == {"status": 200, "body": "k"}
    assert warned(caplog) == []


def header_app(name: str, arguments: dict[str, Arg] | None = None, **identity: Any) -> Any:
    app = FastAPI()

    @app.get("/mine")
    @mcp_tool(name="mine", arguments=arguments)
    def mine(value: Annotated[str, Header(alias=name)]) -> str:
        return value

    return mount_mcp(app, options=Options(identity=identity))


@pytest.mark.parametrize("name", ["X-API-Key", "x-token", "x-auth-token", "x-admin-secret"])
def test_a_header_that_sounds_like_a_credential_is_told_where_agents_are_asked_for_it(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert [slot.argument for slot in header_app(name).build().tools[0].slots] == [name]
    (warning,) = warned(caplog)
    carriers = ("authorization", name.lower())
    assert warning == (
        f"1 tool would have agents give the header {name.lower()!r}: where it is the caller's "
        f"credential, name it in Options(identity={{'carriers': {carriers}}}) and it travels "
        "instead; where an agent "
        f"may choose it, give it another name: Arg({name.lower().replace('-', '_') + '_'!r})"
    )


@pytest.mark.parametrize("name", ["idempotency-key", "x-tenant", "x-author", "token-type"])
def test_other_headers_are_ordinary_arguments(name: str, caplog: pytest.LogCaptureFixture) -> None:
    header_app(name).build()
    assert warned(caplog) == []


def test_a_credential_header_that_was_looked_at_is_not_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    header_app("x-token", {"x-token": Arg("page_token")}).build()
    assert warned(caplog) == []
    header_app("x-token", carriers=("authorization", "x-token")).build()
    (finding,) = warned(caplog)
    assert finding.startswith("warning credential_parameter_ignored")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"selection": {"rules": [SelectionRule(route="/order/**", method="GET")]}},
            "SelectionRule(route='/order/**', method='GET') fits no operation"
            "; did you mean '/orders/{id}'?",
        ),
        (
            {"selection": {"rules": [SelectionRule(method="DELETE", decision="exclude")]}},
            "SelectionRule(method='DELETE') fits no operation",
        ),
        (
            {"curation": {"rules": [CurationRule(container="order", arguments={"id": Arg("n")})]}},
            "CurationRule(container='order') fits no operation; did you mean 'orders'?",
        ),
        ({"selection": {"rules": [SelectionRule(route="/orders/*")]}}, None),
        ({"curation": {"rules": [CurationRule(method="get", arguments={})]}}, None),
    ],
)
def test_a_rule_that_fits_nothing_is_told_with_the_nearest(
    options: dict[str, Any], told: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    app = FastAPI()

    @app.get("/orders/{id}", tags=["orders"])
    @mcp_tool
    def get_order(id: int) -> None: ...

    mount_mcp(app, options=Options(**options)).build()
    assert warned(caplog) == ([] if told is None else [told])


def test_an_oversight_is_an_event(caplog: pytest.LogCaptureFixture) -> None:
    header_app("x-token").build()
    (record,) = (r for r in caplog.records if getattr(r, "sezzlee_event", "") == "oversight")
    assert vars(record)["sezzlee_about"] == "credential_argument"
