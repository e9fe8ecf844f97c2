"""Percent-encoding and the character rules of headers and cookies (spec: arguments 2 and 3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias
from urllib.parse import quote

from sezzlee_py.model.values import without_lone_surrogates

Encode: TypeAlias = Callable[[str], str]

_RESERVED: Final = ":/?@!$'()*,;[]"
# What a path may hold besides unreserved characters; a route's literal text keeps it.
_PATH_LITERAL: Final = "/:@!$&'()*+,;="

_plain: Final = re.compile(r"[A-Za-z0-9._~-]*").fullmatch
_header_text: Final = re.compile(r"[^\r\n\0\u0100-\U0010ffff]*").fullmatch
# RFC 6265 cookie-octet: no white space, DQUOTE, comma, semicolon, backslash.
_cookie_octets: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*").fullmatch


def encode(text: str) -> str:
    """Return `text` in strict RFC 3986: all but unreserved characters escaped, as UTF-8."""
    return text if _plain(text) else quote(without_lone_surrogates(text), safe="")


def encode_path(text: str) -> str:
    """Return `text` encoded segment by segment, its slashes raw."""
    return text if _plain(text) else quote(without_lone_surrogates(text))


def encode_path_literal(text: str) -> str:
    """Return the fixed text of a route as it stands in a request line."""
    return quote(without_lone_surrogates(text), safe=_PATH_LITERAL)


def reserved_encoder(*, delimiter: str = "") -> Encode:
    """Return the encoder of `allowReserved`; an array's own delimiter stays escaped in elements."""
    safe = _RESERVED.replace(delimiter, "") if delimiter else _RESERVED
    return lambda text: quote(without_lone_surrogates(text), safe=safe)


def is_header_text(text: str) -> bool:
    """Whether a header can carry `text`: Latin-1, no CR, LF or NUL."""
    return _header_text(text) is not None


def is_cookie_octets(text: str) -> bool:
    """Whether `text` can be written as a cookie value without encoding."""
    return _cookie_octets(text) is not None
