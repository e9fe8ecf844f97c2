"""What a multipart `encoding` says about the parts of a body (spec: openapi 4, Body)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sezzlee_py.catalog.file_arguments import read_file
from sezzlee_py.catalog.media_choice import bare_media_type
from sezzlee_py.catalog.media_types import MediaFamily, media_family, normal_media_type
from sezzlee_py.catalog.schema.references import pointer_to
from sezzlee_py.catalog.schema_shapes import definitions, read_shape
from sezzlee_py.openapi.document import FindingList

# The defaults of OpenAPI; anything else changes the bytes in a way that nothing writes.
_DEFAULTS = {"style": ("form",), "explode": (True,), "allowReserved": (False,)}


def apply_encodings(
    schema: dict[str, Any], encoding: Any, pointer: str, findings: FindingList
) -> dict[str, Any]:
    """Return a multipart root whose file fields carry the media type of their part."""
    fields = schema.get("properties")
    if not isinstance(encoding, Mapping) or not isinstance(fields, Mapping):
        return schema
    changed: dict[str, Any] = {}
    for name, entry in encoding.items():
        place = pointer_to(pointer, "encoding", name)
        if name not in fields or not isinstance(entry, Mapping):
            findings.invalid("an encoding names a field and holds an object", place)
        elif not _is_default(entry):
            _refuse(name, "a part with its own style or headers", place, findings)
        elif isinstance(entry.get("contentType"), str):
            field = _typed(schema, name, entry["contentType"], place, findings)
            changed[name] = fields[name] if field is None else field
    return {**schema, "properties": {**fields, **changed}} if changed else schema


def _is_default(entry: Mapping[str, Any]) -> bool:
    return not entry.get("headers") and all(
        entry.get(key, defaults[0]) in defaults for key, defaults in _DEFAULTS.items()
    )


def _refuse(name: str, what: str, place: str, findings: FindingList) -> None:
    findings.add(
        "unsupported_encoding", f"'{name}': nothing writes {what}", about=name, pointer=place
    )


def _typed(
    schema: Mapping[str, Any], name: str, declared: str, place: str, findings: FindingList
) -> Any | None:
    field, bag = schema["properties"][name], definitions(schema)
    concrete = normal_media_type(declared)
    if read_file(field, bag) is not None:
        return field if concrete is None else _with_media_type(field, concrete)
    shape = read_shape(field, bag)
    family = None if concrete is None else media_family(concrete)
    if family is MediaFamily.JSON or "json" in bare_media_type(declared):
        _refuse(name, "a part of JSON", place, findings)
    elif family is MediaFamily.RAW and not shape.is_object and not shape.array:
        # A part that has a binary type is a file, whatever its schema leaves unsaid.
        return _with_media_type({"type": "string", **_described(field)}, concrete)
    return None


def _described(field: Any) -> dict[str, Any]:
    text = field.get("description") if isinstance(field, Mapping) else None
    return {} if text is None else {"description": text}


def _with_media_type(field: Any, media_type: str | None) -> Any:
    if isinstance(field.get("items"), Mapping):
        return {**field, "items": {**field["items"], "contentMediaType": media_type}}
    return {**field, "contentMediaType": media_type}
