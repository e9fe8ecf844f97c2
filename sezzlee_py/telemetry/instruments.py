"""Spans and metrics by OpenTelemetry, where the application has set it up."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sezzlee_py._version import __version__
from sezzlee_py.model import BackendRequest, BackendResponse, Headers, OuterRequest, RPCMessage

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Link, Span

Attributes: TypeAlias = dict[str, str | int]

_SCOPE: Final = "sezzlee_py"
# From the semantic conventions of MCP and of HTTP.
_OPERATION_BUCKETS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_REQUEST_BUCKETS: Final = (
    *(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75),
    *(1, 2.5, 5, 7.5, 10),
)
_TRACE_FIELDS: Final = ("traceparent", "tracestate", "baggage")
# The last of the SDK's own headers; traces come next, then arguments (spec: identity 4).
_BEFORE_TRACES: Final = frozenset({"user-agent", "content-length"})
_ON_SPANS_ALONE: Final = frozenset({"jsonrpc.request.id", "client.address", "client.port"})


def instruments() -> Instruments | None:
    """Return what spans and metrics are made with, `None` where nobody has set any up.

    Nothing is imported for it: an application that has set something up has imported it. The two
    names are private; asking by the public functions costs as much as a whole search. Where a
    release renames them there are no spans, which a test would tell.
    """
    modules = sys.modules
    if "opentelemetry.trace" not in modules and "opentelemetry.metrics" not in modules:
        return None
    tracers = getattr(modules.get("opentelemetry.trace"), "_TRACER_PROVIDER", None)
    meters = getattr(modules.get("opentelemetry.metrics._internal"), "_METER_PROVIDER", None)
    return None if tracers is None and meters is None else _made(tracers, meters)


# An instrument is made once per provider; making it again is warned about.
@lru_cache(maxsize=4)
def _made(tracers: object, meters: object) -> Instruments:
    return Instruments()


@dataclass(slots=True)
class Outcome:
    """What is said of an operation when it has ended."""

    error: str | None = None
    attributes: Attributes = field(default_factory=dict)


class Instruments:
    """Makes the spans and metrics of calls, with the application's own providers."""

    def __init__(self) -> None:
        from opentelemetry import context, metrics, propagate, trace

        self._context = context
        self._trace = trace
        self._propagate = propagate
        self._tracer = trace.get_tracer(_SCOPE, __version__)
        meter = metrics.get_meter(_SCOPE, __version__)
        self._operations = meter.create_histogram(
            "mcp.server.operation.duration",
            unit="s",
            description="Duration of an MCP request as its receiver sees it.",
            explicit_bucket_boundaries_advisory=_OPERATION_BUCKETS,
        )
        self._requests = meter.create_histogram(
            "http.client.request.duration",
            unit="s",
            description="Duration of the requests that calls are replayed as.",
            explicit_bucket_boundaries_advisory=_REQUEST_BUCKETS,
        )

    @contextmanager
    def operation(
        self, method: str, target: str | None, outer: OuterRequest
    ) -> Generator[Outcome, None, None]:
        """Watch one MCP request; its span is the current one meanwhile.

        Args:
            method: such as `tools/call`.
            target: the tool that is called; `None` where its name is only what a client wrote.
            outer: the request; where it carries no message, the host's own code makes the call.
        """
        attributes = _operation_attributes(method, target, outer)
        parent, links = self._parent(outer)
        kinds = self._trace.SpanKind
        outcome = Outcome()
        began = time.perf_counter()
        with (
            # A span's own start leaves the baggage of its parent behind.
            self._within(parent),
            self._tracer.start_as_current_span(
                f"{method} {target}" if target else method,
                links=links,
                kind=kinds.INTERNAL if outer.message is None else kinds.SERVER,
                attributes=attributes,
                record_exception=False,
                set_status_on_exception=False,
            ) as span,
        ):
            try:
                yield outcome
            except BaseException as fault:
                outcome.error = type(fault).__qualname__
                raise
            finally:
                said = {n: v for n, v in attributes.items() if n not in _ON_SPANS_ALONE}
                self._end(span, outcome)
                self._operations.record(
                    time.perf_counter() - began, said | _error_type(outcome.error)
                )

    async def sent(
        self,
        template: str,
        request: BackendRequest,
        send: Callable[[BackendRequest], Awaitable[BackendResponse]],
    ) -> BackendResponse:
        """Return the application's answer to a request that carries the trace's context.

        Args:
            template: of its path; the path itself holds arguments.
            request: the request.
            send: sends it.
        """
        attributes = _request_attributes(template, request)
        outcome = Outcome()
        began = time.perf_counter()
        with self._tracer.start_as_current_span(
            f"{request.method} {template}",
            kind=self._trace.SpanKind.CLIENT,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                response = await send(replace(request, headers=self._carried(request)))
                outcome.attributes["http.response.status_code"] = response.status
                outcome.error = str(response.status) if response.status >= 400 else None
                return response
            except BaseException as fault:
                outcome.error = type(fault).__qualname__
                raise
            finally:
                self._end(span, outcome)
                said = attributes | outcome.attributes | _error_type(outcome.error)
                self._requests.record(time.perf_counter() - began, said)

    @contextmanager
    def _within(self, parent: Context | None) -> Generator[None, None, None]:
        if parent is None:
            yield
            return
        token = self._context.attach(parent)
        try:
            yield
        finally:
            self._context.detach(token)

    def _end(self, span: Span, outcome: Outcome) -> None:
        span.set_attributes(outcome.attributes | _error_type(outcome.error))
        if outcome.error is not None:
            span.set_status(self._trace.StatusCode.ERROR)

    def _parent(self, outer: OuterRequest) -> tuple[Context | None, list[Link] | None]:
        """What a span belongs below: the message's trace, the current span, the request's trace.

        The conventions of MCP put the message's own first and link what is current beside it.
        """
        current = self._trace.get_current_span().get_span_context()
        told = self._extracted(outer.message.meta if outer.message is not None else None)
        if told is not None:
            return told, [self._trace.Link(current)] if current.is_valid else None
        if current.is_valid:
            return None, None
        return self._extracted(dict(outer.headers)), None

    def _extracted(self, carrier: object) -> Context | None:
        if not isinstance(carrier, Mapping):
            return None
        fields = {name: carrier[name] for name in _TRACE_FIELDS if name in carrier}
        if not all(isinstance(value, str) for value in fields.values()):
            return None
        context = self._propagate.extract(fields)
        is_told = self._trace.get_current_span(context).get_span_context().is_valid
        return context if is_told else None

    def _carried(self, request: BackendRequest) -> Headers:
        """Return its headers with the current trace in the place of the outer request's."""
        carrier: dict[str, str] = {}
        self._propagate.inject(carrier)
        traces = {name.lower(): value for name, value in carrier.items()}
        outer = set(request.outer.headers)
        kept = [pair for pair in request.headers if pair[0] not in traces or pair not in outer]
        # What is left of these names is an argument, which goes before a trace.
        arguments = {name for name, _ in kept}
        added = [pair for pair in traces.items() if pair[0] not in arguments]
        place = 1 + max(at for at, (name, _) in enumerate(kept) if name in _BEFORE_TRACES)
        return (*kept[:place], *added, *kept[place:])


def _operation_attributes(method: str, target: str | None, outer: OuterRequest) -> Attributes:
    attributes: Attributes = {"mcp.method.name": method}
    if method == "tools/call":
        attributes["gen_ai.operation.name"] = "execute_tool"
    if target is not None:
        attributes["gen_ai.tool.name"] = target
    if outer.message is not None:
        attributes |= _message_attributes(outer, outer.message)
    return attributes


def _message_attributes(outer: OuterRequest, message: RPCMessage) -> Attributes:
    attributes: Attributes = {"jsonrpc.request.id": str(message.id)}
    if message.revision is not None:
        attributes["mcp.protocol.version"] = message.revision
    if message.is_piped:
        return attributes | {"network.transport": "pipe"}
    attributes |= {
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "network.protocol.version": outer.http_version,
    }
    if outer.client is not None:
        attributes |= {"client.address": outer.client[0], "client.port": outer.client[1]}
    return attributes


def _request_attributes(template: str, request: BackendRequest) -> Attributes:
    # No `url.full`: it holds arguments. No Host either: a client writes it, and a metric keeps a
    # series for each value.
    attributes: Attributes = {
        "http.request.method": request.method,
        "url.template": template,
        "url.scheme": request.outer.scheme,
        "network.protocol.version": request.outer.http_version,
    }
    if request.outer.server is not None:
        address, port = request.outer.server
        attributes |= {"server.address": address} | ({} if port is None else {"server.port": port})
    return attributes


def _error_type(error: str | None) -> dict[str, Any]:
    return {} if error is None else {"error.type": error}
