"""The connections of one process: of its threads, and of each of its event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from redis.exceptions import ReadOnlyError

from sezzlee_redis.commands import Command
from sezzlee_redis.loop_link import LoopLink
from sezzlee_redis.server import Server
from sezzlee_redis.thread_link import ThreadLink


class Link:
    """Sends commands within a deadline; connects when it is first asked.

    Attributes:
        run: tells one run of the server from the next, as of the newest connection.

    Args:
        server: where to.
        timeout_s: for everything that one `ask` takes.
    """

    def __init__(self, server: Server, timeout_s: float) -> None:
        self.run = ""
        self._server = server
        self._timeout_s = timeout_s
        self._threads = ThreadLink(server, timeout_s, self._connected)
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopLink] = WeakKeyDictionary()

    async def ask(self, commands: Sequence[Command], *, atomic: bool = False) -> Sequence[Any]:
        """Return a reply per command; in a thread without a loop it does not suspend.

        Raises:
            redis.RedisError: the server cannot be reached or refused a command.
            OSError: the same; `TimeoutError` after the deadline.
            StoreUnavailableError: the deadline passed while the event loop was busy elsewhere.
        """
        loop = running_loop()
        try:
            if loop is None:
                return self._threads.ask(commands, atomic=atomic)
            return await self._of(loop).ask(commands, atomic=atomic)
        except ReadOnlyError:
            # The name may lead to another server by now, which an open connection does not notice.
            self.close()
            if loop is not None:
                await self._of(loop).close()
            raise

    def close(self) -> None:
        """Close what threads have opened."""
        self._threads.close()

    async def aclose(self) -> None:
        """Close what threads and the running loop have opened."""
        self.close()
        link = self._loops.pop(asyncio.get_running_loop(), None)
        if link is not None:
            await link.close()

    def _of(self, loop: asyncio.AbstractEventLoop) -> LoopLink:
        link = self._loops.get(loop)
        if link is None:
            link = LoopLink(self._server, self._timeout_s, self._connected)
            self._loops[loop] = link
        return link

    def _connected(self, run: str) -> None:
        self.run = run


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that runs in this thread, if any."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
