"""A composed body as exact bytes, its content type beside them (spec: bodies 1 and 5)."""

from __future__ import annotations

import base64
import re
import secrets
from typing import Final
from urllib.parse import quote

from sezzlee_py.model import FileContent, FileSource, Part, RequestContent
from sezzlee_py.model.text import normalized
from sezzlee_py.model.values import without_lone_surrogates

_BOUNDARY_BYTES: Final = 16
_UNSAFE_IN_FALLBACK: Final = re.compile(r'[^\x20-\x7e]|["/\\]')


def write_content(content: RequestContent, *, boundary: str | None = None) -> tuple[str, bytes]:
    """Return the `Content-Type` header and the exact bytes of a body.

    Args:
        content: a composed body whose refs are resolved.
        boundary: the multipart boundary; a random one when absent.

    Raises:
        ValueError: when `boundary` occurs in a part, or a ref was not resolved.
    """
    if content.parts is not None:
        return _write_parts(content.content_type, content.parts, boundary)
    if content.file is not None:
        return content.content_type, file_bytes(content.file)
    return content.content_type, content.data or b""


def file_bytes(file: FileContent) -> bytes:
    """Return the bytes of a file argument, whatever source it names."""
    if file.data is not None:
        return file.data
    if file.source is FileSource.REF:
        raise ValueError("a ref has no bytes before it is resolved")
    if file.source is FileSource.BASE64:
        return base64.b64decode(file.value)
    return _utf8(file.value)


def _write_parts(
    content_type: str, parts: tuple[Part, ...], boundary: str | None
) -> tuple[str, bytes]:
    written = [(_part_header(part), _part_bytes(part)) for part in parts]
    mark = (boundary or _unused_boundary(written)).encode("ascii")
    if _occurs(mark, written):
        raise ValueError("the boundary occurs in a part")
    pieces = [b"--%b\r\n%b\r\n\r\n%b\r\n" % (mark, head, data) for head, data in written]
    body = b"".join([*pieces, b"--%b--\r\n" % mark])
    return f"{content_type}; boundary={mark.decode('ascii')}", body


def _unused_boundary(written: list[tuple[bytes, bytes]]) -> str:
    while True:
        boundary = secrets.token_hex(_BOUNDARY_BYTES)
        if not _occurs(boundary.encode("ascii"), written):
            return boundary


def _occurs(mark: bytes, written: list[tuple[bytes, bytes]]) -> bool:
    return any(mark in head or mark in data for head, data in written)


def _part_bytes(part: Part) -> bytes:
    return _utf8(part.value or "") if part.file is None else file_bytes(part.file)


def _part_header(part: Part) -> bytes:
    disposition = f'Content-Disposition: form-data; name="{_quoted(part.name)}"'
    if part.file is None:
        return _utf8(f"{disposition}\r\nContent-Type: text/plain; charset=utf-8")
    filename = _filename_parameters(part.file.filename or part.name)
    return _utf8(f"{disposition}; {filename}\r\nContent-Type: {part.file.media_type}")


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _filename_parameters(name: str) -> str:
    """The name in ASCII, and in full where ASCII cannot say it."""
    decomposed = normalized("NFKD", name)
    # Decomposing can make the very signs that a name must not hold, such as a full-width slash,
    # or a directory of what is one sign (`‥`).
    fallback = _UNSAFE_IN_FALLBACK.sub("_", decomposed)
    if fallback in {".", ".."}:
        fallback = fallback.replace(".", "_")
    if fallback == name:
        return f'filename="{name}"'
    full = quote(without_lone_surrogates(name), safe="")
    return f"filename=\"{fallback}\"; filename*=UTF-8''{full}"


def _utf8(text: str) -> bytes:
    return without_lone_surrogates(text).encode()
