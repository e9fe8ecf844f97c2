"""`sezzlee search`: what an agent would find, and why."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from sezzlee_py.cli.command import Source, app_command, headers_option, warn_of_headers_left
from sezzlee_py.cli.console import Console
from sezzlee_py.cli.failure import FINDINGS

if TYPE_CHECKING:
    from sezzlee_py.cli.sheet import Sheet

_TO_BE_FOUND: Final = (
    "Where one of them is the answer: declare the missing words as its search_terms, ask in fewer "
    "words, or lower options.search.floor."
)


@app_command(
    click.argument("query"),
    click.option("--tags", default="", metavar="T,...", help="Only tools with all of these tags."),
    click.option("--limit", type=click.IntRange(1, 50), default=20, help="At most this many."),
    click.option("--explain", is_flag=True, help="Tell each score apart: per term and field."),
    click.option("--everything", is_flag=True, help="All tools, whoever may see them."),
    headers_option,
)
def command(
    console: Console,
    source: Source,
    query: str,
    tags: str,
    limit: int,
    explain: bool,
    everything: bool,
    headers: Mapping[str, str],
) -> None:
    """Search the tools of APP for QUERY as an agent would.

    With --header, as the caller who sends it.
    """
    from sezzlee_py.explorer.searching import Question, answer
    from sezzlee_py.toolkit.host_calls import outer_of

    wanted = tuple(tag.strip() for tag in tags.split(",") if tag.strip())
    question = Question(query=query, limit=limit, tags=wanted, everything=everything)
    with source.opened(console) as host:
        warn_of_headers_left(console, host, headers)
        document = host.run(answer(host.engine, question, outer_of(headers), explain=explain))
        carriers = host.engine.options.identity.carriers
        console.result(document, _sheet(document, headers, carriers))
        if "error" in document:
            sys.exit(FINDINGS)


def _sheet(
    document: Mapping[str, Any], headers: Mapping[str, str], carriers: Sequence[str]
) -> Sheet:
    from sezzlee_py.cli.sheet import Sheet

    sheet = Sheet()
    if "error" in document:
        sheet.line(f"{document['error']}: {document['message']}")
        return sheet
    results = document["results"]
    sheet.line(f"{document['query']!r}: {len(results)} of {document['total']} visible tools found")
    if document["hidden"]:
        way = _way_to_more(headers, carriers)
        sheet.line(f"hidden from this caller: {document['hidden']} more; {way}")
    sheet.table(
        ("rank", "score", "tool", "description"),
        [(r["rank"], _number(r["score"]), r["name"], r["description"]) for r in results],
    )
    if not results:
        _say_why_empty(sheet, document)
    for result in results:
        # A listing has no scores to take apart.
        if result.get("explanation", {}).get("shares"):
            _explain(sheet, result)
    return sheet


def _way_to_more(headers: Mapping[str, str], carriers: Sequence[str]) -> str:
    if headers or not carriers:
        return "--everything shows them"
    tries = " or ".join(f"--header '{name.title()}: ...'" for name in carriers)
    return f"try {tries}, or --everything"


def _say_why_empty(sheet: Sheet, document: Mapping[str, Any]) -> None:
    unknown = ", ".join(document.get("unmatched", ()))
    if unknown:
        sheet.line(f"no visible tool knows: {unknown}")
    below = document.get("below_floor")
    if below:
        # What the floor holds against a query are its unknown words before all else.
        heavy = "words that nobody knows weigh too much in the query"
        why = heavy if unknown else "they match too little of the query"
        sheet.heading(f"Left out by the floor: {why}")
        sheet.table(("score", "tool"), [(_number(r["score"]), r["name"]) for r in below])
        sheet.line(f"  {_TO_BE_FOUND}")


def _explain(sheet: Sheet, result: Mapping[str, Any]) -> None:
    why = result["explanation"]
    sheet.heading(f"{result['rank']}. {result['name']}: {_number(why['score'])}")
    sheet.table(
        ("term", "matched", "field", "weight", "share"),
        [
            (s["term"], s["matched"], s["field"], _number(s["weight"]), _number(s["share"]))
            for s in why["shares"]
        ],
    )
    factors = [f"{name} x {value:.3f}" for name, value in why["factors"].items()]
    if factors:
        sheet.line(f"  times {', '.join(factors)}")
    if why["unmatched"]:
        sheet.line(f"  not matched here: {', '.join(why['unmatched'])}")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
