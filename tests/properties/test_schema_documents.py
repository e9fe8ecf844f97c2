"""Documents that somebody broke: findings, never exceptions, and every tool still sound."""

import copy
import json
import random
from typing import Any

import pytest

from sezzlee_py.openapi import ingest
from tests.unit.schema.reading import check_published

NODE = {"type": "object", "properties": {"n": {"$ref": "#/components/schemas/Node"}}}
MODERN: dict[str, Any] = {
    "openapi": "3.1.0",
    "security": [{"key": []}],
    "paths": {
        "/a/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "read",
                "tags": ["t"],
                "parameters": [
                    {"name": "q", "in": "query", "schema": {"type": "array", "items": {}}},
                    {"name": "f", "in": "query", "content": {"application/json": {"schema": {}}}},
                ],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Node"}}
                        },
                    },
                    "default": {"$ref": "#/components/responses/E"},
                },
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {"allOf": [{"$ref": "#/components/schemas/Node"}, NODE]}
                        },
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {"f": {"type": "string", "format": "binary"}},
                            },
                            "encoding": {"f": {"contentType": "image/png"}},
                        },
                    },
                },
            },
        }
    },
    "components": {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {}}},
        "responses": {"E": {"description": "e", "content": {"application/json": {}}}},
        "schemas": {"Node": NODE, "S": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
}
OLD: dict[str, Any] = {
    "swagger": "2.0",
    "consumes": ["application/json"],
    "securityDefinitions": {"b": {"type": "basic"}, "o": {"type": "oauth2", "flow": "implicit"}},
    "parameters": {"L": {"name": "l", "in": "query", "type": "integer"}},
    "responses": {"E": {"description": "e", "schema": {"$ref": "#/definitions/E"}}},
    "definitions": {"E": {"type": "object", "properties": {"e": {"$ref": "#/definitions/E"}}}},
    "paths": {
        "/a": {
            "parameters": [{"$ref": "#/parameters/L"}],
            "post": {
                "security": [{"o": []}],
                "parameters": [{"in": "body", "name": "b", "schema": {"$ref": "#/definitions/E"}}],
                "responses": {"200": {"$ref": "#/responses/E"}},
            },
            "put": {
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"in": "formData", "name": "f", "type": "file"},
                    {"in": "formData", "name": "g", "type": "array", "items": {"type": "string"}},
                ],
            },
        }
    },
}
JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    "#",
    "#/components/schemas/Node",
    "http://x/y",
    "object",
    [],
    {},
    [1],
    ["null"],
    {"a": 1},
    {"$ref": 5},
    {"$ref": "#/components/schemas/S"},
    {"$ref": "#/components/responses/E"},
    {"allOf": []},
    {"anyOf": 5},
    {"type": "array", "items": [{}]},
]


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    found = []
    for key, child in pairs:
        found.append((*path, key))
        if isinstance(child, dict | list):
            found += _places(child, (*path, key))
    return found


def _mutated(document: Any, chance: random.Random) -> Any:
    changed = copy.deepcopy(document)
    for _ in range(chance.randint(1, 5)):
        places = _places(changed)
        if not places:
            break
        *way, last = chance.choice(places)
        parent = changed
        for token in way:
            parent = parent[token]
        if chance.random() < 0.25:
            del parent[last]
        else:
            parent[last] = copy.deepcopy(chance.choice(JUNK))
    return changed


@pytest.mark.parametrize("document", [MODERN, OLD, {**MODERN, "openapi": "3.0.3"}], ids=str)
@pytest.mark.parametrize("seed", range(60))
def test_a_mutated_document_never_raises(document: Any, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(5):
        found = ingest(_mutated(document, chance))
        for descriptor in found.descriptors:
            for parameter in descriptor.parameters:
                check_published(dict(parameter.schema))
            if descriptor.request_body is not None:
                check_published(dict(descriptor.request_body.schema))
            for response in descriptor.responses.values():
                check_published(dict(response.schema or {}))


@pytest.mark.parametrize("document", [MODERN, OLD], ids=["modern", "old"])
def test_a_truncated_document_never_raises(document: Any) -> None:
    text = json.dumps(document)
    for end in range(0, len(text), 23):
        found = ingest(text[:end])
        assert found.descriptors == ()
        assert [d.severity for d in found.diagnostics] == ["fatal"]
