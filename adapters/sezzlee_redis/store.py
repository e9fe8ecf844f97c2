"""The store of callers' facts that many processes share."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from redis.exceptions import ResponseError

from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.errors import OptionsError, StoreUnavailableError
from sezzlee_py.invoke.settle import drive
from sezzlee_py.model.values import without_lone_surrogates
from sezzlee_py.option_checks import integer, milliseconds
from sezzlee_redis.circuit import Circuit
from sezzlee_redis.commands import Command
from sezzlee_redis.entries import (
    Look,
    Place,
    all_key,
    caller_key,
    complete,
    field_of,
    keep,
    look,
    looked,
    tag_key,
)
from sezzlee_redis.link import Link, running_loop
from sezzlee_redis.server import PerProcess, Server


@dataclass(frozen=True, slots=True)
class _Ticket:
    """What the marks were before a value was computed: the right to keep it, unless they change.

    Without a stamp there is no such right: the marks could not be read, or not be made.
    """

    place: Place
    stamp: str = ""
    server_ms: int = 0
    taken_at: float = 0.0

    def deadline_ms(self, lifetime_ms: int) -> int:
        """Return when the server's clock ends a lifetime that begins now."""
        return self.server_ms + int((time.monotonic() - self.taken_at) * 1_000) + lifetime_ms


# Of the last entry this task or thread has read in vain: a value that follows was computed after.
_TICKET: ContextVar[_Ticket | None] = ContextVar("sezzlee_redis_ticket", default=None)


