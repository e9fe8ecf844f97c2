"""One call of one tool: fill, compose, dispatch, map, gate (spec: identity 7, results)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol
from urllib.parse import unquote

from sezzlee_py.errors import ErrorCode, InvocationError
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.budget import NarrowingField, gate, narrowing_fields
from sezzlee_py.invoke.compose import Composer
from sezzlee_py.invoke.dispatch import (
    LOGGER,
    DeadlineExpired,
    Dispatcher,
    NeverStarted,
    fresh_context,
)
from sezzlee_py.invoke.field_names import FieldNames
from sezzlee_py.invoke.fills import FillContext, Operation
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.invoke.multipart import write_content
from sezzlee_py.invoke.refs import Abandonment
from sezzlee_py.invoke.request_headers import request_headers
from sezzlee_py.invoke.runtime import Runtime
from sezzlee_py.invoke.sdk_errors import fault_envelope, never_started_message, sdk_error
from sezzlee_py.model import (
    BackendRequest,
    BackendResponse,
    ComposedRequest,
    Emission,
    Envelope,
    FileSource,
    Headers,
    JSONObject,
    OuterRequest,
    ParameterLocation,
    RequestTemplate,
    ToolDefinition,
)
from sezzlee_py.options import Options
from sezzlee_py.telemetry import instruments

# An answer is read up to this many times its budget: enough for one that shrinks when it is
# written anew (white space, escapes), and what bounds the memory of one that never ends.
READ_FACTOR: Final = 4

_NO_FILLS: Final[Mapping[str, object]] = MappingProxyType({})


class Caller(Protocol):
    """On whose behalf a call runs."""

    @property
    def fields(self) -> Headers:
        """The carrier headers, after projection."""


Identify = Callable[[OuterRequest], Awaitable[Caller]]
IdentifyAtOnce = Callable[[OuterRequest], Caller | None]


class Resolve(Protocol):
    """The adapter's `resolve`."""

    def __call__(self, method: str, path: str, *, host: str | None = None) -> Hashable | None:
        """Return the key of the endpoint that the application's router picks."""


