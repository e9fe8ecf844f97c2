"""The endpoint as an OAuth protected resource: its metadata document and the layers around an app.

RFC 9728 and the 401 of the MCP path (spec: transport 6 and 7).
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit, urlunsplit

from sezzlee_py.errors import OptionsError
from sezzlee_py.mcp.challenge import merge_challenge
from sezzlee_py.mcp.head import HTTPReply
from sezzlee_py.model import Diagnostic
from sezzlee_py.model.codes import default_severity
from sezzlee_py.options import ResourceServerOptions

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_TEXT_LISTS: Final = frozenset({"scopes_supported", "bearer_methods_supported"})
_TEXTS: Final = frozenset({"resource_name", "resource_documentation"})
# What a quoted string of a header carries as it is.
_SCOPE: Final = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedResource:
    """What the layers need: where the endpoint and its document are, and what a 401 says.

    `serves_document` is false where the host's own route answers `document_path`.
    """

    mcp_path: str
    document_path: str
    document: bytes
    resource_metadata: str
    scope: str | None = None
    serves_document: bool = True

    def covers(self, path: str) -> bool:
        """Whether a 401 on `path` is one of the endpoint."""
        return path == self.mcp_path or path.startswith(f"{self.mcp_path.rstrip('/')}/")

    def reply(self, method: str, path: str) -> HTTPReply | None:
        """Return the document when that is what is asked for."""
        if not (self.serves_document and path == self.document_path and method in ("GET", "HEAD")):
            return None
        headers = (
            ("content-type", "application/json"),
            ("cache-control", "public, max-age=300"),
            ("content-length", str(len(self.document))),
        )
        return HTTPReply(
            status=200, headers=headers, body=self.document if method == "GET" else b""
        )

    def challenge(self, fields: Iterable[str]) -> tuple[str, ...]:
        """Return the `WWW-Authenticate` fields of a 401 of the endpoint."""
        return merge_challenge(tuple(fields), self.resource_metadata, self.scope)


def protected_resource(
    options: ResourceServerOptions, mcp_path: str, *, serves_document: bool = True
) -> ProtectedResource | None:
    """Return the protected resource that `options` describe, or `None` when they describe none.

    Raises:
        OptionsError: the metadata lack something or hold something of the wrong kind.
    """
    if options.metadata is None:
        return None
    metadata, scope = _checked(options.metadata), options.challenge_scope
    if scope is not None and not _SCOPE.fullmatch(scope):
        raise OptionsError(
            f"options.resource_server.challenge_scope: expected scope names, got {scope!r}"
        )
    return ProtectedResource(
        mcp_path=mcp_path,
        document_path=WELL_KNOWN + mcp_path.rstrip("/"),
        document=json.dumps(metadata, ensure_ascii=False).encode("utf-8"),
        resource_metadata=document_url(metadata["resource"]),
        scope=scope,
        serves_document=serves_document,
    )


def prefix_findings(resource: ProtectedResource, prefix: str) -> tuple[Diagnostic, ...]:
    """Return what is wrong where the application is known to be served below a prefix.

    RFC 9728 asks for the document at the root of the server, which such an application does not
    answer for.
    """
    if not prefix.strip("/"):
        return ()
    return (
        Diagnostic(
            code="prm_path_prefixed",
            severity=default_severity("prm_path_prefixed"),
            message=f"the application is served below {prefix!r}, and {resource.document_path} has "
            "to be answered at the root of the server; serve the document there and leave "
            "options.resource_server.metadata unset, or serve the application at the root",
        ),
    )


def document_url(resource: str) -> str:
    """Return where the document of `resource` is: the well-known part before its path."""
    url = urlsplit(resource)
    return urlunsplit(url._replace(path=WELL_KNOWN + url.path.rstrip("/"), fragment=""))


def _checked(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    def fault(name: str, expected: str) -> OptionsError:
        place = f"options.resource_server.metadata[{name!r}]"
        return OptionsError(f"{place}: expected {expected}, got {metadata.get(name)!r}")

    if not _is_absolute(metadata.get("resource")):
        raise fault("resource", "an absolute ASCII URL without a fragment")
    servers = metadata.get("authorization_servers")
    if not _is_texts(servers) or not servers:
        raise fault("authorization_servers", "a list of at least one URL")
    for name in _TEXT_LISTS & metadata.keys():
        if not _is_texts(metadata[name]):
            raise fault(name, "a list of texts")
    for name in _TEXTS & metadata.keys():
        if not isinstance(metadata[name], str):
            raise fault(name, "a text")
    return metadata


def _is_absolute(value: object) -> bool:
    # The address travels in a header too.
    if not (isinstance(value, str) and value.isascii() and value.isprintable()):
        return False
    try:
        url = urlsplit(value)
    except ValueError:
        return False
    return url.scheme in ("http", "https") and bool(url.netloc) and not url.fragment


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


# --- layers -----------------------------------------------------------------------------------

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
StartResponse: TypeAlias = Callable[..., Any]
WSGIApp: TypeAlias = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]

_CHALLENGE: Final = "www-authenticate"


class ResourceServerASGI:
    """The outermost layer of an ASGI application: serves the document, completes the 401.

    Args:
        app: the application.
        resource: the endpoint that is protected.
        host_serves: whether the host's own route answers the document's path.
    """

    def __init__(
        self,
        app: ASGIApp,
        resource: ProtectedResource,
        *,
        host_serves: Callable[[], bool] = lambda: False,
    ) -> None:
        self.app = app
        self._resource = resource
        self._host_serves = host_serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the document's path, pass everything else on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        path = _path_of(scope)
        reply = self._resource.reply(scope["method"], path)
        if reply is not None and not self._host_serves():
            raw = [
                (name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers
            ]
            await send({"type": "http.response.start", "status": reply.status, "headers": raw})
            return await send({"type": "http.response.body", "body": reply.body})
        if not self._resource.covers(path):
            return await self.app(scope, receive, send)

        async def completing(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                message = {**message, "headers": self._completed(message.get("headers", ()))}
            await send(message)

        return await self.app(scope, receive, completing)

    def _completed(self, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        pairs = list(headers)
        name = _CHALLENGE.encode("ascii")
        fields = [value.decode("latin-1") for key, value in pairs if key.lower() == name]
        merged = [(name, value.encode("latin-1")) for value in self._resource.challenge(fields)]
        return [pair for pair in pairs if pair[0].lower() != name] + merged


def _path_of(scope: Scope) -> str:
    path: str = scope["path"]
    root = scope.get("root_path", "")
    # Servers differ on whether the path holds the root path.
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


class ResourceServerWSGI:
    """The same layer around a WSGI application."""

    def __init__(
        self,
        app: WSGIApp,
        resource: ProtectedResource,
        *,
        host_serves: Callable[[], bool] = lambda: False,
    ) -> None:
        self.app = app
        self._resource = resource
        self._host_serves = host_serves

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer the document's path, pass everything else on."""
        path = environ.get("PATH_INFO", "").encode("latin-1").decode("utf-8", "replace")
        reply = self._resource.reply(environ.get("REQUEST_METHOD", "GET"), path)
        if reply is not None and not self._host_serves():
            start_response("200 OK", list(reply.headers))
            return [reply.body]
        if not self._resource.covers(path):
            return self.app(environ, start_response)

        def completing(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            completed = self._completed(headers) if status.startswith("401") else headers
            return start_response(status, completed, *exc_info)

        return self.app(environ, completing)

    def _completed(self, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        fields = [value for name, value in headers if name.lower() == _CHALLENGE]
        merged = [("WWW-Authenticate", value) for value in self._resource.challenge(fields)]
        return [pair for pair in headers if pair[0].lower() != _CHALLENGE] + merged
