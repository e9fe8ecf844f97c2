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

# A posting is one integer: document, field, whether the term opens the field, count. Arrays of them
# are an eighth of objects.
FIELD_SHIFT: Final = 24
DOCUMENT_SHIFT: Final = 28
OPENING: Final = 1 << (FIELD_SHIFT - 1)
COUNT_MASK: Final = OPENING - 1
FIELD_MASK: Final = (1 << (DOCUMENT_SHIFT - FIELD_SHIFT)) - 1

_NO_ENTRIES: Final = array("Q")


class InvertedIndex:
    """Postings of a fixed list of documents; a document is its position in that list.

    `openings` are, for the first fields, the terms that open the field in each document.
    """

    def __init__(
        self,
        documents: Sequence[ToolDocument],
        read_run: Callable[[str], RunTerms],
        openings: Sequence[Sequence[tuple[str, ...]]] = (),
    ) -> None:
        self.size = len(documents)
        self.lengths = tuple(array("I", bytes(4 * self.size)) for _ in FIELDS)
        postings: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        for number, document in enumerate(documents):
            for field, texts in enumerate(document.texts()):
                counts: dict[str, int] = {}
                count_of = counts.get
                length = 0
                for text in texts:
                    for run in runs(text):
                        terms, extras = read_run(run)
                        length += len(terms)
                        for term in terms:
                            counts[term] = count_of(term, 0) + 1
                        for term in extras:
                            counts[term] = count_of(term, 0) + 1
                if not counts:
                    continue
                self.lengths[field][number] = length
                base = number << DOCUMENT_SHIFT | field << FIELD_SHIFT
                opening = openings[field][number] if field < len(openings) else ()
                for term, count in counts.items():
                    entry = base | min(count, COUNT_MASK)
                    postings[term].append(entry | OPENING if term in opening else entry)
        self._postings: dict[str, array[int]] = dict(postings)
        self.terms: tuple[str, ...] = tuple(sorted(self._postings))

    def __contains__(self, term: object) -> bool:
        return term in self._postings

    def postings(self, term: str) -> Iterator[tuple[int, int, int]]:
        """Yield (document, field, count) by document."""
        for entry in self._postings.get(term, ()):
            yield (
                entry >> DOCUMENT_SHIFT,
                entry >> FIELD_SHIFT & FIELD_MASK,
                entry & COUNT_MASK,
            )

    def entries(self, term: str) -> array[int]:
        """Return the postings as they are stored, for the loops that are hot; not to be changed."""
        return self._postings.get(term, _NO_ENTRIES)

    def documents_with(self, term: str) -> set[int]:
        """Return the documents in which `term` stands."""
        return {entry >> DOCUMENT_SHIFT for entry in self._postings.get(term, ())}

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
