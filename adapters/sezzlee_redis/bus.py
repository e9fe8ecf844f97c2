"""The bus that carries changes between the processes of an application."""

from __future__ import annotations

import atexit
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import redis

from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.toolkit.replicas import Change
from sezzlee_redis.circuit import Circuit
from sezzlee_redis.server import PerProcess, Server
from sezzlee_redis.store import checked_prefix
from sezzlee_redis.stream import Reader, append, gap, stream_key

Hear: TypeAlias = Callable[[Change], None]

# How long a silent server is waited for, in one command.
_WAIT_S: Final = 2.0
_TIMEOUT_S: Final = 1.0
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
# Changes that wait for the server; beyond it one stands for all.
_MAX_WAITING: Final = 1_000
# The host's own sequence of random numbers, which it may have seeded, is left alone.
_RANDOM: Final = random.Random()
# How long a process that ends waits for its last changes to be sent.
_FAREWELL_S: Final = 1.0


class RedisBus:
    """Tells every process of an application of each other's reloads and invalidations.

    Give it as `options.replicas.bus`. Changes go through a stream, so a process that was cut off
    reads on where it stood; where something may be missing (the server restarted, or was away while
    10,000 changes passed), the process forgets every caller and tells its clients that the tools
    have changed. A change that cannot be sent waits in its process, in order, until it can; it is
    lost only with the process.

    Two daemon threads per process, one that listens from the first request on and one from the
    first change on that sends; no request waits for either.

    Args:
        url: of the server, `redis://`, `rediss://` or `unix://`.
        prefix: of the stream's key; applications that share a server have one each.
        connection: what `redis.Connection` takes besides, such as `ssl_ca_certs`.

    Raises:
        OptionsError: the URL, the prefix or a keyword cannot be used.
    """

    def __init__(self, url: str, *, prefix: str, **connection: Any) -> None:
        self._server = Server(url, connection)
        self._key = stream_key(checked_prefix(prefix))
        self._prefix = prefix
        self._outbox = PerProcess(lambda: _Outbox(self._server, self._key))
        self._ear = PerProcess(lambda: _Ear(self._server, self._key))

    def __repr__(self) -> str:
        return f"RedisBus('{self._server}', prefix={self._prefix!r})"

    def publish(self, change: Change) -> None:
        """Send a change to the other processes as soon as the server takes it."""
        self._outbox().put(change)

    def listen(self, hear: Hear) -> Callable[[], None]:
        """Call `hear` from a thread for every change from now on; return what ends that."""
        return self._ear().listen(hear)


class _Outbox:
    """Sends one process's changes in their order, in a thread that begins with the first."""

    def __init__(self, server: Server, key: str) -> None:
        self._server = server
        self._key = key
        self._waiting: deque[Change] = deque()
        self._changed = threading.Condition()
        self._is_started = False
        self._outage = Circuit(
            f"{server} takes no changes; they wait here for the other processes",
            f"{server} takes changes again; those that waited are sent",
            pause_s=0.0,
        )

    def put(self, change: Change) -> None:
        with self._changed:
            if len(self._waiting) >= _MAX_WAITING:
                self._waiting.clear()
                change = Change(kind="reloaded", origin=change.origin)
            self._waiting.append(change)
            if not self._is_started:
                # It may not start; the next change then tries again.
                threading.Thread(target=self._send, name="sezzlee-bus-send", daemon=True).start()
                self._is_started = True
                atexit.register(self._say_farewell, os.getpid())
            self._changed.notify_all()

    def _send(self) -> None:
        client = self._server.client(max_connections=1, socket_timeout=_TIMEOUT_S)
        pauses = _Pauses()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                change = self._waiting[0]
            try:
                append(client, self._key, change)
            # An answer of another shape than it should have makes the client raise anything.
            except Exception as fault:
                self._outage.failed(self._server.told(fault))
                time.sleep(pauses.next())
                continue
            self._outage.worked()
            pauses.reset()
            with self._changed:
                # It may have been dropped for one that stands for all.
                if self._waiting and self._waiting[0] is change:
                    self._waiting.popleft()
                self._changed.notify_all()

    def _say_farewell(self, process: int) -> None:
        # A forked process inherits the registration and not the thread.
        if process == os.getpid():
            with self._changed:
                self._changed.wait_for(lambda: not self._waiting, _FAREWELL_S)


class _Ear:
    """Reads the stream for one process, in a thread that runs while somebody listens."""

    def __init__(self, server: Server, key: str) -> None:
        self._server = server
        self._key = key
        self._lock = threading.Lock()
        self._hearers: tuple[Hear, ...] = ()
        self._stop = threading.Event()
        self._outage = Circuit(
            f"{server} tells no changes; those of other processes are heard later",
            f"{server} tells changes again",
            pause_s=0.0,
        )

    def listen(self, hear: Hear) -> Callable[[], None]:
        with self._lock:
            if not self._hearers:
                self._start()
            self._hearers = (*self._hearers, hear)

        def end() -> None:
            with self._lock:
                self._hearers = tuple(known for known in self._hearers if known is not hear)
                if not self._hearers:
                    self._stop.set()

        return end

    def _start(self) -> None:
        self._stop = threading.Event()
        reader = Reader(self._key, since=time.monotonic())
        threading.Thread(
            target=self._run, args=(reader, self._stop), name="sezzlee-bus-listen", daemon=True
        ).start()

    def _run(self, reader: Reader, stop: threading.Event) -> None:
        pauses = _Pauses()
        while not stop.is_set():
            client: redis.Redis | None = None
            try:
                client = self._connected()
                if reader.resume(client):
                    self._deliver(gap())
                self._outage.worked()
                pauses.reset()
                while not stop.is_set():
                    for change in reader.next(client, wait_ms=int(_WAIT_S * 1_000)):
                        self._deliver(change)
            # The same here.
            except Exception as fault:
                self._outage.failed(self._server.told(fault))
                stop.wait(pauses.next())
            finally:
                if client is not None:
                    client.connection_pool.disconnect()

    def _connected(self) -> redis.Redis:
        # One that never connects again by itself: what passed meanwhile would go unnoticed.
        return self._server.connected(
            socket_timeout=_WAIT_S + _TIMEOUT_S,
            socket_connect_timeout=_TIMEOUT_S,
        )

    def _deliver(self, change: Change) -> None:
        for hear in self._hearers:
            # What a host's listeners raise must not end the hearing.
            try:
                hear(change)
            except Exception as fault:
                LOGGER.error("a change of another process was not carried out", exc_info=fault)


class _Pauses:
    """Pauses between attempts, longer each time, and not the same for every process."""

    def __init__(self) -> None:
        self._next_s = _FIRST_PAUSE_S

    def next(self) -> float:
        pause_s = self._next_s
        self._next_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return pause_s * _RANDOM.uniform(0.5, 1.0)

    def reset(self) -> None:
        self._next_s = _FIRST_PAUSE_S
