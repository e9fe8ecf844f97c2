"""Endpoints of Starlette routes that stand behind ASGI wrappers of their own."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.authentication import AuthenticationBackend, requires
from starlette.endpoints import HTTPEndpoint
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, request_response

from sezzlee_py import declare, mcp_tool
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.model import Anonymous, Auth
from sezzlee_py.testing import AgentClient
from sezzlee_starlette import mount_mcp
from sezzlee_starlette.discovery import StarletteAdapter
from tests.adapters.walks import codes, served


class Limit:
    """Reject what is too long."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


class Tokens:
    async def issue(self, request: Request) -> PlainTextResponse:
        """Issue a token."""
        return PlainTextResponse("token")

    def revoke(self, request: Request) -> PlainTextResponse:
        """Revoke a token."""
        return PlainTextResponse("revoked")


class Keys(HTTPEndpoint):
    async def get(self, request: Request) -> PlainTextResponse:
        """List the keys."""
        return PlainTextResponse("keys")

    async def delete(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse("gone")


def cors(app: Any) -> CORSMiddleware:
    return CORSMiddleware(app, allow_origins=["*"])


def operations(*routes: Route) -> list[DiscoveredOperation]:
    return served(StarletteAdapter(Starlette(routes=list(routes))).discover())


def told(found: DiscoveredOperation) -> tuple[Any, ...]:
    descriptor = found.descriptor
    return descriptor.operation, descriptor.container, descriptor.description, descriptor.source


def test_a_wrapped_handler_tells_what_it_would_tell_alone() -> None:
    tokens = Tokens()
    found = operations(
        Route("/token", cors(Limit(request_response(tokens.issue))), methods=["POST"]),
        Route("/revoke", Limit(request_response(tokens.revoke)), methods=["POST", "OPTIONS"]),
    )

    assert list(map(told, found)) == [
        ("POST /token", "Tokens", "Issue a token.", f"{__name__}:Tokens.issue"),
        ("POST /revoke", "Tokens", "Revoke a token.", f"{__name__}:Tokens.revoke"),
    ]


def test_a_wrapped_class_has_an_operation_for_each_verb_it_handles() -> None:
    found = operations(Route("/keys", cors(Keys)), Route("/some", cors(Keys), methods=["GET"]))

    assert list(map(told, found)) == [
        ("GET /keys", "Keys", "List the keys.", f"{__name__}:Keys.get"),
        ("DELETE /keys", "Keys", None, f"{__name__}:Keys.delete"),
        ("GET /some", "Keys", "List the keys.", f"{__name__}:Keys.get"),
    ]


@mcp_tool(name="issue_token")
async def issue(request: Request) -> PlainTextResponse:
    return PlainTextResponse("token")


def test_a_declaration_on_a_wrapped_function_counts_and_the_call_passes_the_wrapper() -> None:
    app = Starlette(
        routes=[
            Route("/token", Limit(cors(request_response(issue))), methods=["POST"]),
            Route("/other", Limit(request_response(Tokens().issue)), methods=["POST"]),
        ]
    )
    mount_mcp(app)

    with AgentClient(app) as agent:
        assert [card["name"] for card in agent.search("token")["results"]] == ["issue_token"]
        assert agent.invoke("issue_token")["body"] == "token"


def test_a_wrapper_that_is_declared_itself_stands_for_itself() -> None:
    wrapper = Limit(request_response(Tokens().issue))
    declare(wrapper, name="limited")
    app = Starlette(routes=[Route("/token", wrapper, methods=["POST"])])

    (tool,) = mount_mcp(app).build().tools

    assert (tool.name, tool.description) == ("limited", "Reject what is too long.")


class Guard(Limit):
    __mcp_auth__ = {"anonymous": "no"}  # noqa: RUF012  # as hosts write it


@requires("admin")
async def guarded(request: Request) -> PlainTextResponse:
    return PlainTextResponse("")


async def checked(request: Request, call_next: RequestResponseEndpoint) -> Response:
    return await call_next(request)


class Backend(AuthenticationBackend):
    pass


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        # Of the framework's own middleware it is known that it refuses nobody.
        (GZipMiddleware(cors(request_response(issue))), Auth()),
        (cors(Limit(request_response(issue))), Auth(imperative=True)),
        (Guard(request_response(issue)), Auth(anonymous=Anonymous.NO, imperative=True)),
        (cors(request_response(guarded)), Auth(imperative=True)),
        (BaseHTTPMiddleware(request_response(issue), dispatch=checked), Auth(imperative=True)),
        (AuthenticationMiddleware(request_response(issue), Backend()), Auth(imperative=True)),
    ],
    ids=["framework", "host", "marked", "decorated below", "own check", "authentication"],
)
def test_wrappers_of_the_host_may_guard(endpoint: Any, expected: Auth) -> None:
    (found,) = operations(Route("/x", endpoint, methods=["GET"]))

    assert found.descriptor.auth == expected


def test_one_function_behind_two_wrappers_is_two_operations() -> None:
    once, twice = (Limit(request_response(issue)) for _ in range(2))
    routes = [
        Route("/a", once, methods=["POST"]),
        Route("/b", once, methods=["POST"]),
        Route("/c", twice, methods=["POST"]),
        Route("/d", issue, methods=["POST"]),
    ]
    adapter = StarletteAdapter(Starlette(routes=routes))
    keys = [found.descriptor.endpoint_key for found in served(adapter.discover())]

    assert [keys.index(key) for key in keys] == [0, 0, 2, 3]
    assert [adapter.resolve("POST", f"/{path}") for path in "abcd"] == keys


def test_a_wrapped_endpoint_is_not_cut() -> None:
    adapter = StarletteAdapter(
        Starlette(routes=[Route("/x", cors(request_response(issue)), methods=["POST"])])
    )

    assert adapter.cut() == frozenset()


async def opaque(scope: Any, receive: Any, send: Any) -> None: ...


class Proxy:
    """Stands for an application that is not there yet."""

    @property
    def __class__(self) -> Any:
        raise RuntimeError("not yet")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


@pytest.mark.parametrize(
    "endpoint",
    [Limit(opaque), Limit(Limit(Starlette())), Limit(None), Limit(Proxy())],
    ids=["an application", "an application with routes", "nothing", "a proxy"],
)
def test_a_wrapper_around_anything_else_is_its_own_handler(endpoint: Any) -> None:
    (found,) = operations(Route("/x", endpoint, methods=["GET"]))

    assert found.endpoint is endpoint
    assert operations(Route("/x", endpoint)) == []


def test_a_shadow_names_the_wrapped_handler() -> None:
    app = Starlette(
        routes=[
            Route("/x", cors(request_response(issue)), methods=["POST"]),
            Route("/x", Tokens().issue, methods=["POST"]),
        ]
    )
    found = StarletteAdapter(app).discover()

    assert codes(found) == [("route_shadowed", "POST /x")]
    assert f"({__name__}:issue)" in found.operations[1].diagnostics[0].message
