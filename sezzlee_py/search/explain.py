"""Why a tool was ranked as it was: which term matched which field, and what it was worth."""

from __future__ import annotations

from dataclasses import dataclass

from sezzlee_py.search.matching import View
from sezzlee_py.search.query import read_query
from sezzlee_py.search.ranking import PreparedRanker, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The score of one tool for one query, taken apart.

    `shares` add up, and their sum times the `factors` is `score`. `unmatched` are the terms of the
    query that this tool does not match.
    """

    name: str
    score: float
    shares: tuple[Share, ...] = ()
    factors: tuple[tuple[str, float], ...] = ()
    unmatched: tuple[str, ...] = ()


def explain(
    prepared: PreparedRanker, view: View, query: str, document: int, name: str
) -> Explanation:
    """Return how the score of `document` for `query` comes about."""
    reading = view.read(read_query(query))
    account = prepared.account(view, reading, document)
    score = sum(share.share for share in account.shares)
    for _, factor in account.factors:
        score *= factor
    missing = tuple(term.word.text for term in reading.terms if document not in term.match.values)
    return Explanation(
        name=name,
        score=score,
        shares=account.shares,
        factors=account.factors,
        unmatched=missing,
    )
