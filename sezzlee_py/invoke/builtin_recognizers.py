"""The shapes of error bodies that Python frameworks write, in the order they are tried.

Rows a to h of the table in spec: results 4. A row that finds nothing leaves the body to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sezzlee_py.invoke.field_names import (
    NAMELESS_KEYS,
    PLACES,
    FieldNames,
    Path,
    Place,
    map_key,
)
from sezzlee_py.invoke.recognizers import ErrorResponse, Recognized, Recognizer, ReportedField
from sezzlee_py.invoke.response_body import BodyKind
from sezzlee_py.model import JSONValue

_MESSAGE_KEYS: Final = ("message", "detail", "error_description", "error", "title", "reason")
# The words of `PLACES` that a map is keyed by; `header`, `cookie` and `file` begin a `loc` only.
_LOCATION_KEYS: Final = PLACES.keys() - {"header", "cookie", "file"}
_STATUS_KEYS: Final = ("statusCode", "status_code", "code")
_ARGUMENT_FAULTS: Final = (400, 422)
# What flask-pydantic calls its groups; the errors inside have no place of their own.
_GROUPS: Final[Mapping[str, Place]] = {
    "path_params": Place.PATH,
    "query_params": Place.QUERY,
    "body_params": Place.BODY,
    "form_params": Place.BODY,
}
# The words FastAPI and django-ninja begin a `loc` with; another word may be an argument's name.
_LOC_PLACES: Final = frozenset({"path", "query", "header", "cookie", "body", "form", "file"})


def field_map(response: ErrorResponse) -> Recognized | None:
    """Row a: `{"errors": {name: str or [str]}}`."""
    errors = _member(response.value, "errors")
    if not isinstance(errors, dict) or not all(_is_messages(v) for v in errors.values()):
        return None
    return Recognized(
        fields=tuple(
            ReportedField(message=message, path=response.names.path_of(key))
            for key, messages in errors.items()
            for message in _each(messages)
        )
    )


def located_errors(response: ErrorResponse) -> Recognized | None:
    """Row b: lists of `{loc, msg}` as FastAPI, django-ninja and flask-pydantic write them."""
    for key in ("detail", "errors"):
        fields = _located(_member(response.value, key), response.names)
        if fields:
            return Recognized(fields=fields)
    if response.status in _ARGUMENT_FAULTS:
        # flask-openapi3 and spectree answer with nothing but the list.
        fields = _located(response.value, response.names)
        if fields:
            return Recognized(fields=fields)
    groups = _member(response.value, "validation_error")
    if not isinstance(groups, dict):
        return None
    found = [
        _located(errors, response.names, _GROUPS.get(group)) for group, errors in groups.items()
    ]
    if None in found:
        return None
    return Recognized(fields=tuple(field for fields in found for field in fields or ()))


def marshmallow_map(response: ErrorResponse) -> Recognized | None:
    """Row c: nested maps with lists of strings at their ends, as webargs and marshmallow write."""
    candidates = [_member(response.value, key) for key in ("errors", "messages", "detail")]
    if response.status == 422:
        candidates.append(response.value)
    for candidate in candidates:
        fields = _marshmallow(candidate, response.names)
        if fields:
            return Recognized(fields=fields)
    return None


def known_names_map(response: ErrorResponse) -> Recognized | None:
    """Row d: an object whose every key is an argument of the tool, on 400 and 422 only."""
    if response.status not in _ARGUMENT_FAULTS:
        return None
    inner = [_member(response.value, key) for key in ("message", "errors", "error", "detail")]
    for candidate in (*inner, response.value):
        if isinstance(candidate, dict) and _is_map_of_known(candidate, response.names):
            fields = _known_fields(candidate, response.names)
            if fields:
                return Recognized(fields=fields)
    return None


def problem_details(response: ErrorResponse) -> Recognized | None:
    """Row e: RFC 9457, by its media type or by its shape."""
    if not is_problem(response.media_type, response.value):
        return None
    for key in ("detail", "title"):
        text = response.value.get(key)
        if _is_message(text):
            return Recognized(message=text)
    return None


def exception_object(response: ErrorResponse) -> Recognized | None:
    """Row f: a status beside `extra: [{message, key}]` (Litestar) or `message: str or [str]`."""
    value = response.value
    if not isinstance(value, dict) or not any(key in value for key in _STATUS_KEYS):
        return None
    fields = _litestar(value.get("extra"), response.names)
    if fields:
        return Recognized(fields=fields)
    message = value.get("message")
    if isinstance(message, str):
        return Recognized(message=message)
    if not isinstance(message, list) or not _is_list_of_strings(message):
        return None
    return Recognized(
        fields=tuple(
            ReportedField(message=text, name=response.names.named_by(text)) for text in message
        )
    )


def message_envelope(response: ErrorResponse) -> Recognized | None:
    """Row g: the first key that usually holds a message, one object deep, or one JSON string."""
    value = response.value
    if isinstance(value, str):
        return Recognized(message=value)
    for found in _envelope_values(value):
        if _is_message(found):
            return Recognized(message=found)
        for inner in _envelope_values(found):
            if _is_message(inner):
                return Recognized(message=inner)
    return None


def plain_text(response: ErrorResponse) -> Recognized | None:
    """Row h: a text body under `text/*` or without a type."""
    is_text = not response.media_type or response.media_type.startswith("text/")
    return Recognized(message=response.text) if is_text else None


def is_problem(media_type: str, value: JSONValue) -> bool:
    """Whether an error body is an RFC 9457 problem, by its label or by its members."""
    if not isinstance(value, dict):
        return False
    status = value.get("status")
    has_status = isinstance(status, int) and not isinstance(status, bool)
    return media_type == "application/problem+json" or (
        has_status and ("title" in value or "detail" in value)
    )


_JSON_ROWS: Final[tuple[Recognizer, ...]] = (
    field_map,
    located_errors,
    marshmallow_map,
    known_names_map,
    problem_details,
    exception_object,
    message_envelope,
)


def recognize_builtin(response: ErrorResponse) -> Recognized | None:
    """Return what the first row that fits finds, `None` when none does."""
    if response.kind is BodyKind.JSON:
        rows = _JSON_ROWS
    elif response.kind is BodyKind.TEXT:
        rows = (plain_text,)
    else:
        return None
    return next((found for row in rows if (found := row(response))), None)


def _member(value: JSONValue, key: str) -> JSONValue:
    return value.get(key) if isinstance(value, dict) else None


def _is_message(value: JSONValue) -> bool:
    return isinstance(value, str) and value != "" and not value.isspace()


def _is_list_of_strings(value: JSONValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_messages(value: JSONValue) -> bool:
    return isinstance(value, str) or _is_list_of_strings(value)


def _each(messages: JSONValue) -> Iterable[str]:
    return (messages,) if isinstance(messages, str) else messages


# --- b: FastAPI ------------------------------------------------------------------------------


def _located(
    errors: JSONValue, names: FieldNames, group: Place | None = None
) -> tuple[ReportedField, ...] | None:
    if not isinstance(errors, list) or not all(_is_located(error) for error in errors):
        return None
    return tuple(_located_field(error, names, group) for error in errors)


def _is_located(error: JSONValue) -> bool:
    if not isinstance(error, dict) or not isinstance(error.get("msg"), str):
        return False
    loc = error.get("loc")
    return isinstance(loc, list) and all(
        isinstance(part, str | int) and not isinstance(part, bool) for part in loc
    )


def _located_field(
    error: Mapping[str, Any], names: FieldNames, group: Place | None
) -> ReportedField:
    message: str = error["msg"]
    if error.get("type") == "json_invalid":
        # Its integer is the offset of a byte, not the index of an item.
        return ReportedField(message=message)
    loc: Path = tuple(error["loc"])
    place = _leading_place(loc, names) if group is None else None
    return ReportedField(message=message, path=loc[1:] if place else loc, place=place or group)


def _leading_place(loc: Path, names: FieldNames) -> Place | None:
    word = loc[0] if loc else None
    if not isinstance(word, str) or (word not in _LOC_PLACES and names.is_known(word)):
        return None
    return PLACES.get(word)


# --- c: marshmallow --------------------------------------------------------------------------


def _marshmallow(value: JSONValue, names: FieldNames) -> tuple[ReportedField, ...] | None:
    if not isinstance(value, dict) or not value:
        return None
    if not all(key in _LOCATION_KEYS for key in value):
        return _leaves(value, None, names)
    found: list[ReportedField] = []
    for key, inner in value.items():
        fields = _leaves(inner, PLACES[key], names)
        if fields is None:
            return None
        found += fields
    return tuple(found)


def _leaves(
    value: JSONValue, place: Place | None, names: FieldNames
) -> tuple[ReportedField, ...] | None:
    """Return every message of nested maps in order, `None` when an end is no list of strings."""
    found: list[ReportedField] = []
    # A stack, because a body nests as deep as the parser reads; reversed, to keep the order.
    stack: list[tuple[Path, JSONValue]] = [((), value)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            steps = names.path_of if not path else lambda key: (map_key(key),)
            stack += [((*path, *steps(key)), inner) for key, inner in reversed(node.items())]
        elif _is_list_of_strings(node):
            found += [ReportedField(message=text, path=path, place=place) for text in node]
        else:
            return None
    return tuple(found)


# --- d: known names --------------------------------------------------------------------------


def _is_map_of_known(value: Mapping[str, Any], names: FieldNames) -> bool:
    return all(
        (names.is_known(key) or key in NAMELESS_KEYS)
        and _is_known_value(inner)
        # `{"message": "closed"}` is an envelope even where the tool has an argument `message`.
        and not (isinstance(inner, str) and key.lower() in _MESSAGE_KEYS)
        for key, inner in value.items()
    )


def _is_known_value(value: JSONValue) -> bool:
    if isinstance(value, dict):
        return all(_is_messages(inner) for inner in value.values())
    return _is_messages(value)


def _known_fields(value: Mapping[str, Any], names: FieldNames) -> tuple[ReportedField, ...]:
    paths = (
        (path, messages)
        for key, inner in value.items()
        for path, messages in (
            [((key, map_key(step)), deep) for step, deep in inner.items()]
            if isinstance(inner, dict)
            else [((key,), inner)]
        )
    )
    return tuple(
        ReportedField(message=message, path=path)
        for path, messages in paths
        for message in _each(messages)
    )


# --- f, g ------------------------------------------------------------------------------------


def _litestar(extra: JSONValue, names: FieldNames) -> tuple[ReportedField, ...] | None:
    if not isinstance(extra, list) or not all(_is_extra(item) for item in extra):
        return None
    return tuple(
        ReportedField(message=item["message"], path=names.path_of(item.get("key", "")))
        for item in extra
    )


def _is_extra(item: JSONValue) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("message"), str)
        and isinstance(item.get("key", ""), str)
    )


def _envelope_values(value: JSONValue) -> Iterable[JSONValue]:
    if not isinstance(value, dict):
        return
    by_key: dict[str, list[JSONValue]] = {}
    for key, inner in value.items():
        by_key.setdefault(key.lower(), []).append(inner)
    for key in _MESSAGE_KEYS:
        yield from by_key.get(key, ())
