"""Request parsers of flask-restful and flask-restx that a view asks to parse its request."""

from __future__ import annotations

import ast
import uuid
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from sezzlee_flask.sources.documents import Reading
from sezzlee_flask.sources.marshmallow import is_plain
from sezzlee_flask.sources.parser_source import Arguments, arguments_asked
from sezzlee_flask.sources.view_source import ViewSource, class_of, is_call_of, sources_of
from sezzlee_py.catalog.adapter import WRITES, DiscoveredOperation
from sezzlee_py.catalog.handlers import attribute, is_class
from sezzlee_py.catalog.media_types import JSON, MULTIPART, URLENCODED
from sezzlee_py.model import JSONObject

_TYPES: Final[Mapping[object, JSONObject]] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    uuid.UUID: {"type": "string", "format": "uuid"},
}
_IN_BODY: Final[Mapping[object, JSONObject]] = {
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    list: {"type": "array"},
}
# Converters of `inputs` that read one kind of value and nothing else.
_CONVERTERS: Final[Mapping[str, JSONObject]] = {
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "date_from_iso8601": {"type": "string", "format": "date"},
    "datetime_from_iso8601": {"type": "string", "format": "date-time"},
    "datetime_from_rfc822": {"type": "string"},
    "iso8601interval": {"type": "string"},
    "natural": {"type": "integer", "minimum": 0},
    "positive": {"type": "integer", "minimum": 1},
    "url": {"type": "string", "format": "uri"},
}
_PLACES: Final = {"args": "query", "values": "query", "headers": "header", "cookies": "cookie"}
_BODIES: Final = {"json": JSON, "form": URLENCODED, "files": MULTIPART}
_PARSE: Final = ("parse_args",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Argument:
    """One argument of a parser and the place it is written to."""

    name: str
    place: str
    required: bool
    schema: JSONObject
    is_split: bool = False


def described(operation: DiscoveredOperation, reading: Reading) -> DiscoveredOperation | None:
    """Return an operation with the arguments of its parsers, `None` where one is not certain.

    A parser counts where the view, or a method of its class that it calls, calls `parse_args` on a
    name of its module, on an attribute of its class, on a copy of these, or on one that the
    function or the class's `__init__` puts together.
    """
    asked = [
        _asked(node, source, class_of(operation))
        for source in sources_of(operation, _PARSE)
        for node in source.nodes
        if is_call_of(node, _PARSE)
    ]
    known = [arguments for arguments in asked if arguments is not None]
    if not any(known) or len(known) != len(asked):
        return None
    method = operation.descriptor.method
    arguments = _merged(a for found in known for a in _arguments(found, method))
    node: dict[str, Any] = {"parameters": [_parameter(a) for a in arguments if _is_outside(a)]}
    fields = [a for a in arguments if not _is_outside(a)]
    if fields:
        node["requestBody"] = _body(fields)
    told = reading.described(operation, node, {"openapi": "3.1.0"})
    # A parser of the query says nothing about a body that is read in another way.
    return told if fields else replace(told, accepts=operation.accepts)


def _asked(call: Any, source: ViewSource, owner: object) -> Arguments | None:
    """Return what a call of `parse_args` reads, `None` where only the running view knows."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in given:
        return None
    request = call.args[0] if call.args else given.get("req")
    if request is not None and not source.is_request(request):
        # What another parser has read is not read again.
        return () if _is_parsed(request, source) else None
    return arguments_asked(call.func.value, source, owner)


def _is_parsed(node: ast.AST, source: ViewSource) -> bool:
    made = source.assigned_once().get(node.id) if isinstance(node, ast.Name) else None
    return made is not None and is_call_of(made, _PARSE)


def _arguments(asked: Arguments, method: str) -> Iterator[_Argument]:
    for declared in asked:
        name = attribute(declared, "name")
        place = _place(attribute(declared, "location"), method)
        if isinstance(name, str) and name and place is not None:
            yield _Argument(
                name=name,
                place=place,
                required=attribute(declared, "required") is True,
                schema=_schema(declared, place),
                is_split=_text(declared, "action") == "split",
            )


def _merged(arguments: Iterable[_Argument]) -> list[_Argument]:
    """Return the arguments, each once: the last of a name, required where any of them is."""
    found: dict[tuple[str, str], _Argument] = {}
    for argument in arguments:
        key = argument.name, argument.place
        is_required = argument.required or (key in found and found[key].required)
        found[key] = replace(argument, required=is_required)
    return list(found.values())


def _place(location: Any, method: str) -> str | None:
    """Return where an argument is written that is read from all of these places."""
    several = location if isinstance(location, list | tuple | Set) else (location,)
    places = [place for place in several if isinstance(place, str)]
    if method in WRITES:
        in_body = next((_BODIES[p] for p in ("json", "files", "form") if p in places), None)
        if in_body is not None:
            return in_body
    return next((_PLACES[place] for place in places if place in _PLACES), None)


def _is_outside(argument: _Argument) -> bool:
    return argument.place in _PLACES.values()


def _schema(declared: Any, place: str) -> JSONObject:
    schema = _value_schema(declared, place)
    action = _text(declared, "action")
    # Neither a header nor a cookie is written twice, so of a list only one value can be.
    is_repeated = action == "append" and place not in ("header", "cookie")
    if is_repeated or action == "split":
        schema = {"type": "array", "items": schema}
    text = _text(declared, "help")
    return {**schema, "description": text} if text else schema


def _value_schema(declared: Any, place: str) -> JSONObject:
    if place == MULTIPART and _text(declared, "location") == "files":
        return {"type": "string", "format": "binary"}
    kind, choices = attribute(declared, "type"), attribute(declared, "choices")
    schema = dict(_read_by(kind, is_json=place == JSON))
    if is_plain(choices) and choices:
        schema["enum"] = list(choices)
    return schema


def _read_by(converter: Any, *, is_json: bool) -> JSONObject:
    """Return what a converter reads, any value where only its own code knows."""
    if is_class(converter):
        known = _of_type(converter, _TYPES) or (_of_type(converter, _IN_BODY) if is_json else None)
    else:
        known = _read_by_input(converter)
    # The default converts anything to text, and outside of JSON all is text.
    is_text = _text(converter, "__name__") == "<lambda>" or not is_json
    return known or ({"type": "string"} if is_text else {})


def _read_by_input(converter: Any) -> JSONObject | None:
    if not _text(converter, "__module__").endswith(".inputs"):
        return None
    if type(converter).__name__ == "int_range":
        ends = {"minimum": attribute(converter, "low"), "maximum": attribute(converter, "high")}
        bounds = {side: end for side, end in ends.items() if isinstance(end, int)}
        return {"type": "integer", **bounds}
    return _CONVERTERS.get(_text(converter, "__name__"))


def _of_type(converter: type, schemas: Mapping[object, JSONObject]) -> JSONObject | None:
    # A class of the host's need have no hash.
    return next((schema for known, schema in schemas.items() if known is converter), None)


def _text(declared: object, name: str) -> str:
    """Return an attribute of the host's that is a text, and nothing of any other."""
    found = attribute(declared, name)
    return found if isinstance(found, str) else ""


def _parameter(argument: _Argument) -> JSONObject:
    is_split = argument.is_split and argument.place != "header"
    return {
        "name": argument.name,
        "in": argument.place,
        "required": argument.required,
        "schema": argument.schema,
        **({"style": "form", "explode": False} if is_split else {}),
    }


def _body(fields: list[_Argument]) -> JSONObject:
    places = {field.place for field in fields}
    chosen = next(place for place in (MULTIPART, URLENCODED, JSON) if place in places)
    kept = fields if chosen == JSON else [f for f in fields if f.place != JSON]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: field.schema for field in kept},
        "required": [field.name for field in kept if field.required],
    }
    return {"required": True, "content": {chosen: {"schema": schema}}}
