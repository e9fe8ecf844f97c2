"""OpenTelemetry with exporters in memory, for one test at a time."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Telemetry:
    """What was exported."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.meters = MeterProvider(metric_readers=[self._metrics])

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        """The SDK's own spans that have ended, by name; a framework may make others."""
        return {span.name: span for span in self.everybodys() if _is_own(span)}

    def everybodys(self) -> tuple[ReadableSpan, ...]:
        """All spans that have ended."""
        return self._spans.get_finished_spans()

    def points(self, name: str) -> list[Any]:
        """The data points of a metric."""
        data = self._metrics.get_metrics_data()
        found = [
            metric
            for resource in (data.resource_metrics if data is not None else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if scope.scope.name == "sezzlee_py" and metric.name == name
        ]
        return [point for metric in found for point in metric.data.data_points]

    def texts(self) -> str:
        """Everything of the SDK that was exported, as text."""
        spans = [span.to_json() for span in self.spans.values()]
        data = self._metrics.get_metrics_data()
        own = [
            scope.to_json()
            for resource in (data.resource_metrics if data is not None else [])
            for scope in resource.scope_metrics
            if scope.scope.name == "sezzlee_py"
        ]
        return "\n".join([*spans, *own])


def _is_own(span: ReadableSpan) -> bool:
    scope = span.instrumentation_scope
    return scope is not None and scope.name == "sezzlee_py"


@pytest.fixture
def telemetry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Telemetry]:
    # A provider can be set once per process; a test in a process of its own sets one publicly.
    made = Telemetry()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", made.tracers)
    monkeypatch.setattr(metrics._internal, "_METER_PROVIDER", made.meters)
    yield made
    made.tracers.shutdown()
    made.meters.shutdown()
