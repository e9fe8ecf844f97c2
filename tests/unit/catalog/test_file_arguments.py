from typing import Any

import pytest

from sezzlee_py.catalog.file_arguments import FileShape, file_argument, file_sources, read_file
from sezzlee_py.model import FileSource

PNG = {"type": "string", "contentMediaType": "image/png"}
DEFS = {"F": PNG, "S": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        (PNG, FileShape(media_type="image/png")),
        ({"contentMediaType": "image/*"}, FileShape(media_type="image/*")),
        ({"type": ["string", "null"], "format": "binary"}, FileShape()),
        ({"$ref": "#/$defs/F"}, FileShape(media_type="image/png")),
        ({"oneOf": [{"type": "null"}, PNG]}, FileShape(media_type="image/png")),
        ({"type": "array", "items": PNG}, FileShape(array=True, media_type="image/png")),
        (
            {
                "type": ["array", "null"],
                "items": {"anyOf": [{"$ref": "#/$defs/F"}, {"type": "null"}]},
            },
            FileShape(array=True, media_type="image/png"),
        ),
        ({"$ref": "#/$defs/S"}, None),
        ({**PNG, "contentEncoding": "base64"}, None),
        ({"type": "object", "contentMediaType": "image/png"}, None),
        ({"type": "string", "contentMediaType": 1}, None),
        ({"type": "string"}, None),
        ({"type": "array"}, None),
        ({"type": "array", "items": {"type": "string"}}, None),
        ({"anyOf": [PNG, {"type": "string"}]}, None),
        (True, None),
    ],
)
def test_a_file_is_told_by_its_media_type(schema: Any, shape: FileShape | None) -> None:
    assert read_file(schema, DEFS) == shape


def test_a_list_keeps_what_it_says_about_itself() -> None:
    schema = {
        "type": "array",
        "description": "All scans.",
        "minItems": 1,
        "items": {**PNG, "description": "One scan."},
        "$defs": {},
    }
    found = file_argument(schema, {}, array=True, ref_description=None)
    assert {key: value for key, value in found.items() if key != "items"} == {
        "type": "array",
        "description": "All scans.",
        "minItems": 1,
    }
    assert found["items"]["description"] == "One scan."


def test_references_are_a_source_only_with_a_resolver() -> None:
    assert file_sources(None) == (FileSource.TEXT, FileSource.BASE64)
    assert file_sources("Id.") == (FileSource.TEXT, FileSource.BASE64, FileSource.REF)
