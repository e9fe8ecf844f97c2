"""The inverted index: which terms stand in which fields of which documents, and how often."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import Final

from sezzlee_py.model.text import runs
from sezzlee_py.search.analysis import RunTerms
from sezzlee_py.search.document import FIELDS, ToolDocument

SHORTEST_PREFIX: Final = 3

# A posting is one integer: document, field, count. Arrays of them are an eighth of objects.
_FIELD_SHIFT: Final = 24
_DOCUMENT_SHIFT: Final = 28
_COUNT_MASK: Final = (1 << _FIELD_SHIFT) - 1
_FIELD_MASK: Final = (1 << (_DOCUMENT_SHIFT - _FIELD_SHIFT)) - 1


class InvertedIndex:
    """Postings of a fixed list of documents; a document is its position in that list."""

    def __init__(
        self, documents: Sequence[ToolDocument], read_run: Callable[[str], RunTerms]
    ) -> None:
        self.size = len(documents)
        self.lengths = tuple(array("I", bytes(4 * self.size)) for _ in FIELDS)
        postings: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        known: dict[str, RunTerms] = {}
        for number, document in enumerate(documents):
            for field, texts in enumerate(document.texts()):
                counts: dict[str, int] = {}
                length = 0
                for text in texts:
                    for run in runs(text):
                        found = known.get(run)
                        if found is None:
                            found = known[run] = read_run(run)
                        length += len(found.terms)
                        for term in found.terms:
                            counts[term] = counts.get(term, 0) + 1
                        for term in found.extras:
                            counts[term] = counts.get(term, 0) + 1
                self.lengths[field][number] = length
                base = number << _DOCUMENT_SHIFT | field << _FIELD_SHIFT
                for term, count in counts.items():
                    postings[term].append(base | min(count, _COUNT_MASK))
        self._postings: dict[str, array[int]] = dict(postings)
        self.terms: tuple[str, ...] = tuple(sorted(self._postings))

    def __contains__(self, term: object) -> bool:
        return term in self._postings

    def postings(self, term: str) -> Iterator[tuple[int, int, int]]:
        """Yield (document, field, count) by document."""
        for entry in self._postings.get(term, ()):
            yield (
                entry >> _DOCUMENT_SHIFT,
                entry >> _FIELD_SHIFT & _FIELD_MASK,
                entry & _COUNT_MASK,
            )

    def documents_with(self, term: str) -> set[int]:
        """Return the documents in which `term` stands."""
        return {entry >> _DOCUMENT_SHIFT for entry in self._postings.get(term, ())}

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Return the terms that `prefix` begins, itself included; none for a short one."""
        if len(prefix) < SHORTEST_PREFIX:
            return (prefix,) if prefix in self._postings else ()
        start = bisect_left(self.terms, prefix)
        end = start
        while end < len(self.terms) and self.terms[end].startswith(prefix):
            end += 1
        return self.terms[start:end]

    def total_lengths(self, members: bytes | None) -> tuple[int, ...]:
        """Return the summed length of each field over the documents flagged in `members`."""
        if members is None:
            return tuple(sum(lengths) for lengths in self.lengths)
        return tuple(sum(compress(lengths, members)) for lengths in self.lengths)
