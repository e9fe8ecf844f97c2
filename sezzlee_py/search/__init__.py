"""Finding the right tool: tokenizer, index, rankers, floor, and the guard around a host's own."""

from sezzlee_py.search.bm25 import BM25Ranker
from sezzlee_py.search.document import ToolDocument, documents_from_tools
from sezzlee_py.search.explain import Explanation
from sezzlee_py.search.fusion import RankFusion
from sezzlee_py.search.guard import RankerGuard
from sezzlee_py.search.index import SearchIndex, is_listing
from sezzlee_py.search.lexical import LexicalRanker
from sezzlee_py.search.outcome import Hit, RestrictedNames, SearchOutcome
from sezzlee_py.search.ranker import RankCatalog, RankRequest, ToolRanker
from sezzlee_py.search.ranker_answer import HostRanking, RankerFailure
from sezzlee_py.search.weighted import WeightedTokenRanker

__all__ = [
    "BM25Ranker",
    "Explanation",
    "Hit",
    "HostRanking",
    "LexicalRanker",
    "RankCatalog",
    "RankFusion",
    "RankRequest",
    "RankerFailure",
    "RankerGuard",
    "RestrictedNames",
    "SearchIndex",
    "SearchOutcome",
    "ToolDocument",
    "ToolRanker",
    "WeightedTokenRanker",
    "documents_from_tools",
    "is_listing",
]
