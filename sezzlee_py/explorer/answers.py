"""The documents behind the page: what there is, what a caller sees of it, what a call answers."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.errors import CatalogError
from sezzlee_py.explorer.asks import Ask, CallAsk, OverviewAsk, SearchAsk, ToolAsk
from sezzlee_py.explorer.carried import left_behind
from sezzlee_py.explorer.costs import cost_of, costs, estimated_tokens
from sezzlee_py.explorer.documents import (
    finding_document,
    sight_of,
    tag_counts,
    tool_document,
    whole_tool_document,
)
from sezzlee_py.explorer.searching import answer as searched
from sezzlee_py.mcp.meta_tools import DEFAULT_LIMIT
from sezzlee_py.model import Diagnostic, Emission, Headers, OuterRequest
from sezzlee_py.toolkit import Engine
from sezzlee_py.toolkit.host_calls import invoke_call, search_call


async def answer(engine: Engine, ask: Ask, outer: OuterRequest) -> dict[str, Any]:
    """Return the document that `ask` asks for.

    Args:
        engine: of the application.
        ask: what the page asks.
        outer: the page's own request; a caller's headers take the place of its headers.
    """
    caller = _as_caller(outer, ask.headers)
    try:
        match ask:
            case OverviewAsk():
                return await _overview(engine, caller, ask.headers)
            case SearchAsk():
                return await searched(engine, ask.question, caller, explain=True)
            case ToolAsk():
                return await _tool(engine, ask.name, caller)
            case CallAsk():
                return await _call(engine, ask, caller)
    except CatalogError as fault:
        return {
            "error": "catalog_not_served",
            "message": "The catalog is not served: it has fatal findings.",
            "findings": _findings(fault.diagnostics),
        }


async def _overview(engine: Engine, caller: OuterRequest, given: Headers) -> dict[str, Any]:
    served, view = await engine.seen_by(caller)
    catalog = served.catalog
    visible = [tool for tool in catalog if tool.name in view.visible]
    listing = await engine.call(search_call("", DEFAULT_LIMIT, "card", ()), caller)
    return {
        "catalog": _numbers(catalog),
        "listing": engine.options.transport.listing,
        "carriers": list(engine.options.identity.carriers),
        "left_behind": left_behind([name for name, _ in given], engine.options.identity),
        "seen": {"visible": len(visible), "hidden": len(catalog) - len(visible)},
        "tools": [{**tool_document(t), "sight": sight_of(t.name, view)} for t in catalog],
        "tags": tag_counts(catalog),
        "findings": _findings(catalog.diagnostics),
        "costs": costs(visible, catalog.generation, search_bytes=_size(listing)),
    }


async def _tool(engine: Engine, name: str, caller: OuterRequest) -> dict[str, Any]:
    served, view = await engine.seen_by(caller)
    tool = served.catalog.get(name)
    if tool is None:
        return {"error": "unknown_tool", "message": "There is no such tool in the catalog."}
    auth, sight = tool.auth, sight_of(name, view)
    document = whole_tool_document(tool, sight=sight)
    return {
        **document,
        "sight": sight,
        "auth": {
            "anonymous": str(auth.anonymous),
            "policies": list(auth.policies),
            "imperative": auth.imperative,
            "carriers": [f"{carrier.location} {carrier.name}" for carrier in auth.carriers],
        },
        "invocable": tool.template is not None,
        "findings": _findings(_about(served.catalog, name, f"{tool.method} {tool.route}")),
        "costs": {part: cost_of(document[part]) for part in ("card", "loaded")},
    }


async def _call(engine: Engine, ask: CallAsk, caller: OuterRequest) -> dict[str, Any]:
    began = time.perf_counter()
    emission = await engine.call(invoke_call(ask.name, ask.arguments, None), caller)
    size = _size(emission)
    return {
        "is_error": emission.is_error,
        "payload": emission.payload,
        "bytes": size,
        "tokens": estimated_tokens(size),
        "took_ms": round((time.perf_counter() - began) * 1_000, 1),
    }


def _as_caller(outer: OuterRequest, headers: Headers) -> OuterRequest:
    """Return the request as the caller would have sent it: no header of the page's own is left."""
    own = () if any(name == "host" for name, _ in headers) else outer.headers
    host = tuple(pair for pair in own if pair[0] == "host")
    return replace(outer, method="POST", headers=(*host, *headers))


def _size(emission: Emission) -> int:
    return len(emission.text.encode("utf-8", "surrogatepass"))


def _numbers(catalog: Catalog) -> dict[str, Any]:
    return {
        "version": catalog.version,
        "generation": catalog.generation,
        "discovered": catalog.discovered,
        "selected": catalog.selected,
        "tools": len(catalog),
    }


def _about(catalog: Catalog, name: str, operation: str) -> Iterable[Diagnostic]:
    return (found for found in catalog.diagnostics if found.operation in (name, operation))


def _findings(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    ordered = sorted(diagnostics, key=lambda found: -found.severity.rank)
    return [finding_document(found) for found in ordered]
