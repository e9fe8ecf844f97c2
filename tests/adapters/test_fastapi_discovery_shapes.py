"""Every handler shape: what is discovered is what FastAPI itself reads, and enough to call it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import fastapi
import pytest
from fastapi import FastAPI
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase

from sezzlee_fastapi.discovery import FastAPIAdapter
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.model import Parameter, ParameterLocation, RequestBody
from sezzlee_py.model.routes import placeholder_names
from tests.adapters.asgi_calls import call
from tests.adapters.fastapi_shapes import SHAPES, Shape

# Shapes that older versions of FastAPI document in one way and read in another.
WRONG_BEFORE = {
    "header_model": (0, 115, 10),
    "query_validation_alias": (0, 128, 0),
    "body_field_alias": (0, 128, 0),
}
VERSION = tuple(int(part) for part in fastapi.__version__.split(".")[:3])
NAMES = [name for name in SHAPES if WRONG_BEFORE.get(name, VERSION) <= VERSION]

# What the router captures and no function declares; FastAPI's own tables do not know it.
CAPTURED = {"path_captured_only": {"unknown"}, "path_doubled_braces": {"pid", "n"}}


def app_of(shape: Shape) -> FastAPI:
    app = FastAPI()
    app.add_api_route(shape.path, shape.endpoint, methods=[shape.method])
    return app


def discovered(app: FastAPI) -> DiscoveredOperation:
    (found,) = FastAPIAdapter(app).discover().operations
    return found


def declared(app: FastAPI) -> set[tuple[str, str, bool]]:
    """Location, wire name and whether required of what FastAPI's dependant says it reads."""
    route = next(found for found in app.routes if isinstance(found, APIRoute))
    known: dict[tuple[str, str], bool] = {}
    for field in get_flat_params(route.dependant):
        location = field.field_info.in_.value if hasattr(field.field_info, "in_") else None
        for place, name in _places(route, field, location):
            required = bool(field.field_info.is_required())
            known[place, name] = known.get((place, name), False) or required
    return {(place, name, required) for (place, name), required in known.items()}


def _places(route: APIRoute, field: Any, location: str | None) -> list[tuple[str, str]]:
    # A field of a parameter model has no location of its own; the model's parameter has.
    place = location or _location_of_model(route)
    name = getattr(field.field_info, "validation_alias", None) or field.alias
    if place == "header" and name == field.name:
        keep = getattr(field.field_info, "convert_underscores", True) is False
        name = name if keep else name.replace("_", "-")
    return [(place, str(name))]


def _location_of_model(route: APIRoute) -> str:
    dependant = route.dependant
    (place,) = (
        name
        for name in ("path", "query", "header", "cookie")
        if getattr(dependant, f"{name}_params")
    )
    return place


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_that_fastapi_reads(name: str) -> None:
    app = app_of(SHAPES[name])

    found = {
        (parameter.location.value, parameter.name, parameter.required)
        for parameter in discovered(app).descriptor.parameters
        if not (parameter.location is ParameterLocation.PATH and parameter.name in _beyond(name))
    }

    assert found == {
        entry for entry in declared(app) if not (entry[0] == "path" and entry[1] in _beyond(name))
    }


def _beyond(name: str) -> set[str]:
    return CAPTURED.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_every_placeholder_of_the_route_has_its_parameter(name: str) -> None:
    descriptor = discovered(app_of(SHAPES[name])).descriptor

    in_path = [p.name for p in descriptor.parameters if p.location is ParameterLocation.PATH]
    assert sorted(in_path) == sorted(placeholder_names(descriptor.route))


@pytest.mark.parametrize("name", NAMES)
def test_a_body_has_the_fields_that_fastapi_reads(name: str) -> None:
    body = discovered(app_of(SHAPES[name])).descriptor.request_body

    fields = None if body is None else set(body.schema.get("properties", {}))
    assert fields == SHAPES[name].body


@pytest.mark.parametrize("name", NAMES)
def test_a_call_with_what_was_discovered_is_accepted(name: str) -> None:
    app = app_of(SHAPES[name])
    operation = discovered(app)

    status, answer = send(app, operation, operation.descriptor.parameters)

    assert (status, answer) in ((200, b"null"), (401, answer), (403, answer))
    assert (status == 200) is not _refuses_strangers(app)


