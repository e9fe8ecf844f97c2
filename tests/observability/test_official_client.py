"""One trace from the official client, which writes its own into `_meta`, to the handler."""

import json
from typing import Any

import pytest

pytest.importorskip("mcp.client.client", reason="no official client")

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.observability.otel import Telemetry
from tests.observability.shop import make_fastapi


async def test_a_call_of_the_official_client_is_one_trace(telemetry: Telemetry) -> None:
    from opentelemetry import trace

    app: Any = make_fastapi()
    async with (
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http,
        Client(streamable_http_client("http://127.0.0.1/mcp", http_client=http)) as client,
    ):
        with trace.get_tracer("agent").start_as_current_span("agent") as agent:
            call = {"name": "show_trace", "arguments": {"word": "a"}}
            answer = await client.call_tool("invoke_tool", call)
    (block,) = answer.content
    body = json.loads(block.text)["body"]  # type: ignore[union-attr]
    started = agent.get_span_context()
    span = telemetry.spans["tools/call invoke_tool"]
    assert span.parent is not None
    assert span.parent.trace_id == started.trace_id
    assert body["traceparent"].split("-")[1] == f"{started.trace_id:032x}"
