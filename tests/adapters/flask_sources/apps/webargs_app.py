"""The API of pets with webargs."""

from typing import Any

import marshmallow as ma
from flask import Flask, jsonify
from flask.views import MethodView
from webargs import fields
from webargs.flaskparser import FlaskParser, use_args, use_kwargs


class OwnerSchema(ma.Schema):
    name = fields.String(required=True, validate=ma.validate.Length(max=40))


class PetSchema(ma.Schema):
    id = fields.Integer(dump_only=True)
    name = fields.String(required=True, validate=ma.validate.Length(min=1, max=20))
    weight = fields.Float(validate=ma.validate.Range(min=0), allow_none=True)
    kind = fields.String(validate=ma.validate.OneOf(["cat", "dog"]))
    born = fields.Date(data_key="bornOn")
    owner = fields.Nested(OwnerSchema)
    friends = fields.List(fields.Nested(lambda: PetSchema(only=("name",))))
    parents = fields.List(fields.Nested(lambda: PetSchema()))


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")

    @app.errorhandler(422)
    def refused(error: Any) -> Any:
        return jsonify(errors=error.data["messages"]), 422

    @app.get("/pets")
    @use_kwargs(
        {
            "name": fields.String(metadata={"description": "A part of the name."}),
            "limit": fields.Integer(validate=ma.validate.Range(min=1, max=100)),
            "tags": fields.List(fields.String()),
            "ids": fields.DelimitedList(fields.Integer()),
        },
        location="query",
    )
    @use_args({"trace": fields.String(data_key="X-Trace", required=True)}, location="headers")
    def find_pet(headers: dict[str, Any], **query: Any) -> Any:
        """Find a pet."""
        return {"ids": query.get("ids", []), "trace": headers["trace"]}

    @app.post("/pets")
    @use_args(PetSchema())
    def add_pet(new: dict[str, Any]) -> Any:
        """Add a pet."""
        return {"id": 2, "name": new["name"]}, 201

    @app.put("/pets/<int:pet_id>/photo")
    @use_args({"photo": fields.Raw(required=True)}, location="files")
    @use_args({"caption": fields.String()}, location="form")
    def set_photo(files: Any, form: Any, pet_id: int) -> Any:
        """Set the photo."""
        return {"id": pet_id, "caption": form.get("caption"), "name": files["photo"].filename}

    class Notes(MethodView):
        @use_args(lambda request: PetSchema(), location="json")
        def post(self, note: Any) -> Any:
            """Keep a note."""
            return {}

        @FlaskParser().use_args({"note": fields.String()}, location="form")
        def put(self, note: Any) -> Any:
            """Change a note."""
            return note

    app.add_url_rule("/notes", view_func=Notes.as_view("notes"))
    return app
