"""The API of pets with flask-restful."""

import functools
from typing import Any

from flask import Flask
from flask_restful import Api, Resource, inputs, reqparse
from werkzeug.datastructures import FileStorage

query = reqparse.RequestParser()
query.add_argument("name", location="args", help="A part of the name.")
query.add_argument("limit", type=int, location="args", required=True)
query.add_argument("kind", choices=("cat", "dog"), location="args")
query.add_argument("tag", action="append", location="args")
query.add_argument("X-Trace", location="headers")


def checked(view: Any) -> Any:
    """Stand around a view."""

    @functools.wraps(view)
    def around(*args: Any, **kwargs: Any) -> Any:
        return view(*args, **kwargs)

    return around


class Pets(Resource):  # type: ignore[misc]
    method_decorators = [checked]  # noqa: RUF012

    def get(self) -> Any:
        """Find pets."""
        return query.parse_args()

    @checked
    def post(self) -> Any:
        """Add a pet."""
        parser = reqparse.RequestParser(bundle_errors=True)
        parser.add_argument("name", type=str, required=True, help="name is required")
        parser.add_argument("weight", type=float, location="json")
        parser.add_argument("good", type=inputs.boolean)
        return parser.parse_args(), 201


class Pet(Resource):  # type: ignore[misc]
    def __init__(self) -> None:
        self.reqparse = reqparse.RequestParser()
        self.reqparse.add_argument("name", type=str, location="json")
        self.reqparse.add_argument("weight", type=int, location="json")

    def get(self, pet_id: int) -> Any:
        """Get one pet."""
        return {"id": pet_id}

    def put(self, pet_id: int) -> Any:
        """Change a pet."""
        args = self.reqparse.parse_args()
        return {"id": pet_id, **args}

    def delete(self, pet_id: int) -> Any:
        """Remove a pet."""
        return "", 204


class Photo(Resource):  # type: ignore[misc]
    parser = reqparse.RequestParser()
    parser.add_argument("photo", type=FileStorage, location="files", required=True)
    parser.add_argument("caption", location="form")

    def post(self, pet_id: int) -> Any:
        """Set the photo."""
        args = self.parser.parse_args()
        return {"name": args["photo"].filename, "caption": args["caption"]}


class Unclear(Resource):  # type: ignore[misc]
    def post(self) -> Any:
        """Do more."""
        parser = reqparse.RequestParser()
        for name in ("a", "b"):
            parser.add_argument(name)
        return parser.parse_args()

    def put(self) -> Any:
        """Do less."""
        parser = query.copy()
        print(parser)
        return parser.parse_args()


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")
    api = Api(app, prefix="/v1")
    api.add_resource(Pets, "/pets", "/animals")
    api.add_resource(Pet, "/pets/<int:pet_id>")
    api.add_resource(Photo, "/pets/<int:pet_id>/photo", methods=["POST"])
    api.add_resource(Unclear, "/unclear")
    return app
