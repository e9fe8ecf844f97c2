"""The page's own files, and the headers that keep anything else out of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from sezzlee_py.mcp.head import HTTPReply
from sezzlee_py.model import Headers

INDEX: Final = "index.html"

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_POLICY: Final = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    # The browser itself refuses to make text into HTML.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
SECURITY_HEADERS: Final[Headers] = (
    ("content-security-policy", "; ".join(_POLICY)),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    # The page belongs to one version of the library, its answers to one moment.
    ("cache-control", "no-store"),
)


@cache
def page_files() -> Mapping[str, HTTPReply]:
    """Return the reply for each file of the page, by name."""
    folder = files(__package__) / "static"
    return {
        entry.name: HTTPReply(
            status=200,
            headers=(("content-type", _TYPES[entry.name.rpartition(".")[2]]), *SECURITY_HEADERS),
            body=entry.read_bytes(),
        )
        for entry in folder.iterdir()
        if entry.name.rpartition(".")[2] in _TYPES
    }
