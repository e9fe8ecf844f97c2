"""Fresh OpenAPI operations of FastAPI routes; the application's own document is never touched."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from sezzlee_fastapi.dependants import LOCATIONS, tree, wire_name
from sezzlee_fastapi.routes import effective
from sezzlee_py.model import JSONObject
from sezzlee_starlette.routes import Leaf

# One operation serves every method of a route: FastAPI reads parameters and body alike for all,
# and writes a body for this one.
_METHOD: Final = "post"

# What can be left out of a route that cannot be written, mildest first: what the agent is told
# about it, and the attributes that go.
_REDUCTIONS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("openapi_extra", {"openapi_extra": None}),
    (
        "responses",
        {"response_field": None, "response_fields": {}, "responses": {}, "stream_item_field": None},
    ),
    ("body", {"body_field": None}),
)
_OPEN_OBJECT: Final = {"type": "object", "additionalProperties": True}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DocumentedRoute:
    """The OpenAPI operation of one route and the document its references lead into.

    Attributes:
        operation: as FastAPI writes it.
        document: shared by the routes that were written together.
        unreadable: the slots whose types FastAPI could not write; they are left out.
    """

    operation: JSONObject
    document: JSONObject
    unreadable: tuple[str, ...] = ()


def document_routes(leaves: Sequence[Leaf]) -> Mapping[Leaf, DocumentedRoute]:
    """Return the operation of every route, written in as few documents as possible.

    A route whose types cannot be written makes FastAPI fail for the whole application; such a
    route is found by halving, and only it is written with less.
    """
    stands = [(leaf, _stand_in(leaf)) for leaf in leaves]
    return dict(_written(stands))


def _written(stands: Sequence[tuple[Leaf, APIRoute]]) -> Iterator[tuple[Leaf, DocumentedRoute]]:
    if not stands:
        return
    document = _document([stand for _, stand in stands])
    if document is not None:
        for number, (leaf, _) in enumerate(stands):
            operation = document["paths"][f"/{number}"][_METHOD]
            yield leaf, DocumentedRoute(operation=operation, document=document)
    elif len(stands) > 1:
        middle = len(stands) // 2
        yield from _written(stands[:middle])
        yield from _written(stands[middle:])
    else:
        leaf, stand = stands[0]
        yield leaf, _reduced(stand)


def _document(stands: Sequence[APIRoute]) -> JSONObject | None:
    for number, stand in enumerate(stands):
        stand.path_format = f"/{number}"
        stand.unique_id = f"operation_{number}"
    # Types are the host's code: what its schema hooks raise has no common base.
    try:
        return get_openapi(title="", version="", routes=stands)
    except Exception:
        return None


def _stand_in(leaf: Leaf) -> APIRoute:
    """Return a copy of a route that is documented under a path of its own, hidden or not."""
    assert isinstance(leaf.node.route, APIRoute)
    stand = copy.copy(leaf.node.route)
    vars(stand).update(effective(leaf))
    stand.methods = {_METHOD.upper()}
    stand.operation_id = None
    stand.include_in_schema = True
    stand.callbacks = None
    stand.dependant = _revealed(stand.dependant)
    return stand


def _revealed(dependant: Dependant) -> Dependant:
    """Return a dependant whose required parameters are all documented.

    A parameter kept out of the schema stays out of the tool, unless no call succeeds without it.
    """
    if not any(_is_secret(field) for _, field in _fields(dependant)):
        return dependant
    shown = copy.copy(dependant)
    for location in LOCATIONS:
        name = f"{location}_params"
        setattr(shown, name, [_shown(field) for field in getattr(dependant, name)])
    shown.dependencies = [_revealed(below) for below in dependant.dependencies]
    return shown


def _is_secret(field: Any) -> bool:
    hidden = getattr(field.field_info, "include_in_schema", True) is False
    return hidden and bool(field.field_info.is_required())


def _shown(field: Any) -> Any:
    if not _is_secret(field):
        return field
    shown = copy.copy(field)
    shown.field_info = copy.copy(field.field_info)
    shown.field_info.include_in_schema = True
    return shown


def _reduced(stand: APIRoute) -> DocumentedRoute:
    """Return a route that cannot be written as a whole, with as little left out as possible."""
    for names in (("openapi_extra",), ("responses",), ("body",), ("responses", "body")):
        found = _without(stand, names)
        if found is not None:
            return found
    return _by_parameter(stand)


def _without(stand: APIRoute, names: Sequence[str]) -> DocumentedRoute | None:
    smaller = copy.copy(stand)
    for name, attributes in _REDUCTIONS:
        if name in names:
            vars(smaller).update(attributes)
    document = _document([smaller])
    if document is None:
        return None
    operation = dict(document["paths"]["/0"][_METHOD])
    if "body" in names and stand.body_field is not None:
        operation["requestBody"] = _unknown_body(stand.body_field)
    return DocumentedRoute(operation=operation, document=document, unreadable=tuple(names))


def _unknown_body(field: Any) -> JSONObject:
    media_type = getattr(field.field_info, "media_type", None) or "application/json"
    return {
        "required": field.field_info.is_required(),
        "content": {media_type: {"schema": _OPEN_OBJECT}},
    }


def _by_parameter(stand: APIRoute) -> DocumentedRoute:
    """Return the route written one parameter at a time: what cannot be read admits anything."""
    parameters: list[JSONObject] = []
    schemas: dict[str, Any] = {}
    unreadable = [name for name, _ in _REDUCTIONS]
    for location, field in _fields(stand.dependant):
        alone = copy.copy(stand)
        alone.dependant = _only(stand.dependant, location, field)
        found = _without(alone, unreadable[:3])
        if found is None:
            name = wire_name(location, field)
            unreadable.append(name)
            required = field.field_info.is_required()
            parameters.append({"name": name, "in": location, "required": required, "schema": {}})
        else:
            parameters += found.operation.get("parameters", ())
            schemas.update(found.document.get("components", {}).get("schemas", {}))
    operation: dict[str, Any] = {"parameters": parameters, "responses": {}}
    if stand.body_field is not None:
        operation["requestBody"] = _unknown_body(stand.body_field)
    return DocumentedRoute(
        operation=operation,
        document={"components": {"schemas": schemas}},
        unreadable=tuple(unreadable),
    )


def _fields(dependant: Dependant) -> Iterator[tuple[str, Any]]:
    dependants = tuple(tree(dependant))
    for location in LOCATIONS:
        for found in dependants:
            yield from ((location, field) for field in getattr(found, f"{location}_params"))


def _only(dependant: Dependant, location: str, field: Any) -> Dependant:
    alone = copy.copy(dependant)
    alone.dependencies = []
    for other in LOCATIONS:
        setattr(alone, f"{other}_params", [field] if other == location else [])
    return alone
