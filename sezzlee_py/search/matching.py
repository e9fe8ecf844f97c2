"""What the terms of a query match among the tools one caller sees, and the best of it.

A value of a match is a complex number: its real part is what the term adds to the score of a
document, its imaginary part what it adds to the query mass the document covers. One addition
carries both through the only loop that grows with the number of matches.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappush, heapreplace
from itertools import count
from threading import Lock
from typing import Final, NamedTuple

from sezzlee_py.search.query import QueryWord

_view_numbers: Final = count()
_LONGEST_REMEMBERED = 64
NOTHING: Final[frozenset[str]] = frozenset()
TOLERANCE: Final = 1e-9


class Ranked(NamedTuple):
    """A document and its score."""

    document: int
    score: float


@dataclass(frozen=True, slots=True)
class TermMatch:
    """The documents a term matches in one view.

    `weight` is the term's mass in the query, `cover` the most of it that one document covers;
    `best` bounds the score of a document that matches no other term. `terms` are the index terms
    it was met by.
    """

    values: Mapping[int, complex]
    weight: float
    cover: float
    best: float
    terms: frozenset[str] = NOTHING


class MatchMemo:
    """Term matches of all views of an index, oldest out first, bounded by what they hold."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._held = 0
        self._matches: dict[tuple[int, str], TermMatch] = {}
        self._lock = Lock()

    def get(self, key: tuple[int, str]) -> TermMatch | None:
        """Return the match remembered under `key`."""
        return self._matches.get(key)

    def remember(self, key: tuple[int, str], match: TermMatch) -> None:
        """Keep `match`, at the price of the oldest ones."""
        cost = len(match.values) + 8
        if len(key[1]) > _LONGEST_REMEMBERED or cost > self._budget:
            return
        with self._lock:
            if key in self._matches:
                return
            self._matches[key] = match
            self._held += cost
            while self._held > self._budget:
                oldest = next(iter(self._matches))
                self._held -= len(self._matches.pop(oldest).values) + 8


class View(ABC):
    """A ranker's reading of the tools that one caller may see."""

    def __init__(self, memo: MatchMemo) -> None:
        self._number = next(_view_numbers)
        self._memo = memo

    def match(self, term: str) -> TermMatch:
        """Return what `term` matches here."""
        key = (self._number, term)
        found = self._memo.get(key)
        if found is None:
            found = self.find(term)
            self._memo.remember(key, found)
        return found

    @abstractmethod
    def find(self, term: str) -> TermMatch:
        """Work out what `term` matches here."""

    @abstractmethod
    def read(self, query: str) -> Reading:
        """Return the terms of `query` with what each matches here."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A distinct term of a query, the word it was first sent as, and what it matches."""

    term: str
    word: QueryWord
    match: TermMatch

    @property
    def known(self) -> bool:
        """Whether some tool of the view matches the term."""
        return bool(self.match.values)


@dataclass(frozen=True, slots=True)
class Reading:
    """A query as one view understands it, and how its documents are scored.

    `score` makes a score of a summed value. `refine` then settles it per document and multiplies
    it by at most `headroom`; 1 says that there is nothing to refine.
    """

    terms: tuple[QueryTerm, ...]
    mass: float
    score: Callable[[complex], float]
    refine: Callable[[int, float], float]
    headroom: float = 1.0

    def unmatched(self, limit: int) -> tuple[str, ...]:
        """Return the words that no tool of the view matches, as sent, the first `limit`."""
        return tuple(term.word.text for term in self.terms if not term.known)[:limit]

    def total(self) -> Totals:
        """Add up what the terms match."""
        return add_up([term.match for term in self.terms if term.known])


