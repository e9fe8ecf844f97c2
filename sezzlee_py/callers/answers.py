"""What `search_tools` and `load_tool` answer to one caller, all from one visible set (search 4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sezzlee_py.callers.visibility import Decision, View, Viewer
from sezzlee_py.catalog.projection import card, loaded_shape
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.errors import ErrorCode
from sezzlee_py.invoke.sdk_errors import sdk_error, unknown_tool_message
from sezzlee_py.model import Envelope, ToolDefinition
from sezzlee_py.model.text import tokenize
from sezzlee_py.options import SearchOptions
from sezzlee_py.search import SearchIndex
from sezzlee_py.search.query import readable
from sezzlee_py.search.ranking import BuiltInRanker

# Ranks a query for a host's own ranker: the names, or the built-in ranker that answers, the
# index's own for `None`.
HostRank = Callable[[str], Awaitable[Sequence[str] | BuiltInRanker | None]]
# Probes tools that are still unknown, as many as the budget allows: the certain verdicts.
Probe = Callable[[Iterable[ToolDefinition]], Awaitable[Mapping[str, Decision]]]

_NO_VERDICTS: Mapping[str, Decision] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One catalog with what is derived from it for searching, swapped as a whole on reload."""

    catalog: Catalog
    index: SearchIndex
    viewer: Viewer


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuestion:
    """What an agent asked `search_tools`; the first 2,000 characters of `query` are read."""

    query: str
    limit: int
    full: bool
    tags: tuple[str, ...]


async def search_answer(
    served: Served,
    question: SearchQuestion,
    view: View,
    options: SearchOptions,
    *,
    host_rank: HostRank | None = None,
    name_restricted: bool = False,
    probe: Probe | None = None,
) -> Envelope:
    """Return the answer of `search_tools` for a caller who sees `view`."""
    question = replace(question, query=readable(question.query))
    # Of a probed answer the cut comes last, after what the probe has denied.
    limit = question.limit if probe is None else None
    found = await _find(served, question, view, options, host_rank, limit)
    verdicts = _NO_VERDICTS
    if probe is not None:
        found, verdicts = await _probed(served.catalog, question, view, found, probe)
    payload: dict[str, Any] = {"total": len(view.visible)}
    vocabulary = served.index.tag_vocabulary(view.visible, limit=options.tag_vocabulary_limit)
    if vocabulary:
        payload["tags"] = list(vocabulary)
    if tokenize(question.query):
        payload |= _about_the_query(question, view, options, found, name_restricted)
    uncertain = view.uncertain if not verdicts else view.uncertain - verdicts.keys()
    project = loaded_shape if question.full else card
    payload["results"] = [
        dict(project(served.catalog[name], auth_uncertain=name in uncertain))
        for name in found.names
    ]
    return Envelope(payload=payload)


async def load_answer(
    served: Served, name: str, view: View, *, probe: Probe | None = None
) -> Envelope:
    """Return the answer of `load_tool`; hidden and missing names answer alike."""
    tool = served.catalog.get(name) if name in view.visible else None
    verdicts = _NO_VERDICTS
    if tool is not None and probe is not None and name in view.uncertain:
        verdicts = await probe([tool])
    if tool is None or verdicts.get(name) is Decision.DENY:
        return sdk_error(ErrorCode.UNKNOWN_TOOL, unknown_tool_message(name))
    uncertain = name in view.uncertain and name not in verdicts
    return Envelope(payload=loaded_shape(tool, auth_uncertain=uncertain))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Names in order; `ranking` is a host ranker's whole answer, where one answered."""

    index: SearchIndex
    names: Sequence[str]
    unmatched: Sequence[str]
    ranking: Sequence[str] | None = None


async def _find(
    served: Served,
    question: SearchQuestion,
    view: View,
    options: SearchOptions,
    host_rank: HostRank | None,
    limit: int | None,
) -> _Found:
    index = served.index
    if host_rank is not None and tokenize(question.query):
        ranking = await host_rank(question.query)
        if isinstance(ranking, Sequence):
            names = index.arrange(ranking, limit=limit, tags=question.tags, visible=view.visible)
            unmatched = () if names else index.unmatched(question.query, view.visible)
            return _Found(index=index, names=names, unmatched=unmatched, ranking=ranking)
        if ranking is not None:
            index = index.under(ranking)
    outcome = index.search(
        question.query,
        limit=limit,
        tags=question.tags,
        visible=view.visible,
        floor=options.floor,
        floor_scope=options.floor_scope,
    )
    return _Found(index=index, names=outcome.names, unmatched=outcome.unmatched)


async def _probed(
    catalog: Catalog, question: SearchQuestion, view: View, found: _Found, probe: Probe
) -> tuple[_Found, Mapping[str, Decision]]:
    """Ask about what is still unknown, and leave out what is denied."""
    # Of a listing no more than the page is asked about.
    asked = found.names if tokenize(question.query) else found.names[: question.limit]
    verdicts = await probe(catalog[name] for name in asked if name in view.uncertain)
    kept = [name for name in found.names if verdicts.get(name) is not Decision.DENY]
    return replace(found, names=kept[: question.limit]), verdicts


def _about_the_query(
    question: SearchQuestion,
    view: View,
    options: SearchOptions,
    found: _Found,
    name_restricted: bool,
) -> dict[str, Any]:
    """What explains an empty answer, and what is denied where a host names that."""
    said: dict[str, Any] = {}
    if not found.names and found.unmatched:
        said["unmatched"] = list(found.unmatched)
    if name_restricted and view.denied:
        count, names = _restricted(question, view, options, found)
        if count:
            said["restricted"] = {"count": count, "names": list(names)}
    return said


def _restricted(
    question: SearchQuestion,
    view: View,
    options: SearchOptions,
    found: _Found,
) -> tuple[int, Sequence[str]]:
    index = found.index
    if found.ranking is not None:
        denied = index.arrange(found.ranking, limit=None, tags=question.tags, visible=view.denied)
        return len(denied), denied[:5]
    restricted = index.restricted(
        question.query,
        view.denied,
        tags=question.tags,
        floor=options.floor,
        floor_scope=options.floor_scope,
    )
    return restricted.count, restricted.names
