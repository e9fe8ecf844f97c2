"""The API of pets with flask-pydantic."""

from typing import Any, Literal

from flask import Flask
from flask.views import MethodView
from flask_pydantic import validate
from pydantic import BaseModel, Field


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
    name: str = Field("", description="A part of the name.")
    limit: int = Field(10, ge=1, le=100)
    tags: list[str] = []


class Caption(BaseModel):
    text: str = Field(max_length=40)


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")

    @app.get("/pets")
    @validate()
    def find_pet(query: PetQuery) -> PetOut:
        """Find a pet."""
        return PetOut(id=query.limit, name=query.name)

    @app.post("/pets")
    @validate(body=PetIn, on_success_status=201)
    def add_pet() -> PetOut:
        """Add a pet."""
        return PetOut(id=2, name="Bo")

    @app.put("/pets/<int:pet_id>/caption")
    @validate()
    def set_caption(pet_id: int, form: Caption) -> Any:
        """Set the caption."""
        return {"id": pet_id, "text": form.text}

    @app.post("/pets/<int:pet_id>/walks")
    @validate(query=PetQuery)
    def walk(pet_id: int) -> Any:
        """Go for a walk."""
        return {"id": pet_id}

    class Pet(MethodView):
        @validate()
        def get(self, pet_id: int) -> PetOut:
            """Get one pet."""
            return PetOut(id=pet_id, name="Ann")

        @validate(request_body_many=True)
        def post(self, pet_id: int, body: Owner) -> Any:
            """Add owners."""
            return {"id": pet_id}

    app.add_url_rule("/pets/<int:pet_id>", view_func=Pet.as_view("pet"))
    return app