@pytest.mark.parametrize("name", NAMES)
def test_a_required_parameter_is_one_that_fastapi_misses(name: str) -> None:
    app = app_of(SHAPES[name])
    operation = discovered(app)
    parameters = operation.descriptor.parameters
    apart = [p for p in parameters if p.required and p.location is not ParameterLocation.PATH]

    missed = [
        send(app, operation, [p for p in parameters if p is not without])[0] for without in apart
    ]

    assert missed == [422] * len(apart)


def _refuses_strangers(app: FastAPI) -> bool:
    route = next(found for found in app.routes if isinstance(found, APIRoute))
    waiting, schemes = [route.dependant], []
    while waiting:
        dependant = waiting.pop()
        waiting += dependant.dependencies
        if isinstance(dependant.call, SecurityBase):
            schemes.append(dependant.call)
    return any(scheme.auto_error for scheme in schemes)  # type: ignore[attr-defined]


def send(app: FastAPI, operation: DiscoveredOperation, parameters: Any) -> tuple[int, bytes]:
    """Send a request with a sample for each parameter, as any HTTP client would write it."""
    descriptor = operation.descriptor
    path, query, headers, cookies = descriptor.route, [], [], []
    for parameter in parameters:
        text = sample_text(parameter)
        if parameter.location is ParameterLocation.PATH:
            path = path.replace(f"{{{parameter.name}}}", text)
        elif parameter.location is ParameterLocation.QUERY:
            query.append((parameter.name, text))
        elif parameter.location is ParameterLocation.HEADER:
            headers.append((parameter.name, text))
        else:
            cookies.append(f"{parameter.name}={text}")
    if cookies:
        headers.append(("cookie", "; ".join(cookies)))
    body = b""
    if descriptor.request_body is not None:
        content_type, body = written(descriptor.request_body)
        headers.append(("content-type", content_type))
    return call(app, descriptor.method, path, urlencode(query, quote_via=quote), headers, body)


SAMPLES: Mapping[str | None, str] = {
    "uuid": "6f1c2b9e-0d5a-4c3b-8e7f-1a2b3c4d5e6f",
    "date": "2024-02-03",
    "date-time": "2024-02-03T04:05:06Z",
    "duration": "P3D",
}


def sample_text(parameter: Parameter) -> str:
    value = sample(parameter.schema)
    while isinstance(value, list):
        value = value[0]
    return str(value).lower() if isinstance(value, bool) else str(value)


def sample(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """Return a value that fits, as far as the shapes of this suite ask for one."""
    root = schema if root is None else root
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return sample(schema[union][0], root)
    if "const" in schema or "enum" in schema:
        return schema.get("const") or schema["enum"][0]
    if "properties" in schema:
        wanted = schema.get("required", ())
        return {key: sample(schema["properties"][key], root) for key in wanted}
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    simple = {"integer": 2, "number": 2.5, "boolean": True, "object": {}, "array": None}
    if kind == "array":
        return [sample(schema["items"], root)]
    return simple.get(kind, SAMPLES.get(schema.get("format"), "a"))


def written(body: RequestBody) -> tuple[str, bytes]:
    value = sample(body.schema)
    content_type = body.content_type or "application/json"
    if content_type == "application/x-www-form-urlencoded":
        return content_type, urlencode(value).encode()
    if content_type == "multipart/form-data":
        parts = b"".join(_part(key, body.schema["properties"][key]) for key in value)
        return f"{content_type}; boundary=xx", parts + b"--xx--\r\n"
    return content_type, json.dumps(value).encode()


def _part(name: str, schema: Mapping[str, Any]) -> bytes:
    is_file = "contentMediaType" in schema or "items" in schema
    filename = '; filename="f.bin"' if is_file else ""
    content = base64.b64encode(b"sample")
    head = f'--xx\r\nContent-Disposition: form-data; name="{name}"{filename}\r\n\r\n'.encode()
    return head + content + b"\r\n"
