"""A Flask application for real servers: what is asynchronous, and which process answers."""

import asyncio
import os
from typing import Any

from flask import Flask, request

from sezzlee_flask import mount_mcp
from sezzlee_py import Arg, Options, Provider, mcp_tool


class Ranker:
    """Made once per process, answers on the helper loop."""

    async def rank(self, request: Any) -> list[str]:
        await asyncio.sleep(0)
        return ["whoami"]


async def tenant(context: Any) -> str:
    await asyncio.sleep(0)
    return f"tenant of {context.caller.headers['authorization']}"


def create_app() -> Flask:
    app = Flask("served")

    @app.get("/whoami/<int:number>")
    @mcp_tool(
        "whoami",
        query={"properties": {"tenant": {"type": "string"}}},
        arguments={"tenant": Arg(hidden=Provider("tenant"))},
    )
    def whoami(number: int) -> dict[str, Any]:
        """Say who is asking, and which process answers."""
        return {
            "user": request.headers["authorization"],
            "tenant": request.args["tenant"],
            "number": number,
            "process": os.getpid(),
            "address": request.remote_addr,
        }

    mount_mcp(app, options=Options(fills={"tenant": tenant}), ranker=Ranker)
    return app
