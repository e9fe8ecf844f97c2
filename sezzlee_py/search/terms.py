"""A table of the documents that hold each token, with the tokens that begin one another."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

from sezzlee_py.search.inverted import SHORTEST_PREFIX


class TermTable:
    """Documents by token."""

    def __init__(self, documents: Iterable[Iterable[str]]) -> None:
        table: defaultdict[str, list[int]] = defaultdict(list)
        for number, tokens in enumerate(documents):
            for token in dict.fromkeys(tokens):
                table[token].append(number)
        self._documents = {token: tuple(numbers) for token, numbers in table.items()}
        self._sorted = sorted(self._documents)
        self._longest = max(map(len, self._sorted), default=0)

    def documents(self, token: str) -> tuple[int, ...]:
        """Return the documents that hold `token`."""
        return self._documents.get(token, ())

    def related(self, token: str) -> Iterator[str]:
        """Yield other tokens that `token` begins or that begin it, by at least three characters."""
        if len(token) < SHORTEST_PREFIX:
            return
        # No token is longer than the longest one: a huge query word is not sliced in full.
        for length in range(SHORTEST_PREFIX, min(len(token), self._longest + 1)):
            if token[:length] in self._documents:
                yield token[:length]
        for at in range(bisect_left(self._sorted, token), len(self._sorted)):
            if not self._sorted[at].startswith(token):
                return
            if self._sorted[at] != token:
                yield self._sorted[at]
