"""What kind of body a backend answered with, and its value or text (spec: results 1)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from sezzlee_py.invoke.content_coding import (
    OversizedContent,
    UndecodableContent,
    beginning_of,
    undo_content_coding,
)
from sezzlee_py.model import BackendResponse, JSONValue
from sezzlee_py.model.json import read_json
from sezzlee_py.model.quick import quick

MAX_DECODED_BYTES: Final = 16_777_216

_JSON_TYPES: Final = frozenset({"application/json", "text/json"})
_PAGE_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES: Final = frozenset(
    f"application/{name}"
    for name in (
        *("x-ndjson", "ndjson", "jsonl", "json-seq", "yaml", "x-yaml", "toml", "javascript"),
        *("x-www-form-urlencoded", "graphql"),
    )
)
_CHARSET: Final = re.compile(r';\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))', re.IGNORECASE)
_CODEC_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,39}")
# Text codecs that are no charset of the web: escapes that warn, and one of quadratic cost.
_NOT_CHARSETS: Final = frozenset(
    {"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"}
)
_PAGE_START: Final = re.compile(r"\s*+<(?:!doctype\s{1,20}html|html)", re.IGNORECASE)
_BYTE_ORDER_MARK: Final = "\ufeff"


class BodyKind(StrEnum):
    """What a body is, by its content type first and its bytes second."""

    EMPTY = "empty"
    JSON = "json"
    HTML = "html"
    TEXT = "text"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentType:
    """A `Content-Type` header: as sent, and what it says about reading the body.

    `media_type` is lower-case without parameters, empty where the response names no type;
    `charset` is the name of a codec, `None` where none is declared or the declared one is unknown.
    `is_json` tells whether a body of this type is JSON if it parses, `is_readable` whether it is
    more to an agent than bytes.
    """

    header: str | None
    media_type: str
    charset: str | None
    is_json: bool
    is_readable: bool


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseBody:
    """A body as it was read: `value` of a json one, `text` of a json, html or text one.

    `oversized` is set where reading or decompressing stopped at that many bytes; `cut_kind` is
    then what the body begins as: `array`, `object` or `text`.
    """

    kind: BodyKind
    content_type: ContentType
    value: JSONValue = None
    text: str = ""
    oversized: int | None = None
    cut_kind: str = "text"


def read_body(
    response: BackendResponse, *, max_decoded_bytes: int = MAX_DECODED_BYTES
) -> ResponseBody:
    """Return the body of `response` under its kind; a body that cannot be read is bytes."""
    content_type = parse_content_type(response.header("content-type"))
    if not content_type.is_readable:
        kind = BodyKind.BYTES if response.body or response.oversized else BodyKind.EMPTY
        return ResponseBody(kind=kind, content_type=content_type)
    if response.oversized is not None:
        return _cut_off(response, content_type, response.oversized)
    try:
        body = _uncompressed(response, max_decoded_bytes)
    except OversizedContent as fault:
        return _cut_off(response, content_type, fault.produced)
    except UndecodableContent:
        return ResponseBody(kind=BodyKind.BYTES, content_type=content_type)
    return _read(body, content_type)


@lru_cache(maxsize=256)
def parse_content_type(header: str | None) -> ContentType:
    """Return what a `Content-Type` header says; a blank one says nothing."""
    if header is None or not header.strip():
        header, media_type, charset = None, "", None
    else:
        media_type = header.partition(";")[0].strip().lower()
        match = _CHARSET.search(header)
        charset = _known_charset((match[1] or match[2] or "") if match else "")
    is_json = _is_json(media_type)
    return ContentType(
        header=header,
        media_type=media_type,
        charset=charset,
        is_json=is_json,
        is_readable=is_json or charset is not None or _is_text(media_type),
    )


def _is_json(media_type: str) -> bool:
    return (
        not media_type
        or media_type in _JSON_TYPES
        or (media_type.endswith("+json") and "/" in media_type)
    )


def _is_text(media_type: str) -> bool:
    return (
        media_type in _TEXT_TYPES
        or media_type.startswith("text/")
        or ("/" in media_type and media_type.endswith(("/xml", "+xml")))
    )


def _known_charset(name: str) -> str | None:
    if not _CODEC_NAME.fullmatch(name):
        return None
    try:
        codec = codecs.lookup(name)
    except LookupError:
        return None
    # Codecs such as rot13 or zip are no charset; the flag is what `bytes.decode` itself reads.
    is_charset = getattr(codec, "_is_text_encoding", True) and (
        codec.name.replace("-", "_") not in _NOT_CHARSETS
    )
    return codec.name if is_charset else None


def _cut_off(response: BackendResponse, content_type: ContentType, oversized: int) -> ResponseBody:
    beginning = beginning_of(response.body, _content_coding(response))
    mark = _decode(beginning, content_type.charset).lstrip()[:1] if content_type.is_json else ""
    return ResponseBody(
        kind=BodyKind.TEXT,
        content_type=content_type,
        oversized=oversized,
        cut_kind={"[": "array", "{": "object"}.get(mark, "text"),
    )


def _content_coding(response: BackendResponse) -> str:
    codings = [value for name, value in response.headers if name == "content-encoding"]
    return ",".join(codings) if codings else ""


def _uncompressed(response: BackendResponse, max_bytes: int) -> bytes:
    header = _content_coding(response)
    if not header or not response.body:
        return response.body
    return undo_content_coding(response.body, header, max_bytes=max_bytes)


def _read(body: bytes, content_type: ContentType) -> ResponseBody:
    if not body:
        return ResponseBody(kind=BodyKind.EMPTY, content_type=content_type)
    if not content_type.media_type and b"\0" in body:
        return ResponseBody(kind=BodyKind.BYTES, content_type=content_type)
    text = _decode(body, content_type.charset)
    if content_type.is_json:
        try:
            value = read_json(text)
        except ValueError:
            pass
        else:
            return ResponseBody(
                kind=BodyKind.JSON, content_type=content_type, value=value, text=text
            )
    kind = BodyKind.HTML if _is_page(text, content_type.media_type) else BodyKind.TEXT
    return ResponseBody(kind=kind, content_type=content_type, text=text)


def _decode(body: bytes, charset: str | None) -> str:
    try:
        text = body.decode(charset or "utf-8", "replace")
    except UnicodeError:
        # A codec of the host's own that cannot replace what it cannot read.
        text = body.decode("utf-8", "replace")
    return text.removeprefix(_BYTE_ORDER_MARK)


def _is_page(text: str, media_type: str) -> bool:
    # Flask labels every returned string text/html; markup has at least one tag.
    return (media_type in _PAGE_TYPES and "<" in text) or _PAGE_START.match(text) is not None
