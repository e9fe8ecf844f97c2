"""What a built-in ranker is to the index (spec: search, ranking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sezzlee_py.options import FloorScope
from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.matching import Reading, View

_SMALLEST_BUDGET: Final = 200_000
_BUDGET_PER_TOOL: Final = 60


@dataclass(frozen=True, slots=True)
class Share:
    """What one index term in one field adds to a document's score, before the factors."""

    term: str
    matched: str
    field: str
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Account:
    """How a score came about: the shares add up, the factors multiply."""

    shares: tuple[Share, ...]
    factors: tuple[tuple[str, float], ...] = ()


class PreparedRanker(Protocol):
    """A ranker that has read the documents."""

    def view(self, members: bytes | None) -> View:
        """Return the ranker's reading of the documents flagged in `members`; `None` is all."""

    def account(self, view: View, reading: Reading, document: int) -> Account:
        """Return how the score of `document`, as `view` read the query, comes about."""


class BuiltInRanker(Protocol):
    """A ranker that the index can prepare."""

    @property
    def floor(self) -> float:
        """The floor it has when a host sets none."""

    @property
    def floor_scope(self) -> FloorScope:
        """Whether its floor decides once per query or tool by tool."""

    def prepare(self, documents: Sequence[ToolDocument]) -> PreparedRanker:
        """Return the ranker made ready for `documents`, which are sorted by name."""


def memo_budget(size: int) -> int:
    """Return how many matched documents an index of `size` tools may remember."""
    return max(_SMALLEST_BUDGET, _BUDGET_PER_TOOL * size)
