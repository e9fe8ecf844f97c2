"""Kind `sdk_error`: a fault on the SDK's own side and its envelope."""

from typing import Any

from sezzlee_py.errors import ErrorCode
from sezzlee_py.invoke.budget import NarrowingField, narrowing_fields, shape_of, too_large
from sezzlee_py.invoke.sdk_errors import sdk_error
from sezzlee_py.model import Envelope


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    code = ErrorCode(case["code"])
    if code is ErrorCode.RESPONSE_TOO_LARGE and "bytes" in case:
        envelope = _too_large(case)
    else:
        facts = {key: value for key, value in case.items() if key not in ("code", "message")}
        envelope = sdk_error(code, case.get("message"), **facts)
    assert envelope.payload == expected
    assert list(envelope.payload) == [
        key
        for key in ("error", "message", "retryable", "fields", "payload")
        if key in envelope.payload
    ]
    assert envelope.is_error


def _too_large(case: dict[str, Any]) -> Envelope:
    if "narrowing" in case:
        narrowing = tuple(
            NarrowingField(entry, "Constrains the result set.")
            if isinstance(entry, str)
            else NarrowingField(entry["name"], entry["message"])
            for entry in case["narrowing"]
        )
    else:
        narrowing = narrowing_fields(case.get("input_schema", {}))
    return too_large(case["bytes"], case["limit"], shape_of(case.get("payload")), narrowing)