class Reads(Protocol):
    """The adapter's `reads`."""

    def __call__(
        self, method: str, path: str, written: Mapping[str, str], *, host: str | None = None
    ) -> bool:
        """Whether the router reads the values of a path as they were written into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlan:
    """What a call of one tool needs and no call changes; made once per tool and catalog.

    `asks_host` tells whether composing waits for anything of the host's, `takes_refs` whether a
    file may arrive as a ref. `path_arguments` are the visible arguments in the path; `None` for a
    route without any parameter, which addresses itself.
    """

    tool: ToolDefinition
    composer: Composer
    names: FieldNames
    operation: Operation
    narrowing: tuple[NarrowingField, ...]
    max_response_bytes: int
    timeout_ms: int
    asks_host: bool
    takes_refs: bool
    path_arguments: tuple[str, ...] | None


class Invoker:
    """Calls tools through the application.

    Args:
        dispatcher: the seam to the application.
        runtime: where the pipeline runs.
        options: the host's options.
        identify: composes the caller of an MCP request.
        resolve: the adapter's `resolve`, asked before a path with arguments is dispatched.
        reads: the adapter's `reads`, asked besides where one argument may reach into another.
        at_once: the same as `identify` where it waits for nobody, `None` where it does.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        runtime: Runtime,
        options: Options,
        identify: Identify,
        resolve: Resolve,
        reads: Reads | None = None,
        *,
        at_once: IdentifyAtOnce = lambda outer: None,
    ) -> None:
        self._dispatcher = dispatcher
        self._runtime = runtime
        self._options = options
        self._identify = identify
        self._resolve = resolve
        self._reads = reads
        self._identify_at_once = at_once

    def plan(self, tool: ToolDefinition) -> ToolPlan | None:
        """Return the plan of a tool, or `None` for one that cannot be invoked."""
        if tool.template is None:
            return None
        invoke = self._options.invoke
        operation = Operation(
            container=tool.container,
            operation_id=tool.operation_id,
            method=tool.method,
            route=tool.route,
        )
        composer = Composer(tool.template)
        takes_refs = self._options.files.resolver is not None and _offers_refs(tool.template)
        return ToolPlan(
            tool=tool,
            composer=composer,
            names=FieldNames.of(tool.template),
            operation=operation,
            narrowing=narrowing_fields(tool.input_schema),
            max_response_bytes=_override(invoke.max_response_bytes_for, operation)
            or invoke.max_response_bytes,
            timeout_ms=_limit(_override(invoke.timeout_ms_for, operation), invoke.timeout_ms),
            asks_host=bool(composer.sources)
            or self._options.identity.project is not None
            or takes_refs,
            takes_refs=takes_refs,
            path_arguments=_path_arguments(tool.template),
        )

    def asks_host(self, plan: ToolPlan) -> bool:
        """Whether a call of a tool may run functions of the host's; a path has converters."""
        errors = self._options.errors
        return (
            plan.asks_host
            or plan.path_arguments is not None
            or bool(errors.recognize)
            or errors.mapper is not None
        )

    async def invoke(self, plan: ToolPlan, arguments: JSONObject, outer: OuterRequest) -> Emission:
        """Return the gated answer of one call; every fault becomes an envelope."""
        timeout_ms = plan.timeout_ms
        deadline = time.monotonic() + timeout_ms / 1_000 if timeout_ms else None
        try:
            if plan.asks_host:
                composed, caller = await self._compose_asking(plan, arguments, outer, deadline)
            else:
                caller = self._identify_at_once(outer) or await self._identify(outer)
                composed = self._compose(plan, arguments, caller, _NO_FILLS)
            request = self._request(plan, composed, caller, outer)
            response = await self._send(plan, request, deadline)
            envelope = self._mapped(plan, response)
        # The last line of defence too: what failed in the layer itself ends here.
        except Exception as fault:
            envelope = _refusal(plan, fault)
        return gate(envelope, limit=plan.max_response_bytes, narrowing=plan.narrowing)

    def _mapped(self, plan: ToolPlan, response: BackendResponse) -> Envelope:
        return map_response(
            response,
            plan.names,
            recognizers=self._options.errors.recognize,
            mapper=self._options.errors.mapper,
            forward_html=self._options.invoke.forward_html,
            max_decoded_bytes=plan.max_response_bytes * READ_FACTOR,
        )

    def _send(
        self, plan: ToolPlan, request: BackendRequest, deadline: float | None
    ) -> Awaitable[BackendResponse]:
        max_bytes = plan.max_response_bytes * READ_FACTOR
        context = fresh_context(self._options.identity.carry_context)
        send, tracing = self._dispatcher.send, instruments()
        if tracing is None:
            return send(request, max_bytes=max_bytes, deadline=deadline, context=context)
        bound = partial(send, max_bytes=max_bytes, deadline=deadline, context=context)
        return tracing.sent(plan.tool.route, request, bound)

    def _request(
        self, plan: ToolPlan, composed: ComposedRequest, caller: Caller, outer: OuterRequest
    ) -> BackendRequest:
        if plan.path_arguments is not None:
            self._check_route(plan, plan.path_arguments, composed, outer)
        content_type, body = (
            write_content(composed.content) if composed.content is not None else (None, None)
        )
        return BackendRequest(
            method=composed.method,
            path=composed.path,
            query=composed.query,
            headers=request_headers(outer, caller.fields, composed.headers, content_type, body),
            body=body,
            outer=outer,
        )

    async def _compose_asking(
        self, plan: ToolPlan, arguments: JSONObject, outer: OuterRequest, deadline: float | None
    ) -> tuple[ComposedRequest, Caller]:
        cancelled = Abandonment()
        try:
            work = self._ask_host(plan, arguments, outer, cancelled)
            return await self._runtime.within(deadline, work)
        finally:
            cancelled.set()

    async def _ask_host(
        self, plan: ToolPlan, arguments: JSONObject, outer: OuterRequest, cancelled: Abandonment
    ) -> tuple[ComposedRequest, Caller]:
        caller = await self._identify(outer)
        fills = (
            await self._runtime.fills(
                plan.composer.sources,
                self._options.fills,
                FillContext(caller=caller, operation=plan.operation, tool=plan.tool.name),
            )
            if plan.composer.sources
            else _NO_FILLS
        )
        composed = self._compose(plan, arguments, caller, fills)
        resolver = self._options.files.resolver
        if resolver is not None and plan.takes_refs and _holds_refs(composed):
            composed = await self._runtime.refs(
                composed,
                resolver,
                cancelled,
                operation=plan.operation,
                caller=caller,
                max_file_bytes=self._options.invoke.max_file_bytes,
            )
        return composed, caller

    def _compose(
        self, plan: ToolPlan, arguments: JSONObject, caller: Caller, fills: Mapping[str, object]
    ) -> ComposedRequest:
        return plan.composer.compose(
            arguments,
            fills=fills,
            carrier_cookies=_cookies(caller.fields) if caller.fields else None,
            max_inline_file_bytes=self._options.invoke.max_inline_file_bytes,
        )

    def _check_route(
        self,
        plan: ToolPlan,
        arguments: tuple[str, ...],
        composed: ComposedRequest,
        outer: OuterRequest,
    ) -> None:
        """Refuse a path that the application's own router takes for another operation or values."""
        path, host = unquote(composed.path), outer.header("host")
        picked = self._resolve(composed.method, path, host=host)
        if picked is None:
            return
        if picked == plan.tool.endpoint_key and self._is_read(composed, path, host):
            return
        if not arguments:
            raise faults.fill_invalid()
        raise faults.path_misdirected(", ".join(arguments))

    def _is_read(self, composed: ComposedRequest, path: str, host: str | None) -> bool:
        written = composed.path_values
        if written is None or self._reads is None:
            return True
        return self._reads(composed.method, path, written, host=host)


