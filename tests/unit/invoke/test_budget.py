import json
import logging
from types import MappingProxyType
from typing import Any

import pytest

from sezzlee_py.errors import ErrorCode
from sezzlee_py.invoke import budget
from sezzlee_py.invoke.budget import (
    SEARCH_NARROWING,
    NarrowingField,
    Shape,
    described_fields,
    gate,
    narrowing_fields,
    shape_of,
)
from sezzlee_py.invoke.sdk_errors import sdk_error
from sezzlee_py.model import Emission, Envelope

SCHEMA = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "description": "Order state."},
        "pageSize": {"type": "integer"},
        "owner": {"type": "string"},
    },
}


def success(body: Any) -> Envelope:
    return Envelope(payload={"status": 200, "body": body})


def refusal(emission: Emission) -> dict[str, Any]:
    assert emission.is_error
    payload: dict[str, Any] = json.loads(emission.text)
    assert payload == emission.payload
    assert payload["error"] == "response_too_large"
    return payload


def test_an_answer_within_the_limit_is_emitted_as_it_is() -> None:
    envelope = success({"name": "Käse", "price": 1.5, "n": None})
    text = '{"status":200,"body":{"name":"Käse","price":1.5,"n":null}}'
    assert gate(envelope, limit=len(text.encode())) == Emission(text=text, payload=envelope.payload)


@pytest.mark.parametrize("body", ["a" * 50, "ä" * 25, "📦" * 12, "\n" * 25])
def test_equal_passes_and_one_byte_more_does_not(body: str) -> None:
    size = len(json.dumps({"status": 200, "body": body}, ensure_ascii=False).encode()) - 3
    assert not gate(success(body), limit=size).is_error
    assert refusal(gate(success(body), limit=size - 1))["payload"]["bytes"] == size


def test_a_refusal_tells_shape_and_what_narrows() -> None:
    emission = gate(success([1, 2, 3]), limit=10, input_schema=SCHEMA)
    assert refusal(emission) == {
        "error": "response_too_large",
        "message": (
            "The response is 29 bytes; the limit is 10 bytes. It is refused, not truncated: no part"
            " of the body was returned. The body is an array of 3 items."
            " Narrow it and call again: pageSize, status."
        ),
        "retryable": False,
        "fields": [
            {"name": "pageSize", "message": "Constrains the result set."},
            {"name": "status", "message": "Order state."},
        ],
        "payload": {"bytes": 29, "limit": 10, "shape": {"kind": "array", "count": 3}},
    }


def test_known_narrowing_beats_the_schema_and_none_leaves_the_key_out() -> None:
    known = (NarrowingField("query", "Fewer words."),)
    with_known = refusal(gate(success("x" * 9), limit=1, input_schema=SCHEMA, narrowing=known))
    without = refusal(gate(success("x" * 9), limit=1, input_schema=SCHEMA, narrowing=()))
    assert with_known["fields"] == [{"name": "query", "message": "Fewer words."}]
    assert "fields" not in without
    assert without["message"].endswith("No argument of this call narrows the response.")


def test_an_answer_that_was_cut_off_is_refused_whatever_its_text() -> None:
    envelope = Envelope(payload={"status": 200}, oversized=5_000_000)
    assert refusal(gate(envelope, limit=262_144))["payload"] == {
        "bytes": 5_000_000,
        "limit": 262_144,
        "shape": {"kind": "text"},
    }


@pytest.mark.parametrize("kind", ["array", "object", "text"])
def test_the_shape_of_what_was_cut_off_is_told_as_far_as_it_is_known(kind: str) -> None:
    envelope = Envelope(payload={"status": 200}, oversized=1_048_577, cut_kind=kind)
    assert refusal(gate(envelope, limit=262_144)) == {
        "error": "response_too_large",
        "message": "The response is 1048577 bytes; the limit is 262144 bytes. It is refused, not"
        " truncated: no part of the body was returned. No argument of this call narrows the"
        " response.",
        "retryable": False,
        "payload": {"bytes": 1_048_577, "limit": 262_144, "shape": {"kind": kind}},
    }


@pytest.mark.parametrize(
    ("envelope", "shape"),
    [
        (success({"a": 1, "b": {}}), {"kind": "object", "count": 2}),
        (success("ab📦"), {"kind": "text", "count": 4}),
        (success(12345), {"kind": "text"}),
        (success(None), {"kind": "text"}),
        (success(True), {"kind": "text"}),
        (Envelope(payload={"status": 200, "contentType": "x/y"}), {"kind": "text"}),
        (Envelope(payload={"total": 2, "results": []}), {"kind": "object", "count": 2}),
        (sdk_error(ErrorCode.INVALID_TYPE, "m"), {"kind": "text"}),
        (Envelope(payload={"status": 404, "error": "x"}, is_error=True), {"kind": "text"}),
    ],
)
def test_the_shape_is_that_of_the_body(envelope: Envelope, shape: dict[str, Any]) -> None:
    assert refusal(gate(envelope, limit=5))["payload"]["shape"] == shape


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (Shape("array", 0), "The body is an array of 0 items."),
        (Shape("object", 1), "The body is an object with 1 properties."),
        (Shape("text", 4), "The body is a text value of 4 characters."),
        (Shape("text"), "The body is not a JSON array or object."),
    ],
)
def test_a_shape_has_its_sentence(shape: Shape, text: str) -> None:
    assert str(shape) == text


