"""A score of the default ranker, taken apart."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sezzlee_py.search.document import FIELDS
from sezzlee_py.search.lexical_view import SOFT, WEIGHTS, LexicalView
from sezzlee_py.search.matching import QueryTerm, Reading
from sezzlee_py.search.ranking import Account, Share


def account(view: LexicalView, reading: Reading, document: int) -> Account:
    """Return what each term adds in each field, and what multiplies their sum."""
    found = [term for term in reading.terms if document in term.match.values]
    shares = tuple(share for term in found for share in _shares(view, term, document))
    if not shares:
        return Account(())
    covered = sum(term.match.values[document].imag for term in found)
    met = view.emphasis(reading.terms).get(document, 0j)
    factors = [
        ("coverage", math.sqrt(covered / reading.mass)),
        ("name", 1 + met.real * met.real),
        ("first sentence", 1 + met.imag * met.imag),
    ]
    value = sum((term.match.values[document] for term in found), 0j)
    entries = reading.score([(document, value)])
    (before, _), (after, _) = *entries, *reading.refine(entries)
    factors.append(("adjacent", after / before))
    return Account(shares, tuple(factors))


def _shares(view: LexicalView, term: QueryTerm, document: int) -> Iterator[Share]:
    full, soft = view.expansions(term.term)
    hits = list(_hits(view, full, document))
    factor = 1.0
    if not hits:
        # Of soft matches the best counts alone.
        factor = SOFT
        each = [list(_hits(view, (other,), document)) for other in soft]
        hits = max(each, key=lambda rows: sum(impact for _, _, impact in rows))
    weight = term.match.weight * factor
    for matched, position, impact in hits:
        yield Share(term.term, matched, FIELDS[position], WEIGHTS[position], weight * impact)


def _hits(
    view: LexicalView, terms: tuple[str, ...], document: int
) -> Iterator[tuple[str, int, float]]:
    """Yield (term, field, impact); terms of one prefix share the impact by their counts."""
    rows = [
        (term, position, count)
        for term in terms
        for found, position, count in view.documents.index.postings(term)
        if found == document
    ]
    for term, position, count in rows:
        together = sum(other for _, field, other in rows if field == position)
        yield term, position, view.impact(document, position, together) * count / together
