"""What a host's own code asks of the tools: its arguments as an agent's call and request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sezzlee_py.errors import InvocationError
from sezzlee_py.mcp.binding import (
    InvokeCall,
    MetaCall,
    RefusedCall,
    SearchCall,
    bind_arguments,
    clamp_limit,
)
from sezzlee_py.model import OuterRequest

_HOST: Final = ("host", "localhost")
_SERVER: Final = ("localhost", 80)
_WITHOUT_HEADERS: Final = OuterRequest(headers=(_HOST,), server=_SERVER)


def outer_of(headers: Mapping[str, str] | None) -> OuterRequest:
    """Return the request that a host's own code makes on a caller's behalf."""
    if not headers:
        return _WITHOUT_HEADERS
    pairs = [(name.lower(), value) for name, value in headers.items()]
    if not any(name == "host" for name, _ in pairs):
        pairs.append(_HOST)
    return OuterRequest(headers=tuple(pairs), server=_SERVER)


def search_call(query: str, limit: int, detail: str, tags: Iterable[str] | None) -> SearchCall:
    """Return the call that a host's arguments make of `search_tools`."""
    return SearchCall(
        query=query,
        limit=clamp_limit(limit),
        detail="schema" if detail == "schema" else "card",
        tags=tuple(tags or ()),
    )


def invoke_call(name: str, arguments: Any, version: str | None) -> MetaCall:
    """Return the call that a host's arguments make of `invoke_tool`."""
    try:
        return InvokeCall(name=name, arguments=bind_arguments(arguments), version=version)
    except InvocationError as refused:
        return RefusedCall(refused)
