"""The default ranker over the tools one caller sees (spec: ranking 2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from sezzlee_py.search.analysis import strip_s
from sezzlee_py.search.document import FIELDS
from sezzlee_py.search.inverted import (
    COUNT_MASK,
    DOCUMENT_SHIFT,
    FIELD_MASK,
    FIELD_SHIFT,
    OPENING,
    SHORTEST_PREFIX,
)
from sezzlee_py.search.lexical_documents import LexicalDocuments
from sezzlee_py.search.matching import Entry, MatchMemo, QueryTerm, Reading, TermMatch, View, idf
from sezzlee_py.search.query import QueryWord

# Constants were chosen on development sets: docs/decisions/search-ranking.md.
K1: Final = 1.2
_B: Final = 0.75
_FIELD_WEIGHTS: Final = {
    "name": 2.0,
    "description": 1.5,
    "search_terms": 1.5,
    "tags": 1.0,
    "route": 1.0,
    "alternate_routes": 1.0,
    "parameters": 1.5,
}
WEIGHTS: Final = tuple(_FIELD_WEIGHTS[name] for name in FIELDS)
SOFT: Final = 0.3
_GAIN: Final = K1 + 1
_ADJACENT: Final = 0.2
# Bounds are a hair wider than what they bound, so that rounding never hides a document.
_ROUNDING: Final = 1 + 1e-9
_HEADROOM: Final = (1 + _ADJACENT) * _ROUNDING
_REMEMBERED: Final = 4096
# Of several terms taken as one, none opens the field: what each is of it is told apart.
_PLACE: Final = ~(OPENING | COUNT_MASK)


class LexicalView(View):
    """Averages, frequencies and matches over the tools one caller sees.

    Nothing here reads a tool outside of it, so hidden tools change no score and no order.
    """

    def __init__(self, documents: LexicalDocuments, memo: MatchMemo, members: bytes | None) -> None:
        super().__init__(memo)
        self.documents = documents
        self._members = members
        self._size = documents.index.size if members is None else sum(members)
        totals = documents.index.total_lengths(members)
        # Of a field that is empty everywhere no posting exists, hence no average is asked for.
        self._slopes = tuple(K1 * _B * self._size / total if total else 0.0 for total in totals)
        # Most terms stand in a field once, and few lengths occur.
        self._once = tuple(_Once(position, slope) for position, slope in enumerate(self._slopes))
        self._weights: dict[str, float] = {}
        self._openings: dict[int, complex] = {}
        if members is None:
            # Most calls see everything: what all of them need is worked out with the index.
            for document in range(self._size):
                self._opening(document)

    def read(self, words: Sequence[QueryWord]) -> Reading:
        """Return the content terms of a query, or its stop words where it has no other."""
        words = self._content(words)
        asked = tuple(self._asked(words))
        mass = sum(term.match.weight for term in asked)
        pairs = frozenset(pairwise(strip_s(word.folded) for word in words))
        emphasis = self.emphasis(asked)
        scale = mass**-0.5 if mass else 0.0

        def score(values: Iterable[tuple[int, complex]]) -> list[Entry]:
            return _entries(values, emphasis, scale)

        def refine(entries: Iterable[Entry]) -> list[Entry]:
            standing = self.documents.pairs
            return [
                (entry[0] * (1 + _ADJACENT * len(common) / len(pairs)), entry[1])
                if (common := standing[-entry[1]] & pairs)
                else entry
                for entry in entries
            ]

        headroom = _HEADROOM if pairs else 1.0
        return Reading(asked, mass, score, refine, own_entries, headroom, scale)

    def find(self, term: str) -> TermMatch:
        """Return what `term` matches: itself, else as a prefix; softly its forms and verbs."""
        full, soft = self.expansions(term)
        emphasis: dict[int, complex] = {}
        hard = self._walk(full, emphasis)
        softly: dict[int, float] = {}
        for other in soft:
            for document, impact in self._walk((other,), emphasis).items():
                if document not in hard and impact > softly.get(document, 0.0):
                    softly[document] = impact
        weight = idf(self._size, len(hard) or len(softly))
        share = weight * SOFT
        # A sum is quicker than a call of `complex`, and the same number.
        whole, part = complex(0.0, weight), complex(0.0, share)
        values = {d: weight * impact + whole for d, impact in hard.items()}
        for document, impact in softly.items():
            values[document] = share * impact + part
        cover = weight if hard else share if softly else 0.0
        plain = max(
            weight**1.5 * max(hard.values(), default=0.0),
            share**1.5 * max(softly.values(), default=0.0),
        )
        # Of shares r and i with r² + i² = m², equal ones emphasize most.
        most = max(map(abs, emphasis.values()), default=0.0)
        peak = plain * (1 + most * most / 2) ** 2 * _ROUNDING
        return TermMatch(values, weight, cover, peak, frozenset(full + soft), emphasis)

    def expansions(self, term: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the visible terms that `term` matches in full, and those it matches softly."""
        index = self.documents.index
        soft = tuple(filter(self._holds, self.documents.akin(term)))
        if self._holds(term):
            return (term,), soft
        if len(term) < SHORTEST_PREFIX:
            return (), soft
        full = tuple(filter(self._holds, index.starting_with(term)))
        return full, tuple(other for other in soft if other not in full)

    def impact(self, document: int, position: int, count: int) -> float:
        """Return what `count` occurrences in one field of a document add before idf."""
        length = self.documents.index.lengths[position][document]
        return _impact(position, self._slopes[position], length, count)

    def emphasis(self, asked: Iterable[QueryTerm]) -> Mapping[int, complex]:
        """Return the shares of names and leads that a query meets, each term counted once."""
        met: dict[int, complex] = {}
        counted: set[str] = set()
        # The widest match is copied, not walked.
        for match in sorted((term.match for term in asked), key=_emphasized, reverse=True):
            shares = match.emphasis
            if not counted.isdisjoint(match.terms):
                for other in sorted(match.terms - counted):
                    self._emphasize(other, met)
            elif not met:
                met = dict(shares)
            else:
                share_of = met.get
                for document, share in shares.items():
                    met[document] = share_of(document, 0j) + share
            counted |= match.terms
        return met

    def _content(self, words: Sequence[QueryWord]) -> Sequence[QueryWord]:
        stop_words = self.documents.analyzer.stop_words
        return tuple(word for word in words if word.folded not in stop_words) or words

    def _asked(self, words: Sequence[QueryWord]) -> Iterable[QueryTerm]:
        """Yield the distinct terms of `words`, each with the word it was first sent as."""
        whole = {term.word.run: term for term in self._unsplit(words)}
        seen = {term.term for term in whole.values()}
        yield from whole.values()
        for word in words:
            term = strip_s(word.folded)
            if term in seen:
                continue
            seen.add(term)
            match = self.match(term)
            # `PlayList` that stands as `playlist` is known, even if nobody has `play`.
            if match.values or word.run not in whole:
                yield QueryTerm(term, word, match)

    def _unsplit(self, words: Sequence[QueryWord]) -> Iterable[QueryTerm]:
        """Yield the words split at case boundaries that stand unsplit in the view."""
        if len({word.run for word in words}) == len(words):
            return
        parts: defaultdict[int, list[QueryWord]] = defaultdict(list)
        for word in words:
            parts[word.run].append(word)
        for run, split in parts.items():
            folded = "".join(word.folded for word in split)
            term = strip_s(folded)
            if len(split) > 1 and self._holds(term):
                text = "".join(word.text for word in split)
                word = QueryWord(text, folded, run, split[0].role)
                yield QueryTerm(term, word, self.match(term))

    def _holds(self, term: str) -> bool:
        index, members = self.documents.index, self._members
        if members is None:
            return term in index
        return any(members[document] for document, _, _ in index.postings(term))

    def _walk(self, terms: tuple[str, ...], emphasis: dict[int, complex]) -> dict[int, float]:
        """Return for each visible document what `terms`, taken as one, add before idf.

        What they are of names and leads is added to `emphasis`.
        """
        if len(terms) != 1:
            for term in terms:
                self._emphasize(term, emphasis)
        impacts: dict[int, float] = {}
        members, lengths, slopes = self._members, self.documents.index.lengths, self._slopes
        openings, weight = self._openings, 0.0
        impact_of, share_of, once = impacts.get, emphasis.get, self._once
        # `impact` and `_emphasize` written out: this is the loop over postings.
        entries = self._merged(terms)
        if members is not None:
            entries = [entry for entry in entries if members[entry >> DOCUMENT_SHIFT]]
        for entry in entries:
            document = entry >> DOCUMENT_SHIFT
            position = entry >> FIELD_SHIFT & FIELD_MASK
            count = entry & COUNT_MASK
            length = lengths[position][document]
            impact = (
                once[position][length]
                if count == 1
                else _impact(position, slopes[position], length, count)
            )
            impacts[document] = impact_of(document, 0.0) + impact
            if entry & OPENING:
                weight = weight or self._weight(terms[0])
                whole = openings.get(document) or self._opening(document)
                share = complex(0.0, weight / whole.imag) if position else weight / whole.real
                emphasis[document] = share_of(document, 0j) + share
        return impacts

    def _merged(self, terms: tuple[str, ...]) -> Iterable[int]:
        index = self.documents.index
        if len(terms) == 1:
            return index.entries(terms[0])
        counts: dict[int, int] = {}
        for term in terms:
            for entry in index.entries(term):
                place = entry & _PLACE
                counts[place] = counts.get(place, 0) + (entry & COUNT_MASK)
        # Fields are added up in their own order, whichever term came first.
        return [place | min(counts[place], COUNT_MASK) for place in sorted(counts)]

    def _weight(self, term: str) -> float:
        """Return the idf of an index term over the view."""
        weight = self._weights.get(term)
        if weight is None:
            members = self._members
            found = self.documents.index.documents_with(term)
            seen = len(found) if members is None else sum(members[d] for d in found)
            weight = idf(self._size, seen)
            if members is None or len(self._weights) < _REMEMBERED:
                self._weights[term] = weight
        return weight

    def _opening(self, document: int) -> complex:
        """Return the whole weight of a document's name (real) and lead (imaginary)."""
        whole = self._openings.get(document)
        if whole is None:
            name, lead = self.documents.names[document], self.documents.leads[document]
            whole = complex(sum(map(self._weight, name)), sum(map(self._weight, lead)))
            if self._members is None or len(self._openings) < _REMEMBERED:
                self._openings[document] = whole
        return whole

    def _emphasize(self, term: str, emphasis: dict[int, complex]) -> None:
        """Add to each visible document what share of its name and lead `term` is."""
        members, weight = self._members, self._weight(term)
        for entry in self.documents.index.entries(term):
            if not entry & OPENING:
                continue
            document = entry >> DOCUMENT_SHIFT
            if members is None or members[document]:
                whole = self._opening(document)
                lead = entry >> FIELD_SHIFT & FIELD_MASK
                share = complex(0.0, weight / whole.imag) if lead else weight / whole.real
                emphasis[document] = emphasis.get(document, 0j) + share


