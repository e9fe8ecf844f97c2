"""The API of pets with flask-openapi3."""

from typing import Any, Literal

from flask_openapi3 import APIBlueprint, FileStorage, Info, OpenAPI, Tag
from pydantic import BaseModel, Field

DOCUMENT = "/openapi/openapi.json"


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


class PetPath(BaseModel):
    pet_id: int = Field(description="Which one.")


class PetQuery(BaseModel):
    name: str = Field("", description="A part of the name.")
    limit: int = Field(10, ge=1, le=100)
    tags: list[str] = []


class Trace(BaseModel):
    trace: str = Field(alias="X-Trace")


class Photo(BaseModel):
    photo: FileStorage
    caption: str = ""


api = APIBlueprint("pets", __name__, url_prefix="/pets", abp_tags=[Tag(name="Pets")])


@api.get("/", responses={200: PetOut})
def find_pet(query: PetQuery) -> Any:
    """Find a pet.

    The first one counts.
    """
    return {"id": query.limit, "name": query.name}


@api.post("/", responses={201: PetOut})
def add_pet(body: PetIn) -> Any:
    """Add a pet."""
    return {"id": 2, "name": body.name}, 201


@api.get("/<int:pet_id>", responses={200: PetOut})
def get_pet(path: PetPath, header: Trace) -> Any:
    """Get one pet."""
    return {"id": path.pet_id, "name": header.trace}


@api.put("/<int:pet_id>/photo")
def set_photo(path: PetPath, form: Photo) -> Any:
    """Set the photo."""
    return {"caption": form.caption}


@api.delete("/<int:pet_id>")
def remove_pet(path: PetPath) -> Any:
    """Remove a pet."""
    return {}


def make_app() -> OpenAPI:
    """Return the application."""
    app = OpenAPI("pets", info=Info(title="Pets", version="1"))
    app.register_api(api)
    return app
