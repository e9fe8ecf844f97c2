"""The requests and responses that pass through one invocation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from sezzlee_py.model.quick import quick
from sezzlee_py.model.template import FileSource

Headers: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RPCMessage:
    """What the message of an MCP request says of itself, for whoever watches.

    `meta` is the client's own `_meta`, whatever it is. `is_piped` tells standard input and output
    from HTTP.
    """

    id: str | int
    revision: str | None = None
    meta: Any = None
    is_piped: bool = False


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class OuterRequest:
    """The MCP request as the host received it.

    `headers` are lower-case names with Latin-1 values, repeated fields kept, in order.
    `root_path` is the application's own prefix, without the MCP path. `native` is the ASGI scope
    or WSGI environ, for the dispatcher of the same kind and for a framework that resolves a ranker.
    """

    method: str = "POST"
    headers: Headers = ()
    client: tuple[str, int] | None = None
    scheme: str = "http"
    server: tuple[str, int | None] | None = None
    http_version: str = "1.1"
    root_path: str = ""
    native: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    message: RPCMessage | None = None

    def header(self, name: str) -> str | None:
        """The first value of header `name` (lower-case), or `None`."""
        for key, value in self.headers:
            if key == name:
                return value
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """A file argument: one source as the agent sent it, or `data` once resolved.

    `filename` and `media_type` are settled except for a `ref`, which keeps only what the agent
    sent until the host's resolver has answered; until then `field` is the argument it came in and
    the two defaults are what to fall back on.
    """

    source: FileSource
    value: str
    filename: str | None = None
    media_type: str | None = None
    byte_length: int | None = None
    data: bytes | None = None
    field: str | None = None
    default_filename: str | None = None
    default_media_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a multipart body: text, or a file."""

    name: str
    value: str | None = None
    file: FileContent | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContent:
    """A composed body: exactly one of `data`, `parts` and `file`.

    `content_type` is the header's value; for multipart without the boundary, which belongs to the
    bytes and is chosen when they are written.
    """

    content_type: str
    data: bytes | None = None
    parts: tuple[Part, ...] | None = None
    file: FileContent | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedRequest:
    """What a template and arguments make: pure data, the same bytes for the same input.

    `path` and `query` are percent-encoded; `query` has no `?`. `headers` are the data headers in
    declaration order with the merged `cookie` last. `path_values` are the values in the path as
    text, by wire name, where the route leaves it to the router where one ends and another begins.
    """

    method: str
    path: str
    query: str = ""
    headers: Headers = ()
    content: RequestContent | None = None
    path_values: Mapping[str, str] | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class BackendRequest:
    """The request as it is dispatched: every header in its final order, the body as bytes."""

    method: str
    path: str
    query: str
    headers: Headers
    body: bytes | None
    outer: OuterRequest


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class BackendResponse:
    """The application's answer.

    `oversized` is the count of bytes read when reading was stopped; `body` is then no more than
    the beginning.
    """

    status: int
    headers: Headers = ()
    body: bytes = b""
    oversized: int | None = None

    def header(self, name: str) -> str | None:
        """The first value of header `name` (lower-case), or `None`."""
        for key, value in self.headers:
            if key == name:
                return value
        return None
