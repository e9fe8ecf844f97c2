"""Bodies parsed back by the parsers of the frameworks equal what was sent."""

import base64
import io
import json
import unicodedata
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl

import anyio
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import UploadFile
from starlette.requests import Request
from werkzeug.formparser import parse_form_data

from sezzlee_py.invoke.compose import compose
from sezzlee_py.invoke.multipart import write_content
from sezzlee_py.model import BodySlot
from tests.properties.hostile import clean, examples, json_values, texts
from tests.unit.invoke.templates import FORM, MULTIPART, STRING, field, fields, post

Pairs = list[tuple[str, str]]
Files = list[tuple[str, str, str, bytes]]

names = texts.filter(bool)
# Parsers undo escapes of a quoted string that writers of forms do not make.
part_names = st.text("ab[];=,:'. é日😀\"\r\n", min_size=1, max_size=8).map(str.strip).filter(bool)
filenames = st.text("ab%;=,:'. é日😀", min_size=1, max_size=8).filter(
    lambda n: n.strip(" ") == n and n not in {".", ".."}
)


def sent(body: BodySlot, arguments: Any) -> tuple[str, bytes]:
    content = compose(post(body), arguments).content
    assert content is not None
    return write_content(content)


def read_by_werkzeug(content_type: str, data: bytes) -> tuple[Pairs, Files]:
    environ = {
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(data)),
        "wsgi.input": io.BytesIO(data),
    }
    _, form, files = parse_form_data(environ)
    read = []
    for name, upload in files.items(multi=True):
        read.append((name, upload.filename or "", upload.content_type or "", upload.read()))
        upload.close()
    return list(form.items(multi=True)), read


def read_by_starlette(content_type: str, data: bytes) -> tuple[Pairs, Files]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data, "more_body": False}

    async def read() -> tuple[Pairs, Files]:
        headers = [(b"content-type", content_type.encode("latin-1"))]
        request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
        pairs: Pairs = []
        files: Files = []
        async with request.form() as form:
            for name, value in form.multi_items():
                if isinstance(value, UploadFile):
                    kind = value.content_type or ""
                    files.append((name, value.filename or "", kind, await value.read()))
                else:
                    pairs.append((name, value))
        return pairs, files

    return anyio.run(read)


def same(sent: Any, read: Any) -> bool:
    """Whether a JSON value arrived: floats as the same double, integers exactly, clean texts."""
    if isinstance(sent, str):
        return bool(read == clean(sent))
    if isinstance(sent, list):
        return len(sent) == len(read) and all(map(same, sent, read))
    if isinstance(sent, dict):
        merged = {clean(key): value for key, value in sent.items()}
        return list(merged) == list(read) and all(same(merged[key], read[key]) for key in merged)
    if isinstance(sent, float):
        return not isinstance(read, bool) and float(read) == sent
    return type(sent) is type(read) and bool(sent == read)


@examples(400)
@given(st.dictionaries(names, json_values, max_size=4))
def test_json_fields_are_read_back(values: dict[str, Any]) -> None:
    content_type, data = sent(fields(*[field(name) for name in values]), values)
    assert content_type == "application/json; charset=utf-8"
    assert same(values, json.loads(data))


@examples(400)
@given(json_values.filter(lambda value: value is not None))
def test_a_json_root_is_read_back(value: Any) -> None:
    _, data = sent(fields(root="body"), {"body": value})
    assert same(value, json.loads(data))


@examples(300)
@given(st.dictionaries(names, st.lists(texts, max_size=3), max_size=4))
def test_a_form_is_read_back_in_order(values: dict[str, list[str]]) -> None:
    body = fields(*[field(name, STRING, array=True) for name in values], content_type=FORM)
    content_type, data = sent(body, values)
    expected = [(clean(name), clean(v)) for name, listed in values.items() for v in listed]
    assert content_type == FORM
    assert parse_qsl(data.decode("ascii"), keep_blank_values=True) == expected
    assert read_by_starlette(content_type, data) == (expected, [])
    grouped = [(n, v) for n in dict.fromkeys(n for n, _ in expected) for m, v in expected if m == n]
    assert read_by_werkzeug(content_type, data) == (grouped, [])


def ascii_form(filename: str) -> str:
    decomposed = unicodedata.normalize("NFKD", filename)
    return "".join(c if c.isascii() else "_" for c in decomposed)


# Before it was renamed, python-multipart took a body without parts for a malformed one and read
# `filename*`; Starlette's side of the comparison is made with the newer one.
OLD_PARSER = find_spec("python_multipart") is None


def escaped(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


@examples(300)
@given(
    st.dictionaries(part_names, texts, max_size=3),
    st.lists(st.tuples(filenames, st.binary(max_size=40)), max_size=3),
)
def test_a_multipart_body_is_read_back_part_by_part(
    values: dict[str, str], uploads: list[tuple[str, bytes]]
) -> None:
    body = fields(
        field("uploads!", file=True, array=True),
        *[field(name, STRING) for name in values],
        content_type=MULTIPART,
    )
    listed = [
        {"base64": base64.b64encode(data).decode(), "name": name, "mediaType": "image/png"}
        for name, data in uploads
    ]
    content_type, data = sent(body, {"uploads!": listed, **values})
    pairs = [(escaped(name), clean(value)) for name, value in values.items()]
    files = [("uploads!", name, "image/png", data) for name, data in uploads]
    # Werkzeug's parser undoes one of the three escapes.
    undone = [(name.replace("%22", '"'), value) for name, value in pairs]
    assert read_by_werkzeug(content_type, data) == (undone, files)
    if OLD_PARSER:
        return
    # Starlette's parser reads the ASCII form of a name only (RFC 7578 section 4.2).
    in_ascii = [(name, ascii_form(filename), kind, data) for name, filename, kind, data in files]
    assert read_by_starlette(content_type, data) == (pairs, in_ascii)


@examples(200)
@given(texts, texts)
def test_the_text_of_a_file_is_no_more_than_its_part(text: str, other: str) -> None:
    body = fields(field("f", file=True), field("n", STRING), content_type=MULTIPART)
    content_type, data = sent(body, {"f": {"text": text}, "n": other})
    expected = (
        [("n", clean(other))],
        [("f", "f", "text/plain; charset=utf-8", clean(text).encode())],
    )
    assert read_by_werkzeug(content_type, data) == expected
    assert read_by_starlette(content_type, data) == expected
