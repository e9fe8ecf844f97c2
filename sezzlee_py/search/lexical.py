"""The default ranker: BM25 per field with what measurement showed to help (spec: ranking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sezzlee_py.model.text import fold
from sezzlee_py.options import FloorScope
from sezzlee_py.search.analysis import Analyzer
from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.lexical_account import account
from sezzlee_py.search.lexical_documents import LexicalDocuments
from sezzlee_py.search.lexical_view import LexicalView
from sezzlee_py.search.matching import MatchMemo, Reading, View
from sezzlee_py.search.ranking import Account, memo_budget
from sezzlee_py.search.vocabulary import STOP_WORDS


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
        return PreparedLexical(LexicalDocuments(documents, Analyzer(self.stop_words)))


class PreparedLexical:
    """The documents as terms, and what its views remember of them."""

    def __init__(self, documents: LexicalDocuments) -> None:
        self._documents = documents
        self._memo = MatchMemo(memo_budget(documents.index.size))

    def view(self, members: bytes | None) -> LexicalView:
        """Return the statistics of the documents flagged in `members`."""
        return LexicalView(self._documents, self._memo, members)

    def account(self, view: View, reading: Reading, document: int) -> Account:
        """Return how the score of `document` comes about."""
        assert isinstance(view, LexicalView)
        return account(view, reading, document)
