"""The API of pets with flasgger."""

from typing import Any

from flasgger import Swagger, swag_from
from flask import Flask, jsonify, request
from flask.views import MethodView

DOCUMENT = "/apispec_1.json"


class Pets(MethodView):
    def get(self) -> Any:
        """List pets.

        Sorted by name.
        ---
        tags: [pets]
        parameters:
          - name: name
            in: query
            type: string
            description: A part of the name.
          - name: limit
            in: query
            type: int
            minimum: 1
            maximum: 100
        responses:
          200:
            description: Pets.
            schema:
              type: array
              items:
                $ref: '#/definitions/Pet'
        definitions:
          Pet:
            type: object
            properties:
              id:
                type: integer
              name:
                type: string
        """
        return jsonify([{"id": 1, "name": request.args.get("name", "Ann")}])

    def post(self) -> Any:
        """Add a pet.
        ---
        parameters:
          - name: body
            in: body
            required: true
            schema:
              id: PetIn
              type: object
              required: [name]
              properties:
                name:
                  type: string
                  maxLength: 20
                weight:
                  type: number
        responses:
          201:
            description: Added.
            schema:
              $ref: '#/definitions/Pet'
        """
        return {"id": 2, **request.get_json()}, 201


def make_app() -> Flask:
    """Return the application."""
    app = Flask("pets")
    Swagger(app)
    app.add_url_rule("/pets", view_func=Pets.as_view("pets"))

    @app.get("/pets/<int:pet_id>")
    @swag_from(
        {
            "parameters": [
                {"name": "pet_id", "in": "path", "type": "integer", "required": True},
                {"name": "X-Trace", "in": "header", "type": "string", "required": True},
            ],
            "responses": {200: {"description": "A pet.", "schema": {"type": "object"}}},
        }
    )
    def get_pet(pet_id: int) -> Any:
        """Get one pet."""
        return {"id": pet_id, "name": request.headers["X-Trace"]}

    return app