class RedisStore:
    """Keeps callers' facts on a Redis server, for all processes of an application.

    Give it as `options.cache.store`. Under an event loop its methods are awaited, in a thread they
    block. It connects at first use, each process for itself.

    What is guaranteed:

    - Once an invalidation has reached the server, no process reads what was computed before it: a
      value that was being computed meanwhile, in whatever process, is written but never read. One
      command forgets a caller, a tag or everybody, however many entries there are; it needs no
      memory, so a full server carries it out.
    - An invalidation that could not reach the server is repeated before this process reads anything
      again. Other processes that can reach the server meanwhile may read what was written before,
      until its lifetime ends (`options.cache.lifetime_ms`); so they may if this process ends first.
    - What a restarted or promoted server brings back from an older state of itself is not read.
    - A server that evicts keys loses entries, never invalidations.
    - After a failure nothing is asked for `pause_ms`; then one request tries. Meanwhile searches
      go on, and ask the application instead.

    Args:
        url: of the server, `redis://`, `rediss://` or `unix://`.
        prefix: of every key; applications that share a server have one each.
        timeout_ms: what one round trip may take, connecting included; after one that took longer
            nothing more is asked.
        pause_ms: how long the server is left alone after a failure.
        connection: what `redis.Connection` takes besides, such as `ssl_ca_certs`.

    Raises:
        OptionsError: the URL, the prefix, a time or a keyword cannot be used.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str,
        timeout_ms: int = 50,
        pause_ms: int = 1_000,
        **connection: Any,
    ) -> None:
        self._server = Server(url, connection)
        self._prefix = checked_prefix(prefix)
        self._timeout_s = _seconds("timeout_ms", timeout_ms, least=1)
        self._pause_s = _seconds("pause_ms", pause_ms, least=0)
        self._process = PerProcess(self._start)

    def __repr__(self) -> str:
        return f"RedisStore('{self._server}', prefix={self._prefix!r})"

    # --- callers.CallerStore --------------------------------------------------------------------

    def get(self, scope: CallerScope, name: str) -> Any:
        """Return the value of an entry that holds, `None` without one."""
        return _settled(self._get(scope, name))

    def set(self, scope: CallerScope, name: str, value: str, lifetime_ms: int) -> Any:
        """Keep an entry, unless something it depends on was dropped since it was last read."""
        return _settled(self._set(scope, name, value, lifetime_ms))

    def drop_scope(self, key: str) -> Any:
        """Forget a caller, in one command."""
        return _settled(self._drop(caller_key(self._prefix, key)))

    def drop_tag(self, tag: str) -> Any:
        """Forget every caller with a tag, in one command."""
        return _settled(self._drop(tag_key(self._prefix, tag)))

    def clear(self) -> Any:
        """Forget everybody, in one command."""
        return _settled(self._drop(all_key(self._prefix)))

    # --- connections ----------------------------------------------------------------------------

    def close(self) -> None:
        """Close the connections that threads of this process have opened."""
        self._process().link.close()

    async def aclose(self) -> None:
        """Close the connections of this process's threads and of the running loop."""
        await self._process().link.aclose()

    # --- the operations -------------------------------------------------------------------------

    async def _get(self, scope: CallerScope, name: str) -> str | None:
        place, field = Place.of(self._prefix, scope), field_of(scope, name)
        _TICKET.set(_Ticket(place))
        seen = await self._looked(place, field)
        value = seen.value(self._process().link.run)
        if value is None:
            _TICKET.set(await self._ticket(place, field, seen))
        return value

    async def _set(self, scope: CallerScope, name: str, value: str, lifetime_ms: int) -> None:
        room = self._process().room
        place, field = Place.of(self._prefix, scope), field_of(scope, name)
        ticket = _TICKET.get()
        _TICKET.set(None)
        if ticket is None or ticket.place != place:
            ticket = await self._ticket(place, field, await self._looked(place, field))
        if not ticket.stamp or lifetime_ms <= 0 or not room.allows():
            return
        commands = keep(
            place,
            field,
            value,
            stamp=ticket.stamp,
            deadline_ms=ticket.deadline_ms(lifetime_ms),
            lifetime_ms=lifetime_ms,
        )
        await self._written(commands)
        room.worked()

    async def _drop(self, key: str) -> None:
        await self._written([("UNLINK", key)], atomic=False)

    async def _looked(self, place: Place, field: str) -> Look:
        return self._seen(place, await self._read(look(place, field)))

    async def _ticket(self, place: Place, field: str, seen: Look) -> _Ticket:
        """Return the right to keep what is computed from now on, making marks that are missing."""
        room = self._process().room
        if not seen.is_whole:
            if not room.allows():
                return _Ticket(place)
            seen = self._seen(place, await self._written(complete(place, seen, field)))
            room.worked()
        if not seen.is_whole:
            return _Ticket(place)
        stamp = seen.stamp(self._process().link.run)
        return _Ticket(place, stamp, seen.now_ms, time.monotonic())

    # --- the server -----------------------------------------------------------------------------

    async def _written(self, commands: Sequence[Command], *, atomic: bool = True) -> Sequence[Any]:
        """Ask for something to change; a refusal of that says nothing about reading."""
        try:
            return await self._asked(commands, atomic=atomic)
        except ResponseError as fault:
            self._process().reach.worked()
            self._process().room.failed(self._server.told(fault))
            raise StoreUnavailableError("Redis refuses to write") from None

    async def _read(self, commands: Sequence[Command]) -> Sequence[Any]:
        try:
            return await self._asked(commands)
        except ResponseError as fault:
            self._process().reach.failed(self._server.told(fault))
            raise StoreUnavailableError("Redis refuses to read") from None

    async def _asked(self, commands: Sequence[Command], *, atomic: bool = False) -> Sequence[Any]:
        process = self._process()
        if not process.reach.allows():
            raise StoreUnavailableError("Redis is left alone after a failure")
        try:
            replies = await process.link.ask(commands, atomic=atomic)
        except (ResponseError, StoreUnavailableError):
            raise
        # Garbage makes the client raise anything.
        except Exception as fault:
            process.reach.failed(self._server.told(fault))
            raise StoreUnavailableError("Redis does not answer") from None
        process.reach.worked()
        return replies

    def _seen(self, place: Place, replies: Sequence[Any]) -> Look:
        try:
            return looked(place, replies)
        except ValueError as fault:
            self._process().reach.failed(self._server.told(fault))
            raise StoreUnavailableError("Redis answers what was not asked") from None

    def _start(self) -> _Process:
        return _Process(
            link=Link(self._server, self._timeout_s),
            reach=Circuit(
                f"{self._server} does not answer; facts about callers are not kept meanwhile",
                f"{self._server} answers again; facts about callers are kept",
                pause_s=self._pause_s,
            ),
            room=Circuit(
                f"{self._server} takes nothing new; facts about callers are not kept meanwhile",
                f"{self._server} takes facts about callers again",
                pause_s=self._pause_s,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Process:
    """One process's connections, whether the server answers, and whether it takes anything new."""

    link: Link
    reach: Circuit
    room: Circuit


def checked_prefix(prefix: str) -> str:
    """Return a prefix that keeps an application's keys apart from all others.

    Raises:
        OptionsError: it is empty or no text that can be sent.
    """
    if (
        not isinstance(prefix, str)
        or not prefix.strip()
        or without_lone_surrogates(prefix) != prefix
    ):
        raise OptionsError(f"prefix: expected a name of this application's own, got {prefix!r}")
    return prefix


def _seconds(name: str, value: int, *, least: int) -> float:
    try:
        return milliseconds(integer(least)(value)) / 1_000
    except ValueError as fault:
        raise OptionsError(f"{name}: {fault}, got {value!r}") from None


def _settled(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the work where a loop can await it, its result in a thread without one."""
    return work if running_loop() is not None else drive(work)
