"""What a search answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Hit(NamedTuple):
    """A tool that was found; in a listing, and for a host's own ranker, the score is 0."""

    name: str
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """The hits of a query, best first.

    `unmatched` are the words of the query, as sent and at most ten, that no visible tool matches.
    """

    hits: tuple[Hit, ...] = ()
    unmatched: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hits, best first."""
        return tuple(hit.name for hit in self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestrictedNames:
    """Denied tools that match a query: how many, and the first five names (search 9)."""

    count: int = 0
    names: tuple[str, ...] = ()
