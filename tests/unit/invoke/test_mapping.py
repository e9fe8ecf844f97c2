"""The pipeline around the recognisers: order, filter, and what each status may tell."""

import gzip
import json
import logging
import zlib
from typing import Any

import pytest

from sezzlee_py.errors import BackendCode
from sezzlee_py.invoke.field_names import FieldNames, NamedInput, Place
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.invoke.recognizers import ErrorResponse, Recognized, ReportedField
from sezzlee_py.invoke.response_body import BodyKind
from sezzlee_py.invoke.statuses import INVALID_FIELDS, WITHHELD_FIELD, outcome_of
from sezzlee_py.model import BackendResponse, Envelope

NAMES = FieldNames.build(
    [
        NamedInput(wire="quantity", agent="quantity"),
        NamedInput(wire="SECRET_KEY", agent="SECRET_KEY"),
        NamedInput(wire="tenantId", agent=None),
    ]
)
JSON = ("content-type", "application/json")


def mapped(
    status: int, body: Any = None, *headers: tuple[str, str], **options: Any
) -> dict[str, Any]:
    content = b"" if body is None else json.dumps(body).encode()
    response = BackendResponse(status=status, headers=(JSON, *headers), body=content)
    return map_response(response, NAMES, **options).payload


CODES = {
    400: ("bad_request", False),
    401: ("unauthenticated", False),
    402: ("bad_request", False),
    403: ("forbidden", False),
    404: ("not_found", False),
    405: ("bad_request", False),
    406: ("bad_request", False),
    408: ("backend_unavailable", True),
    409: ("conflict", False),
    410: ("not_found", False),
    412: ("conflict", False),
    415: ("bad_request", False),
    418: ("bad_request", False),
    422: ("bad_request", False),
    428: ("conflict", False),
    429: ("rate_limited", True),
    499: ("bad_request", False),
    500: ("backend_error", False),
    501: ("backend_error", False),
    502: ("backend_unavailable", True),
    503: ("backend_unavailable", True),
    504: ("backend_unavailable", True),
    505: ("backend_error", False),
    599: ("backend_error", False),
    600: ("backend_error", False),
    999: ("backend_error", False),
}


@pytest.mark.parametrize(("status", "code", "retryable"), [(s, *c) for s, c in CODES.items()])
def test_a_status_has_one_code(status: int, code: str, retryable: bool) -> None:
    payload = mapped(status)
    assert payload == {
        "error": code,
        "message": outcome_of(status).message,
        "status": status,
        "retryable": retryable,
    }


def test_every_backend_code_is_given_by_some_status() -> None:
    codes = {mapped(status)["error"] for status in CODES}
    codes.add(mapped(400, {"errors": {"quantity": "a"}})["error"])
    assert codes == set(BackendCode)


@pytest.mark.parametrize("status", [0, 100, 200, 204, 304, 399])
def test_below_400_is_a_success(status: int) -> None:
    assert mapped(status) == {"status": status}


def test_a_success_tells_its_members_in_the_order_of_the_wire_form() -> None:
    response = BackendResponse(
        status=302,
        headers=(("location", "/x"), ("content-type", "text/plain"), ("set-cookie", "a=b")),
        body=b"gone",
    )
    payload = map_response(response, NAMES).payload
    assert list(payload.items()) == [
        ("status", 302),
        ("body", "gone"),
        ("contentType", "text/plain"),
        ("location", "/x"),
    ]


@pytest.mark.parametrize(
    ("status", "location", "kept"),
    [
        (304, "/x", True),
        (307, "/x", True),
        (399, "/x", True),
        (299, "/x", False),
        (200, "/x", False),
        (201, "/x", False),
        (302, "", False),
    ],
)
def test_a_location_is_told_of_a_redirect_alone(status: int, location: str, kept: bool) -> None:
    assert ("location" in mapped(status, None, ("location", location))) is kept


