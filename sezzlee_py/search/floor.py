"""Whether what matches a query is an answer to it (spec: search 7, ranking 3)."""

from __future__ import annotations

from sezzlee_py.search.matching import TOLERANCE, Reading, Totals, idf
from sezzlee_py.search.query import Role

_SHORT_QUERY = 4
_UNKNOWN_SHARE = 0.7
_APP_TIMES = 3.0


def least_cover(reading: Reading, floor: float) -> float:
    """Return the query mass a tool must cover to stay, decided tool by tool."""
    return floor * reading.mass


def answers(reading: Reading, totals: Totals, floor: float, size: int) -> bool:
    """Whether the best-covered of `size` visible tools reaches the floor of the query."""
    share = floor * min(1.0, _SHORT_QUERY / max(1, len(reading.terms)))
    return totals.cover + TOLERANCE >= share * _query_mass(reading, size)


def _query_mass(reading: Reading, size: int) -> float:
    absent = _UNKNOWN_SHARE * idf(size, 0)
    by_role = {Role.PLAIN: absent, Role.APP: _APP_TIMES * absent, Role.VALUE: 0.0}
    return sum(
        term.match.weight if term.known else by_role[term.word.role] for term in reading.terms
    )
