"""`sezzlee eval`: search measured on queries with known answers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sezzlee_py.cli.command import Command, Source, as_json
from sezzlee_py.cli.console import Console
from sezzlee_py.cli.failure import FINDINGS, Failure

if TYPE_CHECKING:
    from sezzlee_py.cli.evaluating import Searched
    from sezzlee_py.cli.host import Host
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.search.evaluation import QueryCase

_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_SHARE: Final = click.FloatRange(0, 1)
_BOUNDS: Final = {
    "min_hit1": "hit@1",
    "min_recall5": "recall@5",
    "min_ndcg10": "ndcg@10",
    "min_mrr": "mrr",
    "max_false_return": "false_return_rate",
}


@click.command("eval", cls=Command)
@click.argument("app", required=False)
@click.option("--tools", type=_FILE, help="tools.jsonl, instead of APP.")
@click.option("--queries", type=_FILE, required=True, help="queries.jsonl: query and relevant.")
@click.option("--negatives", type=_FILE, help="negatives.jsonl: queries that nothing answers.")
@click.option("--ranker", type=click.Choice(["lexical", "bm25", "weighted"]))
@click.option("--floor", type=_SHARE, help="Instead of the ranker's own; 0 is off.")
@click.option("--min-hit1", type=_SHARE, help="Fail below this.")
@click.option("--min-recall5", type=_SHARE, help="Fail below this.")
@click.option("--min-ndcg10", type=_SHARE, help="Fail below this.")
@click.option("--min-mrr", type=_SHARE, help="Fail below this.")
@click.option("--max-false-return", type=_SHARE, help="Fail above this.")
@click.option("--worst", type=click.IntRange(0), default=10, help="How many queries to list.")
@as_json
@click.option("--factory", is_flag=True, help="APP is a function that makes the app.")
@click.option("--no-start", is_flag=True, help="Do not run the app's own startup.")
@click.pass_obj
def command(console: Console, /, app: str | None, tools: Path | None, **given: Any) -> None:
    """Measure the search over APP, or over --tools, on queries with known answers.

    With APP, `relevant` holds tool names. Exits with 1 when a bound is not met.
    """
    from sezzlee_py.cli.evaluating import evaluate, negative_cases, read_rows, thresholds
    from sezzlee_py.search.evaluation import cases_from_rows

    queries = read_rows(given["queries"], required=("query", "relevant"))
    negatives = read_rows(given["negatives"], required=("query",)) if given["negatives"] else []
    with _searched(console, app, tools, given) as searched:
        document = evaluate(
            searched,
            cases_from_rows(queries, searched.tools.apps),
            negative_cases(negatives, searched.tools),
            _Watch("queries"),
            worst=given["worst"],
        )
    wanted = {metric: given[name] for name, metric in _BOUNDS.items() if given[name] is not None}
    document["thresholds"] = thresholds(document, wanted)
    console.result(document, _sheet(document))
    if not all(bound["ok"] for bound in document["thresholds"]):
        sys.exit(FINDINGS)


class _Watch:
    """Passes cases through, with a bar on standard error for somebody who watches."""

    def __init__(self, label: str) -> None:
        self._label = label

    def __call__(self, cases: Sequence[QueryCase]) -> Iterable[QueryCase]:
        """Yield the cases."""
        if not cases or not sys.stderr.isatty():
            yield from cases
            return
        with click.progressbar(cases, label=self._label, file=sys.stderr) as bar:
            yield from bar


@contextmanager
def _searched(
    console: Console, app: str | None, tools: Path | None, given: Mapping[str, Any]
) -> Iterator[Searched]:
    """Give what is measured; an application stays started meanwhile."""
    from sezzlee_py.cli.evaluating import RANKERS, Searched, read_tools
    from sezzlee_py.search import SearchIndex

    if (app is None) == (tools is None):
        raise click.UsageError("give either APP or --tools FILE")
    ranker = RANKERS[given["ranker"]]() if given["ranker"] else None
    if tools is not None:
        found = read_tools(tools)
        try:
            index = SearchIndex(found.documents, ranker)
        except ValueError as fault:
            raise Failure("wrong_tools", f"{tools}: {fault}") from None
        yield Searched(tools=found, index=index, floor=given["floor"])
        return
    source = Source(spec=app or "", factory=given["factory"], start=not given["no_start"])
    with source.opened(console) as host:
        yield _application(host, ranker, given["floor"])


def _application(host: Host, ranker: Any, floor: float | None) -> Searched:
    from sezzlee_py.cli.evaluating import Searched, ToolSet
    from sezzlee_py.errors import CatalogError
    from sezzlee_py.search import RankCatalog, SearchIndex, documents_from_tools
    from sezzlee_py.toolkit.host_calls import outer_of

    catalog, own = host.catalog, host.engine.ranker
    if catalog.fatal:
        raise CatalogError(catalog.diagnostics)
    documents = documents_from_tools(catalog)
    options = host.engine.options.search
    # The host's ranker and floor were chosen together; another ranker has a floor of its own.
    builtin = ranker or (own.builtin if own is not None else None)
    index = SearchIndex(documents, builtin, exact_name_first=options.exact_name_first)
    ranked = RankCatalog(version=catalog.version, documents=index.documents)

    def host_rank(query: str) -> Sequence[str] | None:
        asked = own.rank(query, ranked, catalog, outer_of(None)) if own is not None else None
        found = host.run(asked) if asked is not None else None
        if found is None or isinstance(found, Sequence):
            return found
        # The host's factory or dependency gave a built-in ranker.
        return index.under(found).search(query, floor=options.floor).names

    is_host = ranker is None and own is not None and own.is_host
    return Searched(
        tools=ToolSet(documents=documents, apps={}),
        index=index,
        floor=options.floor if floor is None and ranker is None else floor,
        host_rank=host_rank if is_host else None,
    )


def _sheet(document: Mapping[str, Any]) -> Sheet:
    from sezzlee_py.cli.sheet import Sheet

    sheet = Sheet()
    sheet.line(
        f"{document['tools']} tools, {document['queries']} queries, {document['negatives']} "
        f"negatives; {document['ranker']}, floor {document['floor']:g}"
    )
    bounds = {bound["metric"]: bound for bound in document["thresholds"]}
    measured = ((n, v) for n, v in document["metrics"].items() if v is not None)
    sheet.heading("Measured")
    sheet.table(
        ("metric", "value", "bound"), [(n, f"{v:.3f}", _bound(bounds.get(n))) for n, v in measured]
    )
    _queries(sheet, "Worst queries", document["failing"])
    _queries(sheet, "Answered although nothing answers them", document["false_returns"])
    _names(sheet, "Never found by any of their queries", document["never_found"])
    _names(sheet, "Wanted by a query, but no such tool", document["unknown_tools"])
    if document["twins"]:
        sheet.heading("Twins: tools that search can hardly tell apart")
        rows = [(t["first"], t["second"], f"{t['overlap']:.2f}") for t in document["twins"]]
        sheet.table(("tool", "tool", "overlap"), rows)
    return sheet


def _bound(bound: Mapping[str, Any] | None) -> str:
    if bound is None:
        return ""
    sign = "at most" if bound["metric"] == "false_return_rate" else "at least"
    return f"{sign} {bound['bound']:g}: {'met' if bound['ok'] else 'MISSED'}"


def _queries(sheet: Sheet, title: str, queries: Sequence[Mapping[str, Any]]) -> None:
    if queries:
        sheet.heading(title)
    sheet.table(
        ("query", "wanted", "found"),
        [(q["query"], ", ".join(q["relevant"]), ", ".join(q["returned"])) for q in queries],
    )


def _names(sheet: Sheet, title: str, names: Sequence[str]) -> None:
    if names:
        sheet.heading(title)
        sheet.line(f"  {', '.join(names)}")
