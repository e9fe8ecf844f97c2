"""The bookshop on Flask: an application factory, blueprints, a class-based view, guards.

Run it: `gunicorn "examples.bookshop_flask:create_app()"`, then point an MCP client at
http://127.0.0.1:8000/mcp with the header `Authorization: Bearer ada-token` (a customer),
`Bearer grace-token` (a manager) or `Bearer root-token` (the admin).
"""

import functools
import sqlite3
from collections.abc import Callable
from threading import Event
from typing import Any, TypeVar, cast

from flask import Blueprint, Flask, abort, current_app, g, jsonify, request
from flask.typing import ResponseReturnValue
from flask.views import MethodView
from pydantic import BaseModel, Field, ValidationError

from examples.bookshop_data import GRANTS, USERS, open_database, rows
from examples.bookshop_models import Book, BookPage, NewOrder, Order
from examples.bookshop_users import Verify, who_sees_what
from sezzlee_flask import mount_mcp
from sezzlee_py import Options, declare, mcp_ignore, mcp_tool
from sezzlee_py.invoke.recognizers import werkzeug_page

View = TypeVar("View", bound=Callable[..., Any])
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


def arguments(model: type[Model]) -> Model:
    """Return the query of the request, checked."""
    return model.model_validate(request.args.to_dict())


def database() -> sqlite3.Connection:
    return cast("sqlite3.Connection", current_app.extensions["database"])


# --- who is calling ---------------------------------------------------------------------------


def require_user() -> None:
    """Runs before every request of a guarded blueprint, whoever makes it."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    known = current_app.extensions["verify"](token)
    if known is None:
        abort(401, "unknown token")
    g.user, g.role = known


def for_customers(blueprint: Blueprint) -> None:
    """Guard a blueprint, and say so: agents then find what their user may use."""
    blueprint.before_request(require_user)
    blueprint.__mcp_auth__ = {"anonymous": "no"}  # type: ignore[attr-defined]  # no field of Flask's


def requires(scope: str) -> Callable[[View], View]:
    """Guard one view, and say so."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            require_user()
            if scope not in GRANTS[g.role]:
                abort(403, "not allowed for your role")
            return view(*args, **kwargs)

        marker = {"anonymous": "no", "policies": [f"scope:{scope}"], "imperative": False}
        guarded.__mcp_auth__ = marker  # type: ignore[attr-defined]  # no field of a function
        return cast("View", guarded)

    return decorate


# --- books ------------------------------------------------------------------------------------

books = Blueprint("books", __name__, url_prefix="/books")


@books.get("")
@mcp_tool(query=Page, responses={200: BookPage}, search_terms=["novel", "browse", "in stock"])
def list_books() -> ResponseReturnValue:
    """List the books of the shop, one page at a time."""
    page = arguments(Page)
    query = "from books where ?1 is null or genre = ?1"
    items = rows(
        database(),
        f"select * {query} order by id limit ?2 offset ?3",
        *(page.genre, page.limit, page.offset),
    )
    total = rows(database(), f"select count(*) as n {query}", page.genre)[0]["n"]
    return {"items": items, "total": total}


@books.get("/<int:book_id>")
@mcp_tool(responses={200: Book})
def get_book(book_id: int) -> ResponseReturnValue:
    """Fetch one book with its price and stock."""
    return find_book(book_id)


@books.post("/<int:book_id>/restock")
@mcp_tool(query=Restock, responses={200: Book}, search_terms=["replenish", "inventory"])
@requires("manager")
def restock_book(book_id: int) -> ResponseReturnValue:
    """Add copies of a book to the stock. Managers only."""
    copies = arguments(Restock).copies
    database().execute("update books set stock = stock + ? where id = ?", (copies, book_id))
    return find_book(book_id)


@books.delete("/<int:book_id>")
@mcp_tool(search_terms=["delist"])
@requires("admin")
def remove_book(book_id: int) -> ResponseReturnValue:
    """Take a book out of the assortment. Admin only."""
    find_book(book_id)
    database().execute("delete from books where id = ?", (book_id,))
    return "", 204


def find_book(book_id: int) -> dict[str, Any]:
    found = rows(database(), "select * from books where id = ?", book_id)
    if not found:
        abort(404, f"there is no book {book_id}")
    return found[0]


