"""The explorer as an ASGI application."""

from __future__ import annotations

import logging
from typing import Final

from sezzlee_py.explorer.explorer import MAX_BODY_BYTES, Explorer
from sezzlee_py.invoke.dispatch import is_inside_dispatch, is_sezzlee_request
from sezzlee_py.mcp.asgi import (
    ClientGone,
    Receive,
    Scope,
    Send,
    outer_request,
    read_body,
    send_reply,
)
from sezzlee_py.mcp.head import HTTPReply, nested

LOGGER: Final = logging.getLogger("sezzlee_py")


class ExplorerASGIApp:
    """Serves the explorer below the path it is mounted at."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; other kinds of connection than HTTP are declined."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1000})
            return
        try:
            reply = await self._reply(scope, receive)
        except ClientGone:
            LOGGER.debug("the client left before it was answered")
            return
        await send_reply(send, without_body(reply) if scope["method"] == "HEAD" else reply)

    async def _reply(self, scope: Scope, receive: Receive) -> HTTPReply:
        if is_sezzlee_request(scope) or is_inside_dispatch():
            return nested()
        request = outer_request(scope)
        path, root = scope["path"], request.root_path
        # Which of the two a path is, with the prefix or without, depends on who mounted it.
        path = path.removeprefix(root) if root and path.startswith(f"{root}/") else path
        step = self._explorer.open(request, path.removeprefix(self._explorer.path))
        if isinstance(step, HTTPReply):
            return step
        return await self._explorer.reply(step, await read_body(receive, MAX_BODY_BYTES), request)


def without_body(reply: HTTPReply) -> HTTPReply:
    """Return what a HEAD request is answered with."""
    return HTTPReply(status=reply.status, headers=reply.headers)
