"""File arguments: one source of bytes, a clean name, a media type (spec: bodies 6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from sezzlee_py.invoke import faults
from sezzlee_py.model import FileContent, FileSource, JSONValue

ToFile: TypeAlias = Callable[[JSONValue], FileContent]

OCTETS: Final = "application/octet-stream"
TEXT: Final = "text/plain; charset=utf-8"

_LONGEST_NAME: Final = 255
_DIRECTORIES: Final = frozenset({".", ".."})
_UNSAFE_IN_NAME: Final = re.compile(r'["\r\n\0/\\]')
# RFC 6838 names, then parameters of RFC 9110; every repetition starts with its own delimiter.
_media_type: Final = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"
    r"(?:[ \t]*;[ \t]*[A-Za-z0-9!#$%&'*+.^_`|~-]+="
    r"(?:[A-Za-z0-9!#$%&'*+.^_`|~-]+|\"[\t !\x23-\x5b\x5d-\x7e]*\"))*"
).fullmatch
_BAD_NAME: Final = (
    "has a name that is empty, a directory, over 255 characters, or holds a quote or slash"
)
_base64_text: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}").fullmatch
# Last digits whose bits beyond the final byte are zero, by the count of padding signs.
_FINAL_DIGITS: Final = {0: None, 1: frozenset("AEIMQUYcgkosw048"), 2: frozenset("AQgw")}


def is_filename(text: object) -> bool:
    """Whether `text` may name a file: 1 to 255 characters that leave no directory or header."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= _LONGEST_NAME
        and text not in _DIRECTORIES
        and not _UNSAFE_IN_NAME.search(text)
    )


def is_media_type(text: object) -> bool:
    """Whether `text` is one concrete `type/subtype`, perhaps with parameters."""
    return isinstance(text, str) and _media_type(text) is not None


def base64_length(text: str) -> int | None:
    """Return how many bytes strict base64 stands for, without decoding; `None` when it is not.

    The decoders of the standard library accept loose bits and drop foreign characters, so that two
    texts would mean one file.
    """
    if len(text) % 4 or not _base64_text(text):
        return None
    padding = len(text) - len(text.rstrip("="))
    finals = _FINAL_DIGITS[padding]
    if finals is not None and text[-padding - 1 : -padding] not in finals:
        return None
    return len(text) // 4 * 3 - padding


def file_reader(
    argument: str, *, wire_name: str, media_type: str | None, sources: tuple[FileSource, ...]
) -> ToFile:
    """Return the reader of one file argument.

    Args:
        argument: how messages name it.
        wire_name: the name a file goes by when nobody gives it one.
        media_type: the schema's own `contentMediaType`.
        sources: what the agent may take bytes from; others are unknown keys.
    """
    offered = frozenset(sources)
    keys = offered | {"name", "mediaType"}
    advice = (
        f"needs an object with exactly one of {', '.join(sources)}, "
        "and beside it at most name and mediaType"
    )
    defaults = _Defaults(wire_name, media_type)

    def read(value: JSONValue) -> FileContent:
        if value is None:
            raise faults.null_refused(argument)
        if not isinstance(value, Mapping) or not value.keys() <= keys:
            raise faults.invalid_file(argument, advice)
        given = value.keys() & offered
        if len(given) != 1:
            raise faults.invalid_file(argument, advice)
        return _content(argument, FileSource(given.pop()), value, defaults)

    return read


class _Defaults:
    """What a file is called and labelled with when nobody says."""

    def __init__(self, wire_name: str, media_type: str | None) -> None:
        cleaned = _UNSAFE_IN_NAME.sub("_", wire_name)[:_LONGEST_NAME]
        self.filename = cleaned.replace(".", "_") if cleaned in _DIRECTORIES else cleaned
        plain = is_media_type(media_type) and media_type != OCTETS
        self.declared = media_type if plain else None

    def media_type(self, source: FileSource) -> str:
        return self.declared or (TEXT if source is FileSource.TEXT else OCTETS)


def _content(
    argument: str, source: FileSource, value: Mapping[str, Any], defaults: _Defaults
) -> FileContent:
    text = value[source]
    if not isinstance(text, str):
        raise faults.invalid_file(argument, f"must give {source} as a string")
    name = _checked(argument, value, "name", is_filename, _BAD_NAME)
    label = _checked(
        argument, value, "mediaType", is_media_type, "has a mediaType that is no type/subtype"
    )
    if source is FileSource.REF:
        return _reference(argument, text, name, label, defaults)
    length = None
    if source is FileSource.BASE64:
        length = base64_length(text)
        if length is None:
            raise faults.invalid_file(argument, "holds no standard, padded base64")
    return FileContent(
        source=source,
        value=text,
        filename=name or defaults.filename,
        media_type=label or defaults.media_type(source),
        byte_length=length,
    )


def _reference(
    argument: str, ref: str, name: str | None, label: str | None, defaults: _Defaults
) -> FileContent:
    if not ref:
        raise faults.invalid_file(argument, "has an empty ref")
    return FileContent(
        source=FileSource.REF,
        value=ref,
        filename=name,
        media_type=label,
        field=argument,
        default_filename=defaults.filename,
        default_media_type=defaults.media_type(FileSource.REF),
    )


def _checked(
    argument: str,
    value: Mapping[str, Any],
    key: str,
    passes: Callable[[object], bool],
    advice: str,
) -> str | None:
    if key not in value:
        return None
    if not passes(value[key]):
        raise faults.invalid_file(argument, advice)
    text: str = value[key]
    return text
