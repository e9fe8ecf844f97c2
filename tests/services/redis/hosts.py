"""An application whose roles change, on FastAPI and on Flask, with as many replicas as wanted."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes
from flask import Flask

import sezzlee_fastapi
import sezzlee_flask
from sezzlee_py import Options, mcp_tool
from sezzlee_py.callers import McpCaller
from tests.visibility.test_remembering import tagged, user_of

BOSS = {"anonymous": "no", "policies": ["boss"], "imperative": False}

bearer = HTTPBearer()


def require(
    scopes: SecurityScopes, credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]
) -> str:
    return credentials.credentials


class World:
    """What every replica of the application finds in its database."""

    def __init__(self) -> None:
        self.bosses = {"grace"}


class Replica(ABC):
    """One process of the application as far as it counts here; it counts what it is asked."""

    def __init__(self, world: World, **options: Any) -> None:
        self.world = world
        self.asked = 0
        self.heard: list[str] = []
        self.options = Options(**options)
        self.options.visibility.identity = self._identity
        self.options.visibility.evaluate_policy = self._evaluate
        self.options.cache.scope_resolver = tagged
        self.sezzlee: Any = self._mount()
        self.sezzlee.build()

    @abstractmethod
    def _mount(self) -> Any:
        """Make the application and return what mounting its endpoint gave."""

    @abstractmethod
    def find(self, headers: Mapping[str, str]) -> list[str]:
        """Return the names of the tools that a caller finds."""

    def _identity(self, caller: McpCaller) -> str:
        self.asked += 1
        return "present"

    def _evaluate(self, policy: str, caller: McpCaller) -> str:
        return "allow" if user_of(caller) in self.world.bosses else "deny"

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""


class FastAPIReplica(Replica):
    """On an event loop of its own, as a server's process has one."""

    def _mount(self) -> Any:
        self.runner = asyncio.Runner()
        self.app = FastAPI()

        @self.app.get("/own")
        @mcp_tool(name="own")
        def own(user: Annotated[str, Security(require)]) -> str:
            return user

        @self.app.post("/fire")
        @mcp_tool(name="fire")
        def fire(user: Annotated[str, Security(require, scopes=["boss"])]) -> str:
            return user

        sezzlee = sezzlee_fastapi.mount_mcp(self.app, options=self.options)
        sezzlee._engine.on_reload(lambda: self.heard.append("list_changed"))
        return sezzlee

    async def afind(self, headers: Mapping[str, str]) -> list[str]:
        answer = await self.sezzlee.search("", headers=headers)
        return [card["name"] for card in answer["results"]]

    def find(self, headers: Mapping[str, str]) -> list[str]:
        return self.runner.run(self.afind(headers))

    def close(self) -> None:
        store = self.options.cache.store
        if hasattr(store, "aclose"):
            self.runner.run(store.aclose())
        self.sezzlee._engine.stopping()
        self.runner.close()


class FlaskReplica(Replica):
    """In threads."""

    def _mount(self) -> Any:
        self.app = Flask("shop")

        def own() -> str:
            return "own"

        def fire() -> str:
            return "fire"

        own.__mcp_auth__ = {"anonymous": "no"}  # type: ignore[attr-defined]  # the marker
        fire.__mcp_auth__ = BOSS  # type: ignore[attr-defined]  # the marker
        self.app.get("/own")(mcp_tool(name="own")(own))
        self.app.post("/fire")(mcp_tool(name="fire")(fire))
        sezzlee = sezzlee_flask.mount_mcp(self.app, options=self.options)
        self.engine.on_reload(lambda: self.heard.append("list_changed"))
        return sezzlee

    @property
    def engine(self) -> Any:
        return self.app.extensions["sezzlee"].engine

    def find(self, headers: Mapping[str, str]) -> list[str]:
        answer = self.sezzlee.search("", headers=headers)
        return [card["name"] for card in answer["results"]]

    def close(self) -> None:
        store = self.options.cache.store
        if hasattr(store, "close"):
            store.close()
        self.engine.stopping()


REPLICAS: dict[str, type[Replica]] = {"fastapi": FastAPIReplica, "flask": FlaskReplica}
