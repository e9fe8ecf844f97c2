"""The protocol without I/O: an HTTP request in, a reply or a call to make out (spec: transport)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from sezzlee_py._version import __version__
from sezzlee_py.errors import CatalogError, InvocationError
from sezzlee_py.invoke.emit import call_tool_result
from sezzlee_py.mcp.binding import InvokeCall, MetaCall, RefusedCall, bind, bind_arguments, shorten
from sezzlee_py.mcp.direct import list_page, read_cursor
from sezzlee_py.mcp.eras import (
    HANDSHAKE,
    SERVER_INFO_KEY,
    STATELESS,
    VERSION_HEADER,
    Era,
    check_notification,
    era_of,
)
from sezzlee_py.mcp.head import HeadPolicy, HTTPReply, json_reply, refusal
from sezzlee_py.mcp.jsonrpc import (
    Notification,
    Request,
    RequestId,
    RPCCode,
    RPCFault,
    read_message,
    result_document,
)
from sezzlee_py.mcp.meta_tools import META_ARGUMENTS, meta_tool_definitions
from sezzlee_py.mcp.revisions import HANDSHAKE_REVISIONS, LATEST, LATEST_HANDSHAKE, REVISIONS
from sezzlee_py.mcp.service import NotReady
from sezzlee_py.model import (
    Emission,
    Headers,
    JSONObject,
    JSONValue,
    OuterRequest,
    RPCMessage,
    ToolDefinition,
)
from sezzlee_py.model.quick import quick
from sezzlee_py.options import TransportOptions
from sezzlee_py.telemetry import instruments

_ACCEPTED: Final = HTTPReply(status=202)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What the answer to one request has to look like; `meta` is the request's own."""

    id: RequestId
    era: Era
    meta: JSONValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsList:
    """Asks the shell for the catalog's generation, and for the tools where they are listed."""

    exchange: Exchange
    after: str | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class MetaToolCall:
    """Asks the shell to call a meta-tool."""

    exchange: Exchange
    call: MetaCall


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class DirectCall:
    """Asks the shell to call a tool that is listed directly."""

    exchange: Exchange
    call: InvokeCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenRequest:
    """Asks the shell for a stream of notifications; `tools` when list changes are wanted."""

    exchange: Exchange
    tools: bool


Ask: TypeAlias = ToolsList | MetaToolCall | DirectCall | ListenRequest
Step: TypeAlias = HTTPReply | Ask


def with_message(outer: OuterRequest, ask: Ask, *, is_piped: bool = False) -> OuterRequest:
    """Return the request with what its message says of itself, where calls are traced."""
    if instruments() is None:
        return outer
    exchange = ask.exchange
    revision = LATEST if exchange.era.stateless else outer.header(VERSION_HEADER)
    message = RPCMessage(id=exchange.id, revision=revision, meta=exchange.meta, is_piped=is_piped)
    return replace(outer, message=message)


# A model that has found an operation likes to call it by its own name.
_NO_TOOL: Final = "No tool '{}'. Operations that search_tools finds are called with invoke_tool."


