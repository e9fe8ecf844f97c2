"""The API of pets with APIFlask."""

from typing import Any

from apiflask import APIBlueprint, APIFlask, Schema
from apiflask.fields import Float, Integer, List, Nested, String
from apiflask.validators import Length, OneOf, Range
from apiflask.views import MethodView

DOCUMENT = "/openapi.json"


class Owner(Schema):
    name = String(required=True, validate=Length(max=40))


class PetIn(Schema):
    name = String(required=True, validate=Length(1, 20))
    weight = Float(validate=Range(min=0))
    kind = String(validate=OneOf(["cat", "dog"]))
    owner = Nested(Owner)


class PetOut(Schema):
    id = Integer()
    name = String()


class PetQuery(Schema):
    name = String()
    limit = Integer(validate=Range(min=1, max=100))
    tags = List(String())


class Trace(Schema):
    trace = String(data_key="X-Trace", required=True)


bp = APIBlueprint("pets", __name__, url_prefix="/pets")


@bp.get("/")
@bp.input(PetQuery, location="query")
@bp.output(PetOut(many=True))
def list_pets(query_data: dict[str, Any]) -> Any:
    """List pets.

    Sorted by name.
    """
    return [{"id": 1, "name": query_data.get("name", "Ann")}]


@bp.post("/")
@bp.input(PetIn)
@bp.output(PetOut, status_code=201)
def add_pet(json_data: dict[str, Any]) -> Any:
    return {"id": 2, **json_data}


class Pet(MethodView):
    @bp.input(Trace, location="headers")
    @bp.output(PetOut)
    def get(self, pet_id: int, headers_data: dict[str, Any]) -> Any:
        """Get one pet."""
        return {"id": pet_id, "name": headers_data["trace"]}

    @bp.output({}, status_code=204)
    def delete(self, pet_id: int) -> Any:
        """Remove a pet."""
        return ""


bp.add_url_rule("/<int:pet_id>", view_func=Pet.as_view("pet"))


def make_app() -> APIFlask:
    """Return the application."""
    app = APIFlask("pets", title="Pets", version="1")
    app.register_blueprint(bp)

    @app.post("/notes")
    def add_note() -> Any:
        """Keep a note."""
        return {}

    return app
