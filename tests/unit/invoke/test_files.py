"""File arguments: sources, names, media types, strict base64."""

import base64
import itertools
from typing import Any

import pytest

from sezzlee_py.errors import CompositionError, ErrorCode
from sezzlee_py.invoke.files import base64_length, file_reader, is_filename, is_media_type
from sezzlee_py.model import FileContent, FileSource

ALL = (FileSource.TEXT, FileSource.BASE64, FileSource.REF)


def read(value: Any, **more: Any) -> FileContent | tuple[ErrorCode, str]:
    options = {"wire_name": "upload", "media_type": None, "sources": ALL} | more
    try:
        return file_reader("doc", **options)(value)
    except CompositionError as fault:
        return fault.code, fault.message


@pytest.mark.parametrize(
    ("value", "declared", "filename", "media_type"),
    [
        ({"text": ""}, None, "upload", "text/plain; charset=utf-8"),
        ({"text": "x", "name": "ö.txt"}, None, "ö.txt", "text/plain; charset=utf-8"),
        ({"text": "x"}, "text/csv", "upload", "text/csv"),
        ({"text": "x"}, "application/octet-stream", "upload", "text/plain; charset=utf-8"),
        ({"text": "x"}, "image/*", "upload", "text/plain; charset=utf-8"),
        ({"text": "x"}, "text/a\r\nb: c", "upload", "text/plain; charset=utf-8"),
        ({"text": "x", "mediaType": "a/b;c=d"}, "text/csv", "upload", "a/b;c=d"),
        ({"base64": "AA=="}, None, "upload", "application/octet-stream"),
        ({"base64": ""}, "image/png", "upload", "image/png"),
    ],
)
def test_a_file_is_named_and_labelled(
    value: Any, declared: str | None, filename: str, media_type: str
) -> None:
    file = read(value, media_type=declared)
    assert isinstance(file, FileContent)
    assert (file.filename, file.media_type) == (filename, media_type)


def test_a_wire_name_that_is_no_filename_is_cleaned() -> None:
    file = read({"text": "x"}, wire_name='../a"b\\c\r\n')
    assert isinstance(file, FileContent)
    assert file.filename == ".._a_b_c__"


@pytest.mark.parametrize(
    ("wire_name", "filename"), [(".", "_"), ("..", "__"), ("x" * 300, "x" * 255)]
)
def test_a_wire_name_that_could_not_be_sent_is_no_default(wire_name: str, filename: str) -> None:
    file = read({"text": "x"}, wire_name=wire_name)
    assert isinstance(file, FileContent)
    assert file.filename == filename


def test_a_ref_keeps_what_the_agent_sent_and_knows_its_defaults() -> None:
    assert read({"ref": "r-1", "name": "a.png"}, media_type="image/png") == FileContent(
        source=FileSource.REF,
        value="r-1",
        filename="a.png",
        field="doc",
        default_filename="upload",
        default_media_type="image/png",
    )


@pytest.mark.parametrize(
    "value",
    [
        "text",
        5,
        ["x"],
        {},
        {"name": "a"},
        {"text": "a", "base64": "AA=="},
        {"text": "a", "charset": "utf-8"},
        {"text": 5},
        {"text": None},
        {"base64": None},
        {"base64": "AA"},
        {"ref": ""},
        {"ref": 5},
        {"text": "a", "name": ""},
        {"text": "a", "name": None},
        {"text": "a", "name": "a/b"},
        {"text": "a", "name": ".."},
        {"ref": "r", "name": "."},
        {"text": "a", "name": "x" * 256},
        {"text": "a", "mediaType": "text"},
        {"text": "a", "mediaType": None},
        {"text": "a", "mediaType": "text/plain\n"},
        {"ref": "r", "name": "a\\b"},
    ],
)
def test_what_is_not_one_clean_source_is_refused(value: Any) -> None:
    refused = read(value)
    assert isinstance(refused, tuple)
    assert refused[0] is ErrorCode.INVALID_FILE_ARGUMENT
    assert refused[1].startswith("File argument 'doc' ")


def test_null_is_told_apart() -> None:
    assert read(None) == (
        ErrorCode.NULL_NOT_ALLOWED,
        "Argument 'doc' cannot be null; leave it out instead.",
    )


@pytest.mark.parametrize("value", [{}, {"ref": "r"}, {"text": 1}, {"text": "a", "name": ""}, 5])
def test_without_a_resolver_no_message_mentions_refs(value: Any) -> None:
    refused = read(value, sources=(FileSource.TEXT, FileSource.BASE64))
    assert isinstance(refused, tuple)
    assert refused[0] is ErrorCode.INVALID_FILE_ARGUMENT
    assert "ref" not in refused[1]


def test_every_strict_base64_text_of_up_to_one_block_is_known_by_round_trip() -> None:
    alphabet = "ABQRZaz059+/=-_ \n"
    for text in map("".join, itertools.product(alphabet, repeat=4)):
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            strict = None
        else:
            strict = len(data) if base64.b64encode(data).decode() == text else None
        assert base64_length(text) == strict, text


@pytest.mark.parametrize("text", ["A", "AA", "AAA", "AAAAA", "AAAA====", "=", "AA==AAAA", "éééé"])
def test_other_texts_are_no_base64(text: str) -> None:
    assert base64_length(text) is None


def test_the_length_of_much_base64_is_known_without_decoding() -> None:
    assert base64_length("AAAA" * 10**6 + "AA==") == 3 * 10**6 + 1


@pytest.mark.parametrize("name", ["a", "a.b", "ö", "...", ".a", " ", "a'b", "x" * 255])
def test_a_filename_is_any_text_without_separators(name: str) -> None:
    assert is_filename(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", 'a"', "a\r", "a\n", "a\0", "a/b", "a\\b", "x" * 256, None, 5]
)
def test_what_could_leave_a_directory_or_a_header_is_no_filename(name: object) -> None:
    assert not is_filename(name)


@pytest.mark.parametrize(
    "text",
    [
        "text/plain",
        "application/vnd.api+json",
        "text/plain; charset=utf-8",
        'a/b;x="y z; \\"'.replace("\\", ""),
        "a/b ; x=1;y=2",
    ],
)
def test_a_media_type_is_a_pair_of_names_and_perhaps_parameters(text: str) -> None:
    assert is_media_type(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a/",
        "/b",
        "*/*",
        "image/*",
        "a/b\r\nX: 1",
        "a/b;",
        "a/b;x",
        'a/b;x="\n"',
        "a/é",
        None,
    ],
)
def test_other_texts_are_no_media_type(text: object) -> None:
    assert not is_media_type(text)


def test_a_hostile_media_type_is_refused_in_linear_time() -> None:
    assert not is_media_type("a/b" + '; x="y"' * 50_000 + ";")
