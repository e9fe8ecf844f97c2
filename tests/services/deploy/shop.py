"""One small shop in two releases, and what each offers, written down beside the code.

Every operation says who it is and what it was given, and leaves a line in the ledger (the file that
`SHOP_LEDGER` names), so that a test can tell a call that ran from one that was refused, and once
from twice.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import wraps
from typing import Any

from fastapi import FastAPI, Request

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, mcp_tool

INTEGER, NUMBER, TEXT = "integer", "number", "string"

# Name to description and arguments. `ref` is the agent's number of the call.
Contract = tuple[str, dict[str, str]]
COMMON: dict[str, Contract] = {
    "get_order": ("Fetch one order.", {"order_id": INTEGER, "ref": INTEGER}),
    "list_orders": ("List the orders.", {"limit": INTEGER, "ref": INTEGER}),
    # Moved to another route by the second release, and otherwise as it was.
    "read_stock": ("Tell how many are left.", {"sku": TEXT, "ref": INTEGER}),
}
CONTRACTS: dict[str, dict[str, Contract]] = {
    "v1": {
        **COMMON,
        "place_order": ("Order a product.", {"product": TEXT, "quantity": INTEGER, "ref": INTEGER}),
        # The same names, and another meaning.
        "refund_order": ("Refund cents.", {"amount": INTEGER, "ref": INTEGER}),
        "rate_order": ("Rate from 1 to 5.", {"stars": INTEGER, "ref": INTEGER}),
        "cancel_order": ("Cancel an order.", {"order_id": INTEGER, "ref": INTEGER}),
    },
    "v2": {
        **COMMON,
        "place_order": ("Order a product.", {"product": TEXT, "pieces": INTEGER, "ref": INTEGER}),
        "refund_order": ("Refund euros.", {"amount": NUMBER, "ref": INTEGER}),
        "rate_order": ("Rate from 1 to 10.", {"stars": INTEGER, "ref": INTEGER}),
        "void_order": ("Cancel an order.", {"order_id": INTEGER, "ref": INTEGER}),
        "ship_order": ("Send an order off.", {"order_id": INTEGER, "ref": INTEGER}),
    },
}
NAMES = sorted({name for offered in CONTRACTS.values() for name in offered})


def note(line: object) -> None:
    """Append one line to the ledger; short appends of several processes do not mix."""
    ledger = os.open(os.environ["SHOP_LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(ledger, f"{line}\n".encode())
    finally:
        os.close(ledger)


def v1() -> FastAPI:
    """Return the first release."""
    app, tool = _shop("v1")

    @tool("POST", "/orders")
    def place_order(product: str, quantity: int, ref: int) -> Any:
        """Order a product."""
        return {"product": product, "quantity": quantity, "ref": ref}

    @tool("POST", "/refunds")
    def refund_order(amount: int, ref: int) -> Any:
        """Refund cents."""
        return {"amount": amount, "ref": ref}

    @tool("POST", "/ratings")
    def rate_order(stars: int, ref: int) -> Any:
        """Rate from 1 to 5."""
        return {"stars": stars, "ref": ref}

    @tool("POST", "/cancellations")
    def cancel_order(order_id: int, ref: int) -> Any:
        """Cancel an order."""
        return {"order_id": order_id, "ref": ref}

    @tool("GET", "/stock/{sku}")
    def read_stock(sku: str, ref: int) -> Any:
        """Tell how many are left."""
        return {"sku": sku, "ref": ref}

    return app


def v2() -> FastAPI:
    """Return the second release."""
    app, tool = _shop("v2")

    @tool("POST", "/orders")
    def place_order(product: str, pieces: int, ref: int) -> Any:
        """Order a product."""
        return {"product": product, "pieces": pieces, "ref": ref}

    @tool("POST", "/refunds")
    def refund_order(amount: float, ref: int) -> Any:
        """Refund euros."""
        return {"amount": amount, "ref": ref}

    @tool("POST", "/ratings")
    def rate_order(stars: int, ref: int) -> Any:
        """Rate from 1 to 10."""
        return {"stars": stars, "ref": ref}

    @tool("POST", "/voids")
    def void_order(order_id: int, ref: int) -> Any:
        """Cancel an order."""
        return {"order_id": order_id, "ref": ref}

    @tool("POST", "/shipments")
    def ship_order(order_id: int, ref: int) -> Any:
        """Send an order off."""
        return {"order_id": order_id, "ref": ref}

    @tool("GET", "/warehouse/{sku}/stock")
    def read_stock(sku: str, ref: int) -> Any:
        """Tell how many are left."""
        return {"sku": sku, "ref": ref}

    return app


Handler = Callable[..., Any]
Tool = Callable[[str, str], Callable[[Handler], Handler]]


def _shop(release: str) -> tuple[FastAPI, Tool]:
    """What both releases have, and how an operation joins them."""
    app = FastAPI()
    options = Options(naming={"prefix": lambda container: ""}, invoke={"cancel_grace_ms": 50})
    sezzlee = mount_mcp(app, options=options)

    def tool(method: str, path: str) -> Callable[[Handler], Handler]:
        def join(handler: Handler) -> Handler:
            app.add_api_route(path, _answering(release, mcp_tool(handler)), methods=[method])
            return handler

        return join

    @tool("GET", "/orders/{order_id}")
    def get_order(order_id: int, ref: int) -> Any:
        """Fetch one order."""
        return {"order_id": order_id, "ref": ref}

    @tool("GET", "/orders")
    def list_orders(limit: int, ref: int) -> Any:
        """List the orders."""
        return {"limit": limit, "ref": ref}

    @app.get("/whereabouts")
    @mcp_tool
    def tell_whereabouts(request: Request) -> Any:
        """Tell how the request arrived."""
        assert request.client is not None
        facts = {"client": request.client.host, "scheme": request.url.scheme}
        return facts | {"host": request.headers["host"], "url": str(request.url)}

    @app.get("/wait")
    @mcp_tool
    async def wait_long(ref: int) -> Any:
        """Wait for longer than anybody does."""
        note(f"{ref} waits")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            note(f"{ref} ended")
            raise

    @app.post("/reload")
    async def reload() -> int:
        return (await sezzlee.areload()).generation

    return app, tool


def _answering(release: str, operation: Handler) -> Handler:
    """The operation, with the release in its answer and its call in the ledger."""

    @wraps(operation)
    def answer(*args: Any, **kwargs: Any) -> Any:
        received = operation(*args, **kwargs)
        note(received["ref"])
        return {"release": release, "tool": operation.__name__, "received": received}

    return answer
