"""A host ranker's answer made usable, or found unusable (spec: search 6)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any


class RankerFailure(Exception):  # noqa: N818 - an outcome that the guard handles, not a raised fault
    """The ranker gave no usable answer; the message says why, for the host's log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRanking:
    """The names a host ranker put in order, each known and each once."""

    names: tuple[str, ...]
    dropped_unknown: tuple[str, ...] = ()
    dropped_repeated: tuple[str, ...] = ()


def read_answer(answer: Any, known: Container[str]) -> HostRanking:
    """Return the usable part of `answer`.

    Raises:
        RankerFailure: the answer is not a sequence of names.
    """
    names: dict[str, None] = {}
    unknown: list[str] = []
    repeated: list[str] = []
    for name in _strings(answer):
        if name not in known:
            unknown.append(name)
        elif name in names:
            repeated.append(name)
        else:
            names[name] = None
    return HostRanking(
        names=tuple(names), dropped_unknown=tuple(unknown), dropped_repeated=tuple(repeated)
    )


def _strings(answer: Any) -> list[str]:
    if isinstance(answer, str) or not isinstance(answer, Sequence):
        raise RankerFailure(f"answered a {type(answer).__name__} instead of a list of names")
    try:
        # Copied once, and no longer than it says it is: the ranker still holds the original.
        items = list(islice(answer, len(answer)))
    except Exception as fault:
        raise RankerFailure(f"its answer cannot be read: {fault!r}") from fault
    for item in items:
        if not isinstance(item, str):
            raise RankerFailure(f"answered a {type(item).__name__} among the names")
    return [str.__str__(item) for item in items]
