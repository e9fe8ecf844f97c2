"""What the endpoint asks of the application behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sezzlee_py.errors import SezzleeError
from sezzlee_py.mcp.binding import InvokeCall, MetaCall
from sezzlee_py.model import Emission, JSONObject, OuterRequest, ToolDefinition


class NotReady(SezzleeError):  # noqa: N818 - a state of the application, not a fault
    """The application has not started; the message is for the client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """The answer of a tool that is listed directly; `structured` where its schema asks for it."""

    emission: Emission
    structured: JSONObject | None = None


class AsyncService(Protocol):
    """The catalog and its calls, for the ASGI shell.

    Every method may raise `CatalogError` for a catalog that is not served and `NotReady` before
    startup has completed; both become a JSON-RPC internal error that says so.
    """

    async def generation(self) -> int:
        """Return the generation of the catalog, which is built now if it was not yet."""

    async def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        """Return the gated answer of a meta-tool."""

    async def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        """Return the tools this caller sees, for direct listing."""

    async def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        """Return the gated answer of a tool that is listed directly."""


class SyncService(Protocol):
    """The same for the WSGI shell."""

    def generation(self) -> int:
        """Return the generation of the catalog, which is built now if it was not yet."""

    def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        """Return the gated answer of a meta-tool."""

    def tools(self, outer: OuterRequest) -> Sequence[ToolDefinition]:
        """Return the tools this caller sees, for direct listing."""

    def call_tool(self, call: InvokeCall, outer: OuterRequest) -> ToolAnswer:
        """Return the gated answer of a tool that is listed directly."""
