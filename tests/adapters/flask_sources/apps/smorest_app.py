"""The API of pets with flask-smorest."""

from typing import Any

import marshmallow as ma
from flask import Flask
from flask.views import MethodView
from flask_smorest import Api, Blueprint
from flask_smorest.fields import Upload

DOCUMENT = "/openapi.json"


class OwnerSchema(ma.Schema):
    name = ma.fields.String(required=True, validate=ma.validate.Length(max=40))


class PetSchema(ma.Schema):
    id = ma.fields.Integer(dump_only=True)
    name = ma.fields.String(required=True, validate=ma.validate.Length(min=1, max=20))
    weight = ma.fields.Float(validate=ma.validate.Range(min=0))
    kind = ma.fields.String(validate=ma.validate.OneOf(["cat", "dog"]))
    owner = ma.fields.Nested(OwnerSchema)


class PetQuerySchema(ma.Schema):
    name = ma.fields.String(metadata={"description": "A part of the name."})
    limit = ma.fields.Integer(validate=ma.validate.Range(min=1, max=100))
    tags = ma.fields.List(ma.fields.String())


class TraceSchema(ma.Schema):
    class Meta:
        unknown = ma.EXCLUDE

    trace = ma.fields.String(data_key="X-Trace", required=True)


class PhotoSchema(ma.Schema):
    photo = Upload(required=True)


blp = Blueprint("pets", __name__, url_prefix="/pets", description="Pets of the shop.")


@blp.route("/")
class Pets(MethodView):
    @blp.arguments(PetQuerySchema, location="query")
    @blp.response(200, PetSchema(many=True))
    def get(self, args: dict[str, Any]) -> Any:
        """List pets.

        Sorted by name.
        """
        return [{"id": 1, "name": args.get("name", "Ann")}]

    @blp.arguments(PetSchema)
    @blp.response(201, PetSchema)
    def post(self, new: dict[str, Any]) -> Any:
        """Add a pet."""
        return {"id": 2, **new}


@blp.route("/<int:pet_id>")
@blp.arguments(TraceSchema, location="headers")
@blp.response(200, PetSchema)
def get_pet(headers: dict[str, Any], pet_id: int) -> Any:
    """Get one pet."""
    return {"id": pet_id, "name": headers["trace"]}


@blp.route("/<int:pet_id>/photo", methods=["PUT"])
@blp.arguments(PhotoSchema, location="files")
@blp.response(204)
def set_photo(files: dict[str, Any], pet_id: int) -> None:
    """Set the photo."""


@blp.route("/<int:pet_id>", methods=["DELETE"])
@blp.response(204)
def remove_pet(pet_id: int) -> None:
    """Remove a pet."""


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")
    app.config.update(
        API_TITLE="Pets", API_VERSION="1", OPENAPI_VERSION="3.0.3", OPENAPI_URL_PREFIX="/"
    )
    Api(app).register_blueprint(blp)
    return app
