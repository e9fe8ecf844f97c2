"""The plain ranking that every sibling SDK shares (spec: search 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sezzlee_py.model.text import fold, split_run, strip_plural
from sezzlee_py.options import FloorScope
from sezzlee_py.search.analysis import RunTerms
from sezzlee_py.search.document import FIELDS, ToolDocument
from sezzlee_py.search.inverted import InvertedIndex
from sezzlee_py.search.matching import MatchMemo, Reading, TermMatch, View, idf
from sezzlee_py.search.plain import plain_match, plain_reading
from sezzlee_py.search.query import QueryWord
from sezzlee_py.search.ranking import Account, Share, memo_budget

_K1: Final = 1.2
_B: Final = 0.75
_FIELD_WEIGHTS: Final = {
    "name": 3.0,
    "description": 1.5,
    "search_terms": 1.5,
    "tags": 1.0,
    "route": 1.0,
    "alternate_routes": 1.0,
    "parameters": 1.0,
}
_WEIGHTS: Final = tuple(_FIELD_WEIGHTS[name] for name in FIELDS)


@dataclass(frozen=True, slots=True)
class BM25Ranker:
    """Ranks by one BM25 over the weighted fields, with statistics of the whole catalog."""

    floor: float = field(default=0.0, init=False)
    floor_scope: FloorScope = field(default="tool", init=False)

    def prepare(self, documents: Sequence[ToolDocument]) -> PreparedBM25:
        """Return the ranker made ready for `documents`."""
        return PreparedBM25(documents)


class PreparedBM25:
    """Postings and document lengths of the whole catalog."""

    def __init__(self, documents: Sequence[ToolDocument]) -> None:
        self.index = InvertedIndex(documents, _read_run)
        self.memo = MatchMemo(memo_budget(len(documents)))
        self._lengths: tuple[float, ...] = tuple(
            sum(weight * length for weight, length in zip(_WEIGHTS, lengths, strict=True))
            for lengths in zip(*self.index.lengths, strict=True)
        )
        self._average: float = sum(self._lengths) / self.index.size if self.index.size else 0.0

    def view(self, members: bytes | None) -> BM25View:
        """Return the documents flagged in `members`, scored as in the whole catalog."""
        return BM25View(self, members)

    def frequencies(self, term: str) -> dict[int, float]:
        """Return the weighted frequency of `term`, as a prefix, in each document that has it."""
        found: dict[int, float] = {}
        for match in self.index.starting_with(term):
            for document, position, count in self.index.postings(match):
                found[document] = found.get(document, 0.0) + _WEIGHTS[position] * count
        return found

    def scores(self, term: str) -> dict[int, float]:
        """Return what `term` adds to the score of each document that has it."""
        frequencies = self.frequencies(term)
        weight = idf(self.index.size, len(frequencies))
        return {
            document: weight * self._norm(document, frequency)
            for document, frequency in frequencies.items()
        }

    def account(self, view: View, reading: Reading, document: int) -> Account:
        """Return what each index term adds in each field, by its part of the frequency."""
        shares = []
        for asked in reading.terms:
            value = asked.match.values.get(document)
            if value is None:
                continue
            frequency = self.frequencies(asked.term)[document]
            for match in self.index.starting_with(asked.term):
                for number, position, count in self.index.postings(match):
                    if number == document:
                        weight = _WEIGHTS[position]
                        part = value.real * weight * count / frequency
                        shares.append(Share(asked.term, match, FIELDS[position], weight, part))
        return Account(tuple(shares))

    def _norm(self, document: int, frequency: float) -> float:
        relative = self._lengths[document] / self._average
        return frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * relative))


class BM25View(View):
    """The shared ranking as one caller sees it; only the floor's weights are the caller's own."""

    def __init__(self, prepared: PreparedBM25, members: bytes | None) -> None:
        super().__init__(prepared.memo)
        self._prepared = prepared
        self._members = members
        self._size = prepared.index.size if members is None else sum(members)

    def read(self, words: Sequence[QueryWord]) -> Reading:
        """Return the distinct tokens of a query."""
        return plain_reading(self, words)

    def find(self, term: str) -> TermMatch:
        """Return the visible documents with a token that `term` begins."""
        return plain_match(self._prepared.scores(term), self._members, self._size)


def _read_run(run: str) -> RunTerms:
    folded = map(fold, split_run(run))
    return RunTerms(tuple([strip_plural(word) for word in folded if len(word) > 1]), ())
