"""Bodies by media type, in field mode and in root mode."""

import math
from typing import Any

import pytest

from sezzlee_py.errors import ErrorCode
from sezzlee_py.invoke.bodies import MediaFamily, media_family
from sezzlee_py.invoke.compose import compose
from sezzlee_py.model import (
    BodySlot,
    FileContent,
    FileSource,
    Member,
    ObjectNotation,
    Part,
    RequestContent,
)
from tests.unit.invoke.templates import (
    FORM,
    INTEGER,
    MULTIPART,
    NUMBER,
    STRING,
    field,
    fields,
    post,
    refusal,
)

ADDRESS = field(
    "address",
    members=(Member(name="city", kinds=STRING), Member(name="zip", kinds=INTEGER, array=True)),
)


def content(body: BodySlot, arguments: Any, **more: Any) -> RequestContent | None:
    return compose(post(body), arguments, **more).content


@pytest.mark.parametrize(
    ("content_type", "family"),
    [
        ("application/json", MediaFamily.JSON),
        ("text/json", MediaFamily.JSON),
        ("application/merge-patch+json", MediaFamily.JSON),
        (FORM, MediaFamily.FORM),
        (MULTIPART, MediaFamily.MULTIPART),
        ("text/plain", MediaFamily.TEXT),
        ("text/csv", MediaFamily.FILE),
        ("image/png", MediaFamily.FILE),
    ],
)
def test_a_media_type_belongs_to_one_family(content_type: str, family: MediaFamily) -> None:
    assert media_family(content_type) is family


def test_a_json_body_keeps_template_order_then_received_order() -> None:
    body = fields(field("b"), field("a"), content_type="application/merge-patch+json")
    assert content(body, {"a": {"z": None, "y": 1.0}, "b": "é\ud800"}) == RequestContent(
        content_type="application/merge-patch+json; charset=utf-8",
        data='{"b":"é\ufffd","a":{"z":null,"y":1}}'.encode(),
    )
    assert content(body, {}) == RequestContent(
        content_type="application/merge-patch+json; charset=utf-8", data=b"{}"
    )


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": -math.inf}])
def test_a_number_that_json_has_not_is_refused_by_the_name_of_its_field(value: Any) -> None:
    body = fields(field("a"), field("b", agent_name="c"), additional_properties=True)
    for name in ("c", "extra"):
        assert refusal(post(body), {"a": 1, name: value}) == (
            ErrorCode.INVALID_TYPE,
            f"Argument '{name}' must be of type JSON value.",
        )


@pytest.mark.parametrize("value", [False, 0, "", [], {}, [{"a": None}]])
def test_any_value_but_null_is_a_json_root(value: Any) -> None:
    composed = content(fields(root="body"), {"body": value})
    assert composed is not None
    assert composed.content_type == "application/json; charset=utf-8"
    assert composed.data is not None


def test_a_root_is_absent_refused_or_sent() -> None:
    body = fields(root="body")
    assert content(body, {}) is None
    assert refusal(post(body), {"body": None}) == (
        ErrorCode.NULL_NOT_ALLOWED,
        "Argument 'body' cannot be null; leave it out instead.",
    )
    assert refusal(post(body), {"body": math.nan}) == (
        ErrorCode.INVALID_TYPE,
        "Argument 'body' must be of type JSON value.",
    )


def test_a_text_body_is_the_string_itself() -> None:
    body = fields(root="body", content_type="text/plain")
    assert content(body, {"body": 'é "\ud800'}) == RequestContent(
        content_type="text/plain; charset=utf-8", data='é "\ufffd'.encode()
    )
    assert content(body, {}) is None
    assert refusal(post(body), {"body": 5}) == (
        ErrorCode.INVALID_TYPE,
        "Argument 'body' must be of type string.",
    )
    code, _ = refusal(post(body), {"body": None})
    assert code is ErrorCode.NULL_NOT_ALLOWED


def test_a_form_is_written_in_template_order_with_the_strict_encoder() -> None:
    body = fields(
        field("q&x", STRING),
        field("n", NUMBER, array=True),
        ADDRESS,
        field("free", agent_name="any"),
        content_type=FORM,
    )
    arguments = {
        "any": True,
        "address": {"zip": [1, 2], "city": "a b"},
        "n": [1.0, 2.5],
        "q&x": "+ é",
    }
    assert content(body, arguments) == RequestContent(
        content_type=FORM,
        data=b"q%26x=%2B%20%C3%A9&n=1&n=2.5&address[city]=a%20b&address[zip]=1&address[zip]=2"
        b"&free=true",
    )
    assert content(body, {"n": []}) == RequestContent(content_type=FORM, data=b"")


