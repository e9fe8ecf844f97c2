"""What holds for every answer of a backend, however odd."""

import gzip
import json
import math
import zlib
from typing import Any
from urllib.parse import quote

import jsonschema
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sezzlee_py.invoke.budget import gate
from sezzlee_py.invoke.field_names import FieldNames, NamedInput
from sezzlee_py.invoke.leak_filter import is_forwardable
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.model import BackendResponse, Envelope
from tests.properties.envelope_schema import MAPPED_ERROR, SDK_ERROR, SUCCESS

CANARY = "tango whiskey foxtrot"
VALIDATORS = {
    schema["properties"]["error"]["enum"][0] if "error" in schema["properties"] else "success": (
        jsonschema.Draft202012Validator(schema)
    )
    for schema in (SUCCESS, MAPPED_ERROR, SDK_ERROR)
}
SUCCESSES, MAPPED, OWN = VALIDATORS.values()

KEYS = (
    *("errors", "detail", "message", "messages", "error", "title", "status", "code", "extra"),
    *("loc", "msg", "json", "query", "body", "quantity", "_schema", "0", "traceId", "type", "key"),
    *("validation_error", "statusCode", "items[0].x", "$.a", ""),
)
TEXTS = st.sampled_from([CANARY, "KeyError: 'x'", "/etc/passwd", " ", "\ud800", *KEYS]) | st.text()
LEAVES = TEXTS | st.none() | st.booleans() | st.integers() | st.floats() | st.just("json_invalid")
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
PLAIN = (
    st.binary(max_size=60)
    | VALUES.map(lambda value: json.dumps(value).encode())
    | st.sampled_from(
        [
            b"<!doctype html><p>" + CANARY.encode(),
            CANARY.encode(),
            b"[" * 5000,
            b'{"detail":' * 900 + b'["x"]' + b"}" * 900,
            b"9" * 5000,
            b"[1e999]",
            b"\xff\xfe\x00",
            b"",
        ]
    )
)
BODIES = PLAIN | PLAIN.map(gzip.compress) | PLAIN.map(zlib.compress)
CONTENT_TYPES = st.sampled_from(
    [
        *(
            "application/json",
            "application/problem+json",
            "text/plain",
            "text/html; charset=utf-16",
        ),
        *("application/json; charset=utf-7", "image/png", "text/plain; charset=cp037", " ", ";;"),
        *("application/octet-stream; charset=latin-1", "application/xhtml+xml"),
    ]
) | st.text(st.characters(max_codepoint=255))
HEADERS = st.lists(
    st.tuples(st.just("content-type"), CONTENT_TYPES)
    | st.tuples(
        st.just("content-encoding"),
        st.sampled_from(["gzip", "deflate", "br", "gzip, deflate", "identity", "", ",,,,,"]),
    )
    | st.tuples(
        st.sampled_from(["retry-after", "location", "x-request-id", "x-trace-id", "server"]),
        st.sampled_from(["30", "1.5", "-1", "r-1", "//a:b@c/", CANARY, "", "9" * 5000, "/x"]),
    ),
    max_size=5,
)
STATUSES = st.integers(0, 999) | st.sampled_from([200, 302, 400, 401, 404, 422, 429, 500, 503])
NAMES = st.sampled_from(
    [
        FieldNames(),
        FieldNames.build([NamedInput(wire="id", agent="id")], root_mode=True, root="body"),
        FieldNames.build([], root_mode=True),
        FieldNames.build(
            [
                NamedInput(wire="quantity", agent="qty"),
                NamedInput(wire="json", agent="json"),
                NamedInput(wire="detail", agent=None),
            ]
        ),
    ]
)
RESPONSES = st.builds(
    lambda status, headers, body, oversized: BackendResponse(
        status=status, headers=tuple(headers), body=body, oversized=oversized
    ),
    STATUSES,
    HEADERS,
    BODIES,
    st.none() | st.just(10**7),
)


def texts(value: Any) -> list[str]:
    """Every string of an error envelope that a backend may have written."""
    return [value["message"], *(t for field in value.get("fields", []) for t in field.values())]


@settings(max_examples=400)
@given(RESPONSES, NAMES, st.booleans())
@example(BackendResponse(status=500, body=CANARY.encode()), FieldNames(), True)
def test_every_answer_maps_to_an_envelope_of_the_schema(
    response: BackendResponse, names: FieldNames, forward_html: bool
) -> None:
    envelope = map_response(response, names, forward_html=forward_html)
    payload = envelope.payload
    assert envelope.is_error == (response.status >= 400)
    (MAPPED if envelope.is_error else SUCCESSES).validate(payload)
    if response.status == 401 or response.status >= 500:
        assert CANARY not in json.dumps(payload)
    if envelope.is_error:
        assert [text for text in texts(payload) if not is_forwardable(text)] == []
    emission = gate(envelope, limit=10**6)
    assert json.loads(emission.text) == emission.payload
    assert emission.text.encode()


@given(RESPONSES.filter(lambda response: response.status < 400), st.integers(1, 300))
def test_nothing_over_the_budget_is_emitted_but_its_refusal(
    response: BackendResponse, limit: int
) -> None:
    emission = gate(map_response(response, FieldNames()), limit=limit)
    if emission.is_error:
        OWN.validate(emission.payload)
        assert emission.payload["error"] == "response_too_large"
        assert emission.payload["payload"]["bytes"] > limit
        assert CANARY not in emission.text
    else:
        assert len(emission.text.encode()) <= limit


def finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats().filter(finite) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_a_json_body_comes_back_as_the_value_it_was(value: Any) -> None:
    response = BackendResponse(
        status=200,
        headers=(("content-type", "application/json"),),
        body=json.dumps(value, ensure_ascii=False).encode(),
    )
    expected = Envelope(payload={"status": 200, "body": value})
    assert map_response(response, FieldNames()) == expected
    assert json.loads(gate(expected, limit=10**9).text)["body"] == value


@given(st.text(), st.integers(0, 3))
def test_a_text_is_withheld_in_every_encoding_or_in_none(text: str, layers: int) -> None:
    secret = f"{text} postgres://app:pw@db/orders"
    for _ in range(layers):
        secret = quote(secret, safe="", errors="replace")
    assert not is_forwardable(secret)
