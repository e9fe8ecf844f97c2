"""The engine for a thread without an event loop."""

from __future__ import annotations

from collections.abc import Sequence

from sezzlee_py.invoke.settle import drive
from sezzlee_py.mcp.binding import InvokeCall, MetaCall
from sezzlee_py.mcp.service import ToolAnswer
from sezzlee_py.model import Emission, OuterRequest, ToolDefinition
from sezzlee_py.toolkit.engine import Engine


class ThreadEngine:
    """An engine whose answers are waited for (mcp.service.SyncService)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def generation(self) -> int:
        """Return the generation of the catalog."""
        return drive(self._engine.generation())

    def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        """Return the gated answer of a meta-tool."""
        return drive(self._engine.call(call, outer))

    def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        """Return the tools this caller sees, by name."""
        return drive(self._engine.tools(outer))

    def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        """Return the gated answer of a tool that is listed directly."""
        return drive(self._engine.call_tool(call, outer))
