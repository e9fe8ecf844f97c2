"""Where facts about callers are kept: what a host's store owes, and the one in memory."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from sezzlee_py.callers.scope import CallerScope


@runtime_checkable
class CallerStore(Protocol):
    """Keeps entries by scope; each method may be plain or `async def`.

    Whatever a method raises is logged and counts as a miss, so a store may simply fail; one that
    tells of its outages itself raises `StoreUnavailableError`, which is not logged again. A drop
    that failed is asked for again before anything else is read. A store never sees a credential:
    keys are digests, values a few letters.
    """

    def get(self, scope: CallerScope, name: str) -> Any:
        """Return the value of an entry, `None` without one."""

    def set(self, scope: CallerScope, name: str, value: str, lifetime_ms: int) -> Any:
        """Keep an entry for no longer than `lifetime_ms`, under the scope and its tags."""

    def drop_scope(self, key: str) -> Any:
        """Forget every entry of one scope."""

    def drop_tag(self, tag: str) -> Any:
        """Forget every entry of the scopes that carry a tag."""

    def clear(self) -> Any:
        """Forget everything."""


@dataclass(slots=True)
class _Kept:
    tags: tuple[str, ...]
    entries: dict[str, tuple[str, float]] = field(default_factory=dict)


class MemoryStore:
    """The store of one process; safe under threads and event loops.

    Args:
        max_scopes: when a new scope enters and there are more, the least recently used one leaves.
        clock: seconds, never going back.
    """

    def __init__(
        self, max_scopes: int = 1_000, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_scopes = max_scopes
        self._clock = clock
        self._lock = threading.Lock()
        self._scopes: OrderedDict[str, _Kept] = OrderedDict()
        self._tagged: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._scopes)

    def get(self, scope: CallerScope, name: str) -> str | None:
        """Return the value of an entry that has not expired."""
        with self._lock:
            kept = self._scopes.get(scope.key)
            if kept is None:
                return None
            self._scopes.move_to_end(scope.key)
            value, deadline = kept.entries.get(name, ("", 0.0))
            if not value:
                return None
            if self._clock() < deadline:
                return value
            del kept.entries[name]
            return None

    def set(self, scope: CallerScope, name: str, value: str, lifetime_ms: int) -> None:
        """Keep an entry; the least recently used scope may leave for it."""
        deadline = self._clock() + lifetime_ms / 1_000
        with self._lock:
            kept = self._scopes.get(scope.key)
            if kept is None or kept.tags != scope.tags:
                entries = {} if kept is None else kept.entries
                self._forget(scope.key)
                kept = self._scopes[scope.key] = _Kept(scope.tags, entries)
                for tag in scope.tags:
                    self._tagged.setdefault(tag, set()).add(scope.key)
                while len(self._scopes) > self._max_scopes:
                    self._forget(next(iter(self._scopes)))
            self._scopes.move_to_end(scope.key)
            kept.entries[name] = (value, deadline)

    def drop_scope(self, key: str) -> None:
        """Forget one scope."""
        with self._lock:
            self._forget(key)

    def drop_tag(self, tag: str) -> None:
        """Forget the scopes that carry a tag."""
        with self._lock:
            for key in tuple(self._tagged.get(tag, ())):
                self._forget(key)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._scopes.clear()
            self._tagged.clear()

    def _forget(self, key: str) -> None:
        kept = self._scopes.pop(key, None)
        for tag in kept.tags if kept is not None else ():
            carriers = self._tagged[tag]
            carriers.discard(key)
            if not carriers:
                del self._tagged[tag]