@pytest.mark.parametrize(("status", "kept"), [(199, False), (200, True), (299, True), (300, False)])
def test_a_page_is_forwarded_of_a_2xx_alone(status: int, kept: bool) -> None:
    page = ("content-type", "text/html")
    response = BackendResponse(status=status, headers=(page,), body=b"<p>Three orders.</p>")
    body = {"body": "<p>Three orders.</p>"} if kept else {}
    expected = {"status": status, **body, "contentType": "text/html"}
    assert map_response(response, NAMES, forward_html=True).payload == expected


def test_a_success_that_was_cut_off_says_at_how_many_bytes() -> None:
    response = BackendResponse(status=200, headers=(JSON,), oversized=5_000_000)
    assert map_response(response, NAMES).oversized == 5_000_000


@pytest.mark.parametrize(
    ("beginning", "headers", "kind"),
    [
        (b' \n[{"id": 1}, {"i', (JSON,), "array"),
        (b'\xef\xbb\xbf{"id": 1, "na', (JSON,), "object"),
        (b'"a long te', (JSON,), "text"),
        (b"[not json", (("content-type", "text/plain"),), "text"),
        (b"[1, 2", (), "array"),
        (gzip.compress(b"[" + b"1," * 900, mtime=0), (JSON, ("content-encoding", "gzip")), "array"),
        (zlib.compress(b"{" + b" " * 900), (JSON, ("content-encoding", "deflate")), "object"),
        (b"[not gzip", (JSON, ("content-encoding", "gzip")), "text"),
        (b"[", (JSON, ("content-encoding", "identity")), "array"),
        (b"[", (JSON, ("content-encoding", "br")), "text"),
        (b"", (JSON,), "text"),
    ],
)
def test_a_success_that_was_cut_off_is_of_the_kind_it_begins_as(
    beginning: bytes, headers: Any, kind: str
) -> None:
    response = BackendResponse(status=200, headers=headers, body=beginning, oversized=5_000_000)
    assert map_response(response, NAMES) == Envelope(
        payload={"status": 200}, oversized=5_000_000, cut_kind=kind
    )


def test_nothing_of_an_error_that_was_cut_off_is_told() -> None:
    response = BackendResponse(
        status=400, headers=(("content-type", "text/plain"),), body=b"It begins", oversized=9_999
    )
    assert "It begins" not in map_response(response, NAMES).payload["message"]


def test_an_error_that_was_cut_off_keeps_its_status() -> None:
    response = BackendResponse(status=404, headers=(JSON,), oversized=5_000_000)
    envelope = map_response(response, NAMES)
    assert (envelope.payload["error"], envelope.oversized) == ("not_found", None)


def test_a_bomb_in_an_error_is_no_message() -> None:
    bomb = gzip.compress(json.dumps({"message": "x" * 100_000}).encode())
    headers = (JSON, ("content-encoding", "gzip"))
    envelope = map_response(
        BackendResponse(status=404, headers=headers, body=bomb), NAMES, max_decoded_bytes=1000
    )
    assert envelope == Envelope(payload=mapped(404), is_error=True)


def test_a_compressed_error_is_read() -> None:
    headers = (JSON, ("content-encoding", "gzip"))
    body = gzip.compress(b'{"detail": "No such order"}')
    response = BackendResponse(status=404, headers=headers, body=body)
    assert map_response(response, NAMES).payload["message"] == "No such order"


# --- filter ----------------------------------------------------------------------------------


def test_a_leaking_name_is_dropped_and_its_message_kept() -> None:
    fields = mapped(400, {"errors": {"/etc/shop/key.pem": ["a"], "x" * 1200: ["b"]}})["fields"]
    assert fields == [{"message": "a"}, {"message": "b"}]


def test_a_name_that_the_tool_publishes_is_no_leak() -> None:
    fields = mapped(400, {"errors": {"secret_key": ["a"]}})["fields"]
    assert fields == [{"name": "SECRET_KEY", "message": "a"}]


