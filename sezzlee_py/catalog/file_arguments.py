"""The published shape of a file argument (spec: bodies 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_py.catalog.schema_shapes import resolve
from sezzlee_py.model import FileSource, JSONObject, JSONValue

_TEXT_SCHEMA: Final = {"type": "string", "description": "The content as text."}
_BASE64_SCHEMA: Final = {
    "type": "string",
    "contentEncoding": "base64",
    "description": "The content in padded standard base64.",
}
_NAME_SCHEMA: Final = {"type": "string", "description": "File name."}
_MEDIA_TYPE_SCHEMA: Final = {"type": "string", "description": "Media type, such as image/png."}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShape:
    """A field that carries a file, or a list of them, and the type its schema names."""

    array: bool = False
    media_type: str | None = None


def file_sources(ref_description: str | None) -> tuple[FileSource, ...]:
    """Return where an agent may take bytes from: references only where a resolver is bound."""
    inline = (FileSource.TEXT, FileSource.BASE64)
    return inline if ref_description is None else (*inline, FileSource.REF)


def read_file(schema: JSONValue, defs: JSONObject) -> FileShape | None:
    """Return the file that `schema` stands for, or `None` when it is no file field."""
    schema = _without_null(resolve(schema, defs), defs)
    if not isinstance(schema, Mapping):
        return None
    if _has_type(schema, "array", default=False):
        item = _without_null(resolve(schema.get("items"), defs), defs)
        return FileShape(array=True, media_type=_media_type(item)) if _is_file(item) else None
    return FileShape(media_type=_media_type(schema)) if _is_file(schema) else None


def file_argument(
    schema: JSONValue, defs: JSONObject, *, array: bool, ref_description: str | None
) -> JSONObject:
    """Return what is published in place of a file field's schema; its description stays."""
    own = resolve(schema, defs)
    bare = _without_null(own, defs)
    outer = own.get("description", bare.get("description"))
    if not array:
        return _file_object(outer, ref_description)
    item = _without_null(resolve(bare["items"], defs), defs)
    kept = {key: value for key, value in bare.items() if key not in ("description", "$defs")}
    described = {} if outer is None else {"description": outer}
    return {**kept, **described, "items": _file_object(item.get("description"), ref_description)}


def _file_object(description: JSONValue, ref_description: str | None) -> JSONObject:
    sources: dict[str, Any] = {"text": _TEXT_SCHEMA, "base64": _BASE64_SCHEMA}
    if ref_description is not None:
        sources["ref"] = {"type": "string", "description": ref_description}
    described = {} if description is None else {"description": description}
    return {
        "type": "object",
        **described,
        "properties": {**sources, "name": _NAME_SCHEMA, "mediaType": _MEDIA_TYPE_SCHEMA},
        "additionalProperties": False,
        "oneOf": [{"required": [source]} for source in sources],
    }


def _is_file(schema: JSONValue) -> bool:
    return (
        isinstance(schema, Mapping)
        and "contentEncoding" not in schema
        and _has_type(schema, "string", default=True)
        # Older generators write `format: binary` for the same.
        and (isinstance(schema.get("contentMediaType"), str) or schema.get("format") == "binary")
    )


def _media_type(schema: JSONObject) -> str | None:
    declared = schema.get("contentMediaType")
    return declared if isinstance(declared, str) else None


def _has_type(schema: JSONObject, name: str, *, default: bool) -> bool:
    declared = schema.get("type")
    if declared is None:
        return default
    return declared == name or (isinstance(declared, list) and _named(declared) == {name})


def _named(types: list[JSONValue]) -> set[str]:
    return {name for name in types if isinstance(name, str)} - {"null"}


def _without_null(schema: JSONValue, defs: JSONObject) -> JSONValue:
    """The one branch of a union with `null`, resolved; anything else as it is."""
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword) if isinstance(schema, Mapping) else None
        if isinstance(branches, list):
            rest = [branch for branch in branches if branch != {"type": "null"}]
            if len(rest) == 1:
                return resolve(rest[0], defs)
    return schema