@dataclass(frozen=True, slots=True)
class Totals:
    """Summed values: of documents that several terms match, and each term's own documents."""

    several: Mapping[int, complex]
    single: tuple[TermMatch, ...]

    @property
    def cover(self) -> float:
        """The largest query mass that one document covers."""
        best = max((value.imag for value in self.several.values()), default=0.0)
        # A document of `several` covers at least what it covers by one term alone.
        return max([best, *(match.cover for match in self.single)])

    def items(self) -> Iterator[tuple[int, complex]]:
        """Every matching document with its value."""
        yield from self.several.items()
        for match in self.single:
            yield from self.alone(match)

    def alone(self, match: TermMatch) -> Iterator[tuple[int, complex]]:
        """The documents that `match` alone matches."""
        return ((d, value) for d, value in match.values.items() if d not in self.several)

    def restricted(self, keep: Callable[[int, complex], bool]) -> dict[int, complex]:
        """Return the values for which `keep` holds."""
        return {document: value for document, value in self.items() if keep(document, value)}


def add_up(matches: Iterable[TermMatch]) -> Totals:
    """Return the sums of `matches` per document, added in their order."""
    several: dict[int, complex] = {}
    single = tuple(matches)
    seen: dict[int, complex] = {}
    for match in single:
        values = match.values
        if not seen:
            seen = dict(values)
            continue
        shared = seen.keys() & values.keys()
        sums = {document: seen[document] + values[document] for document in shared}
        seen |= values
        seen |= sums
        several |= sums
    return Totals(several, single)


def best_of(
    reading: Reading,
    totals: Totals,
    *,
    limit: int | None,
    allowed: Collection[int] | None = None,
    least_cover: float = 0.0,
) -> list[Ranked]:
    """Return the best documents of `totals`, best first, ties by document.

    Documents that cannot reach the best `limit` even with all headroom are not refined, and terms
    whose own documents cannot are not walked.
    """
    best = _Best(reading, limit)
    floored = least_cover - TOLERANCE

    def fits(document: int, value: complex) -> bool:
        return value.imag >= floored and (allowed is None or document in allowed)

    score = reading.score
    several: Iterable[tuple[int, complex]] = totals.several.items()
    if allowed is not None or least_cover:
        several = [item for item in several if fits(*item)]
    best.offer([(score(value), document) for document, value in several])
    for match in sorted(totals.single, key=lambda m: -m.best):
        if best.is_out_of_reach(match.best):
            break
        alone: Iterable[tuple[int, complex]] = totals.alone(match)
        if allowed is not None or least_cover:
            alone = (item for item in alone if fits(*item))
        best.offer([(score(value), document) for document, value in alone])
    return best.ranked()


class _Best:
    """The best refined documents offered so far, as a heap of at most `limit`."""

    def __init__(self, reading: Reading, limit: int | None) -> None:
        self._refine = reading.refine
        self._headroom = reading.headroom
        self._limit = limit
        self._heap: list[tuple[float, int]] = []

    def is_out_of_reach(self, score: float) -> bool:
        if self._limit is None or len(self._heap) < self._limit:
            return False
        return not self._heap or score * self._headroom < self._heap[0][0]

    def offer(self, scored: list[tuple[float, int]]) -> None:
        if self._limit is not None:
            scored = self._within_reach(scored, self._limit)
        scored.sort(reverse=True)
        for score, document in scored:
            if self.is_out_of_reach(score):
                break
            # Names are in document order: the earlier document wins a tie.
            entry = (self._refine(document, score), -document)
            if self._limit is None or len(self._heap) < self._limit:
                heappush(self._heap, entry)
            elif self._heap and entry > self._heap[0]:
                heapreplace(self._heap, entry)

    def ranked(self) -> list[Ranked]:
        return [Ranked(-negated, score) for score, negated in sorted(self._heap, reverse=True)]

    def _within_reach(self, scored: list[tuple[float, int]], limit: int) -> list[tuple[float, int]]:
        """Drop without sorting what the heap already outranks."""
        if len(self._heap) < limit or not self._heap:
            return scored
        headroom, least = self._headroom, self._heap[0][0]
        return [entry for entry in scored if entry[0] * headroom >= least]


def idf(size: int, frequency: int) -> float:
    """Return the weight of a term that `frequency` of `size` documents hold."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
