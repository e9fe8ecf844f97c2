"""One call as an operator sees it: how long it took, what came of it, whose tool it was."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.mcp.binding import InvokeCall, LoadCall, MetaCall, SearchCall
from sezzlee_py.mcp.meta_tools import INVOKE_TOOL, LOAD_TOOL, SEARCH_TOOLS
from sezzlee_py.model import Emission, OuterRequest
from sezzlee_py.telemetry import Event, Instruments, log_event
from sezzlee_py.telemetry.instruments import Outcome

Answer: TypeAlias = Callable[[], Awaitable[Emission]]

_METHOD: Final = "tools/call"
_TOOL_ERROR: Final = "tool_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What a call is about; `tool` is a tool of the catalog, never a name that a client made up.

    `target` is the tool that the client names to MCP: a meta-tool, or one that is listed directly.
    """

    event: Event
    target: str | None
    tool: str | None = None


async def observed(
    answer: Answer,
    call: MetaCall,
    outer: OuterRequest,
    catalog: Catalog,
    instruments: Instruments | None,
    *,
    is_direct: bool = False,
) -> Emission:
    """Return what `answer` gives, with a log event and, given `instruments`, a span and a metric.

    Args:
        answer: answers the call.
        call: the call.
        outer: the request it came in.
        catalog: tells which names are tools.
        instruments: of OpenTelemetry.
        is_direct: whether the client called the tool itself, not `invoke_tool`.
    """
    subject = _subject(call, catalog, is_direct)
    began = time.perf_counter()
    with (
        nullcontext(Outcome())
        if instruments is None
        else instruments.operation(_METHOD, subject.target, outer)
    ) as outcome:
        emission = await answer()
        _tell_span(outcome, subject, emission)
    _log(subject, emission, (time.perf_counter() - began) * 1_000)
    return emission


def _subject(call: MetaCall, catalog: Catalog, is_direct: bool) -> _Subject:
    match call:
        case SearchCall():
            return _Subject(event=Event.SEARCH, target=SEARCH_TOOLS)
        case LoadCall():
            return _Subject(event=Event.LOAD, target=LOAD_TOOL, tool=_known(call.name, catalog))
        case InvokeCall():
            tool = _known(call.name, catalog)
            target = tool if is_direct else INVOKE_TOOL
            return _Subject(event=Event.INVOKE, target=target, tool=tool)
    return _Subject(event=Event.REFUSED, target=None)


def _known(name: str, catalog: Catalog) -> str | None:
    return name if name in catalog else None


def _tell_span(outcome: Outcome, subject: _Subject, emission: Emission) -> None:
    facts = _facts(subject, emission)
    outcome.error = _TOOL_ERROR if emission.is_error else None
    outcome.attributes = {f"sezzlee.{name}": value for name, value in facts.items()}


def _log(subject: _Subject, emission: Emission, took_ms: float) -> None:
    facts = _facts(subject, emission)
    event = Event.REFUSED if emission.is_error else subject.event
    log_event(
        event,
        "%s%s: %s in %.1f ms",
        subject.target or "a call",
        f" {subject.tool}" if subject.tool and subject.tool != subject.target else "",
        _told(facts),
        took_ms,
        meta_tool=subject.target,
        duration_ms=round(took_ms, 3),
        **facts,
    )


def _facts(subject: _Subject, emission: Emission) -> dict[str, Any]:
    """Return what is said of an answer: names the catalog has, codes, and counts."""
    payload = emission.payload
    facts = {
        "tool": subject.tool,
        "error": payload.get("error") if emission.is_error else None,
        "status": payload.get("status") if subject.event is Event.INVOKE else None,
        "results": len(payload["results"]) if "results" in payload else None,
        "total": payload.get("total") if subject.event is Event.SEARCH else None,
        "characters": len(emission.text),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _told(facts: dict[str, Any]) -> str:
    if "error" in facts:
        return f"refused with {facts['error']}"
    if "results" in facts:
        return f"{facts['results']} of {facts['total']} tools"
    return f"answered with {facts['status']}" if "status" in facts else "answered"
