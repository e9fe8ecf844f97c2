"""The small API that an adapter's author spells, and what it must look like to the contract.

In a container that is called `items`, by tag, blueprint or declaration:

- `GET /items` `list_items`: `limit`, optional, in the query; answers `{"limit": ...}`
- `POST /items` `create_item`: an object of `name` and `price`; answers it with 201
- `GET /items/{item_id}` `read_item`, "Read one item.": `verbose`, optional, in the query; answers
  `{"item_id": ..., "verbose": ...}`
- `PUT /items/{item_id}` `replace_item`: as `create_item`; answers it
- `DELETE /items/{item_id}` `remove_item`: 204
- `GET` and `POST /counter` `counter`: one function; answers `{"method": ...}`
- `GET /all` and `GET /everything` `all_items`: one function
- `POST /bulk` `bulk`: a list of integers; answers `{"sum": ...}`, refuses what is no list of them

Outside of it, each declared with its name:

- `GET /echo` `echo`: answers `{"headers": {lower-case name: value}, "address": ..., "before": ...}`
  where `before` is what `journal.enter(value of authorization)` gave in a middleware or hook that
  stands before every request
- `GET /tree/{where}` `tree`: `where` may hold slashes; answers `{"where": ...}`
- `GET /users/{name}` `user`: answers `{"name": ...}`
- `POST /form` `form`: urlencoded `name` and optional `color`; answers both
- `POST /upload` `upload`: the file `attachment`; answers its `name` and `text`
- `GET /fail` `fail`: raises an exception with the text `Journal.SECRET`
- `GET /conflict` `conflict`: 409
- `GET /away` `away`: redirects to `/elsewhere`
- `GET /login` `login`: sets a cookie
- `GET /slow` `slow`: `journal.started.set()`; once it is cancelled, `journal.cancelled.set()`
- `GET /big` `big`: 400,000 bytes of text
- `GET /endless` `endless`: text without an end; `journal.closed.set()` when it is closed
- `GET /private` `private`: `__mcp_auth__` says `{"anonymous": "no", "policies": ["clerk"],
  "imperative": False}`; answers 403
- `GET /old` `old`: deprecated

And without a declaration, or with `@mcp_ignore`:

- `GET /users/me`: reached before `user`; `journal.note("me")`
- `GET /undeclared`
- `GET /ignored`: `@mcp_ignore`
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import ClassVar

ITEMS = {
    "list_items": ("GET", "/items"),
    "create_item": ("POST", "/items"),
    "read_item": ("GET", "/items/{item_id}"),
    "replace_item": ("PUT", "/items/{item_id}"),
    "remove_item": ("DELETE", "/items/{item_id}"),
    "items_get_counter": ("GET", "/counter"),
    "items_post_counter": ("POST", "/counter"),
    "all_items": ("GET", "/all"),
    "items_bulk": ("POST", "/bulk"),
}
NAMED = {
    "echo": ("GET", "/echo"),
    "tree": ("GET", "/tree/{where}"),
    "user": ("GET", "/users/{name}"),
    "form": ("POST", "/form"),
    "upload": ("POST", "/upload"),
    "fail": ("GET", "/fail"),
    "conflict": ("GET", "/conflict"),
    "away": ("GET", "/away"),
    "login": ("GET", "/login"),
    "slow": ("GET", "/slow"),
    "big": ("GET", "/big"),
    "endless": ("GET", "/endless"),
    "private": ("GET", "/private"),
    "old": ("GET", "/old"),
}
# Argument -> where it travels and whether the backend requires it.
INPUTS = {
    "list_items": {"limit": ("query", False)},
    "create_item": {"name": ("body", True), "price": ("body", True)},
    "read_item": {"item_id": ("path", True), "verbose": ("query", False)},
    "replace_item": {"item_id": ("path", True), "name": ("body", True), "price": ("body", True)},
    "remove_item": {"item_id": ("path", True)},
    "items_bulk": {"body": ("body", True)},
    "tree": {"where": ("path", True)},
    "user": {"name": ("path", True)},
    "form": {"name": ("form", True), "color": ("form", False)},
    "upload": {"attachment": ("form", True)},
    "echo": {},
}
TYPES = {
    ("list_items", "limit"): "integer",
    ("create_item", "name"): "string",
    ("create_item", "price"): "number",
    ("read_item", "item_id"): "integer",
    ("read_item", "verbose"): "boolean",
    ("tree", "where"): "string",
    ("items_bulk", "body"): "array",
}


class Journal:
    """What happened inside the API, seen from outside."""

    SECRET: ClassVar = "postgresql://shop:hunter2@db.internal/shop"

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.started = threading.Event()
        self.cancelled = threading.Event()
        self.closed = threading.Event()
        self._user: ContextVar[str | None] = ContextVar("contract_user", default=None)

    def note(self, what: str) -> None:
        """Keep that something was reached."""
        self.notes.append(what)

    def enter(self, user: str | None) -> str | None:
        """Keep `user` in the context, and return whom a request before this one left there."""
        before = self._user.get()
        self._user.set(user)
        return before
