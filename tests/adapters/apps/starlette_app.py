"""The contract's API on plain Starlette."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from sezzlee_py import declare, mcp_ignore, mcp_tool
from sezzlee_py.testing import Journal
from tests.adapters.apps.entering import Entering


class Item(BaseModel):
    name: str
    price: float


class Form(BaseModel):
    name: str
    color: str = ""


class Paging(BaseModel):
    limit: int = 10


class Reading(BaseModel):
    verbose: bool = False


def items_mount() -> Mount:
    @mcp_tool(query=Paging)
    async def list_items(request: Request) -> Response:
        """List items."""
        return JSONResponse({"limit": int(request.query_params.get("limit", 10))})

    @mcp_tool(body=Item)
    async def create_item(request: Request) -> Response:
        """Create an item."""
        item = Item.model_validate_json(await request.body())
        return JSONResponse(item.model_dump(), status_code=201)

    @mcp_tool(query=Reading)
    async def read_item(request: Request) -> Response:
        """Read one item.

        More about it.
        """
        item_id = request.path_params["item_id"]
        verbose = request.query_params.get("verbose") == "true"
        return JSONResponse({"item_id": item_id, "verbose": verbose})

    @mcp_tool(body=Item)
    async def replace_item(request: Request) -> Response:
        """Replace an item."""
        return JSONResponse(Item.model_validate_json(await request.body()).model_dump())

    @mcp_tool
    async def remove_item(request: Request) -> Response:
        """Remove an item."""
        return Response(status_code=204)

    @mcp_tool
    async def counter(request: Request) -> Response:
        """Count."""
        return JSONResponse({"method": request.method})

    @mcp_tool
    async def all_items(request: Request) -> Response:
        """List all items."""
        return JSONResponse({})

    @mcp_tool(body=list[int])
    async def bulk(request: Request) -> Response:
        """Add numbers."""
        numbers = await request.json()
        if not all(isinstance(number, int) for number in numbers):
            raise HTTPException(400)
        return JSONResponse({"sum": sum(numbers)})

    mount = Mount(
        "",
        routes=[
            Route("/items", list_items),
            Route("/items", create_item, methods=["POST"]),
            Route("/items/{item_id:int}", read_item),
            Route("/items/{item_id:int}", replace_item, methods=["PUT"]),
            Route("/items/{item_id:int}", remove_item, methods=["DELETE"]),
            Route("/counter", counter, methods=["GET", "POST"]),
            Route("/all", all_items),
            Route("/everything", all_items),
            Route("/bulk", bulk, methods=["POST"]),
        ],
    )
    declare(mount, prefix="items", tags=["items"])
    return mount


async def invalid(request: Request, fault: Any) -> Response:
    return Response(fault.json(), status_code=422, media_type="application/json")


def make_app(journal: Journal) -> Starlette:
    """The whole API."""

    @mcp_tool("echo")
    async def echo(request: Request) -> Response:
        address = request.client.host if request.client else None
        headers = dict(request.headers)
        before = request.state.before
        return JSONResponse({"headers": headers, "address": address, "before": before})

    @mcp_tool("tree")
    async def tree(request: Request) -> Response:
        return JSONResponse({"where": request.path_params["where"]})

    @mcp_tool("user")
    async def user(request: Request) -> Response:
        return JSONResponse({"name": request.path_params["name"]})

    async def me(request: Request) -> Response:
        journal.note("me")
        return JSONResponse({})

    @mcp_tool("form", body=Form, consumes="application/x-www-form-urlencoded")
    async def form(request: Request) -> Response:
        sent = await request.form()
        return JSONResponse({"name": sent["name"], "color": sent.get("color")})

    @mcp_tool("upload", files=["attachment"], body={"type": "object", "required": ["attachment"]})
    async def upload(request: Request) -> Response:
        async with request.form() as sent:
            attachment: Any = sent["attachment"]
            text = (await attachment.read()).decode()
            return JSONResponse({"name": attachment.filename, "text": text})

    @mcp_tool("fail")
    async def fail(request: Request) -> Response:
        raise RuntimeError(Journal.SECRET)

    @mcp_tool("conflict")
    async def conflict(request: Request) -> Response:
        raise HTTPException(409, "taken")

    @mcp_tool("away")
    async def away(request: Request) -> Response:
        return RedirectResponse("/elsewhere")

    @mcp_tool("login")
    async def login(request: Request) -> Response:
        response = JSONResponse({})
        response.set_cookie("session", "inner")
        return response

    @mcp_tool("slow")
    async def slow(request: Request) -> Response:
        journal.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            journal.cancelled.set()
        return JSONResponse({})

    @mcp_tool("big")
    async def big(request: Request) -> Response:
        return Response("x" * 400_000, media_type="text/plain")

    @mcp_tool("endless")
    async def endless(request: Request) -> Response:
        async def lines() -> AsyncIterator[str]:
            try:
                while True:
                    yield "x" * 500
                    await asyncio.sleep(0)
            finally:
                journal.closed.set()

        return StreamingResponse(lines(), media_type="text/plain")

    @mcp_tool("private")
    async def private(request: Request) -> Response:
        raise HTTPException(403)

    marker = {"anonymous": "no", "policies": ["clerk"], "imperative": False}
    private.__mcp_auth__ = marker  # type: ignore[attr-defined]  # no field of a function

    @mcp_tool("old")
    async def old(request: Request) -> Response:
        return JSONResponse({})

    old.__deprecated__ = "gone soon"  # type: ignore[attr-defined]  # as warnings.deprecated leaves it

    @mcp_ignore
    async def ignored(request: Request) -> Response:
        return JSONResponse({})

    async def undeclared(request: Request) -> Response:
        return JSONResponse({})

    return Starlette(
        routes=[
            Route("/echo", echo),
            Route("/tree/{where:path}", tree),
            Route("/users/me", me),
            Route("/users/{name}", user),
            Route("/form", form, methods=["POST"]),
            Route("/upload", upload, methods=["POST"]),
            Route("/fail", fail),
            Route("/conflict", conflict),
            Route("/away", away),
            Route("/login", login),
            Route("/slow", slow),
            Route("/big", big),
            Route("/endless", endless),
            Route("/private", private),
            Route("/old", old),
            Route("/ignored", ignored),
            Route("/undeclared", undeclared),
            items_mount(),
        ],
        middleware=[Middleware(Entering, journal=journal)],
        exception_handlers={ValidationError: invalid},
    )
