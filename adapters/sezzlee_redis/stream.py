"""The stream of changes on the server: how one is written and read, and where a reader stands."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

import redis
from redis.exceptions import ResponseError

from sezzlee_py.toolkit.replicas import Change, ChangeKind

# The stream is cut to about this many changes; a process that was away for longer forgets all.
LIMIT: Final = 10_000
# How long the stream of an application that says nothing any more is kept.
_KEPT_MS: Final = 7 * 86_400_000
_BATCH: Final = 500
# Ids are remembered for a while, and whoever may write to the stream chooses them.
_LONGEST_ID: Final = 64
# Two clocks do not run alike; to hear once more of what has just been is the lesser evil.
_SLACK_MS: Final = 10


def stream_key(prefix: str) -> str:
    """Return the key of an application's changes."""
    return f"{prefix}:changes"


def append(client: redis.Redis, key: str, change: Change) -> None:
    """Write a change to the end of the stream."""
    fields: dict[Any, Any] = fields_of(change)
    pipeline = client.pipeline(transaction=True)
    pipeline.xadd(key, fields, maxlen=LIMIT, approximate=True)
    pipeline.pexpire(key, _KEPT_MS)
    pipeline.execute()


def fields_of(change: Change) -> dict[str, str]:
    """Return the entry that spells a change; a tag that no text can carry forgets everybody."""
    fields = {
        "kind": change.kind,
        "argument": change.argument,
        "id": change.id,
        "origin": change.origin,
    }
    try:
        change.argument.encode()
    except UnicodeEncodeError:
        return {**fields, "kind": "clear", "argument": ""}
    return fields


def change_of(fields: Mapping[str, str]) -> Change:
    """Return the change that an entry spells; what cannot be read forgets everybody, to be safe."""
    kind: Any = fields.get("kind", "")
    change_id = fields.get("id", "")
    if kind not in get_args(ChangeKind) or not 0 < len(change_id) <= _LONGEST_ID:
        return Change(kind="clear")
    return Change(
        kind=kind,
        argument=fields.get("argument", ""),
        id=change_id,
        origin=fields.get("origin", ""),
    )


class Reader:
    """Where one process stands in the stream, across connections.

    Args:
        key: of the stream.
        since: `time.monotonic()` of when hearing began; what was written since then is read.
    """

    def __init__(self, key: str, since: float) -> None:
        self._key = key
        self._since = since
        self._run = ""
        self._position = ""
        self._has_read = False

    def resume(self, client: redis.Redis) -> bool:
        """Find the place again over a new connection; whether something may have been missed."""
        run = _run_of(client)
        is_first, is_same, self._run = not self._position, run == self._run, run
        if is_first:
            self._position = self._beginning(client)
            return False
        return not (is_same and self._still_stands(client)) and self._skip(client)

    def next(self, client: redis.Redis, *, wait_ms: int) -> Iterable[Change]:
        """Yield what was written since, waiting for it; a gap is a reload of nobody's."""
        answer: Any = client.xread({self._key: self._position}, count=_BATCH, block=wait_ms)
        entries = answer[0][1] if answer else ()
        for position, fields in entries:
            yield change_of(fields or {})
            self._position, self._has_read = position, True
        if len(entries) == _BATCH and not self._still_stands(client):
            self._skip(client)
            yield gap()

    def _beginning(self, client: redis.Redis) -> str:
        """Return the place at which hearing began, by the server's clock."""
        seconds, micros = client.time()
        now_ms = seconds * 1_000 + micros // 1_000
        elapsed_ms = math.ceil((time.monotonic() - self._since) * 1_000)
        return f"{max(0, now_ms - elapsed_ms - _SLACK_MS)}-0"

    def _still_stands(self, client: redis.Redis) -> bool:
        """Whether nothing behind the place was cut off."""
        if self._has_read:
            return bool(client.xrange(self._key, self._position, self._position))
        oldest: Any = client.xrange(self._key, count=1)
        return client.xlen(self._key) < LIMIT or _order(oldest[0][0]) <= _order(self._position)

    def _skip(self, client: redis.Redis) -> bool:
        newest: Any = client.xrevrange(self._key, count=1)
        self._has_read = bool(newest)
        self._position = newest[0][0] if newest else "0-0"
        return True


def gap() -> Change:
    """Return what stands for changes that may have been missed."""
    return Change(kind="reloaded")


def _order(position: str) -> tuple[int, int]:
    at_ms, _, number = position.partition("-")
    return int(at_ms), int(number)


def _run_of(client: redis.Redis) -> str:
    try:
        return str(client.info("server").get("run_id", ""))
    except ResponseError:
        # A user who may not ask still reads the stream.
        return ""
