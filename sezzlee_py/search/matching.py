"""What the terms of a query match among the tools one caller sees, and the best of it.

A value of a match is a complex number: its real part is what the term adds to the score of a
document, its imaginary part what it adds to the query mass the document covers. One addition
carries both through the only loop that grows with the number of matches.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import count
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from sezzlee_py.search.query import QueryWord

_view_numbers: Final = count()
_LONGEST_REMEMBERED = 64
TOLERANCE: Final = 1e-9
_SORTED_AT_ONCE: Final = 256


# A score and a negated document: sorted downwards, ties go by name.
Entry: TypeAlias = tuple[float, int]


@dataclass(frozen=True, slots=True)
class TermMatch:
    """The documents a term matches in one view.

    `weight` is the term's mass in the query, `cover` the most of it that one document covers;
    `peak` bounds what a document scores by this match alone, before the reading's scale. `terms`
    are the index terms it was met by, `emphasis` what they are of whole names (real) and of
    opening sentences (imaginary).
    """

    values: Mapping[int, complex]
    weight: float
    cover: float
    peak: float
    terms: frozenset[str] = frozenset()
    emphasis: Mapping[int, complex] = field(default_factory=dict)
    _ordered: list[Entry] = field(default_factory=list, compare=False, repr=False)

    def in_order(self, own: Callable[[TermMatch], list[Entry]]) -> Sequence[Entry]:
        """Return the documents by what they score alone, best first; sorted at first need."""
        if len(self._ordered) < len(self.values):
            # One assignment: another thread finds the list empty or whole.
            self._ordered[:] = sorted(own(self), reverse=True)
        return self._ordered


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
        cost = _cost(match)
        # Words that match nothing are without end and quickly read again: kept, they would fill
        # the memory and drive out the words of the catalog.
        if not match.values or len(key[1]) > _LONGEST_REMEMBERED or cost > self._budget:
            return
        with self._lock:
            if key in self._matches:
                return
            self._matches[key] = match
            self._held += cost
            while self._held > self._budget:
                oldest = next(iter(self._matches))
                self._held -= _cost(self._matches.pop(oldest))


def _cost(match: TermMatch) -> int:
    return len(match.values) + len(match.emphasis) + 8


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
    def read(self, words: Sequence[QueryWord]) -> Reading:
        """Return the terms of a query with what each matches here."""


class QueryTerm(NamedTuple):
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

    `score` makes entries of summed values. `refine` then settles the scores of documents of
    several terms and multiplies each by at most `headroom`; 1 says that there is nothing to refine.
    `own` makes entries of the documents of one match alone, whatever the query; times `scale` that
    is their score.
    """

    terms: tuple[QueryTerm, ...]
    mass: float
    score: Callable[[Iterable[tuple[int, complex]]], list[Entry]]
    refine: Callable[[Iterable[Entry]], list[Entry]]
    own: Callable[[TermMatch], list[Entry]]
    headroom: float = 1.0
    scale: float = 1.0

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


def add_up(matches: Iterable[TermMatch]) -> Totals:
    """Return the sums of `matches` per document."""
    single = tuple(matches)
    if not single:
        return Totals({}, ())
    # The widest match is copied, not walked.
    widest, *others = sorted(single, key=_width, reverse=True)
    sums = dict(widest.values)
    several: dict[int, complex] = {}
    sum_of = sums.get
    for match in others:
        for document, value in match.values.items():
            known = sum_of(document)
            if known is None:
                sums[document] = value
            else:
                several[document] = sums[document] = known + value
    return Totals(several, single)


def _width(match: TermMatch) -> int:
    return len(match.values)


def best_of(
    reading: Reading,
    totals: Totals,
    *,
    limit: int | None,
    allowed: Collection[int] | None = None,
    least_cover: float = 0.0,
) -> list[Entry]:
    """Return the best documents of `totals`, best first, ties by document.

    Documents that cannot be among the first `limit` even with all headroom are not refined, and
    terms whose own documents cannot are not walked.
    """
    best = _Best(limit)
    floored = least_cover - TOLERANCE

    def fits(document: int, value: complex) -> bool:
        return value.imag >= floored and (allowed is None or document in allowed)

    def scored(items: Iterable[tuple[int, complex]]) -> list[Entry]:
        if allowed is not None or least_cover > 0:
            items = [item for item in items if fits(*item)]
        return reading.score(items)

    best.refine(scored(totals.several.items()), reading)
    for match in totals.single:
        best.offer(_first_alone(match, reading, totals, fits, best.least, limit))
    return best.ranked()


def _first_alone(
    match: TermMatch,
    reading: Reading,
    totals: Totals,
    fits: Callable[[int, complex], bool],
    least: float,
    limit: int | None,
) -> list[Entry]:
    """Return the first documents that `match` alone matches, down to the score `least`."""
    found: list[Entry] = []
    scale, several, values = reading.scale, totals.several, match.values
    if match.peak * scale < least:
        return found
    for own, negated in match.in_order(reading.own):
        if own * scale < least or (limit is not None and len(found) >= limit):
            break
        if -negated not in several and fits(-negated, values[-negated]):
            found.append((own * scale, negated))
    return found


class _Best:
    """The best entries offered so far, at most `limit` of them."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._entries: list[Entry] = []
        self._full = limit == 0
        self.least = math.inf if self._full else -math.inf

    def offer(self, entries: list[Entry]) -> None:
        """Take in the best of `entries`."""
        if not entries:
            return
        if self._full:
            least = self.least
            entries = [entry for entry in entries if entry[0] >= least]
        self._entries = self._first([*self._entries, *entries])
        if self._limit is not None and 0 < self._limit <= len(self._entries):
            self._full = True
            self.least = self._entries[-1][0]

    def refine(self, entries: list[Entry], reading: Reading) -> None:
        """Take in the best of `entries` as they are once refined."""
        if reading.headroom == 1.0:
            self.offer(entries)
            return
        # Refined, the first ones can only rise: their least score is one to measure others by.
        least = self._least_of_first([score for score, _ in entries])
        headroom = reading.headroom
        self.offer(reading.refine([entry for entry in entries if entry[0] * headroom >= least]))

    def ranked(self) -> list[Entry]:
        """Return the entries, best first."""
        return self._entries

    def _least_of_first(self, scores: list[float]) -> float:
        if not self._limit or len(scores) < self._limit:
            return -math.inf
        if len(scores) <= _SORTED_AT_ONCE:
            return sorted(scores)[-self._limit]
        return nlargest(self._limit, scores)[-1]

    def _first(self, entries: list[Entry]) -> list[Entry]:
        if self._limit is None or len(entries) <= _SORTED_AT_ONCE:
            return sorted(entries, reverse=True)[: self._limit]
        return nlargest(self._limit, entries)


def idf(size: int, frequency: int) -> float:
    """Return the weight of a term that `frequency` of `size` documents hold."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
