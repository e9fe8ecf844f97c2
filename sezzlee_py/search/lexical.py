"""The default ranker: BM25 per field with what measurement showed to help (spec: ranking)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from sezzlee_py.model.text import fold, runs
from sezzlee_py.options import FloorScope
from sezzlee_py.search.analysis import SAID_FOR, Analyzer, first_sentence, strip_s, word_form
from sezzlee_py.search.document import FIELDS, ToolDocument
from sezzlee_py.search.inverted import SHORTEST_PREFIX, InvertedIndex
from sezzlee_py.search.matching import (
    MatchMemo,
    QueryTerm,
    Reading,
    TermMatch,
    View,
    idf,
)
from sezzlee_py.search.query import QueryWord, read_query
from sezzlee_py.search.ranking import Account, memo_budget
from sezzlee_py.search.vocabulary import STOP_WORDS

# Constants were chosen on development sets: docs/decisions/search-ranking.md.
_K1: Final = 1.2
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
_WEIGHTS: Final = tuple(_FIELD_WEIGHTS[name] for name in FIELDS)
_SOFT: Final = 0.3
_ADJACENT: Final = 0.2
_LEAD_TERMS: Final = 12
# Both shares full and every pair adjacent; a hair more, so that rounding never hides a document.
_HEADROOM: Final = 2 * 2 * (1 + _ADJACENT) * (1 + 1e-9)
_REMEMBERED_WEIGHTS: Final = 4096


@dataclass(frozen=True, slots=True)
class LexicalRanker:
    """Ranks by the words of a query, their forms and the verbs said for them.

    Args:
        stop_words: words left out of queries and documents; replaces the built-in list.
    """

    stop_words: frozenset[str] = STOP_WORDS
    floor: float = field(default=0.5, init=False)
    floor_scope: FloorScope = field(default="query", init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_words", frozenset(map(fold, self.stop_words)))

    def prepare(self, documents: Sequence[ToolDocument]) -> PreparedLexical:
        """Return the ranker made ready for `documents`."""
        return PreparedLexical(documents, Analyzer(self.stop_words))


class PreparedLexical:
    """Postings, word forms, and the opening words of each document."""

    def __init__(self, documents: Sequence[ToolDocument], analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.index = InvertedIndex(documents, analyzer.read_run)
        self.memo = MatchMemo(memo_budget(len(documents)))
        self.names = tuple(_opening(d.name, analyzer) for d in documents)
        self.leads = tuple(
            _opening(d.description[: first_sentence(d.description)], analyzer, _LEAD_TERMS)
            for d in documents
        )
        forms: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
        for term in self.index.terms:
            forms[word_form(term)] += (term,)
        self.forms: Mapping[str, tuple[str, ...]] = dict(forms)

    def view(self, members: bytes | None) -> LexicalView:
        """Return the statistics of the documents flagged in `members`."""
        return LexicalView(self, members)

    def account(self, view: View, query: str, document: int) -> Account:
        """Return how the score of `document` for `query` comes about."""
        assert isinstance(view, LexicalView)
        return view.account(query, document)


class LexicalView(View):
    """Averages, frequencies and matches over the tools one caller sees.

    Nothing here reads a tool outside of it, so hidden tools change no score and no order.
    """

    def __init__(self, prepared: PreparedLexical, members: bytes | None) -> None:
        super().__init__(prepared.memo)
        self._prepared = prepared
        self._members = members
        self.size = prepared.index.size if members is None else sum(members)
        totals = prepared.index.total_lengths(members)
        # Of a field that is empty everywhere no posting exists, hence no average is asked for.
        self._slopes = tuple(_K1 * _B * self.size / total if total else 0.0 for total in totals)
        self._weights: dict[str, float] = {}

    def read(self, query: str) -> Reading:
        """Return the content terms of `query`, or its stop words where it has no other."""
        terms: dict[str, QueryTerm] = {}
        sequence: list[str] = []
        words = self._content(query)
        whole = self._unsplit(words)
        for word in words:
            term = strip_s(fold(word.text))
            sequence.append(term)
            if term in terms:
                continue
            match = self.match(term)
            if match.values or word.run not in whole:
                terms[term] = QueryTerm(term, word, match)
        for term, word, match in whole.values():
            terms.setdefault(term, QueryTerm(term, word, match))
        asked = tuple(terms.values())
        mass = sum(term.match.weight for term in asked)
        pairs = frozenset(pairwise(sequence))
        met = frozenset().union(*(term.match.terms for term in asked))
        scale = mass**-0.5 if mass else 0.0
        return Reading(
            asked,
            mass,
            score=lambda value: value.real * math.sqrt(value.imag) * scale,
            refine=lambda document, score: score * self._emphasis(document, met, pairs),
            headroom=_HEADROOM,
        )

    def find(self, term: str) -> TermMatch:
        """Return what `term` matches: itself, else as a prefix; softly its forms and verbs."""
        full, soft = self._expansions(term)
        hard = self._impacts(full)
        softly: dict[int, float] = {}
        for other in soft:
            for document, impact in self._impacts([other]).items():
                if document not in hard and impact > softly.get(document, 0.0):
                    softly[document] = impact
        weight = idf(self.size, len(hard) or len(softly))
        cover = weight if hard else weight * _SOFT if softly else 0.0
        values = {d: complex(weight * impact, weight) for d, impact in hard.items()}
        share = weight * _SOFT
        values.update((d, complex(share * impact, share)) for d, impact in softly.items())
        best = max((v.real * math.sqrt(v.imag) for v in values.values()), default=0.0)
        return TermMatch(values, weight, cover, best, frozenset(full).union(soft))

    def _content(self, query: str) -> tuple[QueryWord, ...]:
        words = read_query(query)
        stop_words = self._prepared.analyzer.stop_words
        return tuple(word for word in words if fold(word.text) not in stop_words) or words

    def _unsplit(self, words: Sequence[QueryWord]) -> dict[int, tuple[str, QueryWord, TermMatch]]:
        """Words split at case boundaries that stand unsplit in the view, by run."""
        parts: defaultdict[int, list[QueryWord]] = defaultdict(list)
        for word in words:
            parts[word.run].append(word)
        found = {}
        for run, split in parts.items():
            if len(split) > 1:
                text = "".join(word.text for word in split)
                term = strip_s(fold(text))
                match = self.match(term) if term in self._prepared.index else None
                if match and term in match.terms:
                    found[run] = (term, QueryWord(text, run, split[0].role), match)
        return found

    def _expansions(self, term: str) -> tuple[list[str], list[str]]:
        index, forms = self._prepared.index, self._prepared.forms
        soft = [*SAID_FOR.get(term, ()), *forms.get(word_form(term), ())]
        soft = [other for other in dict.fromkeys(soft) if other != term and self._holds(other)]
        if self._holds(term):
            return [term], soft
        full = index.starting_with(term) if len(term) >= SHORTEST_PREFIX else ()
        full = tuple(filter(self._holds, full))
        return list(full), [other for other in soft if other not in full]

    def _holds(self, term: str) -> bool:
        index, members = self._prepared.index, self._members
        if members is None:
            return term in index
        return any(members[document] for document, _, _ in index.postings(term))

    def _impacts(self, terms: Iterable[str]) -> dict[int, float]:
        """Return for each visible document what `terms`, taken as one, add before idf."""
        impacts: dict[int, float] = {}
        members, lengths, slopes = self._members, self._prepared.index.lengths, self._slopes
        for document, position, count in self._merged(terms):
            if members is None or members[document]:
                norm = _K1 * (1 - _B) + slopes[position] * lengths[position][document]
                impact = _WEIGHTS[position] * count * (_K1 + 1) / (count + norm)
                impacts[document] = impacts.get(document, 0.0) + impact
        return impacts

    def _merged(self, terms: Iterable[str]) -> Iterable[tuple[int, int, int]]:
        index = self._prepared.index
        terms = tuple(terms)
        if len(terms) == 1:
            return index.postings(terms[0])
        counts: dict[tuple[int, int], int] = {}
        for term in terms:
            for document, position, count in index.postings(term):
                key = (document, position)
                counts[key] = counts.get(key, 0) + count
        # Fields are added up in their own order, whichever term came first.
        return ((d, f, counts[d, f]) for d, f in sorted(counts))

    def _weight(self, term: str) -> float:
        """Return the idf of an index term over the view."""
        weight = self._weights.get(term)
        if weight is None:
            members = self._members
            found = self._prepared.index.documents_with(term)
            seen = len(found) if members is None else sum(members[d] for d in found)
            weight = idf(self.size, seen)
            if len(self._weights) < _REMEMBERED_WEIGHTS:
                self._weights[term] = weight
        return weight

    def _share(self, terms: tuple[str, ...], met: frozenset[str]) -> float:
        """Return how much of the weight of `terms` the query meets."""
        if met.isdisjoint(terms):
            return 0.0
        total = hit = 0.0
        for term in terms:
            weight = self._weight(term)
            total += weight
            if term in met:
                hit += weight
        return hit / total

    def _emphasis(
        self, document: int, met: frozenset[str], pairs: frozenset[tuple[str, str]]
    ) -> float:
        """Return what a document gains by being asked for as a whole, and in its own order."""
        name, lead = self._prepared.names[document], self._prepared.leads[document]
        named, led = self._share(name, met), self._share(lead, met)
        factor = (1 + named * named) * (1 + led * led)
        if pairs and (named or led):
            standing = {*pairwise(name), *pairwise(lead)}
            factor *= 1 + _ADJACENT * len(pairs & standing) / len(pairs)
        return factor

    def account(self, query: str, document: int) -> Account:
        raise NotImplementedError


def _opening(text: str, analyzer: Analyzer, limit: int | None = None) -> tuple[str, ...]:
    """Return the distinct content terms that `text` begins with, in order."""
    terms: dict[str, None] = {}
    for run in runs(text):
        terms.update(dict.fromkeys(analyzer.read_run(run).terms))
        if limit is not None and len(terms) >= limit:
            break
    return tuple(terms)[:limit]
