"""Finding the right tool: tokenizer, index, rankers, floor, and the guard around a host's own."""

from sezzlee_py.search.bm25 import BM25Ranker
from sezzlee_py.search.document import ToolDocument, documents_from_tools
from sezzlee_py.search.explain import Explanation
from sezzlee_py.search.index import SearchIndex
from sezzlee_py.search.lexical import LexicalRanker
from sezzlee_py.search.outcome import Hit, RestrictedNames, SearchOutcome
from sezzlee_py.search.weighted import WeightedTokenRanker

__all__ = [
    "BM25Ranker",
    "Explanation",
    "Hit",
    "LexicalRanker",
    "RestrictedNames",
    "SearchIndex",
    "SearchOutcome",
    "ToolDocument",
    "WeightedTokenRanker",
    "documents_from_tools",
]
