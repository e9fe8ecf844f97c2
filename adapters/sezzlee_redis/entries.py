"""Which keys hold facts about callers, and how an entry is written.

Every caller has one hash, with a mark and an entry per kind; everybody and each tag have a mark of
their own. A mark is a random text. An entry tells which marks it was computed under, and holds only
while every one of them is still there: to drop is to delete a mark, whatever depends on it.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sezzlee_py.callers.scope import CallerScope, entry_name
from sezzlee_redis.commands import Command

# The field of a caller's mark; no kind of entry is named so.
MARK: Final = "~"

# A caller's mark outlives its entries a little, whatever is left of the lifetime of the newest.
_CALLER_MS: Final = 60_000
# Marks of tags and of everybody outlive the last entry; one that is gone too early costs a miss.
_MARK_MS: Final = 3_600_000
# Others may have written anything, and a number of many digits is none.
_DEADLINE: Final = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the facts about a caller are."""

    caller: str
    marks: tuple[str, ...]

    @classmethod
    def of(cls, prefix: str, scope: CallerScope) -> Place:
        """Return the keys of a scope, its tags in one order."""
        tags = (tag_key(prefix, tag) for tag in sorted(set(scope.tags)))
        return cls(caller=caller_key(prefix, scope.key), marks=(all_key(prefix), *tags))


def caller_key(prefix: str, key: str) -> str:
    """Return the key of a caller's hash."""
    return f"{prefix}:caller:{key}"


def tag_key(prefix: str, tag: str) -> str:
    """Return the key of a tag's mark; what the tag says is not part of it."""
    digest = hashlib.sha256(tag.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}:tag:{digest[:32]}"


def all_key(prefix: str) -> str:
    """Return the key of everybody's mark."""
    return f"{prefix}:all"


def field_of(scope: CallerScope, name: str) -> str:
    """Return an entry's name without what its hash is named by."""
    return name.removeprefix(entry_name(scope.key, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a scope's marks, and perhaps one of its entries, were at one moment of the server."""

    now_ms: int
    entry: str | None
    marks: tuple[str | None, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every mark is there, so that an entry could hold."""
        return None not in self.marks

    def stamp(self, run: str) -> str:
        """Return what tells these marks, in one run of the server, from any others."""
        text = "\n".join([run, *(mark or "" for mark in self.marks)])
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    def value(self, run: str) -> str | None:
        """Return the entry's value if it holds."""
        deadline, _, rest = (self.entry or "").partition(" ")
        stamp, _, value = rest.partition(" ")
        holds = (
            self.is_whole
            and _DEADLINE.fullmatch(deadline)
            and self.now_ms < int(deadline)
            and stamp == self.stamp(run)
        )
        return value if holds else None


def look(place: Place, field: str) -> tuple[Command, ...]:
    """Return the commands whose replies `looked` reads."""
    return (("TIME",), ("HMGET", place.caller, MARK, field), ("MGET", *place.marks))


def looked(place: Place, replies: Sequence[Any]) -> Look:
    """Return what the last three replies tell of a place.

    Raises:
        ValueError: they are no answers to what was asked.
    """
    try:
        (seconds, micros), (mark, entry), shared = replies[-3:]
        now_ms = int(seconds) * 1_000 + int(micros) // 1_000
        marks = (mark, *shared)
    except TypeError as fault:
        raise ValueError("no answers to TIME, HMGET and MGET") from fault
    are_texts = all(isinstance(text, str | None) for text in (entry, *marks))
    if not are_texts or len(shared) != len(place.marks):
        raise ValueError("no answers to HMGET and MGET")
    return Look(now_ms=now_ms, entry=entry, marks=marks)


def complete(place: Place, seen: Look, field: str) -> tuple[Command, ...]:
    """Return the commands that make the marks that are missing, and look again."""
    commands: list[Command] = []
    caller, *shared = seen.marks
    if caller is None:
        commands.append(("HSETNX", place.caller, MARK, _new_mark()))
        commands.append(("PEXPIRE", place.caller, _CALLER_MS))
    for key, mark in zip(place.marks, shared, strict=True):
        if mark is None:
            commands.append(("SET", key, _new_mark(), "NX", "PX", _MARK_MS))
    return (*commands, *look(place, field))


def keep(
    place: Place, field: str, value: str, *, stamp: str, deadline_ms: int, lifetime_ms: int
) -> tuple[Command, ...]:
    """Return the commands that write an entry and prolong what it depends on."""
    return (
        ("HSET", place.caller, field, f"{deadline_ms} {stamp} {value}"),
        ("PEXPIRE", place.caller, max(_CALLER_MS, lifetime_ms)),
        *_prolonged(place.marks, lifetime_ms),
    )


def _prolonged(keys: Iterable[str], lifetime_ms: int) -> Iterable[Command]:
    return (("PEXPIRE", key, max(_MARK_MS, lifetime_ms)) for key in keys)


def _new_mark() -> str:
    return secrets.token_hex(8)
