import pytest

from sezzlee_py.catalog.media_choice import (
    bare_media_type,
    choose_media_type,
    is_accepted,
    written_media_type,
)

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


@pytest.mark.parametrize(
    ("accepted", "file_field", "file_root", "chosen"),
    [
        (["text/plain", "application/json; charset=utf-8"], False, False, "application/json"),
        ([FORM, "*/*"], False, False, "application/json"),
        ([FORM, "application/*"], False, False, "application/json"),
        (["text/plain", "application/hal+json", "text/json"], False, False, "application/hal+json"),
        ([MULTIPART, FORM], False, False, FORM),
        ([MULTIPART, FORM], True, False, MULTIPART),
        ([FORM], True, False, None),
        (["text/plain", MULTIPART], False, False, MULTIPART),
        (["text/plain", "image/png"], False, True, "text/plain"),
        (["image/png", "application/octet-stream"], False, True, "application/octet-stream"),
        (["image/*", "image/png"], False, True, "image/png"),
        (["application/xml"], False, False, None),
        (["text/*"], False, True, None),
        ([], False, False, None),
    ],
)
def test_the_first_writable_type_is_chosen(
    accepted: list[str], file_field: bool, file_root: bool, chosen: str | None
) -> None:
    entry = choose_media_type(accepted, has_file=lambda _: file_field, is_file=lambda _: file_root)
    assert (entry and written_media_type(entry)) == chosen


def test_a_type_is_accepted_by_itself_and_by_ranges() -> None:
    assert is_accepted("Text/Plain; a=b", ["text/*"])
    assert is_accepted("text/plain", ["*/*"])
    assert is_accepted("text/plain", ["text/plain; charset=utf-8"])
    assert not is_accepted("text/plain", ["application/*", "text/html"])
    assert bare_media_type(" A/B ; c") == "a/b"
