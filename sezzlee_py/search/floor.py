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
    """Whether the best-covered of `size` visible tools reaches the floor of the query.

    What is weighed against it are the words that no visible tool knows: one that some tool knows
    is no sign of a query about something else, even where the best tool lacks it.
    """
    unknown = _unknown_mass(reading, size)
    if not unknown:
        return True
    cover = totals.cover
    share = floor * min(1.0, _SHORT_QUERY / len(reading.terms))
    return cover + TOLERANCE >= share * (cover + unknown)


def _unknown_mass(reading: Reading, size: int) -> float:
    unknown = [term.word.role for term in reading.terms if not term.known]
    if not unknown:
        return 0.0
    absent = _UNKNOWN_SHARE * idf(size, 0)
    by_role = {
        Role.PLAIN: absent,
        Role.APP: _APP_TIMES * absent,
        Role.ASKING: 0.0,
        Role.VALUE: 0.0,
    }
    return sum(by_role[role] for role in unknown)
