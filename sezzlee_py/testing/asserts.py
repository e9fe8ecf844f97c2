"""Assertions for a host's own tests: what agents find, and what they are offered."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from sezzlee_py.testing.lock import (
    Change,
    HasTools,
    Lock,
    LockError,
    compare_locks,
    lock_of,
    read_lock,
    write_lock,
)

_LOOKED_AT: Final = 50
_LEFT_OUT: Final = "it is not among the results"
# The option of the pytest plugin, which is not imported for one word.
_UPDATE: Final = "run pytest with --sezzlee-update-lock, or pass update=True"


class Searching(Protocol):
    """Whatever searches as `AgentClient` does."""

    def search(
        self,
        query: str = "",
        *,
        limit: int = 20,
        tags: Iterable[str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return the answer of `search_tools`."""


def assert_found(
    agent: Searching,
    query: str,
    name: str,
    *,
    within: int = 3,
    tags: Iterable[str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Hold that `query` finds tool `name` among its first `within` results.

    Raises:
        AssertionError: it does not; the message tells where the tool stands and what came first.
    """
    answer = agent.search(query, limit=_LOOKED_AT, tags=tags, headers=headers)
    names = _names(answer)
    if name in names[:within]:
        return
    place = _place(agent, name, names, headers)
    raise AssertionError(
        f"{query!r} does not find {name!r} within the first {within}: "
        f"{place}; found {_listed(names[: max(within, 5)])}"
        f"{_unmatched(answer)}{_remedy(names) if place == _LEFT_OUT else ''}"
    )


def assert_not_found(
    agent: Searching,
    query: str,
    name: str | None = None,
    *,
    tags: Iterable[str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Hold that `query` does not find tool `name`; without a name, that it finds nothing.

    Raises:
        AssertionError: it does.
    """
    names = _names(agent.search(query, limit=_LOOKED_AT, tags=tags, headers=headers))
    if name is None and names:
        raise AssertionError(f"{query!r} should find nothing; found {_listed(names)}")
    if name in names:
        raise AssertionError(
            f"{query!r} should not find {name!r}; it is number {_rank(name, names)}"
        )


def assert_locked(tools: HasTools, path: str | Path, *, update: bool = False) -> Lock:
    """Hold that agents are offered what the lock file at `path` says, and return the lock.

    Args:
        tools: a catalog, or a `Sezzlee`.
        path: the lock file.
        update: whether to write the file instead.

    Raises:
        AssertionError: something differs; the message lists it.
        LockError: there is no lock file to compare with, or it is none.
    """
    lock = lock_of(tools)
    if update:
        write_lock(lock, path)
        return lock
    try:
        changes = compare_locks(read_lock(path), lock)
    except LockError as fault:
        raise LockError(f"{fault}: {_UPDATE}") from None
    if changes:
        lines = "\n".join(f"  {change_line(change)}" for change in changes)
        raise AssertionError(
            f"agents are offered something else than {path} says:\n{lines}\n"
            f"where this is meant: {_UPDATE}"
        )
    return lock


def change_line(change: Change) -> str:
    """Return one change of a lock as a line for people."""
    mark = " (breaking)" if change.breaking else ""
    return f"{change.tool}: {change.text}{mark}"


def _names(answer: Mapping[str, Any]) -> list[str]:
    if "results" not in answer:
        raise AssertionError(f"the search was refused: {answer.get('message', answer)}")
    return [found["name"] for found in answer["results"]]


def _place(agent: Searching, name: str, names: list[str], headers: Mapping[str, str] | None) -> str:
    if name in names:
        return f"it is number {_rank(name, names)}"
    # An exact name comes first, for a caller who sees the tool at all.
    known = _names(agent.search(name, limit=_LOOKED_AT, headers=headers))
    if name in known:
        return _LEFT_OUT
    near = difflib.get_close_matches(name, [*known, *names], n=1)
    hint = f", did you mean {near[0]!r}?" if near else ""
    return f"no tool of that name is visible{hint}"


def _rank(name: str | None, names: list[str]) -> int:
    return names.index(name or "") + 1


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "nothing"


def _remedy(names: list[str]) -> str:
    # Where others were found, the floor left none out.
    floor = "" if names else ", or lower options.search.floor"
    return f"; where agents ask so, declare their words as its search_terms{floor}"


def _unmatched(answer: Mapping[str, Any]) -> str:
    words = answer.get("unmatched")
    return f"; no tool knows {_listed(words)}" if words else ""
