"""What a host may read out of its own error bodies, and what it gives back (spec: results 4)."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from sezzlee_py.invoke.field_names import FieldNames, Path, Place, split_key
from sezzlee_py.invoke.response_body import BodyKind
from sezzlee_py.model import Headers, JSONValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """An answer of status 400 or above as a recogniser reads it.

    `kind` says which of the last two counts: `value` for a json body, `text` for html and text.
    `names` are the inputs of the tool that was called.
    """

    status: int
    headers: Headers
    media_type: str
    kind: BodyKind
    value: JSONValue
    text: str
    names: FieldNames


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedField:
    """One rule that failed: what the backend says, and the value it says it about.

    `path` and `place` are the backend's own words; they become an argument of the tool later.
    Without a `path`, `name` is that argument already, or `None` for an entry without a name.
    """

    message: str
    path: Path | None = None
    place: Place | None = None
    name: str | None = None

    @classmethod
    def of(cls, key: str, message: str, place: Place | None = None) -> ReportedField:
        """Return the entry for a key in dotted notation: `items[0].price`."""
        return cls(message=message, path=split_key(key), place=place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognized:
    """What a recogniser found: one message, or the rules that failed, or both."""

    message: str | None = None
    fields: tuple[ReportedField, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or (self.message and not self.message.isspace()))


Recognizer: TypeAlias = Callable[[ErrorResponse], Recognized | None]


def werkzeug_page(response: ErrorResponse) -> Recognized | None:
    """Return the description that a view gave to `abort`, from Werkzeug's own error page.

    Opt-in, for `options.errors.recognize`: HTML is never read otherwise. The page has to be exactly
    the one Werkzeug writes for this 4xx status, and its text not one of the stock descriptions,
    which say less than the standard message.
    """
    page = _WERKZEUG_PAGE.fullmatch(response.text) if response.kind is BodyKind.HTML else None
    if page is None or response.status >= 500 or page["status"] != str(response.status):
        return None
    description = html.unescape(page["description"].replace("<br>", "\n"))
    return None if _digest(description) in _STOCK_DESCRIPTIONS else Recognized(message=description)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


_WERKZEUG_PAGE: Final = re.compile(
    r"<!doctype html>\n<html lang=en>\n"
    r"<title>(?P<status>[0-9]{3}) (?P<name>[^<>\n]{1,100})</title>\n<h1>(?P=name)</h1>\n"
    r"<p>(?P<description>(?:[^<>]|<br>){0,2000}+)</p>\n"
)
# Digests of the 4xx descriptions that Werkzeug 2.2 to 3.1 ship; a test compares them.
_STOCK_DESCRIPTIONS: Final = frozenset(
    re.findall(
        r"\w+",
        """
    cc8daa4c6358 b663681c660a 3b010ab05f57 500f51953ef8 9bd2b0d77378 a6dd41f6e9fe
    a324ada9a24e 87d649cf27ee e49290a3bc37 6e904061b7ec 705f8cba5513 59229699d6c0
    b7eeb17b1561 6f6b9a061c9f d9cdf9780151 830837d45188 ef5ad1ea62a6 5b76bb29bda9
    552d5eabc953 76ddc1a88f08 c87f22b1a065 b69384bd8d54 f69d4c9de893 cca0469f0fcb
    03e82f3948b6
        """,
    )
)