def _refusal(plan: ToolPlan, fault: Exception) -> Envelope:
    """What the agent is told of a call that has no answer of the application's."""
    if isinstance(fault, NeverStarted):
        return sdk_error(ErrorCode.INVOKE_TIMEOUT, never_started_message(plan.timeout_ms))
    if isinstance(fault, DeadlineExpired):
        return sdk_error(ErrorCode.INVOKE_TIMEOUT, limit_ms=plan.timeout_ms)
    if isinstance(fault, InvocationError):
        return fault_envelope(fault)
    # Whatever failed in the layer, it is one fixed sentence, and the log has the rest.
    LOGGER.error("invoking %r failed in the tool layer", plan.tool.name, exc_info=fault)
    return sdk_error(ErrorCode.INTERNAL_ERROR)


def _path_arguments(template: RequestTemplate) -> tuple[str, ...] | None:
    slots = [s for s in template.parameters if s.location is ParameterLocation.PATH]
    return tuple(s.agent_name for s in slots if s.fill is None) if slots else None


def _override(callback: Callable[[Any], int | None] | None, operation: Operation) -> int | None:
    return callback(operation) if callback is not None else None


def _limit(override: int | None, default: int) -> int:
    return default if override is None else override


def _cookies(fields: Headers) -> str | None:
    return next((value for name, value in fields if name == "cookie"), None)


def _offers_refs(template: RequestTemplate) -> bool:
    return template.body is not None and FileSource.REF in template.body.file_sources


def _holds_refs(composed: ComposedRequest) -> bool:
    content = composed.content
    if content is None:
        return False
    files = [content.file, *(part.file for part in content.parts or ())]
    return any(file is not None and file.source is FileSource.REF for file in files)
