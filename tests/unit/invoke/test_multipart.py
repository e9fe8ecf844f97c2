"""Composed bodies as bytes."""

import re
from typing import Any

import pytest

from sezzlee_py.invoke.multipart import write_content
from sezzlee_py.model import FileContent, FileSource, Part, RequestContent


def file(**more: Any) -> FileContent:
    known: dict[str, Any] = {
        "source": FileSource.TEXT,
        "value": "x",
        "filename": "a",
        "media_type": "text/csv",
    }
    return FileContent(**(known | more))


def written(*parts: Part, boundary: str = "==") -> bytes:
    return write_content(
        RequestContent(content_type="multipart/form-data", parts=parts), boundary=boundary
    )[1]


def test_data_is_written_as_it_was_composed() -> None:
    assert write_content(RequestContent(content_type="a/b", data=b"x")) == ("a/b", b"x")


@pytest.mark.parametrize(
    ("content", "data"),
    [
        (file(value="é\ud800"), "é\ufffd".encode()),
        (file(source=FileSource.BASE64, value="AAH/"), b"\0\x01\xff"),
        (file(source=FileSource.REF, value="r", data=b"z"), b"z"),
    ],
)
def test_a_raw_file_is_its_bytes(content: FileContent, data: bytes) -> None:
    assert write_content(RequestContent(content_type="a/b", file=content)) == ("a/b", data)


def test_a_ref_that_was_not_resolved_has_no_bytes() -> None:
    content = RequestContent(content_type="a/b", file=file(source=FileSource.REF))
    with pytest.raises(ValueError, match="resolved"):
        write_content(content)


def test_parts_are_written_in_order() -> None:
    content = RequestContent(
        content_type="multipart/form-data",
        parts=(Part(name="a[b]", value="é\r\n"), Part(name="f", file=file(filename="x.csv"))),
    )
    assert write_content(content, boundary="B") == (
        "multipart/form-data; boundary=B",
        b'--B\r\nContent-Disposition: form-data; name="a[b]"\r\n'
        b"Content-Type: text/plain; charset=utf-8\r\n\r\n\xc3\xa9\r\n\r\n"
        b'--B\r\nContent-Disposition: form-data; name="f"; filename="x.csv"\r\n'
        b"Content-Type: text/csv\r\n\r\nx\r\n"
        b"--B--\r\n",
    )


def test_no_parts_are_a_closed_body() -> None:
    assert written() == b"--==--\r\n"


def test_a_name_cannot_end_its_header() -> None:
    assert b'name="a%22%0D%0Ab\xc3\xa9"' in written(Part(name='a"\r\nbé', value=""))


@pytest.mark.parametrize(
    ("filename", "parameters"),
    [
        ("özet.txt", b"filename=\"o_zet.txt\"; filename*=UTF-8''%C3%B6zet.txt"),
        ("日本", b"filename=\"__\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC"),
        ("a／b＂", b"filename=\"a_b_\"; filename*=UTF-8''a%EF%BC%8Fb%EF%BC%82"),
        ("‥", b"filename=\"__\"; filename*=UTF-8''%E2%80%A5"),
        ("\ud800", b"filename=\"_\"; filename*=UTF-8''%EF%BF%BD"),
        ("a\x0bb", b"filename=\"a_b\"; filename*=UTF-8''a%0Bb"),
        ("a'b c", b'filename="a\'b c"'),
    ],
)
def test_a_filename_has_an_ascii_form_and_a_full_one(filename: str, parameters: bytes) -> None:
    assert b'name="f"; ' + parameters + b"\r\n" in written(
        Part(name="f", file=file(filename=filename))
    )


def test_a_filename_of_marks_has_an_ascii_form_of_the_first_ones() -> None:
    name = "a" + "\u0301" * 500 + "\u0316" * 500
    header = written(Part(name="f", file=file(filename=name))).split(b"\r\n")[1]
    assert header.count(b"%CC") == 1_000
    assert b'filename="a' + b"_" * 30 + b'"' in header


def test_a_file_part_always_has_a_filename() -> None:
    assert b'name="f"; filename="f"' in written(Part(name="f", file=file(filename=None)))


def test_the_boundary_is_random_and_in_no_part() -> None:
    content = RequestContent(content_type="multipart/form-data", parts=(Part(name="a", value="x"),))
    seen = set()
    for _ in range(20):
        header, _body = write_content(content)
        boundary = re.fullmatch(r"multipart/form-data; boundary=([0-9a-f]{32})", header)
        assert boundary is not None
        seen.add(boundary[1])
    assert len(seen) == 20


def test_a_boundary_that_occurs_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["taken", "name", "free"])
    monkeypatch.setattr("secrets.token_hex", lambda _: next(drawn))
    content = RequestContent(
        content_type="multipart/form-data", parts=(Part(name="a", value="-taken-"),)
    )
    assert write_content(content)[0] == "multipart/form-data; boundary=free"


def test_a_given_boundary_that_occurs_is_refused() -> None:
    with pytest.raises(ValueError, match="boundary"):
        written(Part(name="a", value="a==b"))