def test_a_leaking_entry_keeps_its_name() -> None:
    fields = mapped(422, {"errors": {"quantity": ["KeyError: 'x'"]}})["fields"]
    assert fields == [{"name": "quantity", "message": WITHHELD_FIELD}]


def test_fifty_entries_are_the_most() -> None:
    fields = mapped(400, {"errors": {"quantity": [str(n) for n in range(80)]}})["fields"]
    assert [field["message"] for field in fields] == [str(n) for n in range(50)]


def test_what_was_withheld_is_logged_by_its_pattern(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="sezzlee_py"):
        mapped(400, {"message": "KeyError: 'sku'"})
    assert caplog.messages == ["a text of the backend was withheld: exception_type"]


# --- headers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30),
        (" 30 ", 30),
        ("0", 0),
        ("007", 7),
        ("1.5", None),
        ("-1", None),
        ("+1", None),
        ("1e3", None),
        ("", None),
        ("٣", None),
        ("9" * 5000, None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_a_wait_is_whole_seconds(value: str, seconds: int | None) -> None:
    payload = mapped(429, None, ("retry-after", value))
    assert payload.get("retryAfterSeconds") == seconds
    assert payload["message"].endswith(f"Retry after {seconds} seconds.") is (seconds is not None)


@pytest.mark.parametrize("status", sorted(CODES))
def test_a_wait_is_told_only_where_repeating_can_work(status: int) -> None:
    payload = mapped(status, None, ("retry-after", "9"))
    assert ("retryAfterSeconds" in payload) is payload["retryable"]


@pytest.mark.parametrize(
    ("headers", "reference"),
    [
        ([("x-trace-id", "t"), ("request-id", "r"), ("x-request-id", "x")], "x"),
        ([("x-trace-id", "t"), ("request-id", "r")], "r"),
        ([("x-trace-id", "t")], "t"),
        ([("x-request-id", "a b"), ("x-request-id", "c")], "c"),
        ([("x-request-id", "a\n")], None),
        ([("x-request-id", "a" * 100)], "a" * 100),
        ([("x-request-id", "a" * 101)], None),
        ([("x-request-id", "")], None),
        ([("x-request-id", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln"), ("x-trace-id", "t")], "t"),
        ([("traceparent", "00-1-2-3")], None),
    ],
)
def test_a_reference_is_the_first_header_that_fits(
    headers: list[tuple[str, str]], reference: str | None
) -> None:
    assert mapped(500, None, *headers).get("reference") == reference


@pytest.mark.parametrize("trace", [17, None, "a b", "x" * 101])
def test_a_trace_id_that_does_not_fit_is_no_reference(trace: Any) -> None:
    assert "reference" not in mapped(500, {"title": "x", "status": 500, "traceId": trace})


def test_below_500_there_is_no_reference() -> None:
    assert "reference" not in mapped(408, None, ("x-request-id", "r"))


# --- host recognisers ------------------------------------------------------------------------


def test_a_host_recogniser_comes_before_the_built_in_ones() -> None:
    def shop(response: ErrorResponse) -> Recognized | None:
        code = response.value.get("shop_code")
        return Recognized(message=f"Shop fault {code}") if code else None

    def late(response: ErrorResponse) -> Recognized | None:
        return Recognized(message="late")

    body = {"message": "m", "shop_code": 7}
    assert mapped(400, body, recognizers=[shop, late])["message"] == "Shop fault 7"
    assert mapped(400, {"message": "m"}, recognizers=[shop, late])["message"] == "late"
    assert mapped(400, {"message": "m"}, recognizers=[shop])["message"] == "m"


def test_a_recogniser_reads_the_whole_response() -> None:
    seen: list[ErrorResponse] = []

    def look(response: ErrorResponse) -> None:
        seen.append(response)

    mapped(503, {"a": 1}, ("x-shop", "1"), recognizers=[look])
    assert seen == [
        ErrorResponse(
            status=503,
            headers=(JSON, ("x-shop", "1")),
            media_type="application/json",
            kind=BodyKind.JSON,
            value={"a": 1},
            text='{"a": 1}',
            names=NAMES,
        )
    ]


def test_fields_of_a_recogniser_become_arguments() -> None:
    def shop(response: ErrorResponse) -> Recognized:
        return Recognized(
            fields=(
                ReportedField.of("QUANTITY", "a", Place.BODY),
                ReportedField.of("tenantId", "b"),
                ReportedField(message="c", name="voucher"),
                ReportedField(message="in /etc/shop/x"),
            )
        )

    payload = mapped(400, {}, recognizers=[shop])
    assert (payload["error"], payload["message"]) == ("validation_failed", INVALID_FIELDS)
    assert payload["fields"] == [
        {"name": "quantity", "message": "a"},
        {"message": "b"},
        {"name": "voucher", "message": "c"},
        {"message": WITHHELD_FIELD},
    ]


def test_a_recogniser_may_give_a_message_and_fields() -> None:
    def shop(response: ErrorResponse) -> Recognized:
        return Recognized(message="m", fields=(ReportedField.of("quantity", "a"),))

    payload = mapped(422, {}, recognizers=[shop])
    assert (payload["error"], payload["message"]) == ("validation_failed", "m")


def test_a_recogniser_is_asked_about_a_5xx_and_filtered() -> None:
    def shop(response: ErrorResponse) -> Recognized:
        return Recognized(message=response.value["message"])

    told = mapped(503, {"message": "Closed for the night."}, recognizers=[shop])
    held = mapped(500, {"message": "KeyError: 'x'"}, recognizers=[shop])
    assert told["message"] == "Closed for the night."
    assert held == mapped(500)


@pytest.mark.parametrize("status", [200, 302, 401])
def test_no_recogniser_is_asked_about_a_success_or_a_401(status: int) -> None:
    def fail(response: ErrorResponse) -> Recognized:
        raise AssertionError("asked")

    assert mapped(status, {"a": 1}, recognizers=[fail]) == mapped(status, {"a": 1})


def test_a_recogniser_that_fails_is_logged_and_skipped(caplog: pytest.LogCaptureFixture) -> None:
    def broken(response: ErrorResponse) -> Recognized:
        raise LookupError("of the host")

    with caplog.at_level(logging.ERROR, logger="sezzlee_py"):
        payload = mapped(400, {"message": "m"}, recognizers=[broken])
    assert payload["message"] == "m"
    assert "of the host" in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        "text",
        {"message": "m"},
        Recognized(message=3),  # type: ignore[arg-type]
        Recognized(fields=("x",)),  # type: ignore[arg-type]
        Recognized(fields=3),  # type: ignore[arg-type]
        Recognized(fields=(ReportedField(message=b"x"),)),  # type: ignore[arg-type]
        Recognized(fields=(ReportedField(message="x", name=3),)),  # type: ignore[arg-type]
        Recognized(fields=(ReportedField(message="x", path="x"),)),  # type: ignore[arg-type]
        Recognized(fields=(ReportedField(message="x", path=(1.5,)),)),  # type: ignore[arg-type]
    ],
)
def test_an_answer_of_another_type_is_logged_and_skipped(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    payload = mapped(400, {"message": "m"}, recognizers=[lambda response: answer])
    assert payload["message"] == "m"
    assert "returned no Recognized" in caplog.text


def test_a_mapper_stands_in_for_every_recogniser() -> None:
    def shop(response: ErrorResponse) -> Recognized | None:
        return Recognized(message="mapped") if response.status == 409 else None

    options: dict[str, Any] = {
        "mapper": shop,
        "recognizers": [lambda response: Recognized(message="recognised")],
    }
    assert mapped(409, {"message": "m"}, **options)["message"] == "mapped"
    assert mapped(404, {"message": "m"}, **options) == mapped(404)
    assert mapped(401, {"message": "m"}, **options) == mapped(401)
