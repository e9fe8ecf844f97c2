"""How well a ranking finds what it should, as pure functions over queries and what was returned."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.index import SearchIndex

RECALL_AT = 5
NDCG_AT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCase:
    """A query and the tools that answer it; `visible` are the tools the caller sees, if not all."""

    query: str
    relevant: frozenset[str]
    visible: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """A query with the names that were returned for it, best first."""

    query: str
    relevant: frozenset[str]
    returned: tuple[str, ...]

    @property
    def hit_at_1(self) -> float:
        """1 when the first name is relevant."""
        return float(bool(self.returned) and self.returned[0] in self.relevant)

    @property
    def recall_at_5(self) -> float:
        """The share of the relevant names among the first five."""
        found = self.relevant.intersection(self.returned[:RECALL_AT])
        return len(found) / len(self.relevant) if self.relevant else 0.0

    @property
    def reciprocal_rank(self) -> float:
        """1 over the place of the first relevant name; 0 when there is none."""
        places = (n for n, name in enumerate(self.returned, 1) if name in self.relevant)
        place = next(places, None)
        return 1 / place if place else 0.0

    @property
    def ndcg_at_10(self) -> float:
        """Discounted gain of the first ten names, as a share of the best possible."""
        gain = _gain(n for n, name in enumerate(self.returned[:NDCG_AT]) if name in self.relevant)
        ideal = _gain(range(min(NDCG_AT, len(self.relevant))))
        return gain / ideal if ideal else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Means over a set of queries."""

    queries: int
    hit_at_1: float
    recall_at_5: float
    ndcg_at_10: float
    mrr: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two tools that search cannot tell apart: each scores `overlap` of the other's own score."""

    first: str
    second: str
    overlap: float


def run(
    search: Callable[[QueryCase], Sequence[str]], cases: Iterable[QueryCase]
) -> tuple[QueryResult, ...]:
    """Return what `search` returns for each case."""
    return tuple(
        QueryResult(query=case.query, relevant=case.relevant, returned=tuple(search(case)))
        for case in cases
    )


def measure(results: Sequence[QueryResult]) -> Metrics:
    """Return the means over `results`; all 0 without any."""
    return Metrics(
        queries=len(results),
        hit_at_1=_mean([result.hit_at_1 for result in results]),
        recall_at_5=_mean([result.recall_at_5 for result in results]),
        ndcg_at_10=_mean([result.ndcg_at_10 for result in results]),
        mrr=_mean([result.reciprocal_rank for result in results]),
    )


def macro_mean(metrics: Sequence[Metrics]) -> Metrics:
    """Return the mean of several sets, each counting the same."""
    return Metrics(
        queries=sum(each.queries for each in metrics),
        hit_at_1=_mean([each.hit_at_1 for each in metrics]),
        recall_at_5=_mean([each.recall_at_5 for each in metrics]),
        ndcg_at_10=_mean([each.ndcg_at_10 for each in metrics]),
        mrr=_mean([each.mrr for each in metrics]),
    )


def false_return_rate(returned: Sequence[Sequence[str]]) -> float:
    """Return how many of the queries that nothing answers were answered all the same."""
    return _mean([float(bool(names)) for names in returned])


def worst_queries(results: Iterable[QueryResult], count: int = 10) -> tuple[QueryResult, ...]:
    """Return the `count` queries with the least gain, those that are perfect left out."""
    failing = [result for result in results if result.ndcg_at_10 < 1]
    return tuple(sorted(failing, key=lambda r: (r.ndcg_at_10, r.recall_at_5, r.query))[:count])


def never_found(results: Iterable[QueryResult], *, at: int = NDCG_AT) -> tuple[str, ...]:
    """Return the relevant tools that none of their queries found among the first `at`."""
    wanted: set[str] = set()
    found: set[str] = set()
    for result in results:
        wanted |= result.relevant
        found |= result.relevant.intersection(result.returned[:at])
    return tuple(sorted(wanted - found))


def twins(index: SearchIndex, *, at_least: float = 0.9, among: int = 10) -> tuple[Twins, ...]:
    """Return the pairs that score alike when each is searched by its own words, closest first.

    Each tool is searched by its name and the first words of its description; the pair's overlap is
    the smaller share that one reaches of the other's score on the other's own words.
    """
    reached: dict[tuple[str, str], float] = {}
    for document in index.documents:
        query = f"{document.name} {' '.join(document.description.split()[:20])}"
        scores = {hit.name: hit.score for hit in index.search(query, limit=among, floor=0).hits}
        own = scores.get(document.name, 0.0)
        if own > 0:
            reached.update(((document.name, name), s / own) for name, s in scores.items())
    pairs = (
        Twins(first=one, second=other, overlap=min(share, reached.get((other, one), 0.0)))
        for (one, other), share in reached.items()
        if one < other
    )
    close = [pair for pair in pairs if pair.overlap >= at_least]
    return tuple(sorted(close, key=lambda pair: (-pair.overlap, pair.first, pair.second)))


def document_from_row(row: Mapping[str, Any]) -> ToolDocument:
    """Return the document of a `tools.jsonl` row."""
    return ToolDocument(
        row["name"],
        row.get("description") or "",
        search_terms=tuple(row.get("search_terms") or ()),
        tags=tuple(row.get("tags") or ()),
        route=row.get("route") or "",
        parameters=tuple(
            (parameter["name"], parameter.get("description") or "")
            for parameter in row.get("parameters") or ()
        ),
    )


def apps_from_rows(rows: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the names of the tools of each `app` in `tools.jsonl` rows."""
    apps: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.get("app"):
            apps[row["app"]].add(row["name"])
    return {app: frozenset(names) for app, names in apps.items()}


def cases_from_rows(
    rows: Iterable[Mapping[str, Any]], apps: Mapping[str, frozenset[str]]
) -> tuple[QueryCase, ...]:
    """Return the cases of `queries.jsonl` rows; `apps` names the tools of each `app`."""
    return tuple(
        QueryCase(
            query=row["query"],
            relevant=frozenset(row.get("relevant") or ()),
            visible=apps.get(row["app"], frozenset()) if row.get("app") else None,
        )
        for row in rows
    )


def _gain(places: Iterable[int]) -> float:
    return sum(1 / math.log2(place + 2) for place in places)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
