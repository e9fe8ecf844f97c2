"""The bookshop on plain Starlette: mounted route tables, a class-based endpoint, guards.

Run it: `uvicorn examples.bookshop_starlette:app`, then point an MCP client at
http://127.0.0.1:8000/mcp with the header `Authorization: Bearer ada-token` (a customer),
`Bearer grace-token` (a manager) or `Bearer root-token` (the admin).
"""

import asyncio
import functools
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, TypeAlias, TypeVar

from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from examples.bookshop_data import GRANTS, USERS, open_database, rows
from examples.bookshop_models import Book, BookPage, NewOrder, Order
from examples.bookshop_users import Verify, who_sees_what
from sezzlee_py import Options, declare, mcp_ignore, mcp_tool
from sezzlee_starlette import mount_mcp

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Model = TypeVar("Model", bound=BaseModel)


class Page(BaseModel):
    genre: str | None = Field(default=None, description="Only this genre.")
    limit: int = Field(default=20, ge=1, le=100, description="Books per page.")
    offset: int = Field(default=0, ge=0, description="Books to skip.")


class Restock(BaseModel):
    copies: int = Field(ge=1)


class Stocktake(BaseModel):
    seconds: float = Field(default=2, ge=0, le=600, description="How long to count.")


class Catalogue(BaseModel):
    limit: int = Field(default=20_000, ge=1, description="Lines of the export.")


def arguments(request: Request, model: type[Model]) -> Model:
    """Return the query of a request, checked."""
    return model.model_validate(dict(request.query_params))


def database_of(request: Request) -> sqlite3.Connection:
    database: sqlite3.Connection = request.app.state.database
    return database


# --- who is calling ---------------------------------------------------------------------------


def guarded(*scopes: str) -> Callable[[Endpoint], Endpoint]:
    """Guard one endpoint, and say so: agents then find what their user may use."""

    def decorate(endpoint: Endpoint) -> Endpoint:
        @functools.wraps(endpoint)
        async def guard(request: Request) -> Response:
            user, role = identify(request)
            if not set(scopes) <= set(GRANTS[role]):
                raise HTTPException(403, "not allowed for your role")
            request.state.user = user
            return await endpoint(request)

        marker = {"anonymous": "no", "policies": [f"scope:{scope}" for scope in scopes]}
        guard.__mcp_auth__ = marker | {"imperative": False}  # type: ignore[attr-defined]  # no field of a function
        return guard

    return decorate


def identify(request: Request) -> tuple[str, str]:
    """Return the name and the role of whoever calls."""
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    known: tuple[str, str] | None = request.app.state.verify(token)
    if known is None:
        raise HTTPException(401, "unknown token")
    return known


# --- books ------------------------------------------------------------------------------------


@mcp_tool(query=Page, responses={200: BookPage}, search_terms=["novel", "browse", "in stock"])
async def list_books(request: Request) -> Response:
    """List the books of the shop, one page at a time."""
    page, database = arguments(request, Page), database_of(request)
    query = "from books where ?1 is null or genre = ?1"
    items = rows(
        database,
        f"select * {query} order by id limit ?2 offset ?3",
        *(page.genre, page.limit, page.offset),
    )
    total = rows(database, f"select count(*) as n {query}", page.genre)[0]["n"]
    return JSONResponse({"items": items, "total": total})


@mcp_tool(responses={200: Book})
async def get_book(request: Request) -> Response:
    """Fetch one book with its price and stock."""
    return JSONResponse(find_book(request, request.path_params["book_id"]))


@mcp_tool(query=Restock, responses={200: Book}, search_terms=["replenish", "inventory"])
@guarded("manager")
async def restock_book(request: Request) -> Response:
    """Add copies of a book to the stock. Managers only."""
    copies, book_id = arguments(request, Restock).copies, request.path_params["book_id"]
    update = "update books set stock = stock + ? where id = ?"
    database_of(request).execute(update, (copies, book_id))
    return JSONResponse(find_book(request, book_id))


@mcp_tool(search_terms=["delist"])
@guarded("admin")
async def remove_book(request: Request) -> Response:
    """Take a book out of the assortment. Admin only."""
    book = find_book(request, request.path_params["book_id"])
    database_of(request).execute("delete from books where id = ?", (book["id"],))
    return Response(status_code=204)


def find_book(request: Request, book_id: int) -> dict[str, Any]:
    found = rows(database_of(request), "select * from books where id = ?", book_id)
    if not found:
        raise HTTPException(404, f"there is no book {book_id}")
    return found[0]


books = Mount(
    "/books",
    routes=[
        Route("/", list_books),
        Route("/{book_id:int}", get_book),
        Route("/{book_id:int}/restock", restock_book, methods=["POST"]),
        Route("/{book_id:int}", remove_book, methods=["DELETE"]),
    ],
)
declare(books, prefix="books", tags=["books"])

