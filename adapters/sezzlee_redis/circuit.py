"""An outage: told once, and not paid for by every request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from sezzlee_py.invoke.dispatch import LOGGER

# A server that comes and goes is told about this often at most.
_TOLD_EVERY_S: Final = 30.0


class Circuit:
    """Leaves something alone for a while after it failed, and tells of both ends of an outage.

    Args:
        failing: what the log says when it begins to fail.
        recovered: what the log says when that is over.
        pause_s: how long nothing is tried after a failure; then one attempt shows.
        clock: seconds, never going back.
    """

    def __init__(
        self,
        failing: str,
        recovered: str,
        *,
        pause_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failing = failing
        self._recovered = recovered
        self._pause_s = pause_s
        self._clock = clock
        self._lock = threading.Lock()
        self._is_failing = False
        self._until = 0.0
        self._is_told = False
        self._told_at = -_TOLD_EVERY_S

    @property
    def is_failing(self) -> bool:
        """Whether the last attempt failed."""
        return self._is_failing

    def allows(self) -> bool:
        """Whether to try now; while it fails one attempt per pause is."""
        if not self._is_failing:
            return True
        with self._lock:
            now = self._clock()
            if now < self._until:
                return False
            self._until = now + self._pause_s
            return True

    def failed(self, told: str) -> None:
        """An attempt failed; `told` is the reason for the log."""
        with self._lock:
            now = self._clock()
            self._is_failing = True
            self._until = now + self._pause_s
            if self._is_told or now - self._told_at < _TOLD_EVERY_S:
                return
            self._is_told, self._told_at = True, now
        LOGGER.warning("%s (%s)", self._failing, told)

    def worked(self) -> None:
        """An attempt succeeded."""
        if not self._is_failing:
            return
        with self._lock:
            was_told, self._is_told, self._is_failing = self._is_told, False, False
        if was_told:
            LOGGER.info("%s", self._recovered)
