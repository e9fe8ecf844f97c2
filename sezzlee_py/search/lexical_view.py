"""The default ranker over the tools one caller sees (spec: ranking 2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from sezzlee_py.model.text import fold
from sezzlee_py.search.analysis import strip_s
from sezzlee_py.search.document import FIELDS
from sezzlee_py.search.inverted import SHORTEST_PREFIX
from sezzlee_py.search.lexical_documents import LexicalDocuments
from sezzlee_py.search.matching import MatchMemo, QueryTerm, Reading, TermMatch, View, idf
from sezzlee_py.search.query import QueryWord, read_query

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
_ADJACENT: Final = 0.2
# A hair more than every pair adjacent, so that rounding never hides a document.
_HEADROOM: Final = (1 + _ADJACENT) * (1 + 1e-9)
_REMEMBERED: Final = 4096
_NAME: Final = FIELDS.index("name")
_DESCRIPTION: Final = FIELDS.index("description")


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
        self._weights: dict[str, float] = {}
        self._openings: dict[int, complex] = {}

    def read(self, query: str) -> Reading:
        """Return the content terms of `query`, or its stop words where it has no other."""
        words = self._content(query)
        asked = tuple(self._asked(words))
        mass = sum(term.match.weight for term in asked)
        pairs = frozenset(pairwise(strip_s(fold(word.text)) for word in words))
        emphasis = self.emphasis(asked)
        scale = mass**-0.5 if mass else 0.0

        def score(document: int, value: complex) -> float:
            base = value.real * math.sqrt(value.imag) * scale
            met = emphasis.get(document)
            return base if met is None else base * emphasized(met)

        def refine(document: int, score: float) -> float:
            return score * self.adjacency(document, pairs) if document in emphasis else score

        return Reading(asked, mass, score, refine, _HEADROOM if pairs else 1.0, scale)

    def find(self, term: str) -> TermMatch:
        """Return what `term` matches: itself, else as a prefix; softly its forms and verbs."""
        full, soft = self.expansions(term)
        hard = self._impacts(full)
        softly: dict[int, float] = {}
        for other in soft:
            for document, impact in self._impacts((other,)).items():
                if document not in hard and impact > softly.get(document, 0.0):
                    softly[document] = impact
        weight = idf(self._size, len(hard) or len(softly))
        share = weight * SOFT
        values = {d: complex(weight * impact, weight) for d, impact in hard.items()}
        values.update((d, complex(share * impact, share)) for d, impact in softly.items())
        met = frozenset(full + soft)
        emphasis = self._openings_met(met)
        best = 0.0
        for document, value in values.items():
            gain = emphasized(emphasis.get(document, 0j))
            best = max(best, value.real * math.sqrt(value.imag) * gain)
        cover = weight if hard else share if softly else 0.0
        return TermMatch(values, weight, cover, best, met, emphasis)

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
        norm = K1 * (1 - _B) + self._slopes[position] * length
        return WEIGHTS[position] * count * (K1 + 1) / (count + norm)

    def emphasis(self, asked: Iterable[QueryTerm]) -> Mapping[int, complex]:
        """Return the shares of names and leads that a query meets, each term counted once."""
        met: dict[int, complex] = {}
        counted: set[str] = set()
        for term in asked:
            shares = term.match.emphasis
            if not counted.isdisjoint(term.match.terms):
                shares = self._openings_met(term.match.terms - counted)
            counted |= term.match.terms
            if not met:
                met = dict(shares)
                continue
            get = met.get
            for document, share in shares.items():
                met[document] = get(document, 0j) + share
        return met

    def adjacency(self, document: int, pairs: frozenset[tuple[str, str]]) -> float:
        """Return what a document gains by holding pairs of the query side by side."""
        name, lead = self.documents.names[document], self.documents.leads[document]
        found = pairs.intersection((*pairwise(name), *pairwise(lead)))
        return 1 + _ADJACENT * len(found) / len(pairs)

    def _content(self, query: str) -> tuple[QueryWord, ...]:
        words = read_query(query)
        stop_words = self.documents.analyzer.stop_words
        return tuple(word for word in words if fold(word.text) not in stop_words) or words

    def _asked(self, words: Sequence[QueryWord]) -> Iterable[QueryTerm]:
        """Yield the distinct terms of `words`, each with the word it was first sent as."""
        whole = {term.word.run: term for term in self._unsplit(words)}
        seen = {term.term for term in whole.values()}
        yield from whole.values()
        for word in words:
            term = strip_s(fold(word.text))
            if term in seen:
                continue
            seen.add(term)
            match = self.match(term)
            # `PlayList` that stands as `playlist` is known, even if nobody has `play`.
            if match.values or word.run not in whole:
                yield QueryTerm(term, word, match)

    def _unsplit(self, words: Sequence[QueryWord]) -> Iterable[QueryTerm]:
        """Yield the words split at case boundaries that stand unsplit in the view."""
        parts: defaultdict[int, list[QueryWord]] = defaultdict(list)
        for word in words:
            parts[word.run].append(word)
        for run, split in parts.items():
            text = "".join(word.text for word in split)
            term = strip_s(fold(text))
            if len(split) > 1 and self._holds(term):
                yield QueryTerm(term, QueryWord(text, run, split[0].role), self.match(term))

    def _holds(self, term: str) -> bool:
        index, members = self.documents.index, self._members
        if members is None:
            return term in index
        return any(members[document] for document, _, _ in index.postings(term))

    def _impacts(self, terms: tuple[str, ...]) -> dict[int, float]:
        """Return for each visible document what `terms`, taken as one, add before idf."""
        impacts: dict[int, float] = {}
        members, lengths, slopes = self._members, self.documents.index.lengths, self._slopes
        # As in `impact`, written out: this is the loop over postings.
        flat, gain = K1 * (1 - _B), K1 + 1
        for document, position, count in self._merged(terms):
            if members is None or members[document]:
                norm = flat + slopes[position] * lengths[position][document]
                impact = WEIGHTS[position] * count * gain / (count + norm)
                impacts[document] = impacts.get(document, 0.0) + impact
        return impacts

    def _merged(self, terms: tuple[str, ...]) -> Iterable[tuple[int, int, int]]:
        index = self.documents.index
        if len(terms) == 1:
            return index.postings(terms[0])
        counts: dict[tuple[int, int], int] = {}
        for term in terms:
            for document, position, count in index.postings(term):
                counts[document, position] = counts.get((document, position), 0) + count
        # Fields are added up in their own order, whichever term came first.
        return ((d, position, counts[d, position]) for d, position in sorted(counts))

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

    def _openings_met(self, terms: Iterable[str]) -> dict[int, complex]:
        """Return for each visible document what share of its name and lead `terms` are."""
        met: dict[int, complex] = {}
        members, names, leads = self._members, self.documents.names, self.documents.leads
        for term in sorted(terms):
            weight = self._weight(term)
            for document, position, _ in self.documents.index.postings(term):
                if members is not None and not members[document]:
                    continue
                if position == _NAME and term in names[document]:
                    share = complex(weight / self._opening(document).real, 0.0)
                elif position == _DESCRIPTION and term in leads[document]:
                    share = complex(0.0, weight / self._opening(document).imag)
                else:
                    continue
                met[document] = met.get(document, 0j) + share
        return met


def emphasized(met: complex) -> float:
    """Return what a document gains by being asked for as a whole: name and first sentence."""
    return (1 + met.real * met.real) * (1 + met.imag * met.imag)
