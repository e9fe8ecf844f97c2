"""The application for real servers: who is a boss stands in a file that every process reads.

The environment names the file (`BOSSES`) and the Redis server (`REDIS_URL`).
"""

import os
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from flask import Flask

import sezzlee_fastapi
import sezzlee_flask
from sezzlee_py import Options, mcp_tool
from sezzlee_py.callers import CallerScope, McpCaller
from sezzlee_redis import RedisBus, RedisStore

BOSS = {"anonymous": "no", "policies": ["boss"], "imperative": False}


def user_of(caller: McpCaller) -> str:
    return caller.headers.get("authorization", "").removeprefix("Bearer ")


def identity(caller: McpCaller) -> str:
    return "present"


def evaluate_policy(policy: str, caller: McpCaller) -> str:
    bosses = Path(os.environ["BOSSES"]).read_text(encoding="utf-8").split()
    return "allow" if user_of(caller) in bosses else "deny"


def scope_of(caller: McpCaller) -> CallerScope:
    return CallerScope(caller.scope_key, (f"user:{user_of(caller)}",))


def options() -> Options:
    url = os.environ["REDIS_URL"]
    chosen = Options(
        visibility={"identity": identity, "evaluate_policy": evaluate_policy},
        cache={"scope_resolver": scope_of},
        replicas={"bus": RedisBus(url, prefix="shop")},
    )
    if os.environ.get("STORE") == "redis":
        chosen.cache.store = RedisStore(url, prefix="shop", timeout_ms=2_000)
    return chosen


def own() -> str:
    return "own"


def fire() -> str:
    return "fire"


own.__mcp_auth__ = {"anonymous": "no", "imperative": False}  # type: ignore[attr-defined]  # marker
fire.__mcp_auth__ = BOSS  # type: ignore[attr-defined]  # marker


def fastapi_app() -> FastAPI:
    app = FastAPI()
    app.get("/own")(mcp_tool(name="own")(own))
    app.get("/fire")(mcp_tool(name="fire")(fire))
    sezzlee = sezzlee_fastapi.mount_mcp(app, options=options())

    @app.post("/reload")
    async def reload() -> int:
        return (await sezzlee.areload()).generation

    @app.post("/invalidate/{user}")
    def invalidate(user: str) -> None:
        sezzlee.invalidate_tag(f"user:{user}")

    return app


def flask_app() -> Flask:
    app = Flask(__name__)
    app.get("/own")(mcp_tool(name="own")(own))
    app.get("/fire")(mcp_tool(name="fire")(fire))
    sezzlee = sezzlee_flask.mount_mcp(app, options=options())
    # As an application that is loaded before its workers are forked.
    sezzlee.build()

    @app.post("/invalidate/<user>")
    def invalidate(user: str) -> str:
        sezzlee.invalidate_tag(f"user:{user}")
        return ""

    @app.after_request
    def tell_process(response: Any) -> Any:
        response.headers["x-process"] = str(os.getpid())
        return response

    return app
