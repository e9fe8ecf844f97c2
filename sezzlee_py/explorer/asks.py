"""What the page asks, read from its requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sezzlee_py.explorer.searching import Question
from sezzlee_py.mcp.meta_tools import DEFAULT_LIMIT, MAX_LIMIT
from sezzlee_py.model import Headers, JSONObject, read_json

_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
# What an HTTP header can carry: Latin-1 without control characters, but for the tab.
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class BadAsk(Exception):  # noqa: N818 - an answer, not a fault
    """A request of the page that says nothing; the message tells why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewAsk:
    """Asks for everything there is, and what the caller with `headers` sees of it."""

    headers: Headers


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAsk:
    """Asks what a caller finds, and why."""

    headers: Headers
    question: Question


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAsk:
    """Asks for one tool."""

    headers: Headers
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAsk:
    """Asks to call one tool as a caller."""

    headers: Headers
    name: str
    arguments: Any


Ask: TypeAlias = OverviewAsk | SearchAsk | ToolAsk | CallAsk


def read_ask(kind: str, body: bytes) -> Ask:
    """Return what the page asks.

    Raises:
        BadAsk: the body is not what such a request holds.
    """
    try:
        document = read_json(body.decode("utf-8"))
    except ValueError:
        raise BadAsk("The body is not JSON in UTF-8.") from None
    if not isinstance(document, dict):
        raise BadAsk("The body is not a JSON object.")
    return _READERS[kind](document, _headers(document.get("headers")))


def _overview(document: JSONObject, headers: Headers) -> Ask:
    return OverviewAsk(headers=headers)


def _search(document: JSONObject, headers: Headers) -> Ask:
    tags = document.get("tags", [])
    if not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)):
        raise BadAsk("'tags' is not a list of texts.")
    limit = document.get("limit", DEFAULT_LIMIT)
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise BadAsk("'limit' is not an integer.")
    question = Question(
        query=_text(document, "query"),
        limit=max(1, min(limit, MAX_LIMIT)),
        tags=tuple(tags),
        everything=document.get("everything") is True,
    )
    return SearchAsk(headers=headers, question=question)


def _tool(document: JSONObject, headers: Headers) -> Ask:
    return ToolAsk(headers=headers, name=_text(document, "name"))


def _call(document: JSONObject, headers: Headers) -> Ask:
    name = _text(document, "name")
    return CallAsk(headers=headers, name=name, arguments=document.get("arguments"))


_READERS: Final[Mapping[str, Callable[[JSONObject, Headers], Ask]]] = {
    "overview": _overview,
    "search": _search,
    "tool": _tool,
    "call": _call,
}
KINDS: Final = frozenset(_READERS)


def _text(document: JSONObject, name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise BadAsk(f"'{name}' is not a text.")
    return value


def _headers(given: object) -> Headers:
    if given is None:
        return ()
    if not isinstance(given, dict):
        raise BadAsk("'headers' is not an object.")
    for name, value in given.items():
        if not _NAME.fullmatch(name):
            raise BadAsk("A header has a name that HTTP does not allow.")
        # A value may be a credential, so it is not repeated.
        if not (isinstance(value, str) and _VALUE.fullmatch(value)):
            raise BadAsk(f"The header '{name}' has a value that HTTP does not allow.")
    return tuple((name.lower(), value.strip(" \t")) for name, value in given.items())
