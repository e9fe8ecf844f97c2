"""Parameters of a documented operation (spec: openapi 4, arguments 1 and 6, identity 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sezzlee_py.catalog.identity_parameters import IdentityRules
from sezzlee_py.catalog.media_choice import bare_media_type
from sezzlee_py.catalog.media_types import TEXT, URLENCODED, is_json
from sezzlee_py.catalog.schema.hoist import PlacedSchema, Slot
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.catalog.schema.slots import SlotKind
from sezzlee_py.catalog.schema_shapes import definitions, read_shape
from sezzlee_py.model import Carrier, Parameter, ParameterLocation
from sezzlee_py.openapi.document import ApiDocument, FindingList, Located, origin_of

_DEFAULT_STYLES: Final = {
    ParameterLocation.PATH: "simple",
    ParameterLocation.HEADER: "simple",
    ParameterLocation.QUERY: "form",
    ParameterLocation.COOKIE: "form",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadParameter:
    """A parameter whose schema still waits for the endpoint's count of uses."""

    parameter: Parameter
    slot: Slot
    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadParameters:
    """The arguments among an operation's parameters, and the slots of identity found."""

    arguments: tuple[ReadParameter, ...]
    carriers: tuple[Carrier, ...]


def read_parameters(
    document: ApiDocument,
    declared: Iterable[Located],
    rules: IdentityRules,
    findings: FindingList,
) -> ReadParameters:
    """Return what the declared parameters are to an agent."""
    arguments: list[ReadParameter] = []
    carriers: list[Carrier] = []
    for located in declared:
        name, location = _subject(located, findings)
        if location is None:
            continue
        required = located.node.get("required") is True or location is ParameterLocation.PATH
        treatment = rules.treat(name, location, required=required)
        if treatment is None:
            read = _remembered(document, located, name, location, required, findings)
            arguments.extend([] if read is None else [read])
            continue
        about = f"{location} {name}"
        findings.add(treatment.code, treatment.message, about=about, pointer=located.pointer)
        if treatment.carrier is not None:
            carriers.append(treatment.carrier)
        if treatment.uncovered and not document.is_fastapi:
            findings.add(
                "identity_cookie_uncovered",
                f"no security scheme names the cookie '{name}', though it looks like identity",
                about=about,
                pointer=located.pointer,
            )
    return ReadParameters(arguments=tuple(arguments), carriers=tuple(carriers))


def declared_parameters(
    document: ApiDocument,
    path_item: Located | None,
    operation: Located,
    findings: FindingList,
) -> tuple[Located, ...]:
    """Return the parameters of an operation; its own win over those of the path item."""
    own = list(_listed(document, operation, findings))
    shared = [] if path_item is None else list(_listed(document, path_item, findings))
    taken = {_key(located) for located in own}
    # Written first, because a path item says what all its operations share.
    return (*(located for located in shared if _key(located) not in taken), *own)


def _key(located: Located) -> tuple[Any, Any]:
    return str(located.node.get("in")), str(located.node.get("name"))


def _listed(document: ApiDocument, holder: Located, findings: FindingList) -> Iterator[Located]:
    listed = holder.node.get("parameters", [])
    if not isinstance(listed, list):
        findings.invalid("parameters is a list", pointer_to(holder.pointer, "parameters"))
        return
    for at, node in enumerate(listed):
        pointer = pointer_to(holder.pointer, "parameters", at)
        if isinstance(node, Mapping):
            pointer = origin_of(node, pointer)
        located = document.resolve(node, pointer, findings)
        if located is not None:
            yield located


def _subject(located: Located, findings: FindingList) -> tuple[str, ParameterLocation | None]:
    name, place = located.node.get("name"), located.node.get("in")
    if not isinstance(name, str) or not name or place not in tuple(ParameterLocation):
        findings.invalid("a parameter has a name and a known place (in)", located.pointer)
        return "", None
    return name, ParameterLocation(place)


def _remembered(
    document: ApiDocument,
    located: Located,
    name: str,
    location: ParameterLocation,
    required: bool,
    findings: FindingList,
) -> ReadParameter | None:
    """Return what `_read` does; operations share parameters, which are read once.

    Only where pointers are not told, because those differ.
    """
    if not document.is_fastapi:
        return _read(document, located, name, location, required, findings)
    key = repr(located.node)
    known = document.parameters.get(key)
    if known is None:
        own = FindingList()
        read = _read(document, located, name, location, required, own)
        known = document.parameters[key] = (read, tuple(own.items))
    findings.items.extend(known[1])
    return known[0]


