"""The connections of one process: from threads, and from each of its event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

import redis.asyncio
from redis.exceptions import ReadOnlyError, ResponseError

from sezzlee_py.background.workers import Workers
from sezzlee_py.errors import StoreUnavailableError
from sezzlee_redis.server import Server

Command: TypeAlias = tuple[str | int, ...]

# Requests beyond it wait for a connection within their deadline.
_CONNECTIONS: Final = 32

# A timer that rings later than this part of the deadline says that the loop was busy.
_LATE: Final = 0.2

_UNTOLD: Final = "untold"


class Link:
    """Sends commands within a deadline; connects when it is first asked.

    Attributes:
        run: tells one run of the server from the next, as of the newest connection. A server that
            does not tell has one for ever.

    Args:
        server: where to.
        timeout_s: for everything that one `ask` takes.
    """

    def __init__(self, server: Server, timeout_s: float) -> None:
        self.run = ""
        self._timeout_s = timeout_s
        self._server = server
        self._client = server.client(
            connected=self._connected,
            max_connections=_CONNECTIONS,
            timeout=timeout_s,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
        )
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, redis.asyncio.Redis] = (
            WeakKeyDictionary()
        )
        self._is_warm = False
        self._workers = Workers("sezzlee-redis")

    async def ask(self, commands: Sequence[Command], *, atomic: bool = False) -> list[Any]:
        """Return a reply per command; in a thread without a loop it does not suspend.

        Raises:
            redis.RedisError: the server cannot be reached or refused a command.
            OSError: the same; `TimeoutError` after the deadline.
            StoreUnavailableError: the deadline passed while the event loop was busy elsewhere.
        """
        loop = running_loop()
        try:
            if loop is None:
                return _checked(self._ask_blocking(commands, atomic))
            return _checked(await self._ask_on(loop, commands, atomic))
        except ReadOnlyError:
            # The name may lead to another server by now, which an open connection does not notice.
            self.close()
            if loop is not None:
                await self._of(loop).connection_pool.disconnect()
            raise

    def close(self) -> None:
        """Close what threads have opened."""
        self._client.connection_pool.disconnect()

    async def aclose(self) -> None:
        """Close what threads and the running loop have opened."""
        self.close()
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.connection_pool.disconnect()

    # --- threads --------------------------------------------------------------------------------

    def _ask_blocking(self, commands: Sequence[Command], atomic: bool) -> list[Any]:
        """Ask in this thread, but connect in another: looking up a name knows no timeout."""
        try:
            replies = (
                self._execute(commands, atomic)
                if self._is_warm
                else self._execute_aside(commands, atomic)
            )
        except ResponseError:
            raise
        except BaseException:
            self._is_warm = False
            raise
        self._is_warm = True
        return replies

    def _execute(self, commands: Sequence[Command], atomic: bool) -> list[Any]:
        pipeline: Any = self._client.pipeline(transaction=atomic)
        for command in commands:
            pipeline.execute_command(*command)
        replies: list[Any] = pipeline.execute(raise_on_error=False)
        return replies

    def _execute_aside(self, commands: Sequence[Command], atomic: bool) -> list[Any]:
        pending = self._workers.submit(lambda: self._execute(commands, atomic))
        if pending.wait(self._timeout_s):
            return pending.result()
        pending.give_up()
        raise TimeoutError("no answer in time")

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        try:
            self.run = run_of(connection.read_response())
        except ResponseError:
            self.run = _UNTOLD

    # --- event loops ----------------------------------------------------------------------------

    async def _ask_on(
        self, loop: asyncio.AbstractEventLoop, commands: Sequence[Command], atomic: bool
    ) -> list[Any]:
        pipeline: Any = self._of(loop).pipeline(transaction=atomic)
        for command in commands:
            pipeline.execute_command(*command)
        deadline = loop.time() + self._timeout_s
        try:
            async with asyncio.timeout_at(deadline):
                replies: list[Any] = await pipeline.execute(raise_on_error=False)
        except TimeoutError:
            if loop.time() > deadline + _LATE * self._timeout_s:
                # The answer may have been there for long.
                raise StoreUnavailableError("the event loop was too busy to hear Redis") from None
            raise
        return replies

    def _of(self, loop: asyncio.AbstractEventLoop) -> redis.asyncio.Redis:
        client = self._clients.get(loop)
        if client is None:
            # Without timeouts of its own: there is one for everything.
            client = self._clients[loop] = self._server.async_client(
                connected=self._aconnected,
                max_connections=_CONNECTIONS,
                timeout=None,
                socket_timeout=None,
                socket_connect_timeout=None,
            )
        return client

    async def _aconnected(self, connection: Any) -> None:
        await connection.on_connect()
        await connection.send_command("INFO", "server")
        try:
            self.run = run_of(await connection.read_response())
        except ResponseError:
            self.run = _UNTOLD


def _checked(replies: list[Any]) -> list[Any]:
    """Return the replies, none of which is a refusal."""
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    return replies


def run_of(reply: Any) -> str:
    """Return the id of the server's run that `INFO server` tells."""
    text = reply.decode() if isinstance(reply, bytes) else str(reply)
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "run_id":
            return value
    return _UNTOLD


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that runs in this thread, if any."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
