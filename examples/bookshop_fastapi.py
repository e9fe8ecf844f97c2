"""A small bookshop on FastAPI whose endpoints an agent can find and call.

Run it: `uvicorn examples.bookshop_fastapi:app`, then point an MCP client at
http://127.0.0.1:8000/mcp with the header `Authorization: Bearer ada-token` (a customer),
`Bearer grace-token` (a manager) or `Bearer root-token` (the admin).
"""

import asyncio
import sqlite3
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Request, Security, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes
from pydantic import BaseModel

from examples.bookshop_data import GRANTS, USERS, open_database, rows
from examples.bookshop_models import Book, BookPage, NewOrder, Order
from examples.bookshop_users import Verify, who_sees_what
from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, declare, mcp_ignore, mcp_tool


class User(BaseModel):
    name: str
    role: str


# --- who is calling ---------------------------------------------------------------------------

bearer = HTTPBearer()


def current_user(
    request: Request,
    scopes: SecurityScopes,
    credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)],
) -> User:
    known = request.app.state.verify(credentials.credentials)
    if known is None:
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, "unknown token")
    user = User(name=known[0], role=known[1])
    if not set(scopes.scopes) <= set(GRANTS[user.role]):
        raise HTTPException(status.HTTP_403_FORBIDDEN, "not allowed for your role")
    return user


Customer = Annotated[User, Security(current_user)]
Manager = Annotated[User, Security(current_user, scopes=["manager"])]
Admin = Annotated[User, Security(current_user, scopes=["admin"])]


def database_of(request: Request) -> sqlite3.Connection:
    database: sqlite3.Connection = request.app.state.database
    return database


Database = Annotated[sqlite3.Connection, Depends(database_of)]

# --- books ------------------------------------------------------------------------------------

books = APIRouter(prefix="/books", tags=["books"])


@books.get("")
@mcp_tool(search_terms=["novel", "browse", "in stock"])
def list_books(
    database: Database,
    genre: Annotated[str | None, Query(description="Only this genre.")] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="Books per page.")] = 20,
    offset: Annotated[int, Query(ge=0, description="Books to skip.")] = 0,
) -> BookPage:
    """List the books of the shop, one page at a time."""
    query = "from books where ?1 is null or genre = ?1"
    items = rows(database, f"select * {query} order by id limit ?2 offset ?3", genre, limit, offset)
    total = rows(database, f"select count(*) as n {query}", genre)[0]["n"]
    return BookPage(items=[Book(**item) for item in items], total=total)


@books.get("/{book_id}")
@mcp_tool
def get_book(book_id: int, database: Database) -> Book:
    """Fetch one book with its price and stock."""
    found = rows(database, "select * from books where id = ?", book_id)
    if not found:
        raise HTTPException(status.HTTP_404_NOT_FOUND, f"there is no book {book_id}")
    return Book(**found[0])


@books.post("/{book_id}/restock")
@mcp_tool(search_terms=["replenish", "inventory"])
def restock_book(
    book_id: int, copies: Annotated[int, Query(ge=1)], user: Manager, database: Database
) -> Book:
    """Add copies of a book to the stock. Managers only."""
    database.execute("update books set stock = stock + ? where id = ?", (copies, book_id))
    return get_book(book_id, database)


@books.delete("/{book_id}", status_code=status.HTTP_204_NO_CONTENT)
@mcp_tool(search_terms=["delist"])
def remove_book(book_id: int, user: Admin, database: Database) -> None:
    """Take a book out of the assortment. Admin only."""
    get_book(book_id, database)
    database.execute("delete from books where id = ?", (book_id,))


# --- orders -----------------------------------------------------------------------------------

orders = APIRouter(prefix="/orders", tags=["orders"])
declare(orders, search_terms=["purchase", "checkout"])


@orders.get("")
@mcp_tool
def list_orders(user: Customer, database: Database) -> list[Order]:
    """List your own orders."""
    found = rows(database, "select * from orders where customer = ? order by id", user.name)
    return [Order(**order) for order in found]


@orders.post("", status_code=status.HTTP_201_CREATED)
@mcp_tool(search_terms=["buy"])
def place_order(order: NewOrder, user: Customer, database: Database) -> Order:
    """Order copies of a book."""
    book = get_book(order.book_id, database)
    if book.stock < order.quantity:
        raise HTTPException(status.HTTP_409_CONFLICT, f"only {book.stock} copies are left")
    database.execute(
        "update books set stock = stock - ? where id = ?", (order.quantity, order.book_id)
    )
    cursor = database.execute(
        "insert into orders (customer, book_id, quantity) values (?, ?, ?)",
        (user.name, order.book_id, order.quantity),
    )
    return Order(**rows(database, "select * from orders where id = ?", cursor.lastrowid)[0])


@orders.delete("/{order_id}", status_code=status.HTTP_204_NO_CONTENT)
@mcp_tool
def cancel_order(order_id: int, user: Customer, database: Database) -> None:
    """Cancel one of your own open orders."""
    found = rows(
        database, "select * from orders where id = ? and customer = ?", order_id, user.name
    )
    if not found:
        raise HTTPException(status.HTTP_404_NOT_FOUND, f"you have no order {order_id}")
    if found[0]["status"] != "open":
        raise HTTPException(status.HTTP_409_CONFLICT, f"order {order_id} is {found[0]['status']}")
    database.execute("update orders set status = 'cancelled' where id = ?", (order_id,))


# --- reports ----------------------------------------------------------------------------------

reports = APIRouter(prefix="/reports", tags=["reports"])


@reports.get("/stocktake")
@mcp_tool
async def take_stock(
    user: Manager,
    database: Database,
    seconds: Annotated[float, Query(ge=0, le=600, description="How long to count.")] = 2,
) -> dict[str, int]:
    """Count every copy on the shelves. Slow."""
    await asyncio.sleep(seconds)
    return {"copies": rows(database, "select sum(stock) as n from books")[0]["n"]}


@reports.get("/catalogue")
@mcp_tool
def export_catalogue(
    user: Customer,
    database: Database,
    limit: Annotated[int, Query(ge=1, description="Lines of the export.")] = 20_000,
) -> list[Book]:
    """Export the whole printed catalogue. Long."""
    shelf = [Book(**book) for book in rows(database, "select * from books order by id")]
    return [shelf[line % len(shelf)] for line in range(limit)]


@reports.post("/close-year")
@mcp_ignore
def close_year(user: Manager, database: Database) -> dict[str, int]:
    """Delete every order. Not for agents."""
    return {"deleted": database.execute("delete from orders").rowcount}


# --- the application --------------------------------------------------------------------------


def create_app(
    verify: Verify = USERS.get,
    *,
    resource_server: dict[str, Any] | None = None,
    ranker: Any = None,
) -> FastAPI:
    """Return a shop of its own, with a database of its own.

    Args:
        verify: tells whose token a token is.
        resource_server: `options.resource_server` for an endpoint that nobody reaches without a
            token.
        ranker: how tools are found, where it is not the built-in ranking.
    """
    app = FastAPI(title="Bookshop")
    app.state.database = open_database()
    app.state.verify = verify
    for router in (books, orders, reports):
        app.include_router(router)
    options = Options(resource_server=resource_server or {})
    who_sees_what(options, verify)
    guards = [Depends(current_user)] if resource_server else []
    mount_mcp(app, options=options, ranker=ranker, dependencies=guards)
    return app


app = create_app()