def _read(
    document: ApiDocument,
    located: Located,
    name: str,
    location: ParameterLocation,
    required: bool,
    findings: FindingList,
) -> ReadParameter | None:
    node, pointer = located.node, located.pointer
    if node.get("allowEmptyValue") is True:
        findings.add(
            "allow_empty_value_ignored",
            f"allowEmptyValue of '{name}' has no effect, an absent value is left out",
            about=f"{location} {name}",
            pointer=pointer_to(pointer, "allowEmptyValue"),
        )
    content_type: str | None = None
    schema, place = node.get("schema", {}), pointer_to(pointer, "schema")
    if "content" in node or location is ParameterLocation.QUERYSTRING:
        chosen = _content(node.get("content"), name, location, pointer, findings)
        if chosen is None:
            return None
        content_type, schema, place = chosen
    json_text = content_type is not None and is_json(content_type)
    reading = document.schemas.reading(kind=SlotKind.JSON if json_text else SlotKind.PARAMETER)
    style, explode = (None, None) if content_type else _style(document, node, location)
    return ReadParameter(
        parameter=Parameter(
            name=name,
            location=location,
            schema={},
            required=required,
            style=style,
            explode=explode,
            description=_text(node.get("description")),
            content_type=content_type,
            allow_reserved=location is ParameterLocation.QUERY
            and node.get("allowReserved") is True,
        ),
        slot=document.slot(schema, reading, place),
        pointer=pointer,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _content(
    content: Any, name: str, location: ParameterLocation, pointer: str, findings: FindingList
) -> tuple[str, Any, str] | None:
    entries = content if isinstance(content, Mapping) else {}
    if len(entries) == 1:
        ((declared, entry),) = entries.items()
        media_type = bare_media_type(str(declared))
        whole_query = location is ParameterLocation.QUERYSTRING
        if is_json(media_type) or media_type == (URLENCODED if whole_query else TEXT):
            schema = entry.get("schema", {}) if isinstance(entry, Mapping) else {}
            return media_type, schema, pointer_to(pointer, "content", declared, "schema")
    findings.add(
        "unsupported_parameter_content",
        f"'{name}' needs one media type: JSON, or "
        + ("urlencoded pairs" if location is ParameterLocation.QUERYSTRING else "plain text"),
        about=f"{location} {name}",
        pointer=pointer_to(pointer, "content"),
    )
    return None


def _style(
    document: ApiDocument, node: Mapping[str, Any], location: ParameterLocation
) -> tuple[str | None, bool | None]:
    style, explode = node.get("style"), node.get("explode")
    style = style if isinstance(style, str) else None
    explode = explode if isinstance(explode, bool) else None
    if document.is_fastapi:
        return style, explode
    style = style or _DEFAULT_STYLES[location]
    # On deepObject the standard gives `explode` no effect, so nothing is written for it.
    if explode is None and style != "deepObject":
        explode = style == "form"
    return style, explode


def settle_arguments(
    document: ApiDocument,
    read: Iterable[tuple[ReadParameter, PlacedSchema]],
    findings: FindingList,
) -> tuple[Parameter, ...]:
    """Return the parameters with their published schemas; what cannot travel is left out."""
    kept: list[Parameter] = []
    unread: list[Parameter] = []
    for argument, placed in read:
        parameter = replace(argument.parameter, schema=placed.schema)
        code = _why_unread(parameter) if document.is_fastapi else None
        if code is not None:
            unread.append(parameter)
            _report(code, parameter, argument.pointer, findings)
            continue
        if placed.recursive:
            _report("recursive_parameter_schema", parameter, argument.pointer, findings)
        kept.append(parameter)
    _check_query(kept, unread, findings)
    return tuple(kept)


_MESSAGES: Final = {
    "recursive_parameter_schema": "contains itself, which no parameter can write",
    "unbound_query_object": "is an object, which FastAPI cannot read from a query and is left out",
    "unbound_header_object": "cannot be read from one header field and is left out",
    "header_parameter_array": "is a required list, which FastAPI reads from repeated headers; "
    "make it optional or read one comma-separated text",
}


def _report(code: str, parameter: Parameter, pointer: str, findings: FindingList) -> None:
    findings.add(
        code,
        f"the {parameter.location} '{parameter.name}' {_MESSAGES[code]}",
        about=f"{parameter.location} {parameter.name}",
        pointer=pointer,
    )


def _why_unread(parameter: Parameter) -> str | None:
    """Return why FastAPI would not find the value in a request, `None` when it does.

    It reads neither objects nor lists of them outside a body, and a list of a header only from
    repeated fields.
    """
    if parameter.content_type is not None:
        return None
    shape = read_shape(parameter.schema, definitions(parameter.schema))
    nested = shape.is_object or shape.nested
    if parameter.location is ParameterLocation.QUERY:
        return "unbound_query_object" if nested else None
    if parameter.location is ParameterLocation.HEADER and (nested or shape.array):
        return "header_parameter_array" if parameter.required else "unbound_header_object"
    return None


def _check_query(
    kept: Iterable[Parameter], unread: Iterable[Parameter], findings: FindingList
) -> None:
    query = ParameterLocation.QUERY
    if any(p.location is query for p in unread) and not any(p.location is query for p in kept):
        findings.add(
            "unresolved_query_shape",
            "no member of the query can be read; declare fields that are scalars or lists of them",
        )
