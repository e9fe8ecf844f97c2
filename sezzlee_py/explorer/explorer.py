"""The explorer without I/O of its own: a request in, a reply out, the same for every shell."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

from sezzlee_py.errors import OptionsError
from sezzlee_py.explorer.access import Access
from sezzlee_py.explorer.answers import answer
from sezzlee_py.explorer.asks import KINDS, BadAsk, read_ask
from sezzlee_py.explorer.page import INDEX, SECURITY_HEADERS, page_files
from sezzlee_py.explorer.writing import write_json
from sezzlee_py.mcp.head import HTTPReply
from sezzlee_py.mcp.service import NotReady
from sezzlee_py.model import OuterRequest
from sezzlee_py.toolkit import Engine

LOGGER: Final = logging.getLogger("sezzlee_py")
MAX_BODY_BYTES: Final = 4_194_304

_ASKS: Final = "/api/"
_STATIC: Final = "/static/"


class Explorer:
    """Answers the explorer's page for one application.

    Args:
        engine: of the application.
        path: where it is mounted; nothing where it is served by itself.
        allowed_hosts: the `Host` names under which everybody who reaches the application may use
            it; `None` for this machine alone.

    Raises:
        OptionsError: the path is malformed, or an entry is no host.
    """

    def __init__(
        self, engine: Engine, path: str = "", *, allowed_hosts: Iterable[str] | None = None
    ) -> None:
        if path and (not path.startswith("/") or path.endswith("/")):
            raise OptionsError(
                f"mount_explorer: path must start with '/' and not end in one: {path!r}"
            )
        self.path = path
        self._engine = engine
        self._folder = quote(path.rpartition("/")[2])
        self._access = Access(allowed_hosts)

    def open(self, request: OuterRequest, path: str) -> HTTPReply | str:
        """Return the reply, or what is asked where the body has to be read first.

        Args:
            request: its head.
            path: below the explorer's own path, without query.
        """
        refused = self._access.refuse(request)
        if refused is not None:
            return text_reply(403, refused)
        kind = path.removeprefix(_ASKS)
        if path.startswith(_ASKS) and kind in KINDS:
            return self._open_ask(request, kind)
        if request.method not in ("GET", "HEAD"):
            return text_reply(405, "This is a page.", allow="GET, HEAD")
        return self._file(path)

    async def reply(self, kind: str, body: bytes | None, request: OuterRequest) -> HTTPReply:
        """Return the reply to what `open` found to be asked; `None` is a body over the limit."""
        if body is None:
            return text_reply(413, f"The body is larger than {MAX_BODY_BYTES} bytes.")
        try:
            document = await answer(self._engine, read_ask(kind, body), request)
        except BadAsk as fault:
            return _json(400, {"error": "bad_request", "message": str(fault)})
        except NotReady as fault:
            return _json(503, {"error": "not_ready", "message": str(fault)})
        # A page has to say more than a closed connection; what failed is in the host's log.
        except Exception as fault:
            LOGGER.error("the explorer failed", exc_info=fault)
            return _json(500, {"error": "failed", "message": "It failed; the log tells why."})
        return _json(200, document)

    def _open_ask(self, request: OuterRequest, kind: str) -> HTTPReply | str:
        if request.method != "POST":
            return text_reply(405, "This takes POST only.", allow="POST")
        refused = self._access.refuse_call(request)
        if refused is not None:
            return text_reply(403, refused)
        content_type = (request.header("content-type") or "").partition(";")[0].strip().lower()
        if content_type != "application/json":
            return text_reply(415, "The content type must be application/json.")
        return kind

    def _file(self, path: str) -> HTTPReply:
        if path == "":
            # The page's links are relative to a folder.
            return text_reply(308, "The page is a folder.", location=f"./{self._folder}/")
        if path == "/":
            return page_files()[INDEX]
        found = page_files().get(path.removeprefix(_STATIC)) if path.startswith(_STATIC) else None
        return found or text_reply(404, "There is no such page.")


def text_reply(status: int, message: str, **headers: str) -> HTTPReply:
    """Return a reply that tells a person something."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    content_type = ("content-type", "text/plain; charset=utf-8")
    return HTTPReply(
        status=status,
        headers=(content_type, *named, *SECURITY_HEADERS),
        body=f"{message}\n".encode(),
    )


def _json(status: int, document: Mapping[str, Any]) -> HTTPReply:
    return HTTPReply(
        status=status,
        headers=(("content-type", "application/json"), *SECURITY_HEADERS),
        body=write_json(document),
    )