# --- orders -----------------------------------------------------------------------------------

orders = Blueprint("orders", __name__, url_prefix="/orders")
for_customers(orders)
declare(orders, search_terms=["purchase", "checkout"], tags=["orders"])


class Orders(MethodView):
    """The orders of whoever calls."""

    @mcp_tool("list_orders", responses={200: list[Order]})
    def get(self) -> ResponseReturnValue:
        """List your own orders."""
        query = "select * from orders where customer = ? order by id"
        return jsonify(rows(database(), query, g.user))

    @mcp_tool("place_order", body=NewOrder, responses={201: Order}, search_terms=["buy"])
    def post(self) -> ResponseReturnValue:
        """Order copies of a book."""
        order = NewOrder.model_validate(request.get_json())
        book = find_book(order.book_id)
        if book["stock"] < order.quantity:
            abort(409, f"only {book['stock']} copies are left")
        database().execute(
            "update books set stock = stock - ? where id = ?", (order.quantity, order.book_id)
        )
        cursor = database().execute(
            "insert into orders (customer, book_id, quantity) values (?, ?, ?)",
            (g.user, order.book_id, order.quantity),
        )
        return rows(database(), "select * from orders where id = ?", cursor.lastrowid)[0], 201


orders.add_url_rule("", view_func=Orders.as_view("orders"))


@orders.delete("/<int:order_id>")
@mcp_tool
def cancel_order(order_id: int) -> ResponseReturnValue:
    """Cancel one of your own open orders."""
    query = "select * from orders where id = ? and customer = ?"
    found = rows(database(), query, order_id, g.user)
    if not found:
        abort(404, f"you have no order {order_id}")
    if found[0]["status"] != "open":
        abort(409, f"order {order_id} is {found[0]['status']}")
    database().execute("update orders set status = 'cancelled' where id = ?", (order_id,))
    return "", 204


# --- reports ----------------------------------------------------------------------------------

reports = Blueprint("reports", __name__, url_prefix="/reports")
for_customers(reports)


@reports.get("/stocktake")
@mcp_tool(query=Stocktake, responses={200: dict[str, int]})
@requires("manager")
def take_stock() -> ResponseReturnValue:
    """Count every copy on the shelves. Slow."""
    # Set when the agent's deadline has passed: nobody waits for the count any more.
    cancelled = request.environ.get("sezzlee.cancelled", Event())
    cancelled.wait(arguments(Stocktake).seconds)
    return {"copies": rows(database(), "select sum(stock) as n from books")[0]["n"]}


@reports.get("/catalogue")
@mcp_tool(query=Catalogue, responses={200: list[Book]})
def export_catalogue() -> ResponseReturnValue:
    """Export the whole printed catalogue. Long."""
    shelf = rows(database(), "select * from books order by id")
    return jsonify([shelf[line % len(shelf)] for line in range(arguments(Catalogue).limit)])


@reports.post("/close-year")
@mcp_ignore
@requires("manager")
def close_year() -> ResponseReturnValue:
    """Delete every order. Not for agents."""
    return {"deleted": database().execute("delete from orders").rowcount}


# --- the application --------------------------------------------------------------------------


def refuse_invalid(fault: ValidationError) -> ResponseReturnValue:
    """Say what is wrong with a query or a body."""
    return {"detail": fault.errors(include_url=False, include_context=False)}, 422


def create_app(
    verify: Verify = USERS.get, *, resource_server: dict[str, Any] | None = None
) -> Flask:
    """Return a shop of its own, with a database of its own.

    Args:
        verify: tells whose token a token is.
        resource_server: `options.resource_server` for an endpoint that nobody reaches without a
            token.
    """
    app = Flask("bookshop")
    app.extensions |= {"database": open_database(), "verify": verify}
    app.register_error_handler(ValidationError, refuse_invalid)
    for blueprint in (books, orders, reports):
        app.register_blueprint(blueprint)
    # What `abort(409, "...")` says stands in an HTML page, and no other page is read.
    options = Options(errors={"recognize": werkzeug_page}, resource_server=resource_server or {})
    who_sees_what(options, verify)
    mount_mcp(app, options=options)
    if resource_server:
        # The endpoint is a view like any other.
        app.before_request(lambda: require_user() if request.path == "/mcp" else None)
    return app
