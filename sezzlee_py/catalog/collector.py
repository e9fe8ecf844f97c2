"""Garbage collection held back while a catalog is built."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_builds = 0
_was_enabled = False


@contextmanager
def collector_held() -> Iterator[None]:
    """Keep the garbage collector from running; it goes on when the last of several builds ends.

    Nearly everything a build makes stays, and the collector would go through all of it again and
    again, for a fifth of the build's time.
    """
    global _builds, _was_enabled
    with _lock:
        _builds += 1
        if _builds == 1:
            _was_enabled = gc.isenabled()
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _builds -= 1
            if _builds == 0 and _was_enabled:
                gc.enable()
