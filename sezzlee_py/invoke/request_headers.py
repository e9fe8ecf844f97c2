"""Every header of the inner request, in its order (spec: identity 4)."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from sezzlee_py._version import __version__
from sezzlee_py.model import Headers, OuterRequest

TRACE_HEADERS: Final = frozenset({"traceparent", "tracestate", "baggage", "x-request-id"})
_OWN: Final = (("accept", "application/json"), ("user-agent", f"sezzlee_py/{__version__}"))
_NONE: Final[frozenset[str]] = frozenset()


def request_headers(
    outer: OuterRequest,
    carriers: Headers,
    data: Headers,
    content_type: str | None,
    body: bytes | None,
) -> Headers:
    """Return every header of the inner request, in its order (spec: identity 4).

    Args:
        outer: the MCP request; gives `host` and the trace headers.
        carriers: the caller's identity headers, projected.
        data: the composed data headers; a `cookie` among them already holds the carried one.
        content_type: with a body only.
        body: its exact bytes.
    """
    names = {name for name, _ in data} if data else _NONE
    host = outer.header("host")
    headers = [("host", host)] if host is not None else []
    if carriers or names:
        headers += [pair for pair in carriers if not (pair[0] == "cookie" and "cookie" in names)]
        headers += [pair for pair in _OWN if not _is_given(pair[0], names, carriers)]
    else:
        headers += _OWN
    if body is not None and content_type is not None:
        headers += [("content-type", content_type), ("content-length", str(len(body)))]
    if not TRACE_HEADERS.isdisjoint(dict(outer.headers)):
        traces = [pair for pair in outer.headers if pair[0] in TRACE_HEADERS]
        headers += [pair for pair in traces if not _is_given(pair[0], names, carriers)]
    return (*headers, *data)


def _is_given(name: str, names: Set[str], carriers: Headers) -> bool:
    return name in names or any(name == carrier for carrier, _ in carriers)
