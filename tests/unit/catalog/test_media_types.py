import pytest

from sezzlee_py.catalog.media_types import MediaFamily, media_family, normal_media_type


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("application/json", "application/json"),
        (" Application/JSON ;charset=utf-8", "application/json"),
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("*/*", None),
        ("application/*", None),
        ("application", None),
        ("a/b/c", None),
        ("a/b\r\nX: y", None),
        ("", None),
        (None, None),
    ],
)
def test_a_media_type_is_concrete_and_bare(text: str | None, normal: str | None) -> None:
    assert normal_media_type(text) == normal


@pytest.mark.parametrize(
    ("media_type", "family"),
    [
        ("application/json", MediaFamily.JSON),
        ("text/json", MediaFamily.JSON),
        ("application/problem+json", MediaFamily.JSON),
        ("application/x-www-form-urlencoded", MediaFamily.FORM),
        ("multipart/form-data", MediaFamily.MULTIPART),
        ("text/plain", MediaFamily.TEXT),
        ("application/xml", MediaFamily.RAW),
        ("multipart/mixed", MediaFamily.RAW),
    ],
)
def test_a_media_type_has_one_family(media_type: str, family: MediaFamily) -> None:
    assert media_family(media_type) is family
