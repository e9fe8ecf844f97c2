"""A service without an application behind it, and the endpoint on both shells."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sezzlee_py.mcp import (
    InvokeCall,
    MCPASGIApp,
    MCPProtocol,
    MCPWSGIApp,
    MetaCall,
    RefusedCall,
    Subscriptions,
    ToolAnswer,
    structured_content,
)
from sezzlee_py.model import Emission, OuterRequest, ToolDefinition
from sezzlee_py.options import TransportOptions


def emission(payload: dict[str, Any], *, is_error: bool = False) -> Emission:
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return Emission(text=text, payload=payload, is_error=is_error)


def tool(name: str, **facts: Any) -> ToolDefinition:
    defaults: dict[str, Any] = {
        "description": f"Does {name}.",
        "input_schema": {"type": "object", "properties": {}, "required": []},
        "annotations": {"readOnlyHint": True},
        "method": "GET",
        "route": f"/{name}",
    }
    return ToolDefinition(name=name, **{**defaults, **facts})


def answer(call: MetaCall) -> Emission:
    """What the stub answers: the call itself, as JSON."""
    if isinstance(call, RefusedCall):
        payload = {"error": str(call.error.code), "message": call.error.message, "retryable": False}
        return emission(payload, is_error=True)
    fields = {name: getattr(call, name) for name in call.__dataclass_fields__}
    return emission({"call": type(call).__name__, **fields})


@dataclass
class StubService:
    """Both services in one: the sync one under `sync`."""

    catalog: Sequence[ToolDefinition] = ()
    generation_number: int = 1
    raises: Exception | None = None
    seen: list[tuple[MetaCall, OuterRequest]] = field(default_factory=list)

    def _meet(self, call: MetaCall, outer: OuterRequest) -> None:
        self.seen.append((call, outer))
        if self.raises is not None:
            raise self.raises

    async def generation(self) -> int:
        if self.raises is not None:
            raise self.raises
        return self.generation_number

    async def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        self._meet(call, outer)
        return answer(call)

    async def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        return self.catalog

    async def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        self._meet(call, outer)
        found = next((tool for tool in self.catalog if tool.name == call.name), None)
        if found is None:
            message = f"No operation named '{call.name}'."
            payload = {"error": "unknown_tool", "message": message, "retryable": False}
            return ToolAnswer(emission=emission(payload, is_error=True))
        body = emission({"status": 200, "body": call.arguments.get("body", dict(call.arguments))})
        return ToolAnswer(emission=body, structured=structured_content(found, body))


class SyncStubService:
    """The stub for the WSGI shell."""

    def __init__(self, stub: StubService) -> None:
        self._stub = stub

    def generation(self) -> int:
        return _now(self._stub.generation())

    def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        return _now(self._stub.call(call, outer))

    def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        return _now(self._stub.tools(outer))

    def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        return _now(self._stub.call_tool(call, outer))


_T = TypeVar("_T")


def _now(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """The result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    raise AssertionError("the stub waited")


def asgi_app(
    service: StubService | None = None,
    *,
    subscriptions: Subscriptions | None = None,
    mount_path: str = "",
    **transport: Any,
) -> MCPASGIApp:
    protocol = MCPProtocol(TransportOptions(**transport), streams=True)
    return MCPASGIApp(
        protocol,
        service or StubService(),
        subscriptions=subscriptions,
        mount_path=mount_path,
    )


def wsgi_app(
    service: StubService | None = None, *, mount_path: str = "", **transport: Any
) -> MCPWSGIApp:
    protocol = MCPProtocol(TransportOptions(**transport))
    return MCPWSGIApp(protocol, SyncStubService(service or StubService()), mount_path=mount_path)
