"""Fresh OpenAPI operations of FastAPI routes; the application's own document is never touched."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi.dependencies.models import Dependant
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from sezzlee_fastapi.dependants import LOCATIONS, tree, wire_name
from sezzlee_fastapi.routes import effective
from sezzlee_fastapi.writer import TYPE_NAMES, DocumentWriter
from sezzlee_py.model import JSONObject
from sezzlee_starlette.routes import Leaf

# One operation serves every method of a route: FastAPI reads parameters and body alike for all,
# and writes a body for this one.
_METHOD: Final = "post"

# What can be left out of a route that cannot be written, mildest first: what the developer is told
# about it, and the attributes that go.
_REDUCTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "openapi_extra": {"openapi_extra": None},
    "responses": {
        "response_field": None,
        "response_fields": {},
        "responses": {},
        "stream_item_field": None,
    },
    "body": {"body_field": None},
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DocumentedRoute:
    """The OpenAPI operation of one route and the document its references lead into.

    Attributes:
        route: the attributes of the route as the routers around it have settled them.
        operation: as FastAPI writes it.
        document: shared by the routes that were written together.
        unreadable: the slots whose types FastAPI could not write; they are left out.
    """

    route: Mapping[str, Any]
    operation: JSONObject
    document: JSONObject
    unreadable: tuple[str, ...] = ()


def document_routes(
    leaves: Sequence[Leaf], writer: DocumentWriter
) -> Mapping[Leaf, DocumentedRoute]:
    """Return the operation of every route, written in as few documents as possible.

    A route whose types cannot be written makes FastAPI fail for the whole application; such a
    route is found by halving, and only it is written with less.
    """
    stands = [_Stand(leaf) for leaf in leaves]
    return {stand.leaf: documented for stand, documented in _written(stands, writer)}


class _Stand:
    """A route and the copy of it that is documented: under its own path, hidden or not."""

    def __init__(self, leaf: Leaf) -> None:
        assert isinstance(leaf.node.route, APIRoute)
        self.leaf = leaf
        self.settled = effective(leaf)
        self.route = copy.copy(leaf.node.route)
        vars(self.route).update(
            self.settled,
            methods={_METHOD.upper()},
            operation_id=None,
            include_in_schema=True,
            callbacks=None,
            status_code=_status_of(self.settled),
            dependant=_revealed(self.settled["dependant"]),
        )


def _status_of(route: Mapping[str, Any]) -> int | None:
    # Without a status FastAPI reads the signature of the response class, route by route.
    status, response_class = route["status_code"], route["response_class"]
    is_default = getattr(response_class, "value", response_class) is JSONResponse
    return 200 if status is None and is_default else status


def _written(
    stands: Sequence[_Stand], writer: DocumentWriter
) -> Iterator[tuple[_Stand, DocumentedRoute]]:
    document = _document([stand.route for stand in stands], writer)
    if document is not None:
        for number, stand in enumerate(stands):
            operation = document["paths"][f"/{number}"][_METHOD]
            yield (
                stand,
                DocumentedRoute(route=stand.settled, operation=operation, document=document),
            )
    elif len(stands) > 1:
        middle = len(stands) // 2
        yield from _written(stands[:middle], writer)
        yield from _written(stands[middle:], writer)
    else:
        yield stands[0], _reduced(stands[0], writer)


def _document(stands: Sequence[APIRoute], writer: DocumentWriter) -> JSONObject | None:
    for number, stand in enumerate(stands):
        stand.path_format = f"/{number}"
        stand.unique_id = f"operation_{number}"
    # Types are the host's code: what its schema hooks raise has no common base.
    try:
        return writer.write(stands)
    except Exception:
        return None


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


def _reduced(stand: _Stand, writer: DocumentWriter) -> DocumentedRoute:
    """Return a route that cannot be written as a whole, with as little left out as possible."""
    for names in (("openapi_extra",), ("responses",), ("body",), ("responses", "body")):
        written = _without(stand.route, names, writer)
        if written is not None:
            operation, document = written
            return DocumentedRoute(
                route=stand.settled,
                operation={**operation, **_unknown_body(stand.route, names)},
                document=document,
                unreadable=names,
            )
    return _by_parameter(stand, writer)


def _without(
    route: APIRoute, names: Sequence[str], writer: DocumentWriter
) -> tuple[JSONObject, JSONObject] | None:
    """Return the operation of a route that leaves some of itself out, and its document."""
    smaller = copy.copy(route)
    for name in names:
        vars(smaller).update(_REDUCTIONS[name])
    document = _document([smaller], writer)
    return None if document is None else (document["paths"]["/0"][_METHOD], document)


def _unknown_body(route: APIRoute, names: Sequence[str]) -> JSONObject:
    body = route.body_field
    if "body" not in names or body is None:
        return {}
    media_type = getattr(body.field_info, "media_type", None) or "application/json"
    content = {media_type: {"schema": {"type": "object", "additionalProperties": True}}}
    return {"requestBody": {"required": body.field_info.is_required(), "content": content}}


def _by_parameter(stand: _Stand, writer: DocumentWriter) -> DocumentedRoute:
    """Return the route written one parameter at a time: what cannot be read admits anything."""
    parameters: list[JSONObject] = []
    schemas: dict[str, Any] = {}
    names: dict[str, str] = {}
    unreadable = list(_REDUCTIONS)
    for location, asked in _fields(stand.route.dependant):
        alone = copy.copy(stand.route)
        alone.dependant = _only(alone.dependant, location, asked)
        written = _without(alone, tuple(_REDUCTIONS), writer)
        if written is None:
            name = wire_name(location, asked)
            unreadable.append(name)
            required = asked.field_info.is_required()
            parameters.append({"name": name, "in": location, "required": required, "schema": {}})
        else:
            operation, document = written
            parameters += operation.get("parameters", ())
            schemas.update(document.get("components", {}).get("schemas", {}))
            names.update(document[TYPE_NAMES])
    return DocumentedRoute(
        route=stand.settled,
        operation={
            "parameters": parameters,
            "responses": {},
            **_unknown_body(stand.route, unreadable),
        },
        document={"components": {"schemas": schemas}, TYPE_NAMES: names},
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
