import codecs
import gzip
import json
from collections.abc import Iterator

import pytest

from sezzlee_py.invoke.response_body import BodyKind, ResponseBody, parse_content_type, read_body
from sezzlee_py.model import BackendResponse


def read(body: bytes, content_type: str | None = None, *headers: tuple[str, str]) -> ResponseBody:
    typed = (("content-type", content_type),) if content_type is not None else ()
    return read_body(BackendResponse(status=200, headers=(*typed, *headers), body=body))


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("application/json", b"", BodyKind.EMPTY),
        (None, b"", BodyKind.EMPTY),
        ("image/png", b"", BodyKind.EMPTY),
        ("application/json", b"[1]", BodyKind.JSON),
        ("TEXT/JSON ; x=y", b"null", BodyKind.JSON),
        ("application/vnd.api+json", b"{}", BodyKind.JSON),
        ("image/svg+json", b"1", BodyKind.JSON),
        (None, b" 12 ", BodyKind.JSON),
        ("  ", b"12", BodyKind.JSON),
        ("application/json", b"{", BodyKind.TEXT),
        ("text/json", b"{", BodyKind.TEXT),
        ("application/json", b"<html>", BodyKind.HTML),
        ("text/html", b"pong", BodyKind.TEXT),
        ("text/html", b"a <b>c</b>", BodyKind.HTML),
        ("application/xhtml+xml", b"<p/>", BodyKind.HTML),
        ("application/xhtml+xml", b"pong", BodyKind.TEXT),
        ("text/plain", b"a < b", BodyKind.TEXT),
        ("text/plain", b"\n\t <HTML lang=en>", BodyKind.HTML),
        ("text/plain", b"<!DocType HTML>", BodyKind.HTML),
        ("text/plain", b"<!doctype xml>", BodyKind.TEXT),
        (None, b"<!doctype html>", BodyKind.HTML),
        (None, b"hello", BodyKind.TEXT),
        (None, b"a\0b", BodyKind.BYTES),
        ("text/plain", b"a\0b", BodyKind.TEXT),
        ("text/event-stream", b"data: 1\n\n", BodyKind.TEXT),
        ("application/xml", b"<a/>", BodyKind.TEXT),
        ("image/svg+xml", b"<svg/>", BodyKind.TEXT),
        ("application/graphql", b"{a}", BodyKind.TEXT),
        ("application/x-www-form-urlencoded", b"a=b", BodyKind.TEXT),
        ("application/json-seq", b"\x1e{}", BodyKind.TEXT),
        ("application/x-ndjson", b"{}", BodyKind.TEXT),
        ("application/ndjson", b"{}", BodyKind.TEXT),
        ("application/jsonl", b"{}", BodyKind.TEXT),
        ("application/yaml", b"a: 1", BodyKind.TEXT),
        ("application/x-yaml", b"a: 1", BodyKind.TEXT),
        ("application/toml", b"a = 1", BodyKind.TEXT),
        ("application/javascript", b"a()", BodyKind.TEXT),
        ("application/octet-stream", b"abc", BodyKind.BYTES),
        ("application/octet-stream", b"<html>", BodyKind.BYTES),
        ("application/octet-stream; charset=utf-8", b"abc", BodyKind.TEXT),
        ("application/octet-stream; charset=binary", b"abc", BodyKind.BYTES),
        ("application/pdf", b"%PDF", BodyKind.BYTES),
        ("multipart/form-data; boundary=x", b"--x", BodyKind.BYTES),
        ("json", b"{}", BodyKind.BYTES),
        ("+json", b"{}", BodyKind.BYTES),
    ],
)
def test_the_type_decides_the_kind_and_the_bytes_come_second(
    content_type: str | None, body: bytes, kind: BodyKind
) -> None:
    assert read(body, content_type).kind is kind


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/plain", "café".encode(), "café"),
        ("text/plain; charset=latin-1", b"caf\xe9", "café"),
        ('text/plain; charset="ISO-8859-1"', b"caf\xe9", "café"),
        ("text/plain;CHARSET = iso-8859-1; x=y", b"caf\xe9", "café"),
        ("text/plain; charset=utf-16", "\ufeffab".encode("utf-16-le"), "ab"),
        ("text/plain; charset=utf-16-le", "\ufeffab".encode("utf-16-le"), "ab"),
        ("text/plain; charset=unheard-of", b"caf\xc3\xa9", "café"),
        ("text/plain; charset=", b"a", "a"),
        ("text/plain; charset=rot13", b"abc", "abc"),
        ("text/plain; charset=zip", b"abc", "abc"),
        ("text/plain; charset=unicode_escape", b"\\d\\u0041", "\\d\\u0041"),
        ("text/plain; charset=idna", b"abc", "abc"),
        ("text/plain; charset=" + "x" * 500, b"abc", "abc"),
        ("text/plain", b"caf\xe9", "caf\ufffd"),
        ("text/plain", b"\xef\xbb\xbfabc", "abc"),
        ("text/plain", b"\xef\xbb\xbf", ""),
    ],
)
def test_text_is_decoded_as_declared_and_never_fails(
    content_type: str, body: bytes, text: str
) -> None:
    assert read(body, content_type).text == text


