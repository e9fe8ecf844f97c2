"""What a FastAPI route tells: names, texts and what its router captures beyond its function."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin

from fastapi.dependencies.models import Dependant
from pydantic import BaseModel

from sezzlee_fastapi.dependants import tree
from sezzlee_py.catalog.containers import (
    Container,
    class_container,
    module_container,
    tag_container,
)
from sezzlee_py.catalog.handlers import docstring_of, first_paragraph
from sezzlee_py.model import JSONObject, Parameter, ParameterLocation
from sezzlee_py.model.routes import NormalizedRoute, normalize_route
from sezzlee_starlette.facts import path_parameter

# Keywords that admit any value.
_ANNOTATIONS: Final = frozenset({"description", "examples", "deprecated"})

_UNIONS: Final = (Union, UnionType)


def description_of(route: Mapping[str, Any], operation: JSONObject) -> str | None:
    """Return what the developer wrote about the route, never what FastAPI made up.

    FastAPI fills a missing description from the docstring; only such a text is cut to its first
    paragraph. A form feed ends the docstring, as in FastAPI.
    """
    endpoint = route["endpoint"]
    written = operation.get("description", route.get("description")) or ""
    if written and written != _as_filled(endpoint):
        return str(written)
    summary = route.get("summary") or (route.get("openapi_extra") or {}).get("summary")
    return first_paragraph(docstring_of(endpoint).split("\f")[0]) or summary or None


def _as_filled(endpoint: object) -> str:
    text = getattr(endpoint, "__doc__", None) or ""
    return inspect.cleandoc(text).split("\f")[0].strip()


def tags_of(route: Mapping[str, Any], operation: JSONObject) -> tuple[str, ...]:
    """Return the effective OpenAPI tags, in the order FastAPI writes them."""
    tags = operation.get("tags") or route.get("tags") or ()
    return tuple(str(getattr(tag, "value", tag)) for tag in tags)


def container_of(owner: type | None, endpoint: object, tags: Sequence[str]) -> Container | None:
    """Return the container of a handler: its class, else its first tag, else its module."""
    if owner is not None:
        return class_container(owner)
    return tag_container(tags[0]) if tags else module_container(endpoint)


def with_captured(
    prefix: str, path: NormalizedRoute, declared: Sequence[Parameter]
) -> tuple[Parameter, ...]:
    """Return the parameters of a route with those that only its router knows.

    The call needs a value for each placeholder, whether the function asks for it or not. What a
    declaration says of a placeholder stands; its converter decides whether it may hold a `/`.

    Args:
        prefix: the paths of the mounts above the route.
        path: the full path.
        declared: parameters in the order FastAPI writes them, path first.
    """
    in_path = {p.name: p for p in declared if p.location is ParameterLocation.PATH}
    converted = {p.name for p in path.placeholders if p.converter is not None}
    if not converted and all(p.name in in_path for p in path.placeholders):
        return tuple(declared)
    captured = {p.name: path_parameter(p.name, p.converter) for p in path.placeholders}
    missing = captured.keys() - in_path.keys()
    above = [found.name for found in normalize_route(prefix).placeholders if found.name in missing]
    return (
        *(captured[name] for name in dict.fromkeys(above)),
        *(
            _converted(found, captured[name]) if name in converted else found
            for name, found in in_path.items()
        ),
        *(captured[name] for name in captured if name in missing and name not in above),
        *(found for found in declared if found.location is not ParameterLocation.PATH),
    )


def _converted(declared: Parameter, captured: Parameter) -> Parameter:
    """Return a declared parameter with what its converter says beyond the declaration."""
    says_nothing = declared.schema.keys() <= _ANNOTATIONS
    return replace(
        declared,
        schema={**captured.schema, **declared.schema} if says_nothing else declared.schema,
        spans_segments=captured.spans_segments,
    )


def query_models(dependant: Dependant) -> Mapping[str, tuple[str, ...]]:
    """Return the models whose fields are query parameters: name to the fields' wire names."""
    found: dict[str, tuple[str, ...]] = {}
    for current in tree(dependant):
        for asked in current.query_params:
            model = _model_of(asked.field_info.annotation)
            if model is not None:
                found[asked.name] = tuple(_wire_names(model))
    return found


def _model_of(annotation: Any) -> type[BaseModel] | None:
    members = get_args(annotation) if get_origin(annotation) in _UNIONS else (annotation,)
    models = [
        member for member in members if inspect.isclass(member) and issubclass(member, BaseModel)
    ]
    return models[0] if len(models) == 1 else None


def _wire_names(model: type[BaseModel]) -> Iterator[str]:
    for name, found in model.model_fields.items():
        alias = found.validation_alias
        yield alias if isinstance(alias, str) else found.alias or name