# --- orders -----------------------------------------------------------------------------------


class Orders(HTTPEndpoint):
    """The orders of whoever calls."""

    __mcp_auth__: ClassVar = {"anonymous": "no"}

    @mcp_tool("list_orders", responses={200: list[Order]})
    async def get(self, request: Request) -> Response:
        """List your own orders."""
        user, _ = identify(request)
        query = "select * from orders where customer = ? order by id"
        return JSONResponse(rows(database_of(request), query, user))

    @mcp_tool("place_order", body=NewOrder, responses={201: Order}, search_terms=["buy"])
    async def post(self, request: Request) -> Response:
        """Order copies of a book."""
        user, _ = identify(request)
        order, database = NewOrder.model_validate_json(await request.body()), database_of(request)
        book = find_book(request, order.book_id)
        if book["stock"] < order.quantity:
            raise HTTPException(409, f"only {book['stock']} copies are left")
        database.execute(
            "update books set stock = stock - ? where id = ?", (order.quantity, order.book_id)
        )
        cursor = database.execute(
            "insert into orders (customer, book_id, quantity) values (?, ?, ?)",
            (user, order.book_id, order.quantity),
        )
        placed = rows(database, "select * from orders where id = ?", cursor.lastrowid)[0]
        return JSONResponse(placed, status_code=201)


@mcp_tool
@guarded()
async def cancel_order(request: Request) -> Response:
    """Cancel one of your own open orders."""
    order_id, database = request.path_params["order_id"], database_of(request)
    query = "select * from orders where id = ? and customer = ?"
    found = rows(database, query, order_id, request.state.user)
    if not found:
        raise HTTPException(404, f"you have no order {order_id}")
    if found[0]["status"] != "open":
        raise HTTPException(409, f"order {order_id} is {found[0]['status']}")
    database.execute("update orders set status = 'cancelled' where id = ?", (order_id,))
    return Response(status_code=204)


orders = Mount(
    "/orders",
    routes=[
        Route("/", Orders),
        Route("/{order_id:int}", cancel_order, methods=["DELETE"]),
    ],
)
declare(orders, prefix="orders", tags=["orders"], search_terms=["purchase", "checkout"])

# --- reports ----------------------------------------------------------------------------------


@mcp_tool(query=Stocktake, responses={200: dict[str, int]})
@guarded("manager")
async def take_stock(request: Request) -> Response:
    """Count every copy on the shelves. Slow."""
    await asyncio.sleep(arguments(request, Stocktake).seconds)
    counted = rows(database_of(request), "select sum(stock) as n from books")[0]["n"]
    return JSONResponse({"copies": counted})


@mcp_tool(query=Catalogue, responses={200: list[Book]})
@guarded()
async def export_catalogue(request: Request) -> Response:
    """Export the whole printed catalogue. Long."""
    shelf = rows(database_of(request), "select * from books order by id")
    lines = range(arguments(request, Catalogue).limit)
    return JSONResponse([shelf[line % len(shelf)] for line in lines])


@mcp_ignore
@guarded("manager")
async def close_year(request: Request) -> Response:
    """Delete every order. Not for agents."""
    return JSONResponse({"deleted": database_of(request).execute("delete from orders").rowcount})


reports = Mount(
    "/reports",
    routes=[
        Route("/stocktake", take_stock),
        Route("/catalogue", export_catalogue),
        Route("/close-year", close_year, methods=["POST"]),
    ],
)
declare(reports, prefix="reports", tags=["reports"])

# --- the application --------------------------------------------------------------------------


async def refuse_invalid(request: Request, fault: Exception) -> Response:
    """Say what is wrong with a query or a body."""
    assert isinstance(fault, ValidationError)
    found = fault.errors(include_url=False, include_context=False)
    return JSONResponse({"detail": found}, status_code=422)


class GuardedEndpoint:
    """Lets nobody to the MCP endpoint without a token."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            try:
                identify(Request(scope))
            except HTTPException as refusal:
                refused = JSONResponse({"detail": refusal.detail}, refusal.status_code)
                return await refused(scope, receive, send)
        return await self.app(scope, receive, send)


def create_app(
    verify: Verify = USERS.get, *, resource_server: dict[str, Any] | None = None
) -> Starlette:
    """Return a shop of its own, with a database of its own.

    Args:
        verify: tells whose token a token is.
        resource_server: `options.resource_server` for an endpoint that nobody reaches without a
            token.
    """
    app = Starlette(
        routes=[books, orders, reports],
        exception_handlers={ValidationError: refuse_invalid},
        middleware=[Middleware(GuardedEndpoint)] if resource_server else [],
    )
    app.state.database = open_database()
    app.state.verify = verify
    options = Options(resource_server=resource_server or {})
    who_sees_what(options, verify)
    mount_mcp(app, options=options)
    return app


app = create_app()
