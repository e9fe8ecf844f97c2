"""A Redis server: how it is reached, and what of that may stand in a log."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from sezzlee_py.errors import OptionsError

T = TypeVar("T")

_HIDDEN: Final = "***"
_MOST_TOLD: Final = 300
_UNPRINTED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

# Without types in the client.
_parse_url: Final[Callable[[str], dict[str, Any]]] = parse_url
_Pool: Final[Callable[..., redis.ConnectionPool]] = redis.BlockingConnectionPool


class Server:
    """One Redis server.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        connection: what `redis.Connection` takes besides, such as `ssl_ca_certs`.

    Raises:
        OptionsError: the URL cannot be read, or no connection takes such keywords; neither the URL
            nor a value is part of the message.
    """

    def __init__(self, url: str, connection: dict[str, Any]) -> None:
        try:
            self._settings: dict[str, Any] = {**connection, **_parse_url(url)}
        except (ValueError, TypeError, AttributeError):
            # What went wrong quotes the URL, and with it perhaps a password.
            raise OptionsError(
                "the URL of Redis is not of the form redis://[[user]:password@]host[:port][/db]"
            ) from None
        # Made and not connected: what is misspelt would else fail with the first request.
        try:
            pool = self._pool()
            pool.connection_class(**pool.connection_kwargs)
        except (TypeError, ValueError, RedisError) as fault:
            told = self.told(fault)
            raise OptionsError(f"no connection to Redis takes such keywords: {told}") from None

    def __str__(self) -> str:
        settings = self._settings
        if "path" in settings:
            return f"unix://{settings['path']}"
        host, port = settings.get("host", "localhost"), settings.get("port", 6379)
        return f"redis://{host}:{port}/{settings.get('db', 0)}"

    def told(self, fault: BaseException) -> str:
        """Return what a log may say about a fault."""
        text = str(fault)
        if isinstance(fault, ResponseError):
            # Of a pipeline's fault the client quotes the command, which holds keys and values.
            text = text.rpartition("of pipeline caused error: ")[2]
        for name in ("password", "username"):
            if secret := self._settings.get(name):
                text = text.replace(str(secret), _HIDDEN)
        # A server writes what it likes; a log has lines.
        text = _UNPRINTED.sub(" ", text[:_MOST_TOLD])
        return f"{type(fault).__name__}: {text}" if text else type(fault).__name__

    def client(self, *, connected: Callable[[Any], Any] | None = None, **more: Any) -> redis.Redis:
        """Return a client for threads, not connected yet."""
        return redis.Redis(connection_pool=self._pool(connected=connected, **more))

    def connected(self, **more: Any) -> redis.Redis:
        """Return a client that is its one connection, and fails when that does.

        Raises:
            redis.RedisError: it could not connect.
        """
        pool = self._pool(max_connections=1, **more)
        return redis.Redis(connection_pool=pool, single_connection_client=True)

    def async_client(
        self, *, connected: Callable[[Any], Any] | None = None, **more: Any
    ) -> redis.asyncio.Redis:
        """Return a client for the event loop that uses it first, not connected yet."""
        pool = redis.asyncio.BlockingConnectionPool(
            **self._common(more), retry=AsyncRetry(NoBackoff(), 0), redis_connect_func=connected
        )
        return redis.asyncio.Redis(connection_pool=pool)

    def _pool(
        self, *, connected: Callable[[Any], Any] | None = None, **more: Any
    ) -> redis.ConnectionPool:
        return _Pool(
            **self._common(more), retry=Retry(NoBackoff(), 0), redis_connect_func=connected
        )

    def _common(self, more: dict[str, Any]) -> dict[str, Any]:
        # What is read relies on these, whatever the URL says; what others wrote under these keys
        # may be any bytes, and must not end a thread.
        read = {"decode_responses": True, "encoding_errors": "replace", "protocol": 2}
        return {**more, **self._settings, **read}


class PerProcess(Generic[T]):
    """Something that each process has its own of, made at first use.

    What a forked process inherits stays as it is: its sockets are the parent's.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}

    def __call__(self) -> T:
        """Return this process's."""
        made = self._made.get(os.getpid())
        return made if made is not None else self._made.setdefault(os.getpid(), self._make())
