"""Loaders of documents that a reference names (spec: openapi 2, external references).

A reference lets the author of a document make this process read a file or send a request, so
nothing is loaded unless the host says from where.
"""

from __future__ import annotations

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, Protocol

from sezzlee_py.errors import SezzleeError

MAX_BYTES: Final = 64 * 1024 * 1024


class RefusedReferenceError(SezzleeError):
    """The loader does not admit a reference; the document gets `external_ref_blocked`."""


class DocumentLoader(Protocol):
    """Reads the document that a reference names."""

    def load(self, uri: str) -> str | bytes:
        """Return the document's text.

        Args:
            uri: resolved against the document that refers to it.

        Raises:
            RefusedReferenceError: when the reference is not admitted.
            OSError: when it cannot be read; passed on to whoever ingests.
        """


class FileLoader:
    """Reads files below one directory.

    Example:
        >>> loader = FileLoader("specs")  # admits specs/common/errors.yaml and the like
    """

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root).resolve()

    def load(self, uri: str) -> bytes:
        """Return the bytes of the file; see `DocumentLoader.load`."""
        parts = urllib.parse.urlsplit(uri)
        if parts.scheme or parts.netloc:
            raise RefusedReferenceError(f"{uri} is not a file below {self._root.name}")
        # Links are followed before the check, or one could lead out.
        path = (self._root / urllib.parse.unquote(parts.path)).resolve()
        if not path.is_relative_to(self._root):
            raise RefusedReferenceError(f"{uri} is outside of {self._root.name}")
        if path.stat().st_size > MAX_BYTES:
            raise RefusedReferenceError(f"{uri} is larger than {MAX_BYTES} bytes")
        return path.read_bytes()


class HttpLoader:
    """Reads http(s) documents of the hosts that are listed; redirects are not followed.

    Args:
        hosts: host names, with a port where it is not the scheme's own.
        timeout_s: deadline of a request.
    """

    def __init__(self, hosts: Collection[str], *, timeout_s: float = 10.0) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects)

    def load(self, uri: str) -> bytes:
        """Return the body of the answer; see `DocumentLoader.load`."""
        parts = urllib.parse.urlsplit(uri)
        if parts.scheme not in ("http", "https") or parts.netloc.lower() not in self._hosts:
            raise RefusedReferenceError(f"{parts.netloc or uri} is not an allowed host")
        with self._opener.open(uri, timeout=self._timeout_s) as answer:
            body: bytes = answer.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise RefusedReferenceError(f"{uri} is larger than {MAX_BYTES} bytes")
        return body


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Leave a redirect an error: its target is not what the host allowed."""
