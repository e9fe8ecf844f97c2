from typing import Any

import pytest

from sezzlee_py.model import OMIT, Constant, Parameter, Provider, RequestBody, Severity
from tests.unit.catalog.builders import (
    ADDRESS,
    INTEGER,
    STRING,
    build,
    codes,
    cookie,
    dropped,
    endpoint,
    header,
    json_body,
    path,
    query,
    querystring,
    record,
)

LIST = {"type": "array", "items": INTEGER}
JSON = "application/json"
MULTIPART = "multipart/form-data"
FILE = {"type": "string", "contentMediaType": "image/png"}


def accepts(parameter: Parameter, value: Any, **facts: Any) -> bool:
    descriptor = endpoint(
        parameter, arguments=(record(parameter.name, hidden=Constant(value)),), **facts
    )
    return outcome(descriptor)


def accepts_field(schema: Any, value: Any, media_type: str | None = None, **options: Any) -> bool:
    root = {"type": "object", "properties": {"f": schema}, "$defs": {"A": ADDRESS}}
    body = RequestBody(schema=root, content_type=media_type)
    descriptor = endpoint(request_body=body, arguments=(record("f", hidden=Constant(value)),))
    return outcome(descriptor, **options)


def accepts_root(body: RequestBody, value: Any) -> bool:
    return outcome(endpoint(request_body=body, arguments=(record("body", hidden=Constant(value)),)))


def outcome(descriptor: Any, **options: Any) -> bool:
    found = [d.code for d in build(descriptor, **options).diagnostics if d.severity != "warning"]
    assert found in ([], ["invalid_fill_constant"])
    return not found


@pytest.mark.parametrize(
    ("parameter", "good", "bad"),
    [
        (query("p", INTEGER), [1, 1.0, 10**20], ["1", 1.5, True, None, [1], {}]),
        (query("p"), ["x", ""], [1, None, True]),
        (query("p", {"type": "boolean"}), [True], [1, "true"]),
        (query("p", {"type": "number"}), [1, 1.5], [float("nan"), float("inf"), "1", 10**400]),
        (query("p", {}), ["x", 1, True], [None, [], {}, object()]),
        (query("p", LIST), [[1, 2], []], [1, ["1"], [None], None]),
        (path("p"), ["a", "a.b", "..."], ["", ".", "..", "a/b", "a\\b", "a\0", None]),
        (path("p", LIST), [[1]], [[], [None], 1]),
        (path("p", spans_segments=True), ["a/b"], ["/a", "a//b", "a/../b", ""]),
        (path("p", style="label"), ["a"], ["."]),
        (header("p"), ["a b", "ÿ"], ["a\r", "a\n", "a\0", "Ā", 1]),
        (header("p", LIST, explode=False), [[1]], [["a"]]),
        (cookie("p"), ["a b", "é;"], [None, 1]),
        (cookie("p", style="cookie"), ["a.b-c%20", ""], ["a b", "a;", 'a"', "a,", "é", "\x7f"]),
        (query("p", content_type="text/plain"), ["x"], [1, None]),
        (query("p", {}, content_type=JSON), [{"a": [1]}, "x", 0], [None, {"a": object()}]),
        (path("p", {}, content_type=JSON), [7, "a"], ["a/b", None]),
        (header("p", {}, content_type=JSON), [{"a": "é"}], [{"a": "€"}]),
        (querystring("p", {}, content_type=JSON), [{"a": 1}], [None]),
    ],
)
def test_a_constant_passes_the_gate_of_its_parameter(
    parameter: Parameter, good: list[Any], bad: list[Any]
) -> None:
    assert [value for value in good if not accepts(parameter, value)] == []
    assert [value for value in bad if accepts(parameter, value)] == []


