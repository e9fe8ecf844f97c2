"""What fills a hidden argument, checked when the tool is built (spec: curation 2 and 9).

A mistake of the host must not become a failure on every call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from sezzlee_py.catalog.arguments import CuratedArgument
from sezzlee_py.catalog.faults import OperationError
from sezzlee_py.catalog.media_types import TEXT, MediaFamily, media_family
from sezzlee_py.catalog.schema_shapes import resolve
from sezzlee_py.model import (
    BodyField,
    BodySlot,
    JSONObject,
    JSONValue,
    Member,
    Omit,
    ParameterLocation,
    ParameterSlot,
    Provider,
    ScalarKind,
    Severity,
    json_kind,
)
from sezzlee_py.model.values import path_value_fault, write_json, write_scalar

# RFC 6265 cookie-octet: no control, white space, quote, comma, semicolon, backslash.
_COOKIE_OCTETS: Final = re.compile(r"[!#-+\--:<-\[\]-~]*")
_HEADER_BREAKS: Final = frozenset("\r\n\0")
_FILE_FIELDS: Final = frozenset({"name", "mediaType"})


def check_fill(
    one: CuratedArgument, *, route: str, sources: Collection[str], body: BodySlot | None
) -> None:
    """Check that the fill of a hidden argument can work.

    Args:
        one: the argument; without a fill nothing is checked.
        route: the operation's route template.
        sources: names of the registered providers.
        body: how the body is written.

    Raises:
        OperationError: when a group is filled, a required argument is omitted, a provider is not
            registered or a constant does not fit its slot.
    """
    if one.fill is None:
        return
    slot = one.argument.slot
    if isinstance(slot, ParameterSlot) and slot.members:
        raise OperationError(
            "unsupported_object_style", f"'{slot.name}' is an object and cannot be filled"
        )
    if isinstance(one.fill, Omit):
        _check_omit(one)
    elif isinstance(one.fill, Provider):
        if one.fill.source not in sources:
            raise OperationError(
                "unknown_fill_source",
                f"'{one.argument.key}' is filled from '{one.fill.source}', which is not in "
                "options.fills",
            )
    elif not _fits(one.fill.value, one, route, body):
        raise OperationError(
            "invalid_fill_constant",
            f"the constant of '{one.argument.key}' does not fit the {one.argument.location}; "
            "give a value that the backend accepts there",
        )


def _check_omit(one: CuratedArgument) -> None:
    if not one.argument.required:
        return
    path = one.argument.location == ParameterLocation.PATH
    raise OperationError(
        "hidden_required_omitted",
        f"'{one.argument.key}' is required by the backend and hidden with OMIT; "
        "give it a Constant or a Provider",
        severity=Severity.FATAL if path else None,
    )


def _fits(value: JSONValue, one: CuratedArgument, route: str, body: BodySlot | None) -> bool:
    try:
        write_json(value)
    except ValueError:
        return False
    slot = one.argument.slot
    if isinstance(slot, ParameterSlot):
        return _fits_parameter(value, slot, route)
    if isinstance(slot, BodyField) and slot.member is not None:
        return body is not None and _fits_member(value, slot.member, body)
    if isinstance(slot, BodySlot):
        return _fits_root(value, slot, one.argument.schema, one.argument.defs)
    return _fits_type(value, one.argument.schema, one.argument.defs)


def _fits_parameter(value: JSONValue, slot: ParameterSlot, route: str) -> bool:
    texts = _written(value, slot)
    if texts is None:
        return False
    if slot.location is ParameterLocation.PATH:
        return _fits_path(texts, slot, route)
    joined = ",".join(texts)
    if slot.location is ParameterLocation.HEADER:
        return _HEADER_BREAKS.isdisjoint(joined) and all(char <= "\xff" for char in joined)
    if slot.location is ParameterLocation.COOKIE and slot.style == "cookie":
        return all(_COOKIE_OCTETS.fullmatch(text) for text in texts)
    return True


def _written(value: JSONValue, slot: ParameterSlot) -> list[str] | None:
    """The texts that `value` is written as, one per element; `None` when the slot refuses it."""
    if slot.content_type is not None:
        if slot.content_type == TEXT:
            return [value] if isinstance(value, str) else None
        return None if value is None else [write_json(value)]
    if slot.array != isinstance(value, list | tuple):
        return None
    elements = value if slot.array else (value,)
    texts = [write_scalar(item, slot.kinds, fractional=slot.fractional) for item in elements]
    return None if None in texts else [text for text in texts if text is not None]


def _fits_path(texts: list[str], slot: ParameterSlot, route: str) -> bool:
    if not texts or any(
        path_value_fault(text, spans_segments=slot.spans_segments) for text in texts
    ):
        return False
    # The template may complete a dot segment: `/files/.{name}` with `.`.
    lead = "." if slot.style == "label" else ""
    path = route.replace(f"{{{slot.name}}}", lead + ",".join(texts))
    return not {".", ".."}.intersection(path.split("/"))


def _fits_member(value: JSONValue, member: Member, body: BodySlot) -> bool:
    if member.members:
        known = {inner.name: inner for inner in member.members}
        return isinstance(value, Mapping) and all(
            name in known and _fits_member(item, known[name], body) for name, item in value.items()
        )
    if member.array != isinstance(value, list | tuple):
        return False
    elements = value if member.array else (value,)
    if member.file:
        return all(_is_file(item, body) for item in elements)
    return all(write_scalar(item, member.kinds) is not None for item in elements)


def _fits_root(value: JSONValue, slot: BodySlot, schema: JSONValue, defs: JSONObject) -> bool:
    family = media_family(slot.content_type)
    if slot.file:
        return _is_file(value, slot)
    if family is MediaFamily.TEXT:
        return isinstance(value, str)
    if family is MediaFamily.JSON:
        return _fits_type(value, schema, defs)
    known = {inner.name: inner.member for inner in slot.fields}
    return isinstance(value, Mapping) and all(
        (member := known.get(name)) is not None and _fits_member(item, member, slot)
        for name, item in value.items()
    )


def _is_file(value: JSONValue, body: BodySlot) -> bool:
    if not isinstance(value, Mapping) or not all(isinstance(t, str) for t in value.values()):
        return False
    offered = {str(source) for source in body.file_sources}
    given = offered & value.keys()
    return len(given) == 1 and value.keys() <= given | _FILE_FIELDS


def _fits_type(value: JSONValue, schema: JSONValue, defs: JSONObject) -> bool:
    """The shallow check of a JSON body slot; `null` is a value there, as in a merge patch."""
    own = resolve(schema, defs)
    declared = own.get("type") if isinstance(own, Mapping) else None
    if declared is None or value is None:
        return True
    names = declared if isinstance(declared, list) else [declared]
    return any(_is_of(value, name) for name in names)


def _is_of(value: JSONValue, name: JSONValue) -> bool:
    if name == "integer":
        return write_scalar(value, (ScalarKind.INTEGER,)) is not None
    return bool(json_kind(value) == name)