@pytest.mark.parametrize("by_member", [True, False])
def test_an_object_of_a_form_may_be_spelt_with_dots(by_member: bool) -> None:
    members = (Member(name="a.b", kinds=STRING),)
    notation = ObjectNotation.DOT
    body = (
        fields(field("o x", members=members, notation=notation), content_type=FORM)
        if by_member
        else fields(field("o x", members=members), content_type=FORM, notation=notation)
    )
    composed = content(body, {"o x": {"a.b": "c"}})
    assert composed is not None
    assert composed.data == b"o%20x.a.b=c"


def test_a_form_in_root_mode_is_one_object() -> None:
    body = fields(field("a", STRING), ADDRESS, root="body", content_type=FORM)
    assert content(body, {"body": {"address": {"city": "x"}, "a": "1"}}) == RequestContent(
        content_type=FORM, data=b"a=1&address[city]=x"
    )
    assert content(body, {}) is None
    assert refusal(post(body), {"body": {"address": {"zip": ["1"]}}}) == (
        ErrorCode.INVALID_TYPE,
        "Argument 'body.address.zip' must be of type integer.",
    )


@pytest.mark.parametrize("content_type", [FORM, MULTIPART])
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            {"a": None},
            ErrorCode.NULL_NOT_ALLOWED,
            "Argument 'a' cannot be null; leave it out instead.",
        ),
        ({"a": 1}, ErrorCode.INVALID_TYPE, "Argument 'a' must be of type string."),
        ({"address": "x"}, ErrorCode.INVALID_TYPE, "Argument 'address' must be of type object."),
        (
            {"address": {"zip": 1}},
            ErrorCode.INVALID_TYPE,
            "Argument 'address.zip' must be an array.",
        ),
    ],
)
def test_a_form_field_that_does_not_fit_is_refused(
    content_type: str, arguments: Any, code: ErrorCode, message: str
) -> None:
    body = fields(field("a", STRING), ADDRESS, content_type=content_type)
    assert refusal(post(body), arguments) == (code, message)


def test_a_multipart_body_is_an_ordered_list_of_parts() -> None:
    body = fields(
        ADDRESS,
        field("f", file=True, media_type="text/csv"),
        field("n x", INTEGER, array=True),
        content_type=MULTIPART,
    )
    arguments = {"n x": [1, 2], "f": {"text": "a"}, "address": {"city": "İ &\ud800"}}
    assert content(body, arguments) == RequestContent(
        content_type=MULTIPART,
        parts=(
            Part(name="address[city]", value="İ &\ufffd"),
            Part(
                name="f",
                file=FileContent(
                    source=FileSource.TEXT, value="a", filename="f", media_type="text/csv"
                ),
            ),
            Part(name="n x", value="1"),
            Part(name="n x", value="2"),
        ),
    )
    assert content(body, {}) == RequestContent(content_type=MULTIPART, parts=())


def test_a_multipart_body_in_root_mode_is_one_object() -> None:
    body = fields(
        field("f", file=True, array=True), field("a", STRING), root="body", content_type=MULTIPART
    )
    composed = content(body, {"body": {"a": "x", "f": [{"text": "1"}]}})
    assert composed is not None
    assert composed.parts is not None
    assert [part.name for part in composed.parts] == ["f", "a"]
    assert refusal(post(body), {"body": {"f": {"text": "1"}}}) == (
        ErrorCode.INVALID_TYPE,
        "Argument 'body.f' must be an array.",
    )
    assert refusal(post(body), {"body": []}) == (
        ErrorCode.INVALID_TYPE,
        "Argument 'body' must be of type object.",
    )


def test_a_raw_file_body_keeps_the_declared_type() -> None:
    body = fields(root="upload", content_type="image/png", file=True, media_type="image/png")
    assert content(body, {"upload": {"base64": "AAEC"}}) == RequestContent(
        content_type="image/png",
        file=FileContent(
            source=FileSource.BASE64,
            value="AAEC",
            filename="upload",
            media_type="image/png",
            byte_length=3,
        ),
    )
    assert content(body, {}) is None


@pytest.mark.parametrize(
    ("sources", "advice"),
    [
        ((FileSource.TEXT, FileSource.BASE64), ""),
        ((FileSource.BASE64, FileSource.REF), " Pass the file as a ref instead."),
    ],
)
def test_inline_bytes_are_summed_over_the_call(sources: Any, advice: str) -> None:
    body = fields(
        field("a", file=True),
        field("b", file=True, array=True),
        content_type=MULTIPART,
        file_sources=sources,
    )
    arguments = {"a": {"base64": "AAEC"}, "b": [{"base64": "AA=="}, {"base64": "AAE="}]}
    assert content(body, arguments, max_inline_file_bytes=6) is not None
    assert refusal(post(body), arguments, max_inline_file_bytes=5) == (
        ErrorCode.FILE_TOO_LARGE,
        "File arguments hold 6 bytes; the limit is 5 bytes and nothing was sent." + advice,
    )