class MCPProtocol:
    """One endpoint's protocol, the same for every shell.

    Args:
        transport: the endpoint's options.
        streams: whether the shell can hold a stream, so that list changes can be told.
        title: the application's own name, where the options give none.

    Raises:
        OptionsError: an allow-list holds something that is no origin or host.
    """

    def __init__(
        self, transport: TransportOptions, *, streams: bool = False, title: str | None = None
    ) -> None:
        self.head = HeadPolicy(transport)
        self._server = _server_info(transport.title or title)
        self._guidance = {"instructions": transport.instructions} if transport.instructions else {}
        self.lists_directly = transport.listing == "direct"
        self._capabilities = {"tools": {"listChanged": streams}}
        self._endings = {
            (era.stateless, cacheable): self._ending(era, cacheable=cacheable)
            for era in (HANDSHAKE, STATELESS)
            for cacheable in (False, True)
        }
        both = {"tools/list": self._tools_list, "tools/call": self._tools_call}
        self._methods: Mapping[bool, Mapping[str, _Handler]] = {
            False: both | {"initialize": self._initialize, "ping": self._ping},
            True: both
            | {"server/discover": self._discover}
            | ({"subscriptions/listen": self._listen} if streams else {}),
        }

    def receive(self, headers: Headers | None, body: bytes) -> Step:
        """Return the reply to one message, or what the shell has to ask for first.

        Args:
            headers: of the HTTP request; `None` on a channel without any.
            body: one JSON-RPC message.
        """
        era = STATELESS
        request_id = None
        try:
            message = read_message(body)
            if isinstance(message, Notification):
                check_notification(headers or ())
                return _ACCEPTED
            request_id = message.id
            era = era_of(message, headers)
            exchange = Exchange(id=request_id, era=era, meta=message.params.get("_meta"))
            return self._handler(message, era)(message, exchange)
        except RPCFault as fault:
            return _failure(fault, request_id, era)

    def complete(
        self,
        ask: MetaToolCall | DirectCall,
        emission: Emission,
        *,
        structured: JSONObject | None = None,
    ) -> HTTPReply:
        """Return the reply to a call that was answered, well or not."""
        return self._success(ask.exchange, call_tool_result(emission, structured=structured))

    def listed(
        self, ask: ToolsList, generation: int, tools: Sequence[ToolDefinition] = ()
    ) -> HTTPReply:
        """Return the reply to `tools/list`; `tools` counts in direct listing only."""
        if self.lists_directly:
            result = list_page(tools, after=ask.after, generation=generation)
        else:
            result = {"tools": meta_tool_definitions(generation)}
        return self._success(ask.exchange, result, cacheable=True)

    def fault(self, ask: Ask, error: Exception) -> HTTPReply:
        """Return the reply to a request whose service raised."""
        fault = RPCFault(RPCCode.INTERNAL_ERROR, _fault_message(error))
        return _failure(fault, ask.exchange.id, ask.exchange.era)

    def _handler(self, request: Request, era: Era) -> _Handler:
        handler = self._methods[era.stateless].get(request.method)
        if handler is None:
            raise RPCFault(RPCCode.METHOD_NOT_FOUND, f"No method '{shorten(request.method)}'.")
        return handler

    def _initialize(self, request: Request, exchange: Exchange) -> HTTPReply:
        wanted = request.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RPCFault(RPCCode.INVALID_PARAMS, "'protocolVersion' must be a string.")
        result = {
            "protocolVersion": wanted if wanted in HANDSHAKE_REVISIONS else LATEST_HANDSHAKE,
            "capabilities": self._capabilities,
            "serverInfo": self._server,
            **self._guidance,
        }
        return self._success(exchange, result)

    def _ping(self, request: Request, exchange: Exchange) -> HTTPReply:
        return self._success(exchange, {})

    def _discover(self, request: Request, exchange: Exchange) -> HTTPReply:
        result = {
            "supportedVersions": list(REVISIONS),
            "capabilities": self._capabilities,
            **self._guidance,
        }
        return self._success(exchange, result, cacheable=True)

    def _tools_list(self, request: Request, exchange: Exchange) -> ToolsList:
        cursor = request.params.get("cursor") if self.lists_directly else None
        return ToolsList(exchange=exchange, after=read_cursor(cursor))

    def _tools_call(self, request: Request, exchange: Exchange) -> MetaToolCall | DirectCall:
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str):
            raise RPCFault(RPCCode.INVALID_PARAMS, "'name' must be a string.")
        if not self.lists_directly and name not in META_ARGUMENTS:
            raise RPCFault(RPCCode.INVALID_PARAMS, _NO_TOOL.format(shorten(name)))
        try:
            if self.lists_directly:
                call = InvokeCall(name=name, arguments=bind_arguments(arguments))
                return DirectCall(exchange=exchange, call=call)
            return MetaToolCall(exchange=exchange, call=bind(name, arguments))
        except InvocationError as error:
            return MetaToolCall(exchange=exchange, call=RefusedCall(error))

    def _listen(self, request: Request, exchange: Exchange) -> ListenRequest:
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise RPCFault(RPCCode.INVALID_PARAMS, "'notifications' must be an object.")
        return ListenRequest(exchange=exchange, tools=wanted.get("toolsListChanged") is True)

    def _success(
        self, exchange: Exchange, result: Mapping[str, Any], *, cacheable: bool = False
    ) -> HTTPReply:
        ending = self._endings[exchange.era.stateless, cacheable]
        return json_reply(result_document(exchange.id, {**result, **ending}))

    def _ending(self, era: Era, *, cacheable: bool) -> dict[str, Any]:
        """What every result of an era ends with."""
        members = dict(era.result_members)
        if cacheable:
            members |= era.cache_members
        if era.stateless:
            members["_meta"] = {SERVER_INFO_KEY: self._server}
        return members


_Handler: TypeAlias = Callable[[Request, Exchange], Step]


def _server_info(title: str | None) -> Mapping[str, str]:
    # The implementation is this package in every application; a title is what people are shown.
    own = {"name": "sezzlee_py", "version": __version__}
    return {**own, "title": title} if title else own


# Malformed input is an HTTP error in both eras: whose era it is cannot be told.
_MALFORMED: Final = frozenset({RPCCode.PARSE_ERROR, RPCCode.INVALID_REQUEST})


def _failure(fault: RPCFault, request_id: RequestId | None, era: Era) -> HTTPReply:
    status = 400 if fault.code in _MALFORMED else era.statuses.get(fault.code, 200)
    return refusal(status, fault, request_id)


def _fault_message(error: Exception) -> str:
    if isinstance(error, CatalogError):
        codes = dict.fromkeys(d.code for d in error.diagnostics if d.severity == "fatal")
        return f"The catalog is not served: {', '.join(codes)}."
    if isinstance(error, NotReady):
        return str(error)
    return "The endpoint failed while handling the request."
