"""A ranker that FastAPI resolves: `Depends(get_ranker)`."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import AsyncExitStack
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.params import Depends as DependsParam
from fastapi.routing import APIRoute

from sezzlee_py.errors import OptionsError
from sezzlee_py.invoke.asgi import Message
from sezzlee_py.model import OuterRequest
from sezzlee_py.search.guard import Ask, Lend
from sezzlee_py.toolkit.ranker_sources import RankerSource

_ASKING = "sezzlee_py.ranker"
# Private. FastAPI's own middleware puts it there for each request, and newer versions refuse to
# solve dependencies without it; a search of the host's own code comes through no middleware.
_STACK = "fastapi_middleware_astack"


def resolved(app: FastAPI, ranker: Any) -> Any:
    """Return what lends the ranker that a `Depends` stands for; any other `ranker` as it is.

    Raises:
        OptionsError: the `Depends` names nothing to call.
    """
    return DependedRanker(app, ranker) if isinstance(ranker, DependsParam) else ranker


class DependedRanker(RankerSource):
    """Resolves a dependency for each search, as FastAPI does for each request of a route.

    It is the parameter of a route that no router has: FastAPI solves its dependencies with the
    overrides of the application, calls it, and closes what the dependencies have opened. The
    request is the one that came to the endpoint, its body read.
    """

    def __init__(self, app: FastAPI, depends: DependsParam) -> None:
        if depends.dependency is None:
            raise OptionsError("options.search.ranker: Depends() names no function to call")
        self._app = app

        async def search_tools(request: Request, ranker: Any = depends) -> Response:
            await request.scope[_ASKING].hand_over(ranker)
            return Response()

        self._route = APIRoute(
            *("/", search_tools), methods=["POST"], dependency_overrides_provider=app
        )

    def lend(self, outer: OuterRequest) -> Lend:
        """Return what resolves the ranker for the search of one request."""

        async def lend(ask: Ask) -> Any:
            asking = _Asking(ask)
            async with AsyncExitStack() as stack:
                scope = {_STACK: stack, **self._scope(outer), _ASKING: asking}
                await self._route.app(scope, _no_body, _nowhere)
            return asking.answer

        return lend

    def _scope(self, outer: OuterRequest) -> MutableMapping[str, Any]:
        scope = dict(outer.native) or self._made_up(outer)
        # Without the host's handlers a fault comes out here, where it is the ranker's.
        scope.pop("starlette.exception_handlers", None)
        scope["path_params"] = {}
        return scope

    def _made_up(self, outer: OuterRequest) -> dict[str, Any]:
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": outer.http_version,
            "method": outer.method,
            "scheme": outer.scheme,
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "root_path": outer.root_path,
            "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in outer.headers],
            "client": outer.client,
            "server": outer.server,
            "state": {},
            "app": self._app,
        }


class _Asking:
    """One search on its way through FastAPI, and the ranker's answer on the way back."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.answer: Any = None

    async def hand_over(self, ranker: Any) -> None:
        self.answer = await self._ask(ranker)


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(_: Message) -> None:
    return None
