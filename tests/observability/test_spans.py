"""Spans and metrics: names and attributes of the conventions, one trace from client to handler."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry import baggage, context, trace
from opentelemetry.trace import SpanKind, StatusCode

from sezzlee_py.model import BackendRequest, BackendResponse, OuterRequest, RPCMessage
from sezzlee_py.telemetry import instruments
from sezzlee_py.testing import AgentClient
from tests.observability.otel import Telemetry
from tests.observability.shop import MAKERS, SECRET, make_fastapi, make_starlette

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
framework = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


@framework
def test_a_call_is_two_spans_of_one_trace(make: Any, telemetry: Telemetry) -> None:
    with AgentClient(make(), headers={"traceparent": TRACEPARENT}) as agent:
        answer = agent.invoke("show_trace", {"word": "a"})
    outer = telemetry.spans["tools/call invoke_tool"]
    inner = next(span for name, span in telemetry.spans.items() if name.startswith("GET /traces/"))
    assert (outer.kind, inner.kind) == (SpanKind.SERVER, SpanKind.CLIENT)
    assert outer.parent is not None
    assert inner.parent is not None
    # FastAPI may have a span of its own between the client's and this one.
    assert f"{outer.parent.trace_id:032x}" == TRACE
    assert make is MAKERS["fastapi"] or f"{outer.parent.span_id:016x}" == PARENT
    assert inner.parent.span_id == outer.context.span_id
    sent = f"00-{TRACE}-{inner.context.span_id:016x}-01"
    assert answer["body"]["traceparent"] == sent


async def test_the_trace_stands_where_the_outer_one_would_and_yields_to_arguments(
    telemetry: Telemetry,
) -> None:
    made = instruments()
    assert made is not None
    received: list[BackendRequest] = []

    async def send(request: BackendRequest) -> BackendResponse:
        received.append(request)
        return BackendResponse(status=200)

    outer = OuterRequest(headers=(("traceparent", TRACEPARENT), ("baggage", "tenant=outer")))
    headers = (
        *(("host", "localhost"), ("accept", "application/json"), ("user-agent", "x")),
        *(("content-type", "text/plain"), ("content-length", "1")),
        *(("traceparent", TRACEPARENT), ("baggage", "tenant=outer"), ("x-word", "a")),
        ("tracestate", "argument=1"),
    )
    request = BackendRequest(
        method="POST", path="/a", query="", headers=headers, body=b"x", outer=outer
    )
    token = context.attach(baggage.set_baggage("tenant", "inner"))
    try:
        await made.sent("/{word}", request, send)
    finally:
        context.detach(token)
    span = telemetry.spans["POST /{word}"].context
    assert received[0].headers == (
        *headers[:5],
        ("traceparent", f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"),
        ("baggage", "tenant=inner"),
        ("x-word", "a"),
        ("tracestate", "argument=1"),
    )


@framework
def test_the_attributes_are_those_of_the_conventions(make: Any, telemetry: Telemetry) -> None:
    with AgentClient(make()) as agent:
        agent.invoke("show_trace", {"word": "a"})
        agent.search("show trace")
    outer = dict(telemetry.spans["tools/call invoke_tool"].attributes or {})
    assert outer.pop("sezzlee.characters") > 0  # type: ignore[operator]
    outer.pop("client.port")
    assert outer == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2026-07-28",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "invoke_tool",
        "jsonrpc.request.id": outer["jsonrpc.request.id"],
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "network.protocol.version": "1.1",
        "client.address": "127.0.0.1",
        "sezzlee.tool": "show_trace",
        "sezzlee.status": 200,
    }
    name, inner = next((n, s) for n, s in telemetry.spans.items() if n.startswith("GET"))
    attributes = dict(inner.attributes or {})
    assert attributes == {
        "http.request.method": "GET",
        "url.template": name.removeprefix("GET "),
        "url.scheme": "http",
        "network.protocol.version": "1.1",
        "server.address": attributes["server.address"],
        "server.port": 80,
        "http.response.status_code": 200,
    }
    found = telemetry.spans["tools/call search_tools"].attributes or {}
    assert (found["sezzlee.results"], found["sezzlee.total"]) == (1, 1)


@framework
def test_a_failed_call_is_a_failed_span(make: Any, telemetry: Telemetry) -> None:
    with AgentClient(make()) as agent:
        agent.invoke("show_trace", {"word": "missing"})
    outer = telemetry.spans["tools/call invoke_tool"]
    inner = next(span for name, span in telemetry.spans.items() if name.startswith("GET"))
    codes = [span.status.status_code for span in (outer, inner)]
    assert codes == [StatusCode.ERROR, StatusCode.ERROR]
    errors = [(span.attributes or {})["error.type"] for span in (outer, inner)]
    assert errors == ["tool_error", "404"]
    assert (outer.attributes or {})["sezzlee.error"] == "not_found"


@framework
def test_nothing_that_was_sent_is_exported(make: Any, telemetry: Telemetry) -> None:
    headers = {"authorization": f"Bearer {SECRET}", "host": f"{SECRET}.example"}
    with AgentClient(make(), headers=headers) as agent:
        agent.search(SECRET)
        agent.load(SECRET)
        agent.invoke(SECRET, {"word": SECRET})
        agent.invoke("show_trace", {"word": SECRET})
        agent.invoke("show_trace", {SECRET: SECRET})
    assert SECRET not in telemetry.texts()


@framework
def test_durations_are_measured_as_the_conventions_say(make: Any, telemetry: Telemetry) -> None:
    with AgentClient(make()) as agent:
        agent.invoke("show_trace", {"word": "a"})
        agent.invoke("show_trace", {"word": "missing"})
    operations = telemetry.points("mcp.server.operation.duration")
    assert [(point.attributes.get("error.type"), point.count) for point in operations] == [
        (None, 1),
        ("tool_error", 1),
    ]
    first = operations[0]
    assert tuple(first.explicit_bounds) == (
        *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
        *(1, 2, 5, 10, 30, 60, 120, 300),
    )
    assert set(first.attributes) == {
        "mcp.method.name",
        "mcp.protocol.version",
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "network.transport",
        "network.protocol.name",
        "network.protocol.version",
    }
    requests = telemetry.points("http.client.request.duration")
    codes = [point.attributes["http.response.status_code"] for point in requests]
    assert codes == [200, 404]


def test_the_trace_of_the_message_goes_before_that_of_the_request(telemetry: Telemetry) -> None:
    with AgentClient(
        make_fastapi(), headers={"traceparent": f"00-{'1' * 32}-{'2' * 16}-01"}
    ) as agent:
        answer = _call(agent, {"traceparent": TRACEPARENT, "baggage": "tenant=a"})
    assert json.loads(answer["content"][0]["text"])["body"]["baggage"] == "tenant=a"
    parent = telemetry.spans["tools/call invoke_tool"].parent
    assert parent is not None
    assert f"{parent.trace_id:032x}" == TRACE


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"traceparent": 7},
        {"traceparent": "nonsense"},
        {"traceparent": "00-" + "0" * 32 + "-" + "0" * 16 + "-01"},
        {"tracestate": "a=b", "baggage": ["x"]},
    ],
)
def test_a_message_without_a_trace_leaves_that_of_the_request(
    meta: dict[str, Any], telemetry: Telemetry
) -> None:
    with AgentClient(make_fastapi(), headers={"traceparent": TRACEPARENT}) as agent:
        _call(agent, meta)
    parent = telemetry.spans["tools/call invoke_tool"].parent
    assert parent is not None
    assert f"{parent.trace_id:032x}" == TRACE


async def test_the_hosts_own_calls_belong_to_its_current_span(telemetry: Telemetry) -> None:
    import sezzlee_fastapi
    from sezzlee_py import Options

    app = make_fastapi()
    sezzlee = sezzlee_fastapi.mount_mcp(app, path="/second")
    assert isinstance(sezzlee.options, Options)
    tracer = trace.get_tracer("host")
    token = context.attach(baggage.set_baggage("tenant", "a"))
    try:
        with tracer.start_as_current_span("host") as own:
            answer = await sezzlee.invoke("show_trace", {"word": "a"})
    finally:
        context.detach(token)
    span = telemetry.spans["tools/call invoke_tool"]
    assert span.kind is SpanKind.INTERNAL
    assert span.parent is not None
    assert span.parent.span_id == own.get_span_context().span_id
    assert answer["body"]["baggage"] == "tenant=a"


def test_the_current_span_is_linked_where_the_message_has_a_trace(telemetry: Telemetry) -> None:
    app = make_starlette()
    tracer = trace.get_tracer("server")

    async def instrumented(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        with tracer.start_as_current_span("server"):
            await app(scope, receive, send)

    with AgentClient(instrumented) as agent:
        _call(agent, {"traceparent": TRACEPARENT})
    span = telemetry.spans["tools/call invoke_tool"]
    server = next(one for one in telemetry.everybodys() if one.name == "server")
    assert [link.context.span_id for link in span.links] == [server.context.span_id]
    assert span.parent is not None
    assert f"{span.parent.trace_id:032x}" == TRACE


def test_a_tool_that_is_listed_directly_gives_its_name(telemetry: Telemetry) -> None:
    with AgentClient(make_fastapi(transport={"listing": "direct"})) as agent:
        agent.call("show_trace", {"word": "a"})
        agent.call(SECRET, {})
    assert {"tools/call show_trace", "tools/call"} <= telemetry.spans.keys()
    assert SECRET not in telemetry.texts()


async def test_a_call_that_is_given_up_ends_its_spans(telemetry: Telemetry) -> None:
    import sezzlee_fastapi
    from sezzlee_py import mcp_tool

    app = make_fastapi()
    entered = asyncio.Event()

    @app.get("/wait")
    @mcp_tool
    async def wait() -> None:
        entered.set()
        await asyncio.Event().wait()

    sezzlee = sezzlee_fastapi.mount_mcp(app, path="/second")
    task = asyncio.create_task(sezzlee.invoke("wait"))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    errors = {name: (s.attributes or {})["error.type"] for name, s in telemetry.spans.items()}
    assert errors == {
        "GET /wait": "CancelledError",
        "tools/call invoke_tool": "CancelledError",
    }


async def test_a_pipe_is_told_from_a_connection(telemetry: Telemetry) -> None:
    made = instruments()
    assert made is not None
    piped = OuterRequest(message=RPCMessage(id=7, is_piped=True))
    with made.operation("tools/call", "load_tool", piped):
        pass
    assert dict(telemetry.spans["tools/call load_tool"].attributes or {}) == {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "load_tool",
        "jsonrpc.request.id": "7",
        "network.transport": "pipe",
    }


async def test_another_method_is_no_execution_of_a_tool(telemetry: Telemetry) -> None:
    made = instruments()
    assert made is not None
    with made.operation("tools/list", None, OuterRequest(message=RPCMessage(id="a"))):
        pass
    attributes = telemetry.spans["tools/list"].attributes or {}
    assert "gen_ai.operation.name" not in attributes


def test_providers_are_found_by_their_public_names_too() -> None:
    script = """
from opentelemetry import metrics, trace
from sezzlee_py.telemetry import instruments
assert instruments() is None
from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())
assert instruments() is not None
from opentelemetry.sdk.metrics import MeterProvider
with_tracers = instruments()
metrics.set_meter_provider(MeterProvider())
assert instruments() is not with_tracers
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_without_opentelemetry_nothing_of_it_is_imported() -> None:
    script = """
import sys
import sezzlee_py
from sezzlee_py.telemetry import instruments
assert instruments() is None
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def _call(agent: AgentClient, meta: dict[str, Any]) -> Any:
    params = {
        "name": "invoke_tool",
        "arguments": {"name": "show_trace", "arguments": {"word": "a"}},
        "_meta": meta,
    }
    return agent.request("tools/call", params)
