"""What the processes of one application tell each other: reloads, and what is to be forgotten."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias, runtime_checkable
from uuid import uuid4

from sezzlee_py.callers.cache import CLEAR, Drop
from sezzlee_py.errors import CatalogError
from sezzlee_py.invoke.dispatch import LOGGER
from sezzlee_py.options import ReplicaOptions

ChangeKind: TypeAlias = Literal["reloaded", "drop_scope", "drop_tag", "clear"]

# A bus delivers twice soon after the first time or never.
_REMEMBERED_IDS: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that happened in one process and concerns the others.

    Args:
        kind: a committed reload, or what callers' facts are to be forgotten.
        argument: the scope's key or the tag, of a drop.
        id: tells a second delivery from a second change.
        origin: the process and application that made it.
    """

    kind: ChangeKind
    argument: str = ""
    id: str = field(default_factory=lambda: uuid4().hex)
    origin: str = ""


@runtime_checkable
class ChangeBus(Protocol):
    """Carries changes between the processes of one application.

    It may deliver a change twice, and to the process that made it. One that may have lost some
    delivers a `Change(kind="reloaded")` of its own making, which also forgets every caller.
    """

    def publish(self, change: Change) -> None:
        """Send a change to the other processes, later if need be; neither wait nor raise."""

    def listen(self, hear: Callable[[Change], None]) -> Callable[[], None]:
        """Call `hear` from a thread for every change from now on; return what ends that.

        Where it raises, it is asked again with the next request.
        """


class Replicas:
    """One application's part in the talk of its processes.

    Hearing begins in each process with the first thing it is asked, so that nothing runs in a
    process that only forks.

    Args:
        options: the host's.
        forget: forgets facts about callers in this process.
        notify: tells this process's listening clients that the tools have changed.
        reload: rebuilds this process's catalog, and then does both.
    """

    def __init__(
        self,
        options: ReplicaOptions,
        *,
        forget: Callable[[Drop], None],
        notify: Callable[[], None],
        reload: Callable[[], Any],
    ) -> None:
        self._options = options
        self._forget = forget
        self._notify = notify
        self._reload = reload
        self._lock = threading.Lock()
        # Held while a host's bus is asked to listen; it may call back before it has returned.
        self._attending = threading.Lock()
        self._is_deaf = False
        self._process = 0
        self._origin = ""
        self._end: Callable[[], None] | None = None
        self._known: OrderedDict[str, None] = OrderedDict()
        self._reloading = threading.Lock()
        self._is_reload_due = False

    def attend(self) -> None:
        """Hear what other processes say from now on, if the host has a bus."""
        bus = self._options.bus
        if bus is None or (self._end is not None and self._process == os.getpid()):
            return
        with self._attending:
            with self._lock:
                self._settle_in()
            if self._end is None:
                self._end = self._listen(bus)

    def leave(self) -> None:
        """Hear nothing any more, until something is asked again."""
        with self._attending:
            end, self._end = self._end, None
            is_ours = self._process == os.getpid()
        if end is not None and is_ours:
            end()

    def tell(self, kind: ChangeKind, argument: str = "") -> None:
        """Send a change of this process to the others; what was heard is not passed on."""
        bus = self._options.bus
        if bus is None or _HEARING.get():
            return
        with self._lock:
            self._settle_in()
            change = Change(kind=kind, argument=argument, origin=self._origin)
        bus.publish(change)

    def _listen(self, bus: ChangeBus) -> Callable[[], None] | None:
        # Whatever a host's bus raises, what was asked is answered without it; the next one tries
        # again, and the log has the first failure.
        try:
            end = bus.listen(self._hear)
        except Exception as fault:
            if not self._is_deaf:
                LOGGER.error("options.replicas.bus cannot be listened to now", exc_info=fault)
            self._is_deaf = True
            return None
        self._is_deaf = False
        return end

    def _settle_in(self) -> None:
        """Be somebody in this process; a forked one inherits neither threads nor the name."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._origin = uuid4().hex
            self._end = None

    # --- what others say ------------------------------------------------------------------------

    def _hear(self, change: Change) -> None:
        if change.origin == self._origin or not self._is_new(change.id):
            return
        with _hearing():
            match change.kind:
                case "drop_scope" | "drop_tag":
                    self._forget(Drop(change.kind, (change.argument,)))
                case "clear":
                    self._forget(CLEAR)
                case "reloaded":
                    self._forget(CLEAR)
                    if self._options.reload:
                        self._reload_soon()
                    else:
                        self._notify()

    def _is_new(self, change_id: str) -> bool:
        with self._lock:
            if change_id in self._known:
                return False
            self._known[change_id] = None
            if len(self._known) > _REMEMBERED_IDS:
                self._known.popitem(last=False)
            return True

    def _reload_soon(self) -> None:
        """Reload in a thread of its own; what is heard before that has begun is part of it."""
        with self._lock:
            if self._is_reload_due:
                return
            # It may not start, and waits for the lock until it is due.
            threading.Thread(target=self._reload_now, name="sezzlee-reload", daemon=True).start()
            self._is_reload_due = True

    def _reload_now(self) -> None:
        with self._reloading, _hearing():
            with self._lock:
                self._is_reload_due = False
            try:
                self._reload()
            except CatalogError as fault:
                LOGGER.error("the catalog stays as it was before another process's: %s", fault)
            except Exception as fault:
                LOGGER.error("a reload that another process asked for failed", exc_info=fault)


# Set while something that was heard is carried out, in whatever task or thread that is.
_HEARING: ContextVar[bool] = ContextVar("sezzlee_hearing", default=False)


@contextmanager
def _hearing() -> Iterator[None]:
    token = _HEARING.set(True)
    try:
        yield
    finally:
        _HEARING.reset(token)
