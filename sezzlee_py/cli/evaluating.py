"""Search measured on files of queries: reading them, and the report (formats: docs/guides)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sezzlee_py.cli.failure import Failure
from sezzlee_py.model import read_json
from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    SearchIndex,
    ToolDocument,
    WeightedTokenRanker,
)
from sezzlee_py.search.evaluation import (
    NDCG_AT,
    QueryCase,
    QueryResult,
    cases_from_rows,
    false_return_rate,
    measure,
    never_found,
    run,
    twins,
    worst_queries,
)

RANKERS: Final[Mapping[str, Callable[[], Any]]] = {
    "lexical": LexicalRanker,
    "bm25": BM25Ranker,
    "weighted": WeightedTokenRanker,
}
_METHOD: Final = re.compile(r"[A-Z]+ (?=/)")

Row = Mapping[str, Any]
Watched = Callable[[Sequence[QueryCase]], Iterable[QueryCase]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSet:
    """The tools that are searched, and which of them each `app` shows; `name` is the folder's."""

    documents: tuple[ToolDocument, ...]
    apps: Mapping[str, frozenset[str]]
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What is measured: tools, their index, and how they are searched.

    Attributes:
        tools: the tools.
        index: the same, ranked by a built-in ranker.
        floor: `None` is the ranker's own.
        host_rank: the host's own ranking of a query, `None` where it leaves it to the index.
    """

    tools: ToolSet
    index: SearchIndex
    floor: float | None = None
    host_rank: Callable[[str], Sequence[str] | None] | None = None

    def names(self, case: QueryCase) -> Sequence[str]:
        """Return what is found, best first."""
        ranking = self.host_rank(case.query) if self.host_rank is not None else None
        if ranking is not None:
            return self.index.arrange(ranking, limit=NDCG_AT, visible=case.visible)
        found = self.index.search(case.query, limit=NDCG_AT, visible=case.visible, floor=self.floor)
        return found.names


def read_tools(path: Path) -> ToolSet:
    """Return the tools of a `tools.jsonl`.

    Raises:
        Failure: the file cannot be read, a row is no tool, or two have one name.
    """
    rows = read_rows(path, required=("name",))
    apps: dict[str, set[str]] = {}
    for row in rows:
        apps.setdefault(str(row.get("app")), set()).add(str(row["name"]))
    return ToolSet(
        documents=tuple(_document(row) for row in rows),
        apps={app: frozenset(names) for app, names in apps.items()},
        name=path.resolve().parent.name,
    )


def read_rows(path: Path, *, required: Sequence[str]) -> list[Row]:
    """Return the objects of a JSON-lines file.

    Raises:
        Failure: the file cannot be read, or a line is no object with the `required` keys.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise Failure("unreadable_file", f"{path} cannot be read: {fault}") from None
    rows = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            rows.append(_row(line, f"{path}, line {number}", required))
    return rows


def negative_cases(rows: Iterable[Row], tools: ToolSet) -> tuple[QueryCase, ...]:
    """Return the cases of `negatives.jsonl` rows that are about these tools."""
    about = (row for row in rows if row.get("catalog") in (None, tools.name) or tools.name is None)
    return cases_from_rows(about, tools.apps)


def evaluate(
    searched: Searched,
    cases: Sequence[QueryCase],
    negatives: Sequence[QueryCase],
    watched: Watched,
    *,
    worst: int = 10,
) -> dict[str, Any]:
    """Return the report as a document.

    Args:
        searched: what is measured.
        cases: queries with the tools that answer them.
        negatives: queries that nothing answers.
        watched: passes cases through while it shows how far they are.
        worst: how many failing queries to list.
    """
    index = searched.index
    results = run(searched.names, watched(cases))
    refused = run(searched.names, watched(negatives))
    known = {document.name for document in index.documents}
    metrics = measure(results)
    return {
        "tools": len(index),
        "queries": len(results),
        "negatives": len(refused),
        "ranker": type(index.ranker).__name__ if searched.host_rank is None else "host",
        "floor": index.ranker.floor if searched.floor is None else searched.floor,
        "metrics": {
            "hit@1": metrics.hit_at_1,
            "recall@5": metrics.recall_at_5,
            "ndcg@10": metrics.ndcg_at_10,
            "mrr": metrics.mrr,
            "false_return_rate": _false_returns(refused),
        },
        "failing": [_failing(result) for result in worst_queries(results, worst)],
        "false_returns": [_failing(result) for result in refused if result.returned][:worst],
        "never_found": list(never_found(results)),
        "unknown_tools": sorted({name for case in cases for name in case.relevant} - known),
        "twins": [asdict(pair) for pair in twins(index)],
    }


def thresholds(document: Mapping[str, Any], wanted: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return each wanted bound with what was measured; rates are bounded from above."""
    return list(_thresholds(document["metrics"], wanted))


def _thresholds(metrics: Mapping[str, Any], wanted: Mapping[str, float]) -> Iterator[Any]:
    for metric, bound in wanted.items():
        value = metrics[metric]
        at_most = metric == "false_return_rate"
        if value is None:
            raise Failure("no_negatives", "--max-false-return needs queries that nothing answers")
        is_met = value <= bound if at_most else value >= bound
        yield {"metric": metric, "bound": bound, "value": value, "ok": is_met}


def _false_returns(refused: Sequence[QueryResult]) -> float | None:
    return false_return_rate([result.returned for result in refused]) if refused else None


def _failing(result: QueryResult) -> dict[str, Any]:
    return {
        "query": result.query,
        "relevant": sorted(result.relevant),
        "returned": list(result.returned[:5]),
    }


def _row(line: str, place: str, required: Sequence[str]) -> Row:
    try:
        row = read_json(line)
    except ValueError as fault:
        raise Failure("wrong_row", f"{place} is no JSON: {fault}") from None
    missing = [key for key in required if not isinstance(row, dict) or key not in row]
    if missing:
        raise Failure("wrong_row", f"{place}: expected an object with {', '.join(required)}")
    known: Row = row
    return known


def _document(row: Row) -> ToolDocument:
    pairs = [p for p in row.get("parameters") or () if isinstance(p, Mapping) and "name" in p]
    return ToolDocument(
        str(row["name"]),
        str(row.get("description") or ""),
        search_terms=_texts(row.get("search_terms")),
        tags=_texts(row.get("tags")),
        # A tool's route is searched without its method, which every fourth tool has.
        route=_METHOD.sub("", str(row.get("route") or ""), count=1),
        parameters=tuple((str(p["name"]), str(p.get("description") or "")) for p in pairs),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
