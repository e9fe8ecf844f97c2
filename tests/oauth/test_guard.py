"""Guarding the endpoint with the framework's own means, and what a 401 says then."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Header, HTTPException, Request
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route

import sezzlee_fastapi
import sezzlee_starlette
from sezzlee_py import CatalogError, Options, mcp_tool
from sezzlee_py.errors import OptionsError
from sezzlee_py.testing import AgentClient
from sezzlee_py.testing.agent_client import AgentError

METADATA = {
    "resource": "https://shop.test/mcp",
    "authorization_servers": ["https://login.test"],
    "bearer_methods_supported": ["header"],
    "resource_name": "Shop",
}
DOCUMENT = "/.well-known/oauth-protected-resource/mcp"
ADDRESS = "https://shop.test/.well-known/oauth-protected-resource/mcp"
PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def protected(**more: Any) -> Options:
    return Options(resource_server={"metadata": METADATA, **more})


def get(agent: AgentClient, path: str, method: str = "GET") -> Any:
    return agent._transport.request(method, path, {"host": "127.0.0.1"}, b"")


def require(authorization: Annotated[str | None, Header()] = None) -> str:
    if authorization != "Bearer good":
        raise HTTPException(
            401, "log in first", {"WWW-Authenticate": 'Bearer error="invalid_token"'}
        )
    return authorization


def shop(**more: Any) -> FastAPI:
    app = FastAPI(**more)

    @app.get("/me")
    @mcp_tool(name="who_am_i")
    def me(authorization: Annotated[str | None, Header()] = None) -> str:
        return str(authorization)

    return app


# --- FastAPI: dependencies ----------------------------------------------------------------------


def test_a_dependency_guards_the_endpoint_and_its_401_tells_where_to_go() -> None:
    app = shop()
    sezzlee_fastapi.mount_mcp(app, options=protected(), dependencies=[Depends(require)])
    with AgentClient(app) as agent:
        refused = agent.post(PING)
        assert (refused.status, json.loads(refused.body)) == (401, {"detail": "log in first"})
        assert refused.headers["www-authenticate"] == (
            f'Bearer error="invalid_token", resource_metadata="{ADDRESS}"'
        )
        assert refused.headers["content-length"] == str(len(refused.body))
        good = {"authorization": "Bearer good"}
        assert agent.invoke("who_am_i", headers=good) == {"status": 200, "body": "Bearer good"}


def test_dependencies_of_the_application_guard_it_too() -> None:
    app = shop(dependencies=[Depends(require)])
    sezzlee_fastapi.mount_mcp(app, options=protected(challenge_scope="shop"))
    with AgentClient(app) as agent:
        assert agent.post(PING).headers["www-authenticate"] == (
            f'Bearer error="invalid_token", resource_metadata="{ADDRESS}", scope="shop"'
        )
        assert agent.post(PING, headers={"authorization": "Bearer good"}).status == 200
        assert get(agent, DOCUMENT).status == 200


def test_without_a_guard_the_endpoint_is_open_and_the_document_there() -> None:
    app = shop()
    sezzlee_fastapi.mount_mcp(app, options=protected())
    with AgentClient(app) as agent:
        assert agent.post(PING).status == 200
        answer = get(agent, DOCUMENT)
        assert (answer.status, json.loads(answer.body)) == (200, METADATA)
        assert answer.headers["cache-control"] == "public, max-age=300"
        assert get(agent, DOCUMENT, "HEAD").body == b""
        assert get(agent, DOCUMENT, "POST").status in (404, 405)


def test_without_metadata_there_is_no_document_and_no_decoration() -> None:
    app = shop()
    options = Options(resource_server={"challenge_scope": "shop"})
    sezzlee_fastapi.mount_mcp(app, options=options, dependencies=[Depends(require)])
    with AgentClient(app) as agent:
        assert agent.post(PING).headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert get(agent, DOCUMENT).status == 404


@pytest.mark.parametrize("reads", ["body", "json"])
def test_a_guard_may_read_the_body_and_the_endpoint_reads_it_again(reads: str) -> None:
    async def signed(request: Request, x_signature: Annotated[str, Header()] = "") -> None:
        await getattr(request, reads)()
        body = await request.body()
        if not hmac.compare_digest(x_signature, hashlib.sha256(body).hexdigest()):
            raise HTTPException(401)

    app = shop()
    sezzlee_fastapi.mount_mcp(app, dependencies=[Depends(signed)])
    body = json.dumps(PING).encode()
    headers = {
        "host": "127.0.0.1",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "x-signature": hashlib.sha256(body).hexdigest(),
    }
    with AgentClient(app) as agent:
        answer = agent._transport.request("POST", "/mcp", headers, body)
        assert (answer.status, len(json.loads(answer.body)["result"]["tools"])) == (200, 3)
        assert agent.post(PING).status == 401


def test_a_guard_with_clean_up_is_cleaned_up() -> None:
    seen: list[str] = []

    async def session() -> AsyncIterator[None]:
        seen.append("open")
        yield
        seen.append("closed")

    app = shop()
    sezzlee_fastapi.mount_mcp(app, dependencies=[Depends(session)])
    with AgentClient(app) as agent:
        assert agent.search("")["total"] == 1
        assert seen == ["open", "closed"]


def test_two_endpoints_may_be_guarded_differently() -> None:
    app = shop()
    sezzlee_fastapi.mount_mcp(app, "/mcp", protected(), dependencies=[Depends(require)])
    sezzlee_fastapi.mount_mcp(app, "/internal")
    with AgentClient(app) as agent:
        assert agent.post(PING).status == 401
    with AgentClient(app, "/internal") as agent:
        assert agent.post(PING).status == 200


# --- Starlette: middleware ----------------------------------------------------------------------


class Guard:
    """Refuses everybody everywhere, as a login wall does."""

    def __init__(self, app: Any, challenge: str | None = None) -> None:
        self.app = app
        self.challenge = challenge

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] != "http" or headers.get(b"authorization") == b"Bearer good":
            await self.app(scope, receive, send)
            return
        more = {} if self.challenge is None else {"www-authenticate": self.challenge}
        await PlainTextResponse("who are you?", 401, more)(scope, receive, send)


def star(middleware: Any = ()) -> Starlette:
    async def me(request: Any) -> JSONResponse:
        return JSONResponse(request.headers.get("authorization"))

    route = Route("/me", mcp_tool(name="who_am_i")(me))
    return Starlette(routes=[route], middleware=list(middleware))


@pytest.mark.parametrize("added", ["before", "after"])
@pytest.mark.parametrize(
    ("challenge", "expected"),
    [
        (None, [f'Bearer resource_metadata="{ADDRESS}"']),
        ("Bearer", [f'Bearer resource_metadata="{ADDRESS}"']),
        (
            'Basic realm="a, Bearer b"',
            ['Basic realm="a, Bearer b"', f'Bearer resource_metadata="{ADDRESS}"'],
        ),
        ('Bearer resource_metadata="mine"', ['Bearer resource_metadata="mine"']),
    ],
)
def test_a_wall_added_before_or_after_is_decorated(
    added: str, challenge: str | None, expected: list[str]
) -> None:
    app = star([Middleware(Guard, challenge=challenge)] if added == "before" else ())
    sezzlee_starlette.mount_mcp(app, options=protected())
    if added == "after":
        app.add_middleware(Guard, challenge=challenge)
    with AgentClient(app) as agent:
        refused = agent.post(PING)
        assert (refused.status, refused.body) == (401, b"who are you?")
        # The testing kit keeps the last of several fields.
        assert refused.headers["www-authenticate"] == expected[-1]
        elsewhere = get(agent, "/me")
        assert elsewhere.headers.get("www-authenticate") == challenge
        assert get(agent, DOCUMENT).status == 200
        good = {"authorization": "Bearer good"}
        assert agent.invoke("who_am_i", headers=good)["body"] == "Bearer good"


def test_starlette_s_own_authentication_guards_it() -> None:
    class Tokens(AuthenticationBackend):
        async def authenticate(self, conn: Any) -> Any:
            if conn.headers.get("authorization") != "Bearer good":
                return None
            return AuthCredentials(["authenticated"]), SimpleUser("ada")

    class LoggedIn:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            wants = scope["type"] == "http" and scope["path"].startswith("/mcp")
            if wants and not scope["user"].is_authenticated:
                await JSONResponse({"error": "login"}, 401)(scope, receive, send)
            else:
                await self.app(scope, receive, send)

    walls = [Middleware(AuthenticationMiddleware, backend=Tokens()), Middleware(LoggedIn)]
    app = star(walls)
    sezzlee_starlette.mount_mcp(app, options=protected())
    with AgentClient(app) as agent:
        assert agent.post(PING).headers["www-authenticate"] == (
            f'Bearer resource_metadata="{ADDRESS}"'
        )
        assert agent.post(PING, headers={"authorization": "Bearer good"}).status == 200


def test_an_endpoint_mounted_after_the_stack_was_built_is_decorated_too() -> None:
    app = star([Middleware(Guard)])
    with AgentClient(app) as agent:
        get(agent, "/me")
    sezzlee_starlette.mount_mcp(app, options=protected())
    with AgentClient(app) as agent:
        assert ADDRESS in agent.post(PING).headers["www-authenticate"]
        assert get(agent, DOCUMENT).status == 200


def test_a_refusal_inside_a_call_is_an_answer_and_carries_no_challenge() -> None:
    app = star()

    async def locked(request: Any) -> PlainTextResponse:
        return PlainTextResponse("no", 401)

    app.router.routes.append(Route("/locked", mcp_tool(name="locked")(locked)))
    sezzlee_starlette.mount_mcp(app, options=protected())
    with AgentClient(app) as agent:
        answer = agent.post(
            {
                **PING,
                "method": "tools/call",
                "params": {"name": "invoke_tool", "arguments": {"name": "locked"}},
            }
        )
        assert answer.status == 200
        assert "www-authenticate" not in answer.headers
        assert b"unauthenticated" in answer.body


# --- whose document it is -----------------------------------------------------------------------


async def own(request: Any) -> PlainTextResponse:
    return PlainTextResponse("the host's")


@pytest.mark.parametrize(
    "route",
    [
        Route(DOCUMENT, own),
        Route("/.well-known/{rest:path}", own),
        Mount("/.well-known", routes=[Route("/oauth-protected-resource/mcp", own)]),
    ],
    ids=["same", "below", "mount"],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_route_of_the_host_at_that_path_wins(route: Any, when: str) -> None:
    app = star()
    if when == "before":
        app.router.routes.append(route)
    sezzlee_starlette.mount_mcp(app, options=protected())
    if when == "after":
        app.router.routes.append(route)
    with AgentClient(app) as agent:
        assert get(agent, DOCUMENT).body == b"the host's"


def test_a_catch_all_does_not_win() -> None:
    app = star()
    app.router.routes.append(Route("/{path:path}", own))
    sezzlee_starlette.mount_mcp(app, options=protected())
    with AgentClient(app) as agent:
        assert json.loads(get(agent, DOCUMENT).body) == METADATA
        assert get(agent, "/.well-known/other").body == b"the host's"


def test_a_known_prefix_is_fatal() -> None:
    app = shop()
    app.root_path = "/api"
    sezzlee = sezzlee_fastapi.mount_mcp(app, options=protected())
    with pytest.raises(CatalogError) as refused:
        sezzlee.build()
    assert [found.code for found in refused.value.diagnostics if found.severity == "fatal"] == [
        "prm_path_prefixed"
    ]
    plain = shop()
    plain.root_path = "/api"
    assert len(sezzlee_fastapi.mount_mcp(plain).build()) == 1


def test_a_mounted_application_learns_of_its_prefix_by_its_first_request() -> None:
    inner = star()
    sezzlee_starlette.mount_mcp(inner, options=protected())
    outer = Starlette(routes=[Mount("/api", app=inner)])
    with AgentClient(outer, "/api/mcp") as agent, pytest.raises(AgentError) as refused:
        agent.search("")
    assert (refused.value.code, "prm_path_prefixed" in str(refused.value)) == (-32603, True)


def test_a_prefix_that_a_server_tells_of_later_fails_no_reload() -> None:
    app = star()
    sezzlee = sezzlee_starlette.mount_mcp(app, options=protected())
    with AgentClient(Starlette(routes=[Mount("/api", app=app)]), "/api/mcp") as agent:
        sezzlee.build()
        assert agent.search("")["total"] == 1
        assert sezzlee.reload().generation == 2


@pytest.mark.parametrize("missing", ["resource", "authorization_servers"])
def test_metadata_that_lack_something_are_refused_at_once(missing: str) -> None:
    metadata = {name: value for name, value in METADATA.items() if name != missing}
    with pytest.raises(OptionsError, match=missing):
        sezzlee_starlette.mount_mcp(star(), options=Options(resource_server={"metadata": metadata}))
