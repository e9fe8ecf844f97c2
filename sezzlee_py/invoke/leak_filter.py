"""Whether a text of the backend may reach the agent (spec: results 5)."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote

from sezzlee_py.invoke.leak_patterns import PATTERNS, SPLIT_SECRETS

MAX_UNITS: Final = 1000
TOO_LONG: Final = "too_long"

# Longer texts are withheld whatever they hold; further in, it is only told less well why.
_NAMED_WITHIN: Final = 65_536
_MAX_DECODINGS: Final = 3
_ESCAPES: Final[Mapping[str, str]] = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    '"': '"',
    "'": "'",
    "/": "/",
    "\\": "\\",
}
# What JSON, JavaScript and Python write for a sign: `\u002f`, `\u{2f}`, `\x2f`, `\U0000002f`.
_ESCAPE: Final = re.compile(
    r"""\\(?:([nrt"'/\\])|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}"""
    r"""|U([0-9A-Fa-f]{8}))"""
)
# A line that ends in punctuation was not cut inside a word.
_LINE_BREAK: Final = re.compile(r"(?<![\s:.,;!?])[ \t]{0,200}+\\?\r?\n[ \t]{0,200}+")
_LOCATION_ROWS: Final = {name: PATTERNS[name] for name in ("connection_string", "credential")}


def is_forwardable(text: str) -> bool:
    """Whether no row of the table matches `text`."""
    return not is_too_long(text) and _matching(text) is None


def is_forwardable_location(url: str) -> bool:
    """Whether a redirect's target holds no credentials; a route may look like a path on a disk."""
    return not any(_first(_LOCATION_ROWS, form) for form in (url, *_decoded_forms(url)))


def leak_pattern(text: str) -> str | None:
    """Return the name of the first row that matches `text`, `None` when it may be forwarded."""
    name = _matching(text[:_NAMED_WITHIN])
    return name or (TOO_LONG if is_too_long(text) else None)


def is_too_long(text: str) -> bool:
    """Whether `text` has more than 1000 UTF-16 units."""
    return len(text) > MAX_UNITS or utf16_length(text) > MAX_UNITS


def utf16_length(text: str) -> int:
    """Return the count of UTF-16 units in `text`, as JavaScript and .NET count characters."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _matching(text: str) -> str | None:
    # What is written plainly names the pattern; an encoded form only counts where nothing is.
    name = _first(PATTERNS, text)
    if name is not None:
        return name
    form = text
    for form in _decoded_forms(text):
        name = _first(PATTERNS, form)
        if name is not None:
            return name
    if "\n" in form:
        return _first(SPLIT_SECRETS, _LINE_BREAK.sub("", form))
    return None


def _first(rows: Mapping[str, tuple[re.Pattern[str], ...]], text: str) -> str | None:
    for name, row in rows.items():
        for pattern in row:
            if pattern.search(text):
                return name
    return None


def _decoded_forms(text: str) -> Iterator[str]:
    """Yield `text` with one layer of encoding after the other undone, while there is one."""
    for _ in range(_MAX_DECODINGS):
        decoded = _decoded(text)
        if decoded == text:
            return
        yield decoded
        text = decoded


def _decoded(text: str) -> str:
    if "%" in text:
        plain = unquote(text)
        # A plus is a blank only where a form was encoded.
        text = plain.replace("+", " ") if plain != text and " " not in text else plain
    if "&" in text:
        text = html.unescape(text)
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return _ESCAPES[escape[1]]
    code = int(escape[escape.lastindex or 0], 16)
    return chr(code) if code <= sys.maxunicode else escape[0]
