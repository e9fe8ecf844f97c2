"""A declared body in the media type that is written (spec: bodies 1 and 6, selection 4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sezzlee_py.catalog.adapter import WRITES
from sezzlee_py.catalog.file_arguments import read_file
from sezzlee_py.catalog.media_choice import choose_media_type, is_accepted, written_media_type
from sezzlee_py.catalog.media_types import (
    JSON,
    MULTIPART,
    MediaFamily,
    media_family,
    normal_media_type,
)
from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.body_root import BOUNDARY, settle_body_root
from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.keywords import OCTET_STREAM
from sezzlee_py.catalog.schema.slots import SlotKind
from sezzlee_py.catalog.schema_shapes import definitions
from sezzlee_py.model import EndpointDescriptor, JSONObject, RequestBody

_KINDS: Final = {MediaFamily.FORM: SlotKind.FORM, MediaFamily.MULTIPART: SlotKind.MULTIPART}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredBody:
    """What is declared about a body, and what is known of the backend."""

    body: Any = None
    consumes: str | None = None
    files: tuple[str, ...] = ()
    accepts: Collection[str] | None = None
    described: bool = True
    fields: Mapping[str, JSONObject] = field(default_factory=dict)


def bind_body(
    descriptor: EndpointDescriptor,
    declared: DeclaredBody,
    binding: Binding,
    findings: list[Finding],
) -> EndpointDescriptor:
    """Return `descriptor` with its body as declared; an undescribed write takes any object."""
    if declared.body is False:
        return replace(descriptor, request_body=None)
    if declared.body is None and declared.consumes is None and not declared.files:
        return _undeclared(descriptor, declared, findings)
    known = descriptor.request_body
    is_written = declared.body is not None or known is not None or declared.files
    if not is_written and (declared.described or descriptor.method not in WRITES):
        # A media type declared on a class speaks of those of its operations that have a body.
        return descriptor
    media_type = _media_type(declared, known, findings)
    if media_type is None:
        return descriptor
    family = media_family(media_type)
    if declared.body is not None:
        request_body = bind_schema(declared.body, media_type, binding, findings)
    elif known is not None:
        request_body = known
    else:
        request_body = RequestBody(schema=_assumed(family, media_type, declared), required=True)
        if family is MediaFamily.JSON:
            return _undeclared(descriptor, declared, findings, media_type)
    if declared.files:
        schema = _with_files(request_body.schema, declared.files)
        request_body = replace(request_body, schema=schema)
    _check(request_body.schema, family, media_type, findings)
    content_type = None if media_type == JSON else media_type
    return replace(descriptor, request_body=replace(request_body, content_type=content_type))


def _undeclared(
    descriptor: EndpointDescriptor,
    declared: DeclaredBody,
    findings: list[Finding],
    media_type: str = JSON,
) -> EndpointDescriptor:
    if declared.described or descriptor.request_body is not None or descriptor.method not in WRITES:
        return descriptor
    findings.append(
        Finding(
            code="undeclared_body",
            message="the view says nothing about its body, so any object is accepted, and a call "
            "without one sends none; declare it with @mcp_tool(body=...), or body=False where "
            "there is none",
        )
    )
    content_type = None if media_type == JSON else media_type
    schema = {**BOUNDARY, "properties": dict(declared.fields)} if declared.fields else BOUNDARY
    body = RequestBody(schema=dict(schema), required=False, content_type=content_type)
    return replace(descriptor, request_body=body)


def _media_type(
    declared: DeclaredBody, known: RequestBody | None, findings: list[Finding]
) -> str | None:
    if declared.consumes is not None:
        wanted = normal_media_type(declared.consumes)
    elif declared.files:
        wanted = MULTIPART
    elif known is not None:
        return known.content_type or JSON
    else:
        return _chosen(declared.accepts)
    if wanted is None or not _admits(declared.accepts, wanted):
        accepted = "a concrete media type" if wanted is None else ", ".join(declared.accepts or ())
        findings.append(
            Finding(
                code="content_type_not_accepted",
                message=f"{declared.consumes or MULTIPART!r} is declared, but the backend accepts "
                f"{accepted}; declare one of those",
            )
        )
        return None
    return wanted


def _admits(accepts: Collection[str] | None, media_type: str) -> bool:
    return not accepts or is_accepted(media_type, accepts)


def _chosen(accepts: Collection[str] | None) -> str:
    chosen = choose_media_type(accepts or (), has_file=lambda _: False, is_file=lambda _: False)
    return JSON if chosen is None else written_media_type(chosen)


def bind_schema(
    source: Any, media_type: str | None, binding: Binding, findings: list[Finding]
) -> RequestBody:
    """Return the body that a type or a JSON Schema declares, as a media type carries it."""
    family = media_family(normal_media_type(media_type) or JSON)
    bound = binding.bind(source, "validation", _KINDS.get(family, SlotKind.JSON))
    findings.extend(bound.findings)
    if isinstance(source, Mapping):
        return RequestBody(schema=bound.schema)
    root, admits_null = settle_body_root(bound.schema, open_root=family is MediaFamily.JSON)
    return RequestBody(schema=root, required=not admits_null)


def _assumed(family: MediaFamily, media_type: str, declared: DeclaredBody) -> dict[str, Any]:
    """Return the root of a body of which only the media type is told."""
    if family is MediaFamily.TEXT:
        return {"type": "string"}
    if family is MediaFamily.RAW:
        return {"type": "string", "contentMediaType": media_type}
    if declared.files:
        return {"type": "object", "properties": {}}
    return dict(BOUNDARY)


def _with_files(schema: Mapping[str, Any], files: Collection[str]) -> dict[str, Any]:
    """Return a multipart root in which the named fields are files."""
    fields = schema.get("properties")
    known = dict(fields) if isinstance(fields, Mapping) else {}
    bag = definitions(schema)
    for name in files:
        if read_file(known.get(name), bag) is None:
            known[name] = _as_file(known.get(name))
    root = {key: value for key, value in schema.items() if key != "additionalProperties"}
    return {**root, "type": "object", "properties": known}


def _as_file(field: Any) -> dict[str, Any]:
    file = {"type": "string", "contentMediaType": OCTET_STREAM}
    own = field if isinstance(field, Mapping) else {}
    described = {key: own[key] for key in ("description",) if key in own}
    if own.get("type") == "array":
        return {"type": "array", "items": file, **described}
    return {**file, **described}


def _check(
    schema: Mapping[str, Any], family: MediaFamily, media_type: str, findings: list[Finding]
) -> None:
    if family is MediaFamily.RAW and read_file(schema, definitions(schema)) is None:
        findings.append(
            Finding(
                code="unsupported_binding",
                message=f"nothing writes a body of {media_type!r} but a file; "
                "declare a media type of JSON, a form or text",
            )
        )
    elif family is MediaFamily.MULTIPART and not schema.get("properties"):
        findings.append(
            Finding(
                code="unresolved_file_field",
                message="a multipart body is declared, but not the names of its files; "
                "name them with files=[...]",
            )
        )
