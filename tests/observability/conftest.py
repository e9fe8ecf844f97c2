"""The tests of spans need the SDK of OpenTelemetry, which the lowest lane has not."""

from importlib.util import find_spec

HAS_SDK = find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None

if HAS_SDK:
    from tests.observability.otel import telemetry as telemetry

collect_ignore = [] if HAS_SDK else ["test_official_client.py", "test_spans.py"]
