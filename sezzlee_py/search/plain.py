"""What the rankers on plain tokens share: no stop words, no forms, nothing refined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sezzlee_py.model.text import strip_plural
from sezzlee_py.search.matching import Entry, QueryTerm, Reading, TermMatch, View, idf
from sezzlee_py.search.query import QueryWord


def plain_reading(view: View, words: Sequence[QueryWord]) -> Reading:
    """Return the distinct tokens of a query with what each matches in `view`."""
    terms: dict[str, QueryTerm] = {}
    for word in words:
        token = strip_plural(word.folded)
        if token not in terms:
            terms[token] = QueryTerm(token, word, view.match(token))
    asked = tuple(terms.values())
    return Reading(
        asked,
        sum(term.match.weight for term in asked),
        score=_entries,
        refine=list,
        own=lambda match: _entries(match.values.items()),
    )


def _entries(values: Iterable[tuple[int, complex]]) -> list[Entry]:
    return [(value.real, -document) for document, value in values]


def plain_match(scores: Mapping[int, float], members: bytes | None, size: int) -> TermMatch:
    """Return the match of a token from its `scores`, weighed over the visible documents."""
    if members is not None:
        scores = {document: score for document, score in scores.items() if members[document]}
    weight = idf(size, len(scores))
    values = {document: complex(score, weight) for document, score in scores.items()}
    cover = weight if values else 0.0
    return TermMatch(values, weight, cover, max(scores.values(), default=0.0))
