"""Asking a server from threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.exceptions import ResponseError

from sezzlee_py.background.workers import Workers
from sezzlee_redis.commands import UNTOLD, Command, checked, filled, run_of
from sezzlee_redis.server import Server

# Threads beyond it wait for a connection within their deadline.
_CONNECTIONS: Final = 32


class ThreadLink:
    """The connections that threads share.

    Args:
        server: where to.
        timeout_s: for everything that one `ask` takes.
        connected: is told the server's run over each new connection.
    """

    def __init__(self, server: Server, timeout_s: float, connected: Callable[[str], None]) -> None:
        self._timeout_s = timeout_s
        self._tell = connected
        self._client = server.client(
            connected=self._connected,
            max_connections=_CONNECTIONS,
            timeout=timeout_s,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
        )
        self._is_warm = False
        self._workers = Workers("sezzlee-redis")

    def ask(self, commands: Sequence[Command], *, atomic: bool) -> Sequence[Any]:
        """Return a reply per command.

        What may have to connect is done in another thread: looking up a name knows no timeout.
        """
        ask = self._execute if self._is_warm else self._execute_aside
        try:
            replies = ask(commands, atomic)
        except ResponseError:
            raise
        except BaseException:
            self._is_warm = False
            raise
        self._is_warm = True
        return checked(replies)

    def close(self) -> None:
        """Close the connections; they are made anew when something is asked."""
        self._client.connection_pool.disconnect()

    def _execute(self, commands: Sequence[Command], atomic: bool) -> Sequence[Any]:
        pipeline = filled(self._client.pipeline(transaction=atomic), commands)
        replies: list[Any] = pipeline.execute(raise_on_error=False)
        return replies

    def _execute_aside(self, commands: Sequence[Command], atomic: bool) -> Sequence[Any]:
        pending = self._workers.submit(lambda: self._execute(commands, atomic))
        if pending.wait(self._timeout_s):
            return pending.result()
        pending.give_up()
        raise TimeoutError("no answer in time")

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        try:
            self._tell(run_of(connection.read_response()))
        except ResponseError:
            self._tell(UNTOLD)
