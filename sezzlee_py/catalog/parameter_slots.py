"""Parameters as they are written, and every rule one must fit (spec: arguments 1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sezzlee_py.catalog.arguments import Argument
from sezzlee_py.catalog.faults import Finding, OperationError
from sezzlee_py.catalog.media_types import TEXT, URLENCODED, is_json, normal_media_type
from sezzlee_py.catalog.members import MemberError, object_members
from sezzlee_py.catalog.schema_shapes import ValueShape, definitions, read_shape
from sezzlee_py.model import (
    JSONObject,
    Member,
    ObjectNotation,
    Parameter,
    ParameterLocation,
    ParameterSlot,
    ScalarKind,
)
from sezzlee_py.model.routes import placeholder_names

_PATH, _QUERY = ParameterLocation.PATH, ParameterLocation.QUERY
_HEADER, _COOKIE = ParameterLocation.HEADER, ParameterLocation.COOKIE
_QUERYSTRING = ParameterLocation.QUERYSTRING

_DEEP = "deepObject"
# The first style of a location is its default, save a header's.
_STYLES: Final = {
    _PATH: ("simple", "label", "matrix"),
    _QUERY: ("form", "spaceDelimited", "pipeDelimited", _DEEP),
    _HEADER: ("form", "simple"),
    _COOKIE: ("form", "cookie"),
    _QUERYSTRING: (),
}
# The first of these keeps a name that several locations share.
_KEEPS_NAME: Final = (_PATH, _QUERY, _HEADER, _COOKIE, _QUERYSTRING)
# RFC 9110 and RFC 6265 share the token.
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


def check_parameters(parameters: Sequence[Parameter], route: str) -> None:
    """Check what concerns the parameters of an operation together.

    Raises:
        OperationError: for a name twice in one location, headers that differ only in case,
            placeholders and path parameters that do not match, or a whole-query parameter that
            is not alone.
    """
    slots = Counter((parameter.location, parameter.name) for parameter in parameters)
    for (location, name), count in slots.items():
        if count > 1:
            raise OperationError(
                "duplicate_argument", f"'{name}' is declared {count} times in the {location}"
            )
    _check_header_case(parameters)
    _check_placeholders(parameters, route)
    _check_querystring(parameters)


def published_keys(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """Return the name under which each parameter is published, before curation."""
    keeper: dict[str, ParameterLocation] = {}
    for parameter in sorted(parameters, key=lambda p: _KEEPS_NAME.index(p.location)):
        keeper.setdefault(parameter.name, parameter.location)
    return tuple(
        [p.name if keeper[p.name] is p.location else f"{p.name}_{p.location}" for p in parameters]
    )


def renamed_findings(
    parameters: Sequence[Parameter], keys: Sequence[str], body_names: Iterable[str]
) -> tuple[Finding, ...]:
    """Return a finding for each parameter that is published under a derived name.

    Raises:
        OperationError: when another argument, a body's included, has that name.
    """
    taken = {parameter.name for parameter in parameters}.union(body_names)
    findings: list[Finding] = []
    for parameter, key in zip(parameters, keys, strict=True):
        if key == parameter.name:
            continue
        if key in taken:
            raise OperationError(
                "argument_collision",
                f"the {parameter.location} '{parameter.name}' needs the name '{key}', "
                "which another argument has; rename one of them",
            )
        findings.append(
            (
                "argument_renamed",
                f"'{parameter.name}' is in several places, so that of the {parameter.location} is "
                f"published as '{key}'",
            )
        )
    return tuple(findings)


def parameter_argument(parameter: Parameter, key: str, *, parses: str | None = None) -> Argument:
    """Return `parameter` as an argument with the slot it is written in.

    Args:
        parameter: as the descriptor holds it.
        key: the name it is published under.
        parses: the object notation that the backend reads; `None` when that was not told.

    Raises:
        OperationError: when it has no form on the wire.
    """
    defs = definitions(parameter.schema)
    required = parameter.required or parameter.location is _PATH
    return Argument(
        key=key,
        name=parameter.name,
        location="query" if parameter.location is _QUERYSTRING else str(parameter.location),
        required=required,
        schema=parameter.schema,
        description=parameter.description,
        defs=defs,
        slot=_slot(parameter, key, required, defs, parses),
    )


def _slot(
    parameter: Parameter, key: str, required: bool, defs: JSONObject, parses: str | None
) -> ParameterSlot:
    _check_name(parameter)
    if parameter.allow_reserved and parameter.location is not _QUERY:
        raise _style_fault(parameter, "allowReserved has a meaning in the query only")
    shape = read_shape(parameter.schema, defs)
    content_type: str | None = None
    members: tuple[Member, ...] = ()
    if parameter.content_type is not None or parameter.location is _QUERYSTRING:
        content_type = _content_type(parameter, shape)
        if content_type == URLENCODED:
            members = _members(parameter, shape, defs)
        style, explode = "form", False
    else:
        style = _style(parameter)
        if _is_grouped(parameter, shape, style):
            members = _group_members(parameter, shape, defs)
        explode = _explode(parameter, shape, style)
    return ParameterSlot(
        name=parameter.name,
        agent_name=key,
        location=parameter.location,
        required=required,
        kinds=shape.kinds,
        array=shape.array and content_type is None,
        style=style,
        explode=explode,
        allow_reserved=parameter.allow_reserved,
        content_type=content_type,
        members=members,
        notation=_notation(parameter, style, parses),
        spans_segments=parameter.spans_segments,
        fractional=parameter.fractional,
    )


def _check_name(parameter: Parameter) -> None:
    if parameter.location is _COOKIE and not _TOKEN.fullmatch(parameter.name):
        raise OperationError(
            "invalid_cookie_name", f"the cookie name {parameter.name!r} is not an RFC 6265 token"
        )
    if parameter.location is _HEADER and not _TOKEN.fullmatch(parameter.name):
        raise OperationError(
            "template_rejected", f"the header name {parameter.name!r} is not an RFC 9110 token"
        )


def _style(parameter: Parameter) -> str:
    allowed = _STYLES[parameter.location]
    style = parameter.style or allowed[0]
    if style not in allowed:
        raise _style_fault(parameter, f"the style '{style}' is not for this location")
    return style


def _explode(parameter: Parameter, shape: ValueShape, style: str) -> bool:
    if style.endswith("Delimited") and parameter.explode:
        raise OperationError(
            "unsupported_array_style",
            f"'{parameter.name}': the style '{style}' has no exploded form; set explode to false",
        )
    if shape.array:
        _check_array(parameter, shape, style)
    if parameter.explode is not None:
        return parameter.explode
    # An exploded cookie array would repeat its name, and servers keep one of the repeats.
    return style in ("form", _DEEP) and parameter.location is not _COOKIE


def _check_array(parameter: Parameter, shape: ValueShape, style: str) -> None:
    if shape.nested:
        raise OperationError(
            "unsupported_array_style",
            f"'{parameter.name}': a list of lists or objects has no form in the "
            f"{parameter.location}",
        )
    if parameter.location is _COOKIE and parameter.explode:
        raise _style_fault(parameter, "an exploded cookie would repeat its name")
    if parameter.location is _HEADER and style != "simple" and parameter.explode is not False:
        raise OperationError(
            "header_parameter_array",
            f"the header '{parameter.name}' is a list and would repeat; "
            "set explode to false where the backend splits on commas",
        )


def _is_grouped(parameter: Parameter, shape: ValueShape, style: str) -> bool:
    deep = style == _DEEP
    if shape.is_object != deep or (deep and parameter.explode is False):
        raise OperationError(
            "unsupported_object_style",
            f"'{parameter.name}': an object travels in the query as an exploded deepObject only",
        )
    return deep


def _group_members(parameter: Parameter, shape: ValueShape, defs: JSONObject) -> tuple[Member, ...]:
    properties = (shape.object_schema or {}).get("properties")
    for name, member in (properties if isinstance(properties, Mapping) else {}).items():
        if isinstance(member, Mapping) and not member.keys().isdisjoint(("$ref", "$defs")):
            raise _nesting_fault(parameter, f"'{name}' is a reference")
    return _members(parameter, shape, defs)


def _members(parameter: Parameter, shape: ValueShape, defs: JSONObject) -> tuple[Member, ...]:
    schema = shape.object_schema or {}
    if not schema.get("properties"):
        raise OperationError(
            "unsupported_object_style",
            f"'{parameter.name}': an object without declared members cannot be written",
        )
    try:
        return object_members(schema, defs)
    except MemberError as fault:
        raise _nesting_fault(parameter, str(fault)) from None


def _content_type(parameter: Parameter, shape: ValueShape) -> str:
    if parameter.style is not None or parameter.explode is not None:
        raise _content_fault(parameter, "a parameter is written by media type or by style")
    media_type = normal_media_type(parameter.content_type)
    whole_query = parameter.location is _QUERYSTRING
    if media_type is not None and is_json(media_type):
        return media_type
    if media_type == URLENCODED and whole_query and shape.is_object:
        return media_type
    if media_type == TEXT and not whole_query and _admits_text(shape):
        return media_type
    raise _content_fault(parameter, f"{parameter.content_type!r} cannot carry it here")


def _admits_text(shape: ValueShape) -> bool:
    scalar = not (shape.array or shape.is_object)
    return scalar and (not shape.kinds or ScalarKind.STRING in shape.kinds)


def _notation(parameter: Parameter, style: str, parses: str | None) -> ObjectNotation:
    if style != _DEEP:
        return ObjectNotation.BRACKET
    notation = parameter.object_notation or parses or ObjectNotation.BRACKET
    if parses is not None and notation != parses:
        raise OperationError(
            "query_notation_unparsed",
            f"'{parameter.name}' is written in {notation} notation, but the backend reads "
            f"{parses}; see options.query.parses",
        )
    return read_notation(notation)


def read_notation(notation: str | None) -> ObjectNotation:
    """Return how members are joined to their group; brackets unless told otherwise.

    Raises:
        OperationError: for a notation that does not exist.
    """
    try:
        return ObjectNotation(notation or ObjectNotation.BRACKET)
    except ValueError:
        raise OperationError(
            "template_rejected", f"unknown object notation {notation!r}; use 'bracket' or 'dot'"
        ) from None


def _check_header_case(parameters: Sequence[Parameter]) -> None:
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.location is not _HEADER:
            continue
        if parameter.name.lower() in seen:
            raise OperationError(
                "argument_collision",
                f"the header '{parameter.name}' is declared twice in different case",
            )
        seen.add(parameter.name.lower())


def _check_placeholders(parameters: Sequence[Parameter], route: str) -> None:
    declared = {p.name for p in parameters if p.location is _PATH}
    placeholders = set(placeholder_names(route))
    if placeholders != declared:
        odd = min(placeholders ^ declared)
        what = "no parameter" if odd in placeholders else "no place in the route"
        raise OperationError("template_rejected", f"the path parameter '{odd}' has {what}")


def _check_querystring(parameters: Sequence[Parameter]) -> None:
    whole = [p.name for p in parameters if p.location is _QUERYSTRING]
    if len(whole) > 1:
        raise OperationError(
            "multiple_querystring", f"{', '.join(whole)} would each be the whole query"
        )
    if whole and any(p.location is _QUERY for p in parameters):
        raise OperationError(
            "querystring_with_query",
            f"'{whole[0]}' is the whole query, and nothing says how single parameters join it",
        )


def _style_fault(parameter: Parameter, reason: str) -> OperationError:
    return OperationError(
        "unsupported_parameter_style", f"the {parameter.location} '{parameter.name}': {reason}"
    )


def _content_fault(parameter: Parameter, reason: str) -> OperationError:
    return OperationError(
        "unsupported_parameter_content", f"the {parameter.location} '{parameter.name}': {reason}"
    )


def _nesting_fault(parameter: Parameter, reason: str) -> OperationError:
    return OperationError("unsupported_object_nesting", f"'{parameter.name}': {reason}")
