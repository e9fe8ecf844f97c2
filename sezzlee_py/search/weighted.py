"""Fixed points per kind of match, with no statistics (spec: search 8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sezzlee_py.model.text import tokenize
from sezzlee_py.options import FloorScope
from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.matching import MatchMemo, Reading, TermMatch, View
from sezzlee_py.search.plain import plain_match, plain_reading
from sezzlee_py.search.query import QueryWord
from sezzlee_py.search.ranking import Account, Share, memo_budget
from sezzlee_py.search.terms import TermTable

_NAME: Final = 5.0
_NAME_PREFIX: Final = 3.0
_LABEL: Final = 2.0
_DESCRIPTION: Final = 1.0


@dataclass(frozen=True, slots=True)
class WeightedTokenRanker:
    """Ranks by fixed points for matches in name, container label and description.

    Args:
        description_stop_words: words that count for nothing in descriptions, because every
            description has them.
    """

    description_stop_words: frozenset[str] = frozenset({"set", "connection", "frozen", "more"})
    floor: float = field(default=0.5, init=False)
    floor_scope: FloorScope = field(default="tool", init=False)

    def __post_init__(self) -> None:
        folded = frozenset(t for word in self.description_stop_words for t in tokenize(word))
        object.__setattr__(self, "description_stop_words", folded)

    def prepare(self, documents: Sequence[ToolDocument]) -> PreparedWeighted:
        """Return the ranker made ready for `documents`."""
        return PreparedWeighted(documents, self.description_stop_words)


class PreparedWeighted:
    """Which documents have a token in their name, label or description."""

    def __init__(self, documents: Sequence[ToolDocument], stop_words: frozenset[str]) -> None:
        self.size = len(documents)
        self.memo = MatchMemo(memo_budget(self.size))
        self._names = TermTable(tokenize(document.name) for document in documents)
        self._labels = TermTable(tokenize(_label(document)) for document in documents)
        self._descriptions = TermTable(
            [token for token in tokenize(document.description) if token not in stop_words]
            for document in documents
        )

    def view(self, members: bytes | None) -> WeightedView:
        """Return the documents flagged in `members`."""
        return WeightedView(self, members)

    def rows(self, token: str) -> dict[int, list[tuple[str, str, float]]]:
        """Return the (matched token, field, points) rows of `token` for each document."""
        rows: defaultdict[int, list[tuple[str, str, float]]] = defaultdict(list)
        for document in self._names.documents(token):
            rows[document].append((token, "name", _NAME))
        for other in self._names.related(token):
            for document in self._names.documents(other):
                if not rows[document]:
                    rows[document].append((other, "name", _NAME_PREFIX))
        for document in self._labels.documents(token):
            rows[document].append((token, "container", _LABEL))
        for document in self._descriptions.documents(token):
            rows[document].append((token, "description", _DESCRIPTION))
        return rows

    def account(self, view: View, reading: Reading, document: int) -> Account:
        """Return the points of each row."""
        return Account(
            tuple(
                Share(asked.term, match, where, points, points)
                for asked in reading.terms
                for match, where, points in self.rows(asked.term).get(document, ())
            )
        )


class WeightedView(View):
    """The points as one caller sees them."""

    def __init__(self, prepared: PreparedWeighted, members: bytes | None) -> None:
        super().__init__(prepared.memo)
        self._prepared = prepared
        self._members = members
        self._size = prepared.size if members is None else sum(members)

    def read(self, words: Sequence[QueryWord]) -> Reading:
        """Return the distinct tokens of a query."""
        return plain_reading(self, words)

    def find(self, term: str) -> TermMatch:
        """Return the points of `term` for each visible document."""
        rows = self._prepared.rows(term)
        scores = {d: sum(points for _, _, points in found) for d, found in rows.items()}
        return plain_match(scores, self._members, self._size)


def _label(document: ToolDocument) -> str:
    if document.container:
        return document.container
    return document.tags[0] if document.tags else ""