def test_the_text_that_is_measured_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Any] = []
    write = budget._write
    monkeypatch.setattr(budget, "_write", lambda value: written.append(value) or write(value))
    envelope = success([1])
    gate(envelope, limit=100)
    assert written == [envelope.payload]


@pytest.mark.parametrize("body", [float("nan"), float("inf"), {1j: 2}, {"a": object()}, [10**5000]])
def test_what_is_no_json_becomes_an_internal_error(
    body: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="sezzlee_py"):
        emission = gate(success(body), limit=1000)
    assert emission.payload == sdk_error(ErrorCode.INTERNAL_ERROR).payload
    assert emission.is_error
    assert len(caplog.records) == 1


def test_a_circle_becomes_an_internal_error() -> None:
    body: list[Any] = []
    body.append(body)
    assert gate(success(body), limit=1000).payload["error"] == "internal_error"


def test_half_a_character_is_written_as_a_replacement() -> None:
    emission = gate(success(["\ud83d", "\ud83d\udce6"]), limit=100)
    assert emission.text == '{"status":200,"body":["\ufffd","📦"]}'
    assert emission.payload == {"status": 200, "body": ["\ufffd", "📦"]}


def test_read_only_mappings_are_written_too() -> None:
    envelope = Envelope(payload={"inputSchema": MappingProxyType({"type": "object"}), "t": (1,)})
    assert gate(envelope, limit=100).text == '{"inputSchema":{"type":"object"},"t":[1]}'


# --- narrowing -------------------------------------------------------------------------------


def names(*properties: str) -> list[str]:
    schema = {"properties": {key: {} for key in properties}}
    return [field.name for field in narrowing_fields(schema)]


@pytest.mark.parametrize(
    "name",
    [
        *("limit", "LIMITS", "top", "take", "maxItems", "rowCount", "fileSize"),
        *("page", "per_page", "per-page", "PageSize"),
    ],
)
def test_an_argument_that_counts_comes_before_one_that_selects(name: str) -> None:
    assert names("status", name) == [name, "status"]


@pytest.mark.parametrize(
    "name",
    [
        *("offset", "skip", "cursor", "created_after", "before", "filterBy", "query"),
        *("searchTerm", "field", "fields", "select", "since", "from", "until"),
        *("status", "statusCode"),
    ],
)
def test_an_argument_that_selects_narrows(name: str) -> None:
    assert names("owner", name) == [name]


def test_an_argument_of_both_sets_counts_once() -> None:
    assert names("status", "search_limit") == ["search_limit", "status"]


def test_a_part_of_a_word_does_not_narrow() -> None:
    assert names("stop", "pages_total", "fromage", "person", "limitless") == ["pages_total"]


def test_eight_arguments_are_the_most() -> None:
    assert names(*(f"filter_{n}" for n in range(12))) == [f"filter_{n}" for n in range(8)]


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": None}])
def test_a_malformed_schema_narrows_nothing(schema: dict[str, Any]) -> None:
    assert narrowing_fields(schema) == ()
    assert described_fields(schema, ["a"]) == (NarrowingField("a", "Constrains the result set."),)


@pytest.mark.parametrize("member", [{}, True, None, {"description": 3}, {"description": " "}])
def test_an_argument_without_a_description_gets_the_constant_text(member: Any) -> None:
    fields = narrowing_fields({"properties": {"limit": member}})
    assert fields == (NarrowingField("limit", "Constrains the result set."),)


def test_the_search_tool_narrows_by_its_own_arguments() -> None:
    schema = {"properties": {"query": {"description": "What to do."}, "limit": {}}}
    assert described_fields(schema, SEARCH_NARROWING) == (
        NarrowingField("query", "What to do."),
        *(
            NarrowingField(name, "Constrains the result set.")
            for name in ("limit", "detail", "tags")
        ),
    )


def test_a_read_only_schema_is_read() -> None:
    schema = MappingProxyType({"properties": MappingProxyType({"limit": MappingProxyType({})})})
    assert [field.name for field in narrowing_fields(schema)] == ["limit"]
    assert shape_of(MappingProxyType({"a": 1})) == Shape("object", 1)
