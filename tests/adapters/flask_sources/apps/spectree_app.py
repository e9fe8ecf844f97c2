"""The API of pets with spectree."""

from typing import Any, Literal

from flask import Flask, jsonify, request
from flask.views import MethodView
from pydantic import BaseModel, Field
from spectree import Response, SpecTree

DOCUMENT = "/apidoc/openapi.json"


class Owner(BaseModel):
    name: str = Field(max_length=40)


class PetIn(BaseModel):
    name: str = Field(min_length=1, max_length=20)
    weight: float = Field(0, ge=0)
    kind: Literal["cat", "dog"] = "cat"
    owner: Owner = Owner(name="Ann")


class PetOut(BaseModel):
    id: int
    name: str


class PetQuery(BaseModel):
    name: str = ""
    limit: int = Field(10, ge=1, le=100)


class Trace(BaseModel):
    trace: str = Field(alias="x-trace")


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")
    spec = SpecTree("flask", title="Pets")

    @app.get("/pets")
    @spec.validate(query=PetQuery, resp=Response(HTTP_200=PetOut), tags=["pets"])
    def find_pet() -> Any:
        """Find a pet.

        The first one counts.
        """
        query = request.context.query  # type: ignore[attr-defined]  # set by the extension
        return jsonify(id=query.limit, name=query.name)

    @app.post("/pets")
    @spec.validate(json=PetIn, resp=Response(HTTP_201=PetOut))
    def add_pet() -> Any:
        """Add a pet."""
        new = request.context.json  # type: ignore[attr-defined]  # set by the extension
        return {"id": 2, "name": new.name}, 201

    class Pet(MethodView):
        @spec.validate(resp=Response("HTTP_204"))
        def delete(self, pet_id: int) -> Any:
            """Remove a pet."""
            return "", 204

        def get(self, pet_id: int) -> Any:
            """Get one pet."""
            return {"id": pet_id, "name": "Ann"}

    app.add_url_rule("/pets/<int:pet_id>", view_func=Pet.as_view("pet"))

    @app.post("/notes")
    def add_note() -> Any:
        return {}

    spec.register(app)
    return app