def test_a_json_body_is_decoded_as_declared_too() -> None:
    body = '{"a":"é"}'.encode("utf-16")
    assert read(body, "application/json; charset=utf-16").value == {"a": "é"}


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", "-Infinity", "1e999", "[-1e999]", "[" * 20_000, "9" * 5000, "{'a':1}"],
)
def test_what_is_no_json_stays_text(text: str) -> None:
    body = read(text.encode(), "application/json")
    assert (body.kind, body.text) == (BodyKind.TEXT, text)


def test_integers_keep_every_digit_and_the_last_of_repeated_keys_wins() -> None:
    digits = "1234567890" * 100
    body = read(f'{{"a":1,"a":{digits},"b":1e308}}'.encode(), "application/json")
    assert body.value == {"a": int(digits), "b": 1e308}


def test_compression_is_undone_by_every_header_of_the_name() -> None:
    coded = gzip.compress(gzip.compress(b"[1]"))
    twice = (("content-encoding", "gzip"), ("content-encoding", "gzip"))
    assert read(coded, "application/json", *twice).value == [1]


def test_an_unknown_compression_makes_bytes() -> None:
    body = read(b"abc", "application/json", ("content-encoding", "br"))
    assert (body.kind, body.value, body.text) == (BodyKind.BYTES, None, "")


def test_compressed_nothing_is_empty() -> None:
    coded = gzip.compress(b"")
    assert read(coded, "text/plain", ("content-encoding", "gzip")).kind is BodyKind.EMPTY
    assert read(b"", "text/plain", ("content-encoding", "gzip")).kind is BodyKind.EMPTY


def test_a_bomb_is_oversized() -> None:
    bomb = gzip.compress(json.dumps("a" * 1_000_000).encode())
    response = BackendResponse(
        status=200,
        headers=(("content-type", "application/json"), ("content-encoding", "gzip")),
        body=bomb,
    )
    assert read_body(response, max_decoded_bytes=1000).oversized == 1001


def test_a_body_cut_off_while_reading_is_oversized_unless_it_is_bytes_anyway() -> None:
    def cut(content_type: str) -> ResponseBody:
        headers = (("content-type", content_type),)
        return read_body(BackendResponse(status=200, headers=headers, oversized=5_000_000))

    assert cut("application/json").oversized == 5_000_000
    assert (cut("image/png").kind, cut("image/png").oversized) == (BodyKind.BYTES, None)


@pytest.fixture
def picky_codec() -> Iterator[str]:
    def refuse(data: bytes, errors: str = "strict") -> tuple[str, int]:
        raise UnicodeDecodeError("picky", b"x", 0, 1, "refuses everything")

    def search(name: str) -> codecs.CodecInfo | None:
        if name != "picky":
            return None
        return codecs.CodecInfo(lambda text, errors="": (b"", 0), refuse, name="picky")

    codecs.register(search)
    parse_content_type.cache_clear()
    yield "picky"
    codecs.unregister(search)
    parse_content_type.cache_clear()


def test_a_codec_that_cannot_replace_gives_way_to_utf_8(picky_codec: str) -> None:
    assert read(b"abc", f"text/plain; charset={picky_codec}").text == "abc"
