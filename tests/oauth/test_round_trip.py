"""The whole way: 401, metadata, registration, code with PKCE, token, call."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

httpx2 = pytest.importorskip("httpx2")
pytest.importorskip("mcp")

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared.auth import (  # noqa: E402
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from examples.bookshop_fastapi import create_app  # noqa: E402
from tests.endpoint.drive import modern_request  # noqa: E402
from tests.oauth.authorization_server import AuthorizationServer  # noqa: E402
from tests.serving import served  # noqa: E402

ROLES = {"ada": "customer", "grace": "manager"}
REDIRECT = "http://127.0.0.1:33418/callback"


@dataclass
class Shop:
    """The bookshop behind its authorization server."""

    server: AuthorizationServer
    base: str = ""

    @property
    def resource(self) -> str:
        return f"{self.base}/mcp"

    def app(self, base: str) -> Any:
        self.base = base

        def verify(token: str) -> tuple[str, str] | None:
            user = self.server.verify(token, self.resource)
            return None if user is None else (user, ROLES[user])

        metadata = {
            "resource": self.resource,
            "authorization_servers": [self.server.issuer],
            "scopes_supported": ["shop"],
        }
        return create_app(verify, resource_server={"metadata": metadata, "challenge_scope": "shop"})


@asynccontextmanager
async def guarded_shop() -> AsyncIterator[Shop]:
    servers: list[AuthorizationServer] = []

    def make(base: str) -> Any:
        servers.append(AuthorizationServer(base))
        return servers[0].app()

    async with served(make):
        shop = Shop(servers[0])
        async with served(shop.app):
            yield shop


@dataclass
class Storage:
    """What the client keeps between requests."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Browser:
    """Whoever is asked to log in, and what the redirect brought back."""

    user: str
    asked: dict[str, str] = field(default_factory=dict)
    brought: dict[str, str] = field(default_factory=dict)

    async def visit(self, url: str) -> None:
        self.asked = dict(parse_qsl(urlsplit(url).query))
        async with httpx2.AsyncClient() as http:
            answer = await http.get(url, headers={"x-login": self.user})
        self.brought = dict(parse_qsl(urlsplit(answer.headers["location"]).query))

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**self.brought)


@asynccontextmanager
async def agent_of(shop: Shop, browser: Browser, storage: Storage) -> AsyncIterator[Client]:
    provider = OAuthClientProvider(
        server_url=shop.resource,
        client_metadata=OAuthClientMetadata(redirect_uris=[REDIRECT], client_name="agent"),  # type: ignore[list-item]  # text is read as an URL
        storage=storage,
        redirect_handler=browser.visit,
        callback_handler=browser.come_back,
    )
    async with (
        httpx2.AsyncClient(auth=provider, timeout=20) as http,
        Client(streamable_http_client(shop.resource, http_client=http)) as client,
    ):
        yield client


def payload(result: Any) -> Any:
    return json.loads(result.content[0].text)


async def test_the_official_client_logs_in_and_calls_as_its_user() -> None:
    async with guarded_shop() as shop:
        browser, storage = Browser("ada"), Storage()
        async with agent_of(shop, browser, storage) as client:
            found = payload(await client.call_tool("search_tools", {"query": "list orders"}))
            assert found["results"][0]["name"] == "list_orders"
            mine = payload(await client.call_tool("invoke_tool", {"name": "list_orders"}))
            assert {order["customer"] for order in mine["body"]} == {"ada"}
            hidden = payload(await client.call_tool("load_tool", {"name": "restock_book"}))
            assert hidden["error"] == "unknown_tool"
        assert shop.server.steps == ["metadata", "register", "authorize", "token"]
        assert browser.asked["resource"] == shop.resource
        assert browser.asked["code_challenge_method"] == "S256"
        assert browser.asked["scope"] == "shop"
        assert storage.tokens is not None
        assert shop.server.verify(storage.tokens.access_token, shop.resource) == "ada"


async def test_each_user_s_token_opens_what_is_that_user_s() -> None:
    async with guarded_shop() as shop:
        counts = {}
        for user in ROLES:
            async with agent_of(shop, Browser(user), Storage()) as client:
                found = payload(await client.call_tool("search_tools", {"query": ""}))
                counts[user] = found["total"]
        assert counts == {"ada": 6, "grace": 8}


async def post(shop: Shop, token: str | None) -> Any:
    message, headers = modern_request("tools/list")
    if token is not None:
        headers["authorization"] = token
    async with httpx2.AsyncClient() as http:
        return await http.post(shop.resource, json=message, headers=headers)


async def test_wrong_expired_forged_and_missing_tokens_are_refused() -> None:
    async with guarded_shop() as shop:
        server = shop.server
        good = server.issue("ada", shop.resource)
        forged = good.replace(good[0], "f" if good[0] != "f" else "g", 1)
        now = server.clock
        server.clock = lambda: now() - 3_600
        expired = server.issue("ada", shop.resource)
        server.clock = now
        refused = {
            "missing": None,
            "wrong audience": f"Bearer {server.issue('ada', shop.base)}",
            "another resource": f"Bearer {server.issue('ada', 'https://other.test/mcp')}",
            "expired": f"Bearer {expired}",
            "forged": f"Bearer {forged}",
            "no bearer": f"Basic {good}",
        }
        assert (await post(shop, f"Bearer {good}")).status_code == 200
        for case, token in refused.items():
            answer = await post(shop, token)
            assert answer.status_code == 401, case
            (challenge,) = answer.headers.get_list("www-authenticate")
            assert challenge.lower().count("bearer") == 1, case
            assert f'resource_metadata="{shop.base}/.well-known/oauth-protected-resource/mcp"' in (
                challenge
            ), case
            assert 'scope="shop"' in challenge, case


async def test_the_metadata_document_is_there_for_anybody() -> None:
    async with guarded_shop() as shop, httpx2.AsyncClient() as http:
        answer = await http.get(f"{shop.base}/.well-known/oauth-protected-resource/mcp")
        assert answer.json() == {
            "resource": shop.resource,
            "authorization_servers": [shop.server.issuer],
            "scopes_supported": ["shop"],
        }
        assert answer.headers["cache-control"] == "public, max-age=300"
        elsewhere = await http.get(f"{shop.base}/orders")
        assert "resource_metadata" not in elsewhere.headers.get("www-authenticate", "")


async def test_a_code_is_worth_nothing_without_its_verifier() -> None:
    async with guarded_shop() as shop, httpx2.AsyncClient() as http:
        issuer = shop.server.issuer
        client = {"redirect_uris": [REDIRECT]}
        registered = (await http.post(f"{issuer}/register", json=client)).json()
        asked = {
            "client_id": registered["client_id"],
            "redirect_uri": REDIRECT,
            "resource": shop.resource,
            "state": "s",
            "code_challenge": "c",
            "code_challenge_method": "S256",
        }
        answer = await http.get(f"{issuer}/authorize", params=asked, headers={"x-login": "ada"})
        code = dict(parse_qsl(urlsplit(answer.headers["location"]).query))["code"]
        form = {**asked, "code": code, "code_verifier": "guess", "grant_type": "authorization_code"}
        assert (await http.post(f"{issuer}/token", data=form)).status_code == 400