def _emphasized(match: TermMatch) -> int:
    return len(match.emphasis)


class _Once(dict[int, float]):
    """What one occurrence in a field adds, by the length of the field."""

    def __init__(self, position: int, slope: float) -> None:
        super().__init__()
        self._position = position
        self._slope = slope

    def __missing__(self, length: int) -> float:
        impact = self[length] = _impact(self._position, self._slope, length, 1)
        return impact


def _impact(position: int, slope: float, length: int, count: int) -> float:
    """Return what `count` occurrences add in a field whose norm grows by `slope` with length."""
    norm = K1 * (1 - _B) + slope * length
    return WEIGHTS[position] * count * _GAIN / (count + norm)


def own_entries(match: TermMatch) -> list[Entry]:
    """Return what documents score that match nothing else, before the query's scale."""
    return _entries(match.values.items(), match.emphasis, 1.0)


def _entries(
    values: Iterable[tuple[int, complex]], emphasis: Mapping[int, complex], scale: float
) -> list[Entry]:
    """Return the entries of documents: their sums, by coverage, by what is met of their openings.

    A tool that is asked for as a whole, by its name or its first sentence, gains most.
    """
    met_of, root = emphasis.get, math.sqrt
    return [
        (
            value.real
            * root(value.imag)
            * ((1 + met.real * met.real) * (1 + met.imag * met.imag))
            * scale,
            -document,
        )
        if (met := met_of(document))
        else (value.real * root(value.imag) * scale, -document)
        for document, value in values
    ]
