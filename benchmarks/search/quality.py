"""Search quality on folders of tools and queries.

    python -m benchmarks.search.quality [--data DIR] [--ranker lexical] [--json]

DIR holds one folder per set with `tools.jsonl` and `queries.jsonl`, and perhaps `negatives.jsonl`
beside the folders (all may be gzipped); the project's own development sets are the default. The
formats are those of `sezzlee eval`.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sezzlee_py.search import BM25Ranker, LexicalRanker, SearchIndex, WeightedTokenRanker
from sezzlee_py.search.evaluation import (
    Metrics,
    QueryCase,
    apps_from_rows,
    cases_from_rows,
    document_from_row,
    false_return_rate,
    macro_mean,
    measure,
    run,
)

DATA = Path(__file__).parent / "data"
RANKERS = {
    "lexical": LexicalRanker(),
    "bm25": BM25Ranker(),
    "weighted": WeightedTokenRanker(),
}


@dataclass(frozen=True)
class DataSet:
    name: str
    tools: tuple[Mapping[str, Any], ...]
    queries: tuple[Mapping[str, Any], ...]

    @property
    def apps(self) -> dict[str, frozenset[str]]:
        return apps_from_rows(self.tools)

    @property
    def cases(self) -> tuple[QueryCase, ...]:
        return cases_from_rows(self.queries, self.apps)

    def index(self, ranker: Any) -> SearchIndex:
        return SearchIndex(map(document_from_row, self.tools), ranker)


def read_rows(path: Path) -> tuple[dict[str, Any], ...]:
    """The rows of a JSON-lines file, or of its gzipped form; none where neither exists."""
    packed = path.with_name(path.name + ".gz")
    if packed.exists():
        text = gzip.decompress(packed.read_bytes()).decode()
    else:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    return tuple(json.loads(line) for line in text.splitlines() if line.strip())


def read_sets(folder: Path) -> Iterator[DataSet]:
    for path in sorted(p for p in folder.iterdir() if p.is_dir()):
        tools, queries = read_rows(path / "tools.jsonl"), read_rows(path / "queries.jsonl")
        if tools and queries:
            yield DataSet(path.name, tools, queries)


def evaluate(data: DataSet, ranker: Any, floor: float | None) -> Metrics:
    index = data.index(ranker)

    def search(case: QueryCase) -> tuple[str, ...]:
        return index.search(case.query, visible=case.visible, floor=floor).names

    return measure(run(search, data.cases))


def false_returns(folder: Path, sets: Mapping[str, DataSet], ranker: Any) -> float | None:
    """The share of unanswerable queries that the default floor answers all the same."""
    rows = [r for r in read_rows(folder / "negatives.jsonl") if r["catalog"] in sets]
    if not rows:
        return None
    indexes = {name: data.index(ranker) for name, data in sets.items()}
    returned = []
    for row in rows:
        apps = sets[row["catalog"]].apps
        visible = apps[row["app"]] if row.get("app") else None
        returned.append(indexes[row["catalog"]].search(row["query"], visible=visible).names)
    return false_return_rate(returned)


def report(folder: Path, names: list[str]) -> dict[str, Any]:
    sets = {data.name: data for data in read_sets(folder)}
    found: dict[str, Any] = {}
    for name in names:
        ranker = RANKERS[name]
        for label, floor in (("no floor", 0.0), ("default floor", None)):
            each = {key: evaluate(data, ranker, floor) for key, data in sets.items()}
            each["macro mean"] = macro_mean(list(each.values()))
            found[f"{name}, {label}"] = {key: asdict(value) for key, value in each.items()}
        found[f"{name}, false returns"] = false_returns(folder, sets, ranker)
    return found


def print_tables(found: Mapping[str, Any]) -> None:
    for title, table in found.items():
        if not isinstance(table, dict):
            shown = "no negatives" if table is None else f"{table:.3f}"
            print(f"\n{title}: {shown}")
            continue
        print(f"\n{title}\n\n| set | queries | NDCG@10 | recall@5 | hit@1 | MRR |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for name, row in table.items():
            values = (row["ndcg_at_10"], row["recall_at_5"], row["hit_at_1"], row["mrr"])
            numbers = " | ".join(f"{value:.3f}" for value in values)
            print(f"| {name} | {row['queries']:,} | {numbers} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--ranker", choices=RANKERS, action="append")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = report(given.data, given.ranker or list(RANKERS))
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        print_tables(found)


if __name__ == "__main__":
    main()