def test_a_constant_may_not_complete_a_dot_segment_of_the_route() -> None:
    assert not accepts(path("p"), "..", route="/a/{p}")
    assert accepts(path("p"), "b", route="/a/.{p}")
    assert not accepts(path("p", {"type": "string"}, style="label"), "..", route="/{p}")


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (STRING, ["x", None], [1, []]),
        (INTEGER, [1, 1.0, None], [1.5, True, "1"]),
        ({"type": "number"}, [1, 1.5], [True]),
        ({"type": ["integer", "null"]}, [1, None], ["x"]),
        ({"type": "array"}, [[], (1,)], [{}]),
        ({"type": "boolean"}, [True], [0]),
        ({"$ref": "#/$defs/A"}, [{}, {"street": 1}], ["x"]),
        ({}, [1, "x", None, {}], [float("nan"), object()]),
        (True, [1], []),
        ({"anyOf": [INTEGER]}, ["x"], []),
        ({"type": "null"}, [None], [0]),
    ],
)
def test_a_constant_passes_the_shallow_check_of_a_json_field(
    schema: Any, good: list[Any], bad: list[Any]
) -> None:
    assert [value for value in good if not accepts_field(schema, value)] == []
    assert [value for value in bad if accepts_field(schema, value)] == []


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (STRING, ["x"], [1, None]),
        (LIST, [[1], []], [["x"], 1, None]),
        ({"$ref": "#/$defs/A"}, [{}, {"street": "x"}], [{"street": 1}, {"town": "x"}, "x", None]),
    ],
)
def test_a_constant_passes_the_gate_of_a_form_field(
    schema: Any, good: list[Any], bad: list[Any]
) -> None:
    form = "application/x-www-form-urlencoded"
    assert [value for value in good if not accepts_field(schema, value, form)] == []
    assert [value for value in bad if accepts_field(schema, value, form)] == []


def test_a_constant_file_names_exactly_one_offered_source() -> None:
    good = [{"text": "x"}, {"base64": "", "name": "a.txt", "mediaType": "a/b"}]
    bad = [{}, {"text": "a", "base64": "b"}, {"text": 1}, {"text": "a", "x": "y"}, "x", None]
    assert [value for value in good if not accepts_field(FILE, value, MULTIPART)] == []
    assert [value for value in bad if accepts_field(FILE, value, MULTIPART)] == []
    ref = {"ref": "a"}
    assert not accepts_field(FILE, ref, MULTIPART)
    assert accepts_field(FILE, ref, MULTIPART, file_ref_description="Id.")
    files = {"type": "array", "items": FILE}
    assert accepts_field(files, [{"text": "x"}], MULTIPART)
    assert not accepts_field(files, {"text": "x"}, MULTIPART)


def test_a_constant_may_be_the_whole_body() -> None:
    array = RequestBody(schema={"type": "array"})
    assert accepts_root(array, [1])
    assert accepts_root(array, None)
    assert not accepts_root(array, {})
    text = RequestBody(schema=STRING, content_type="text/plain")
    assert accepts_root(text, "x")
    assert not accepts_root(text, None)
    raw = RequestBody(schema=FILE, content_type="image/png")
    assert accepts_root(raw, {"text": "x"})
    assert not accepts_root(raw, "x")
    form = RequestBody(
        schema={"type": "object", "properties": {"a": INTEGER}},
        content_type="application/x-www-form-urlencoded",
        required=False,
    )
    assert accepts_root(form, {"a": 1})
    assert not accepts_root(form, {"a": "x"})
    assert not accepts_root(form, {"b": 1})
    assert not accepts_root(form, [])


def test_a_group_cannot_be_filled() -> None:
    group = query("f", ADDRESS, style="deepObject")
    for fill in (Constant({"street": "x"}), OMIT, Provider("p")):
        descriptor = endpoint(group, arguments=(record("f", hidden=fill),))
        assert dropped(descriptor, fill_sources={"p"}) == "unsupported_object_style"


def test_a_provider_must_be_registered() -> None:
    descriptor = endpoint(query("q", required=True), arguments=(record("q", hidden=Provider("p")),))
    assert dropped(descriptor, fill_sources={"other"}) == "unknown_fill_source"
    assert codes(build(descriptor, fill_sources={"p"})) == []


@pytest.mark.parametrize(
    ("descriptor", "severity"),
    [
        (endpoint(path("p"), arguments=(record("p", hidden=OMIT),)), Severity.FATAL),
        (
            endpoint(query("q", required=True), arguments=(record("q", hidden=OMIT),)),
            Severity.ENDPOINT_DROPPED,
        ),
        (
            endpoint(
                request_body=json_body({"f": STRING}, "f"), arguments=(record("f", hidden=OMIT),)
            ),
            Severity.ENDPOINT_DROPPED,
        ),
        (
            endpoint(
                request_body=RequestBody(schema=STRING), arguments=(record("body", hidden=OMIT),)
            ),
            Severity.ENDPOINT_DROPPED,
        ),
    ],
)
def test_what_the_backend_requires_cannot_be_left_out(descriptor: Any, severity: Severity) -> None:
    result = build(descriptor)
    assert result.tools == ()
    last = result.diagnostics[-1]
    assert (last.code, last.severity) == ("hidden_required_omitted", severity)
