"""The contract's API on FastAPI."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, File, Form, HTTPException, Request, UploadFile
from fastapi.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from pydantic import BaseModel

from sezzlee_py import mcp_ignore, mcp_tool
from sezzlee_py.testing import Journal
from tests.adapters.apps.entering import Entering


class Item(BaseModel):
    name: str
    price: float


def items_router() -> APIRouter:
    items = APIRouter(tags=["items"])

    @items.get("/items")
    @mcp_tool
    async def list_items(limit: int = 10) -> dict[str, int]:
        """List items."""
        return {"limit": limit}

    @items.post("/items", status_code=201)
    @mcp_tool
    async def create_item(item: Item) -> Item:
        """Create an item."""
        return item

    @items.get("/items/{item_id}")
    @mcp_tool
    async def read_item(item_id: int, verbose: bool = False) -> dict[str, Any]:
        """Read one item.

        More about it.
        """
        return {"item_id": item_id, "verbose": verbose}

    @items.put("/items/{item_id}")
    @mcp_tool
    async def replace_item(item_id: int, item: Item) -> Item:
        """Replace an item."""
        return item

    @items.delete("/items/{item_id}", status_code=204)
    @mcp_tool
    async def remove_item(item_id: int) -> None:
        """Remove an item."""

    @items.api_route("/counter", methods=["GET", "POST"])
    @mcp_tool
    async def counter(request: Request) -> dict[str, str]:
        """Count."""
        return {"method": request.method}

    @items.get("/everything")
    @items.get("/all")
    @mcp_tool
    async def all_items() -> dict[str, str]:
        """List all items."""
        return {}

    @items.post("/bulk")
    @mcp_tool
    async def bulk(numbers: list[int]) -> dict[str, int]:
        """Add numbers."""
        return {"sum": sum(numbers)}

    return items


def make_app(journal: Journal) -> FastAPI:
    """The whole API."""
    app = FastAPI()
    app.add_middleware(Entering, journal=journal)
    app.include_router(items_router())

    @app.get("/echo")
    @mcp_tool("echo")
    async def echo(request: Request) -> dict[str, Any]:
        address = request.client.host if request.client else None
        before = request.state.before
        return {"headers": dict(request.headers), "address": address, "before": before}

    @app.get("/tree/{where:path}")
    @mcp_tool("tree")
    async def tree(where: str) -> dict[str, str]:
        return {"where": where}

    @app.get("/users/me")
    async def me() -> dict[str, str]:
        journal.note("me")
        return {}

    @app.get("/users/{name}")
    @mcp_tool("user")
    async def user(name: str) -> dict[str, str]:
        return {"name": name}

    @app.post("/form")
    @mcp_tool("form")
    async def form(
        name: Annotated[str, Form()], color: Annotated[str | None, Form()] = None
    ) -> dict[str, str | None]:
        return {"name": name, "color": color}

    @app.post("/upload")
    @mcp_tool("upload")
    async def upload(attachment: Annotated[UploadFile, File()]) -> dict[str, str | None]:
        return {"name": attachment.filename, "text": (await attachment.read()).decode()}

    @app.get("/fail")
    @mcp_tool("fail")
    async def fail() -> None:
        raise RuntimeError(Journal.SECRET)

    @app.get("/conflict")
    @mcp_tool("conflict")
    async def conflict() -> None:
        raise HTTPException(409, "taken")

    @app.get("/away")
    @mcp_tool("away")
    async def away() -> Response:
        return RedirectResponse("/elsewhere")

    @app.get("/login")
    @mcp_tool("login")
    async def login() -> Response:
        response = JSONResponse({})
        response.set_cookie("session", "inner")
        return response

    @app.get("/slow")
    @mcp_tool("slow")
    async def slow() -> None:
        journal.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            journal.cancelled.set()

    @app.get("/big")
    @mcp_tool("big")
    async def big() -> Response:
        return Response("x" * 400_000, media_type="text/plain")

    @app.get("/endless")
    @mcp_tool("endless")
    async def endless() -> Response:
        async def lines() -> AsyncIterator[str]:
            try:
                while True:
                    yield "x" * 500
                    await asyncio.sleep(0)
            finally:
                journal.closed.set()

        return StreamingResponse(lines(), media_type="text/plain")

    @app.get("/private")
    @mcp_tool("private")
    async def private() -> None:
        raise HTTPException(403)

    marker = {"anonymous": "no", "policies": ["clerk"], "imperative": False}
    private.__mcp_auth__ = marker  # type: ignore[attr-defined]  # no field of a function

    @app.get("/old", deprecated=True)
    @mcp_tool("old")
    async def old() -> None:
        """Be replaced."""

    @app.get("/ignored")
    @mcp_ignore
    async def ignored() -> None:
        """Stay here."""

    @app.get("/undeclared")
    async def undeclared() -> None:
        """Stay here too."""

    return app
