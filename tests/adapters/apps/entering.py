"""The contract's middleware for ASGI applications."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sezzlee_py.testing import Journal


class Entering:
    """Keeps the caller in the context, and whom it found there in the request's state."""

    def __init__(self, app: ASGIApp, journal: Journal) -> None:
        self.app = app
        self._journal = journal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            user = Headers(scope=scope).get("authorization")
            scope.setdefault("state", {})["before"] = self._journal.enter(user)
        await self.app(scope, receive, send)
