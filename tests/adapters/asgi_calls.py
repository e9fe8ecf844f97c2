"""One request to an ASGI application, in process and without a client library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote


def call(
    app: Any,
    method: str,
    path: str,
    query: str = "",
    headers: Sequence[tuple[str, str]] = (),
    body: bytes = b"",
) -> tuple[int, bytes]:
    """Return status and body of the answer."""
    return asyncio.run(_call(app, method, path, query, headers, body))


async def _call(
    app: Any,
    method: str,
    path: str,
    query: str,
    headers: Sequence[tuple[str, str]],
    body: bytes,
) -> tuple[int, bytes]:
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (b"host", b"testserver"),
            *((name.lower().encode(), value.encode()) for name, value in headers),
        ],
        "client": ("testclient", 1),
        "server": ("testserver", 80),
    }
    sent: list[dict[str, Any]] = []
    waiting = asyncio.Event()
    incoming = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not incoming:
            await waiting.wait()
        return incoming.pop()

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    answer = b"".join(found.get("body", b"") for found in sent[1:])
    return sent[0]["status"], answer
