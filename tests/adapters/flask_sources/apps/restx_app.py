"""The API of pets with flask-restx, on a blueprint."""

from typing import Any

from flask import Blueprint, Flask, request
from flask_restx import Api, Namespace, Resource, fields
from werkzeug.datastructures import FileStorage

DOCUMENT = "/v1/swagger.json"


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")
    blueprint = Blueprint("v1", "pets", url_prefix="/v1")
    api = Api(blueprint, title="Pets", version="1", validate=True)
    ns = Namespace("pets", description="Pets of the shop.")
    owner = ns.model("Owner", {"name": fields.String(required=True, max_length=40)})
    pet_in = ns.model(
        "PetIn",
        {
            "name": fields.String(required=True, min_length=1, max_length=20),
            "weight": fields.Float(min=0),
            "kind": fields.String(enum=["cat", "dog"]),
            "owner": fields.Nested(owner),
        },
    )
    pet = ns.model("Pet", {"id": fields.Integer(), "name": fields.String()})
    query = ns.parser()
    query.add_argument("name", help="A part of the name.", location="args")
    query.add_argument("limit", type=int, location="args")
    query.add_argument("tags", action="append", location="args")
    photo = ns.parser()
    photo.add_argument("photo", type=FileStorage, location="files", required=True)

    @ns.route("/")
    class Pets(Resource):
        @ns.expect(query)
        @ns.marshal_list_with(pet, mask=None)
        def get(self) -> Any:
            """List pets.

            Sorted by name.
            """
            args = query.parse_args()
            return [{"id": args["limit"] or 1, "name": args["name"]}]

        @ns.expect(pet_in)
        @ns.marshal_with(pet, code=201, mask=None)
        def post(self) -> Any:
            """Add a pet."""
            return {"id": 2, **api.payload}, 201

    @ns.route("/<int:pet_id>")
    @ns.param("pet_id", "Which one.")
    class Pet(Resource):
        @ns.param("X-Trace", "Where the call comes from.", _in="header", required=True)
        @ns.marshal_with(pet, mask=None)
        def get(self, pet_id: int) -> Any:
            """Get one pet."""
            return {"id": pet_id, "name": request.headers["X-Trace"]}

        @ns.response(204, "Removed.")
        def delete(self, pet_id: int) -> Any:
            """Remove a pet."""
            return "", 204

    @ns.route("/<int:pet_id>/photo")
    class Photo(Resource):
        @ns.expect(photo)
        def put(self, pet_id: int) -> Any:
            """Set the photo."""
            return {"name": photo.parse_args()["photo"].filename}

    @ns.route("/notes")
    class Notes(Resource):
        def post(self) -> Any:
            """Keep a note."""
            return request.get_json()

    api.add_namespace(ns, path="/pets")
    app.register_blueprint(blueprint)
    return app
