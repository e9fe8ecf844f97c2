"""A shop with five routes: the application that the guides about the command line look at."""

from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from sezzlee_fastapi import mount_mcp
from sezzlee_py import mcp_ignore, mcp_tool

app = FastAPI()
orders = {7: "open", 8: "shipped"}

Token = Annotated[HTTPAuthorizationCredentials, Security(HTTPBearer())]


@app.get("/orders", tags=["orders"])
@mcp_tool(search_terms=["purchases"])
def list_orders(status: str | None = None) -> dict[int, str]:
    """List the orders of the shop."""
    return {number: kept for number, kept in orders.items() if status in (None, kept)}


@app.post("/orders/{order_id}/cancel", tags=["orders"])
@mcp_tool(search_terms=["refund", "storno"])
def cancel_order(order_id: int, token: Token) -> dict[str, str]:
    """Cancel an order that was not shipped."""
    if orders.get(order_id) != "open":
        raise HTTPException(409, f"order {order_id} is not open")
    return {"status": "cancelled"}


@app.get("/stock/{item}", tags=["stock"])
@mcp_tool
def get_stock(item: str) -> dict[str, Any]:
    """Tell how many of an item are on the shelf."""
    return {"item": item, "count": 3}


@app.delete("/orders", tags=["orders"])
@mcp_ignore
def delete_everything() -> None:
    """Delete every order. Not for agents."""


@app.get("/health")
def health() -> str:
    """Tell that the service is up."""
    return "ok"


mount_mcp(app)
