"""Whether what matches a query is an answer to it (spec: search 7, ranking 3)."""

from __future__ import annotations

import math

from sezzlee_py.search.matching import TOLERANCE, Reading, Totals, idf
from sezzlee_py.search.query import Role

_SHORT_QUERY = 4
_UNKNOWN_SHARE = 0.7
_APP_TIMES = 3.0
_SMALL_CATALOG = 100


def least_cover(reading: Reading, floor: float) -> float:
    """Return the query mass a tool must cover to stay, decided tool by tool."""
    return floor * reading.mass


def answers(reading: Reading, totals: Totals, floor: float, size: int) -> bool:
    """Whether the best-covered of `size` visible tools reaches the floor of the query.

    What is weighed against it are the words that no visible tool knows: one that some tool knows
    is no sign of a query about something else, even where the best tool lacks it.
    """
    lift = _lift(size)
    unknown = _unknown_mass(reading, idf(size, 0) + lift)
    if not unknown:
        return True
    cover = _lifted_cover(reading, lift) if lift else totals.cover
    share = floor * min(1.0, _SHORT_QUERY / len(reading.terms))
    return cover + TOLERANCE >= share * (cover + unknown)


def _lift(size: int) -> float:
    """Return what the idf of a word gains when its catalog is read as one of a hundred tools.

    In a shop of three tools, all about orders, `order` weighs next to nothing, and any unknown word
    would outweigh it. The idf of a word in as many tools of a larger catalog is greater by this.
    """
    return max(0.0, math.log((_SMALL_CATALOG + 1) / (size + 1)))


def _lifted_cover(reading: Reading, lift: float) -> float:
    covers: dict[int, float] = {}
    for term in reading.terms:
        if not term.known:
            continue
        times = 1 + lift / term.match.weight
        for document, value in term.match.values.items():
            covers[document] = covers.get(document, 0.0) + value.imag * times
    return max(covers.values(), default=0.0)


def _unknown_mass(reading: Reading, absent_idf: float) -> float:
    unknown = [term.word.role for term in reading.terms if not term.known]
    if not unknown:
        return 0.0
    absent = _UNKNOWN_SHARE * absent_idf
    by_role = {
        Role.PLAIN: absent,
        Role.APP: _APP_TIMES * absent,
        Role.ASKING: 0.0,
        Role.VALUE: 0.0,
    }
    return sum(by_role[role] for role in unknown)
