"""What an agent finds, with the scores and their parts that agents are not told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sezzlee_py.callers.answers import SearchQuestion, Served, search_answer
from sezzlee_py.callers.visibility import View
from sezzlee_py.model import OuterRequest
from sezzlee_py.search import Explanation, SearchOutcome
from sezzlee_py.toolkit import Engine
from sezzlee_py.toolkit.host_calls import search_call


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is searched; `everything` is for the owner, who sees what no caller may."""

    query: str
    limit: int = 20
    tags: tuple[str, ...] = ()
    everything: bool = False


async def answer(
    engine: Engine, question: Question, outer: OuterRequest, *, explain: bool = False
) -> dict[str, Any]:
    """Return what `search_tools` answers to a caller, each result with its rank and score.

    Where the host's own ranker answers, or nothing was asked for, there are no scores; an
    explanation tells what the built-in ranking would have made of the tool.
    """
    served, view = await engine.seen_by(outer)
    if question.everything:
        everything = frozenset(tool.name for tool in served.catalog)
        view = View(visible=everything, uncertain=frozenset(), denied=frozenset())
        payload = await _owners_answer(engine, served, view, question)
    else:
        call = search_call(question.query, question.limit, "card", question.tags)
        payload = (await engine.call(call, outer)).payload
    if "error" in payload:
        return dict(payload)
    is_host = not question.everything and engine.ranker is not None and engine.ranker.is_host
    scores = {} if is_host else _scores(engine, served, view, question)
    results = [
        # A listing without a query has no order of merit: its scores are all zero.
        {"rank": rank, "score": scores.get(found["name"]) or None, **found}
        for rank, found in enumerate(payload["results"], 1)
    ]
    hidden = len(served.catalog) - payload["total"]
    document = {"query": question.query, **payload, "hidden": hidden, "results": results}
    document["ranker"] = "host" if is_host else type(served.index.ranker).__name__
    if not results and not is_host:
        document["below_floor"] = _below_floor(served, view, question)
    if explain:
        for found in results:
            why = served.index.explain(question.query, found["name"], visible=view.visible)
            found["explanation"] = _explanation(why)
    return document


async def _owners_answer(
    engine: Engine, served: Served, view: View, question: Question
) -> Mapping[str, Any]:
    asked = SearchQuestion(
        query=question.query, limit=question.limit, full=False, tags=question.tags
    )
    return (await search_answer(served, asked, view, engine.options.search)).payload


def _scores(engine: Engine, served: Served, view: View, question: Question) -> dict[str, float]:
    options = engine.options.search
    return _by_name(_found(served, view, question, options.floor, options.floor_scope))


def _below_floor(served: Served, view: View, question: Question) -> list[dict[str, Any]]:
    scores = _by_name(_found(served, view, question, 0.0, None))
    return [{"name": name, "score": score} for name, score in scores.items()]


def _found(
    served: Served, view: View, question: Question, floor: float | None, scope: Any
) -> SearchOutcome:
    return served.index.search(
        question.query,
        limit=question.limit,
        tags=question.tags,
        visible=view.visible,
        floor=floor,
        floor_scope=scope,
    )


def _by_name(outcome: SearchOutcome) -> dict[str, float]:
    return {hit.name: hit.score for hit in outcome.hits}


def _explanation(why: Explanation) -> dict[str, Any]:
    return {
        "score": why.score,
        "shares": [
            {
                "term": share.term,
                "matched": share.matched,
                "field": share.field,
                "weight": share.weight,
                "share": share.share,
            }
            for share in why.shares
        ],
        "factors": dict(why.factors),
        "unmatched": list(why.unmatched),
    }
