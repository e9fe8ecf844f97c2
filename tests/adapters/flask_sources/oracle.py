"""An extension's own document, read without any code of the SDK."""

from typing import Any, TypeAlias

from flask import Flask

from sezzlee_py import Options, ToolDefinition

# Wire name and place to whether it is required, and its schema.
Inputs: TypeAlias = dict[tuple[str, str], tuple[bool, Any]]

# Notes for readers, and what a document says twice.
_NOTES = ("title", "default", "example", "examples", "xml", "x-nullable")


def everything() -> Options:
    """Offer all, under plain names."""
    options = Options(selection={"default": "include"})
    options.naming.prefix = lambda _: ""
    return options


def served_document(app: Flask, path: str) -> Any:
    """Return the document as the extension serves it."""
    answer = app.test_client().get(path)
    assert answer.status_code == 200
    return answer.get_json()


def documented_inputs(document: Any, method: str, path: str) -> Inputs:
    """Return what a document says an operation reads."""
    item = document["paths"][path]
    operation = item[method.lower()]
    found: Inputs = {}
    for listed in (*item.get("parameters", []), *operation.get("parameters", [])):
        parameter = _resolved(document, listed)
        place = parameter["in"]
        if place == "body":
            found |= _fields(document, parameter["schema"], "body")
        else:
            schema = parameter.get("schema") or {
                key: value
                for key, value in parameter.items()
                if key not in ("name", "in", "required", "description", "collectionFormat")
            }
            shape = plain(document, schema)
            if "description" in parameter:
                shape.setdefault("description", parameter["description"])
            if not shape.get("description", "x"):
                del shape["description"]
            place = "form" if place == "formData" else place
            found[parameter["name"], place] = (parameter.get("required", False), shape)
    body = _resolved(document, operation.get("requestBody") or {})
    for media_type, entry in list(body.get("content", {}).items())[:1]:
        place = "body" if media_type == "application/json" else "form"
        found |= _fields(document, entry["schema"], place)
    return found


def documented_output(document: Any, method: str, path: str) -> Any:
    """Return the schema of the answer to a success, `None` where none is documented."""
    responses = document["paths"][path][method.lower()]["responses"]
    for status in ("200", "201", "204"):
        if status in responses:
            response = _resolved(document, responses[status])
            content = response.get("content", {}).get("application/json", response)
            return plain(document, content["schema"]) if content.get("schema") else None
    return None


def published_inputs(tool: ToolDefinition) -> Inputs:
    """Return what a tool takes; a file is an object of its own there and not compared."""
    schema = tool.input_schema
    root = {"components": {"schemas": schema.get("$defs", {})}}
    return {
        (slot.name, str(slot.location)): (
            slot.required,
            plain(root, schema["properties"][slot.argument]),
        )
        for slot in tool.slots
    }


def published_output(tool: ToolDefinition) -> Any:
    """Return the schema of a tool's answer as the application gives it."""
    schema = tool.output_schema
    if schema is None:
        return None
    root = {"components": {"schemas": schema.get("$defs", {})}}
    wrapped = list(schema.get("properties", {})) == ["result"]
    return plain(root, schema["properties"]["result"] if wrapped else schema)


def plain(document: Any, schema: Any) -> Any:
    """Return a schema with its references followed and without notes."""
    if isinstance(schema, list):
        return [plain(document, item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return plain(document, _resolved(document, schema))
    names = schema.get("properties", {})
    shape = {
        key: plain(document, value)
        for key, value in schema.items()
        if key not in _NOTES and key not in ("properties", "$defs")
    }
    if names:
        shape["properties"] = {name: plain(document, value) for name, value in names.items()}
    return shape


def _fields(document: Any, schema: Any, place: str) -> Inputs:
    shape = plain(document, schema)
    return {
        (name, place): (name in shape.get("required", []), field)
        for name, field in shape["properties"].items()
        # What only an answer holds is no input.
        if not field.get("readOnly")
    }


def _resolved(document: Any, node: Any) -> Any:
    while "$ref" in node:
        target: Any = document
        for step in (
            node["$ref"].removeprefix("#/").replace("$defs", "components/schemas").split("/")
        ):
            target = target[step]
        node = target
    return node
