"""The contract's API on Flask."""

from collections.abc import Iterator

from flask import Blueprint, Flask, Response, abort, g, jsonify, redirect, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, ValidationError

from sezzlee_py import mcp_ignore, mcp_tool
from sezzlee_py.testing import Journal


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


def items_blueprint() -> Blueprint:
    items = Blueprint("items", __name__)

    @items.get("/items")
    @mcp_tool(query=Paging)
    def list_items() -> ResponseReturnValue:
        """List items."""
        return {"limit": int(request.args.get("limit", 10))}

    @items.post("/items")
    @mcp_tool(body=Item)
    def create_item() -> ResponseReturnValue:
        """Create an item."""
        return Item.model_validate(request.get_json()).model_dump(), 201

    @items.get("/items/<int:item_id>")
    @mcp_tool(query=Reading)
    def read_item(item_id: int) -> ResponseReturnValue:
        """Read one item.

        More about it.
        """
        return {"item_id": item_id, "verbose": request.args.get("verbose") == "true"}

    @items.put("/items/<int:item_id>")
    @mcp_tool(body=Item)
    def replace_item(item_id: int) -> ResponseReturnValue:
        """Replace an item."""
        return Item.model_validate(request.get_json()).model_dump()

    @items.delete("/items/<int:item_id>")
    @mcp_tool
    def remove_item(item_id: int) -> ResponseReturnValue:
        """Remove an item."""
        return "", 204

    @items.route("/counter", methods=["GET", "POST"])
    @mcp_tool
    def counter() -> ResponseReturnValue:
        """Count."""
        return {"method": request.method}

    @items.get("/everything")
    @items.get("/all")
    @mcp_tool
    def all_items() -> ResponseReturnValue:
        """List all items."""
        return {}

    @items.post("/bulk")
    @mcp_tool(body=list[int])
    def bulk() -> ResponseReturnValue:
        """Add numbers."""
        numbers = request.get_json()
        if not all(isinstance(number, int) for number in numbers):
            abort(400)
        return {"sum": sum(numbers)}

    return items


def make_app(journal: Journal) -> Flask:
    """The whole API."""
    app = Flask("contract")
    app.json.ensure_ascii = False  # type: ignore[attr-defined]  # of Flask's default provider
    app.register_blueprint(items_blueprint())
    app.register_error_handler(ValidationError, lambda fault: (fault.json(), 422))

    @app.before_request
    def enter() -> None:
        g.before = journal.enter(request.headers.get("authorization"))

    @app.get("/echo")
    @mcp_tool("echo")
    def echo() -> ResponseReturnValue:
        headers = {name.lower(): value for name, value in request.headers}
        return {"headers": headers, "address": request.remote_addr, "before": g.before}

    @app.get("/tree/<path:where>")
    @mcp_tool("tree")
    def tree(where: str) -> ResponseReturnValue:
        return {"where": where}

    @app.get("/users/<name>")
    @mcp_tool("user")
    def user(name: str) -> ResponseReturnValue:
        return {"name": name}

    @app.get("/users/me")
    def me() -> ResponseReturnValue:
        journal.note("me")
        return {}

    @app.post("/form")
    @mcp_tool("form", body=Form, consumes="application/x-www-form-urlencoded")
    def form() -> ResponseReturnValue:
        return {"name": request.form["name"], "color": request.form.get("color")}

    @app.post("/upload")
    @mcp_tool("upload", files=["attachment"], body={"type": "object", "required": ["attachment"]})
    def upload() -> ResponseReturnValue:
        sent = request.files["attachment"]
        return {"name": sent.filename, "text": sent.read().decode()}

    @app.get("/fail")
    @mcp_tool("fail")
    def fail() -> ResponseReturnValue:
        raise RuntimeError(Journal.SECRET)

    @app.get("/conflict")
    @mcp_tool("conflict")
    def conflict() -> ResponseReturnValue:
        return jsonify(message="taken"), 409

    @app.get("/away")
    @mcp_tool("away")
    def away() -> ResponseReturnValue:
        return redirect("/elsewhere")

    @app.get("/login")
    @mcp_tool("login")
    def login() -> ResponseReturnValue:
        response = jsonify({})
        response.set_cookie("session", "inner")
        return response

    @app.get("/slow")
    @mcp_tool("slow")
    def slow() -> ResponseReturnValue:
        journal.started.set()
        if request.environ["sezzlee.cancelled"].wait(10):
            journal.cancelled.set()
        return {}

    @app.get("/big")
    @mcp_tool("big")
    def big() -> ResponseReturnValue:
        return Response("x" * 400_000, content_type="text/plain")

    @app.get("/endless")
    @mcp_tool("endless")
    def endless() -> ResponseReturnValue:
        def lines() -> Iterator[str]:
            try:
                while True:
                    yield "x" * 500
            finally:
                journal.closed.set()

        return Response(lines(), content_type="text/plain")

    @app.get("/private")
    @mcp_tool("private")
    def private() -> ResponseReturnValue:
        abort(403)

    marker = {"anonymous": "no", "policies": ["clerk"], "imperative": False}
    private.__mcp_auth__ = marker  # type: ignore[attr-defined]  # no field of a function

    @app.get("/old")
    @mcp_tool("old")
    def old() -> ResponseReturnValue:
        return {}

    old.__deprecated__ = "gone soon"  # type: ignore[attr-defined]  # as warnings.deprecated leaves it

    @app.get("/ignored")
    @mcp_ignore
    def ignored() -> ResponseReturnValue:
        return {}

    @app.get("/undeclared")
    def undeclared() -> ResponseReturnValue:
        return {}

    return app
