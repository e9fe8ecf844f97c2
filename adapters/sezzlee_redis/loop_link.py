"""Asking a server from an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from redis.exceptions import ResponseError

from sezzlee_py.errors import StoreUnavailableError
from sezzlee_redis.commands import UNTOLD, Command, checked, filled, run_of
from sezzlee_redis.server import Server

# What is asked beyond it waits for a connection within its deadline.
_CONNECTIONS: Final = 32
# A timer that rings later than this part of the deadline says that the loop was busy.
_LATE: Final = 0.2

_Question: TypeAlias = tuple[Sequence[Command], asyncio.Future[Sequence[Any]]]


class LoopLink:
    """The connections of one event loop.

    What is asked in one turn of the loop goes out together: a busy loop then pays for one round
    trip instead of one per request.

    Args:
        server: where to.
        timeout_s: for everything that one `ask` takes.
        connected: is told the server's run over each new connection.
    """

    def __init__(self, server: Server, timeout_s: float, connected: Callable[[str], None]) -> None:
        self._timeout_s = timeout_s
        self._tell = connected
        # Without timeouts of its own: there is one for everything.
        self._client = server.async_client(
            connected=self._connected,
            max_connections=_CONNECTIONS,
            timeout=None,
            socket_timeout=None,
            socket_connect_timeout=None,
        )
        self._waiting: list[_Question] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def ask(self, commands: Sequence[Command], *, atomic: bool) -> Sequence[Any]:
        """Return a reply per command."""
        if atomic:
            return checked(await self._execute(commands, atomic=True))
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        answer: asyncio.Future[Sequence[Any]] = loop.create_future()
        self._waiting.append((commands, answer))
        return checked(await answer)

    async def close(self) -> None:
        """Close the connections; they are made anew when something is asked."""
        await self._client.connection_pool.disconnect()

    def _send(self) -> None:
        questions, self._waiting = self._waiting, []
        task = asyncio.get_running_loop().create_task(self._answer(questions))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _answer(self, questions: Sequence[_Question]) -> None:
        # Whatever it is, whoever asked raises it.
        try:
            commands = [command for asked, _ in questions for command in asked]
            replies = await self._execute(commands, atomic=False)
        except BaseException as fault:
            for _, answer in questions:
                if not answer.done():
                    answer.set_exception(fault)
                    # Who asked may leave before that is raised; the loop need not tell of it.
                    answer.exception()
            if not isinstance(fault, Exception):
                raise
            return
        begin = 0
        for asked, answer in questions:
            end = begin + len(asked)
            if not answer.done():
                answer.set_result(replies[begin:end])
            begin = end

    async def _execute(self, commands: Sequence[Command], *, atomic: bool) -> Sequence[Any]:
        pipeline = filled(self._client.pipeline(transaction=atomic), commands)
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._timeout_s
        try:
            async with asyncio.timeout_at(deadline):
                replies: list[Any] = await pipeline.execute(raise_on_error=False)
        except TimeoutError:
            if clock() > deadline + _LATE * self._timeout_s:
                # The answer may have been there for long.
                raise StoreUnavailableError("the event loop was too busy to hear Redis") from None
            raise
        return replies

    async def _connected(self, connection: Any) -> None:
        await connection.on_connect()
        await connection.send_command("INFO", "server")
        try:
            self._tell(run_of(await connection.read_response()))
        except ResponseError:
            self._tell(UNTOLD)
