"""The bookshop's database: SQLite in memory, the same for every framework's example."""

import sqlite3
from typing import Any, Final

SCHEMA: Final = """
create table books (
    id integer primary key, title text not null, author text not null, genre text not null,
    price real not null, stock integer not null
);
create table orders (
    id integer primary key, customer text not null, book_id integer not null references books,
    quantity integer not null, status text not null default 'open'
);
"""
BOOKS: Final = [
    (1, "The Left Hand of Darkness", "Ursula K. Le Guin", "science fiction", 12.5, 8),
    (2, "A Wizard of Earthsea", "Ursula K. Le Guin", "fantasy", 9.9, 3),
    (3, "Solaris", "Stanislaw Lem", "science fiction", 11.0, 5),
    (4, "Invisible Cities", "Italo Calvino", "fiction", 10.0, 0),
    (5, "The Periodic Table", "Primo Levi", "memoir", 13.2, 4),
    (6, "Kindred", "Octavia E. Butler", "science fiction", 12.0, 6),
]
ORDERS: Final = [(1, "ada", 3, 1, "open"), (2, "ada", 1, 1, "shipped"), (3, "grace", 5, 2, "open")]

# Bearer tokens of an example; a real shop verifies them.
USERS: Final = {
    "ada-token": ("ada", "customer"),
    "grace-token": ("grace", "manager"),
    "root-token": ("root", "admin"),
}
# What each role may do beyond what every customer may.
GRANTS: Final = {"customer": (), "manager": ("manager",), "admin": ("manager", "admin")}


def open_database() -> sqlite3.Connection:
    """Return a fresh database with a small stock and three orders."""
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.row_factory = sqlite3.Row
    database.executescript(SCHEMA)
    database.executemany("insert into books values (?, ?, ?, ?, ?, ?)", BOOKS)
    database.executemany("insert into orders values (?, ?, ?, ?, ?)", ORDERS)
    return database


def rows(database: sqlite3.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries."""
    return [dict(row) for row in database.execute(query, values)]
