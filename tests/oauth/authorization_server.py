"""A small OAuth 2.1 authorization server for tests: metadata, registration, PKCE, audience."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route


@dataclass
class Grant:
    """What a code stands for."""

    client_id: str
    redirect_uri: str
    challenge: str
    resource: str
    scope: str
    user: str


@dataclass
class AuthorizationServer:
    """Signs tokens for the resource they were asked for; whoever logs in names themselves.

    `steps` tells what was asked of it, in order.
    """

    issuer: str
    clock: Callable[[], float] = time.time
    lifetime_s: int = 60
    steps: list[str] = field(default_factory=list)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _clients: dict[str, list[str]] = field(default_factory=dict)
    _grants: dict[str, Grant] = field(default_factory=dict)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self._metadata),
                Route("/register", self._register, methods=["POST"]),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
            ]
        )

    def issue(self, user: str, audience: str, scope: str = "") -> str:
        """Return a signed token."""
        claims = {
            "iss": self.issuer,
            "sub": user,
            "aud": audience,
            "scope": scope,
            "exp": self.clock() + self.lifetime_s,
        }
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        return f"{body}.{self._signature(body)}"

    def verify(self, token: str, audience: str) -> str | None:
        """Return whose token it is: a resource's own check, by signature, audience and time."""
        body, _, signature = token.partition(".")
        if not hmac.compare_digest(signature, self._signature(body)):
            return None
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if claims["aud"] != audience or claims["exp"] <= self.clock():
            return None
        user: str = claims["sub"]
        return user

    def _signature(self, body: str) -> str:
        return hmac.new(self._key, body.encode(), hashlib.sha256).hexdigest()

    # --- endpoints ------------------------------------------------------------------------------

    async def _metadata(self, request: Request) -> Response:
        self.steps.append("metadata")
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "registration_endpoint": f"{self.issuer}/register",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": True,
            }
        )

    async def _register(self, request: Request) -> Response:
        self.steps.append("register")
        asked = await request.json()
        client_id = secrets.token_hex(8)
        self._clients[client_id] = asked["redirect_uris"]
        record = {**asked, "client_id": client_id, "token_endpoint_auth_method": "none"}
        return JSONResponse(record, 201)

    async def _authorize(self, request: Request) -> Response:
        self.steps.append("authorize")
        asked = request.query_params
        uris = self._clients.get(asked.get("client_id", ""), [])
        if asked.get("redirect_uri") not in uris:
            return JSONResponse({"error": "invalid_request"}, 400)
        if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return JSONResponse({"error": "invalid_request"}, 400)
        code = secrets.token_hex(16)
        self._grants[code] = Grant(
            client_id=asked["client_id"],
            redirect_uri=asked["redirect_uri"],
            challenge=asked["code_challenge"],
            resource=asked["resource"],
            scope=asked.get("scope", ""),
            # Whoever would have logged in here.
            user=request.headers["x-login"],
        )
        answer = {"code": code, "state": asked["state"], "iss": self.issuer}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", 302)

    async def _token(self, request: Request) -> Response:
        self.steps.append("token")
        asked: Any = await request.form()
        grant = self._grants.pop(asked.get("code", ""), None)
        digest = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if grant is None or (grant.client_id, grant.redirect_uri, grant.challenge) != (
            asked.get("client_id"),
            asked.get("redirect_uri"),
            challenge,
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        if asked.get("resource") != grant.resource:
            return JSONResponse({"error": "invalid_target"}, 400)
        return JSONResponse(
            {
                "access_token": self.issue(grant.user, grant.resource, grant.scope),
                "token_type": "Bearer",
                "expires_in": self.lifetime_s,
                "scope": grant.scope,
            },
            headers={"cache-control": "no-store"},
        )
