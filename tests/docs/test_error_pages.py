"""The pages about errors: every code with the answer the product gives, and what never gets out."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sezzlee_py.errors import BackendCode, CompositionError, ErrorCode
from sezzlee_py.invoke import faults
from sezzlee_py.invoke.budget import gate
from sezzlee_py.invoke.field_names import FieldNames, NamedInput
from sezzlee_py.invoke.files import file_reader
from sezzlee_py.invoke.leak_filter import is_forwardable, leak_pattern
from sezzlee_py.invoke.leak_patterns import PATTERNS
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.invoke.recognizers import ErrorResponse, Recognized
from sezzlee_py.invoke.sdk_errors import fault_envelope, sdk_error
from sezzlee_py.model import BackendResponse, Envelope, FileSource, JSONValue

CONCEPTS = Path(__file__).parents[2] / "docs" / "concepts"
ERRORS = (CONCEPTS / "errors.md").read_text(encoding="utf-8")
NEVER = (CONCEPTS / "never-forwarded.md").read_text(encoding="utf-8")

NAMES = FieldNames.build([NamedInput(wire="quantity", agent="quantity")])
SCHEMA = {"properties": {"limit": {"type": "integer", "description": "Rows on a page."}}}


def backend(status: int, body: Any = None, **headers: str) -> Envelope:
    sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
    content = b"" if body is None else json.dumps(body).encode()
    response = BackendResponse(
        status=status, headers=(("content-type", "application/json"), *sent), body=content
    )
    return map_response(response, NAMES)


def refused() -> Envelope:
    emission = gate(
        Envelope(payload={"status": 200, "body": ["a" * 100] * 3000}),
        limit=262_144,
        input_schema=SCHEMA,
    )
    return Envelope(payload=emission.payload, is_error=True)


def file_fault(value: JSONValue) -> CompositionError:
    sources = (FileSource.TEXT, FileSource.BASE64)
    read = file_reader("attachment", wire_name="attachment", media_type=None, sources=sources)
    with pytest.raises(CompositionError) as raised:
        read(value)
    return raised.value


ANSWERS = {
    "validation_failed": backend(
        422, {"detail": [{"loc": ["body", "quantity"], "msg": "Input should be greater than 0"}]}
    ),
    "bad_request": backend(400, {"detail": "No stock left"}),
    "unauthenticated": backend(401, {"detail": "Token expired at 12:00"}),
    "forbidden": backend(403, {"detail": "Outside business hours"}),
    "not_found": backend(404),
    "conflict": backend(409),
    "rate_limited": backend(429, retry_after="30"),
    "backend_error": backend(500, {"detail": "KeyError"}, x_request_id="req-81"),
    "backend_unavailable": backend(503, retry_after="15"),
    "unknown_argument": fault_envelope(faults.unknown_arguments(["colour"], ["color", "size"])),
    "invalid_path_type": fault_envelope(
        faults.wrong_type("order_id", "integer", ErrorCode.INVALID_PATH_TYPE)
    ),
    "missing_path_parameter": fault_envelope(faults.path_missing(["order_id"])),
    "header_injection": fault_envelope(faults.header_injection("X-Tenant")),
    "null_not_allowed": fault_envelope(faults.null_refused("limit")),
    "invalid_type": fault_envelope(faults.wrong_type("limit", "integer")),
    "deferred_value_missing": fault_envelope(faults.fill_missing()),
    "deferred_value_invalid": fault_envelope(faults.fill_invalid()),
    "invalid_cookie_value": fault_envelope(faults.cookie_octets("theme")),
    "cookie_carrier_collision": fault_envelope(faults.cookie_taken("session")),
    "invalid_file_argument": fault_envelope(file_fault("a picture")),
    "file_too_large": sdk_error(ErrorCode.FILE_TOO_LARGE, total=2_000_000, limit=1_048_576),
    "file_unresolved": sdk_error(ErrorCode.FILE_UNRESOLVED, field="attachment"),
    "unknown_tool": sdk_error(ErrorCode.UNKNOWN_TOOL, tool="get_ordr"),
    "not_invocable": sdk_error(ErrorCode.NOT_INVOCABLE, tool="legacy_report"),
    "tool_changed": sdk_error(ErrorCode.TOOL_CHANGED, tool="get_order"),
    "response_too_large": refused(),
    "internal_error": sdk_error(ErrorCode.INTERNAL_ERROR),
    "invoke_timeout": sdk_error(ErrorCode.INVOKE_TIMEOUT, limit_ms=30_000),
    "search_ranker_unavailable": sdk_error(ErrorCode.SEARCH_RANKER_UNAVAILABLE),
}


def sections(page: str) -> dict[str, str]:
    """The text below each heading that is a code."""
    parts = re.split(r"^### `(\w+)`\n", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_code_has_a_section_in_the_order_of_the_code() -> None:
    assert list(sections(ERRORS)) == [*map(str, BackendCode), *map(str, ErrorCode)]


@pytest.mark.parametrize("code", list(ANSWERS))
def test_the_example_of_a_code_is_the_answer(code: str) -> None:
    block = re.search(r"```json\n(.*?)```", sections(ERRORS)[code], re.DOTALL)
    assert block is not None
    assert json.loads(block[1]) == ANSWERS[code].payload


def test_a_recogniser_on_the_page_reads_the_body_beside_it() -> None:
    code = re.search(r"```python\n(.*?)```", ERRORS, re.DOTALL)
    assert code is not None
    scope: dict[str, Any] = {}
    exec(code[1], scope)
    options = scope["options"]
    response = BackendResponse(
        status=409,
        headers=(("content-type", "application/json"),),
        body=b'{"fault": {"text": "The shop is closed."}}',
    )
    told = map_response(response, NAMES, recognizers=options.errors.recognize).payload
    assert told["message"] == "The shop is closed."


def test_the_table_of_details_tells_what_is_read_of_them() -> None:
    rows = re.findall(r"^\| `HTTPException\(409, (.+?)\)` \| (.+?) \|$", ERRORS, re.MULTILINE)
    told = [
        (backend(409, {"detail": ast.literal_eval(detail)}).payload["message"], text)
        for detail, text in rows
    ]
    assert len(told) == 3
    assert [f"`{message}`" for message, _ in told[:2]] == [text for _, text in told[:2]]
    assert (told[2][0], told[2][1][:17]) == (backend(409).payload["message"], "the standard text")


def test_the_table_of_patterns_names_every_row_with_a_text_that_it_stops() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \|", NEVER, re.MULTILINE)
    assert [name for name, _ in rows] == list(PATTERNS)
    assert [(name, leak_pattern(text)) for name, text in rows] == [(n, n) for n, _ in rows]


def test_the_texts_that_pass_do() -> None:
    lines = re.findall(r"^- `(.+)`$", NEVER, re.MULTILINE)
    assert len(lines) >= 5
    assert [line for line in lines if not is_forwardable(line)] == []


def test_a_recogniser_cannot_forward_a_secret() -> None:
    def careless(response: ErrorResponse) -> Recognized:
        return Recognized(message="postgres://app:pw@db/orders")

    response = BackendResponse(status=500)
    assert map_response(response, NAMES, recognizers=[careless]) == map_response(response, NAMES)
