"""Compressed response bodies back to bytes, never more of them than a cap (spec: results 1)."""

from __future__ import annotations

import zlib
from typing import Final

_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW_DEFLATE = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
# More codings or members than any server writes; each costs a pass over what remains.
_MAX_CODINGS: Final = 4
_MAX_MEMBERS: Final = 64
_PEEKED: Final = 1_024


class UndecodableContent(ValueError):  # noqa: N818 - a property of the body, not a fault
    """The body is not what its `Content-Encoding` says, or is coded in another way."""


class OversizedContent(ValueError):  # noqa: N818 - a property of the body, not a fault
    """The body grew over the cap; `produced` bytes were made of it before that was noticed."""

    def __init__(self, produced: int) -> None:
        self.produced = produced
        super().__init__(f"more than {produced - 1} bytes")


def undo_content_coding(body: bytes, header: str, *, max_bytes: int) -> bytes:
    """Return `body` without the codings that `header`, a `Content-Encoding` value, lists.

    Raises:
        UndecodableContent: a coding is neither gzip nor deflate, or the body is damaged.
        OversizedContent: the result, or a step on the way, is longer than `max_bytes`.
    """
    codings = [name.strip().lower() for name in header.split(",", _MAX_CODINGS)]
    if len(codings) > _MAX_CODINGS:
        raise UndecodableContent("too many codings")
    for coding in reversed(codings):
        if coding in ("", "identity"):
            continue
        if coding in ("gzip", "x-gzip"):
            body = _gunzip(body, max_bytes)
        elif coding == "deflate":
            body = _undeflate(body, max_bytes)
        else:
            raise UndecodableContent(f"coding {coding!r}")
    return body


def beginning_of(body: bytes, header: str) -> bytes:
    """Return how the content of a body begins that was cut off; empty where it cannot be told."""
    body = body[:_PEEKED]
    for coding in reversed([name.strip().lower() for name in header.split(",", _MAX_CODINGS)]):
        if coding in ("gzip", "x-gzip", "deflate"):
            wbits = _ZLIB if coding == "deflate" else _GZIP
            try:
                body = zlib.decompressobj(wbits).decompress(body, _PEEKED)
            except zlib.error:
                return b""
        elif coding not in ("", "identity"):
            return b""
    return body


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    # A gzip body may be several members in a row; what follows the last one is padding.
    pieces: list[bytes] = []
    produced = 0
    for _ in range(_MAX_MEMBERS):
        piece, body = _inflate(body, _GZIP, max_bytes, produced)
        pieces.append(piece)
        produced += len(piece)
        if not body.startswith(_GZIP_MAGIC):
            return b"".join(pieces)
    raise UndecodableContent("too many gzip members")


def _undeflate(body: bytes, max_bytes: int) -> bytes:
    try:
        return _inflate(body, _ZLIB, max_bytes)[0]
    except UndecodableContent:
        # RFC 9110 8.4.1.2: some servers send the stream without its zlib wrapper.
        return _inflate(body, _RAW_DEFLATE, max_bytes)[0]


def _inflate(body: bytes, wbits: int, max_bytes: int, produced: int = 0) -> tuple[bytes, bytes]:
    room = max_bytes - produced
    inflater = zlib.decompressobj(wbits)
    try:
        piece = inflater.decompress(body, room + 1)
    except zlib.error as fault:
        raise UndecodableContent(str(fault)) from None
    if len(piece) > room:
        raise OversizedContent(produced + len(piece))
    if not inflater.eof:
        raise UndecodableContent("the body ends early")
    return piece, inflater.unused_data
