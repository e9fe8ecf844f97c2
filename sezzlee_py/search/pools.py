"""Visible sets: which documents one caller sees, remembered with their statistics."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from itertools import compress
from threading import Lock
from typing import Final

from sezzlee_py.search.matching import View

_REMEMBERED: Final = 128


class Pool:
    """The documents that one caller sees."""

    def __init__(
        self,
        members: bytes | None,
        size: int,
        catalog_size: int,
        make_view: Callable[[bytes | None], View],
        tags: Mapping[str, frozenset[int]],
    ) -> None:
        self.members = members
        self.size = size
        self._catalog_size = catalog_size
        self._make_view = make_view
        self._tags = tags

    @cached_property
    def view(self) -> View:
        """The ranker's reading of these documents, made at the first ranked query."""
        return self._make_view(self.members)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The folded tags of these documents, in code-point order."""
        return tuple(
            sorted(tag for tag, documents in self._tags.items() if any(map(self.sees, documents)))
        )

    def sees(self, document: int) -> bool:
        """Whether `document` is among them."""
        return self.members is None or bool(self.members[document])

    def documents(self) -> Iterator[int]:
        """The documents in order of their names."""
        everything = range(self._catalog_size)
        return iter(everything) if self.members is None else compress(everything, self.members)


class Pools:
    """The pools of the latest visible sets; sets with the same tools share one."""

    def __init__(
        self,
        numbers: Mapping[str, int],
        make_view: Callable[[bytes | None], View],
        tags: Mapping[str, frozenset[int]],
    ) -> None:
        self._numbers = numbers
        self._make_view = make_view
        self._tags = tags
        self._everyone = self._make(None)
        # Read now, not in the first search.
        _ = self._everyone.view
        self._remembered: OrderedDict[frozenset[str], Pool] = OrderedDict()
        self._lock = Lock()

    def of(self, visible: Collection[str] | None) -> Pool:
        """Return the pool of the tools named in `visible`; `None` is every tool."""
        if visible is None:
            return self._everyone
        # A frozenset keeps its hash, so a caller that keeps the set finds its pool at once.
        key = visible if isinstance(visible, frozenset) else frozenset(visible)
        with self._lock:
            pool = self._remembered.get(key)
            if pool is not None:
                self._remembered.move_to_end(key)
                return pool
        pool = self._make(key)
        with self._lock:
            pool = self._remembered.setdefault(key, pool)
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        return pool

    def _make(self, names: frozenset[str] | None) -> Pool:
        total = len(self._numbers)
        if names is None:
            return Pool(None, total, total, self._make_view, self._tags)
        flags = bytearray(total)
        for name in names:
            number = self._numbers.get(name)
            if number is not None:
                flags[number] = 1
        size = sum(flags)
        members = None if size == total else bytes(flags)
        return Pool(members, size, total, self._make_view, self._tags)
