"""The body of a documented operation in the one media type that is written (spec: openapi 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_py.catalog.file_arguments import read_file
from sezzlee_py.catalog.media_choice import (
    bare_media_type,
    choose_media_type,
    written_media_type,
)
from sezzlee_py.catalog.media_types import (
    JSON,
    MULTIPART,
    TEXT,
    URLENCODED,
    MediaFamily,
    media_family,
)
from sezzlee_py.catalog.schema.body_root import settle_body_root
from sezzlee_py.catalog.schema.hoist import Slot
from sezzlee_py.catalog.schema.keywords import OCTET_STREAM
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.catalog.schema.slots import NormalisedSchema, SlotKind
from sezzlee_py.catalog.schema_shapes import definitions
from sezzlee_py.model import RequestBody
from sezzlee_py.openapi.document import ApiDocument, FindingList, Located, origin_of
from sezzlee_py.openapi.encodings import apply_encodings

_KINDS: Final = {MediaFamily.FORM: SlotKind.FORM, MediaFamily.MULTIPART: SlotKind.MULTIPART}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBody:
    """A body whose schema still waits for the endpoint's count of uses."""

    media_type: str
    family: MediaFamily
    slot: Slot
    declared_required: bool | None
    description: str | None
    encoding: Any
    pointer: str


def accepted_types(document: ApiDocument, body: Located) -> tuple[str, ...]:
    """Return the media types that a documented body lists, in order."""
    return tuple(_entries(document, body) or ())


def read_body(document: ApiDocument, body: Located, findings: FindingList) -> ReadBody | None:
    """Return the body in the media type that is written, `None` when nothing writes it."""
    entries = _entries(document, body)
    if not entries:
        findings.invalid(
            "a request body lists its media types", pointer_to(body.pointer, "content")
        )
        return None
    chosen = _choose(document, entries)
    place = pointer_to(body.pointer, "content")
    if chosen is None:
        findings.add(
            "unsupported_binding" if document.is_fastapi else "unsupported_media_type",
            f"nothing writes a body of {', '.join(entries)}; accept JSON or a form",
            pointer=place,
        )
        return None
    if len(entries) > 1 and not document.is_fastapi:
        findings.add(
            "request_media_type_alternative_ignored",
            f"the body is written as {chosen}, and other media types are not used",
            pointer=place,
        )
    return _read(document, body, chosen, entries[chosen], findings)


def settle_body(
    document: ApiDocument, read: ReadBody, schema: dict[str, Any], findings: FindingList
) -> RequestBody:
    """Return the body with its published root."""
    if read.family is MediaFamily.MULTIPART:
        schema = apply_encodings(schema, read.encoding, read.pointer, findings)
    root, admits_null = settle_body_root(schema, open_root=read.family is MediaFamily.JSON)
    required = read.declared_required
    if required is None:
        always = document.request_body_required == "always"
        required = always and not admits_null
    return RequestBody(
        schema=root,
        required=required,
        description=read.description,
        content_type=None if read.media_type == JSON else read.media_type,
    )


def _entries(document: ApiDocument, body: Located) -> Mapping[str, Any] | None:
    """Return what a body lists by its media types, `None` where it lists nothing."""
    content = body.node.get("content")
    if not isinstance(content, Mapping):
        return None
    entries = {str(key): value for key, value in content.items()}
    if document.is_fastapi and [*entries] == [URLENCODED]:
        # FastAPI reads a form however it is encoded, and calls a model urlencoded though it holds
        # files, which no urlencoded form carries.
        form = entries[URLENCODED]
        return {MULTIPART: form} if _has_file(document, _schema(form)) else entries
    return entries


def _choose(document: ApiDocument, entries: Mapping[str, Any]) -> str | None:
    # FastAPI hands a text body to the validator as bytes unless it is labelled as JSON, whatever
    # the route says it accepts; it is written as text by `consumes=` only.
    writable = [
        entry for entry in entries if not document.is_fastapi or bare_media_type(entry) != TEXT
    ]
    chosen = choose_media_type(
        writable,
        has_file=lambda entry: _has_file(document, _schema(entries[entry])),
        is_file=lambda entry: _is_file(document, _schema(entries[entry])),
    )
    return chosen if chosen is not None or writable or not entries else next(iter(entries))


def _schema(entry: Any) -> Any:
    return entry.get("schema", {}) if isinstance(entry, Mapping) else {}


def _placed(document: ApiDocument, schema: Any) -> dict[str, Any]:
    reading = document.schemas.reading(kind=SlotKind.MULTIPART)
    return document.place_alone(schema, reading, "", FindingList()).schema


def _has_file(document: ApiDocument, schema: Any) -> bool:
    root = _placed(document, schema)
    fields = root.get("properties")
    bag = definitions(root)
    return isinstance(fields, Mapping) and any(
        read_file(field, bag) is not None for field in fields.values()
    )


def _is_file(document: ApiDocument, schema: Any) -> bool:
    # From 3.1 on a binary body is described by leaving its schema out.
    root = _placed(document, schema)
    found = read_file(root, definitions(root))
    return root == {} or (found is not None and not found.array)


def _read(
    document: ApiDocument, body: Located, chosen: str, entry: Any, findings: FindingList
) -> ReadBody:
    media_type = written_media_type(chosen)
    if document.is_fastapi and media_type == TEXT:
        media_type = JSON
    family = media_family(media_type)
    pointer = pointer_to(body.pointer, "content", chosen)
    if not isinstance(entry, Mapping):
        findings.invalid("a media type holds an object", pointer)
        entry = {}
    reading = document.schemas.reading(kind=_KINDS.get(family, SlotKind.JSON))
    if family is MediaFamily.RAW:
        slot = Slot(schema=NormalisedSchema(schema=_file_schema(media_type)), reading=reading)
    else:
        place = origin_of(entry, pointer_to(pointer, "schema"))
        slot = document.slot(_schema(entry), reading, place)
    required = body.node.get("required")
    description = body.node.get("description")
    return ReadBody(
        media_type=media_type,
        family=family,
        slot=slot,
        declared_required=required if isinstance(required, bool) else None,
        description=description if isinstance(description, str) and description else None,
        encoding=entry.get("encoding"),
        pointer=pointer,
    )


def _file_schema(media_type: str) -> dict[str, Any]:
    return {"type": "string", "contentMediaType": media_type or OCTET_STREAM}
