"""Which of the media types that a backend accepts is written (spec: bodies 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from sezzlee_py.catalog.media_types import (
    JSON,
    MULTIPART,
    TEXT,
    URLENCODED,
    MediaFamily,
    is_json,
    media_family,
    normal_media_type,
)

_OCTET_STREAM: Final = "application/octet-stream"
_JSON_RANGES: Final = frozenset({"*/*", "application/*"})


def bare_media_type(text: str) -> str:
    """Return `text` in lower case without its parameters; ranges stay ranges."""
    return text.partition(";")[0].strip().lower()


def choose_media_type(
    accepted: Iterable[str], *, has_file: Callable[[str], bool], is_file: Callable[[str], bool]
) -> str | None:
    """Return the entry of `accepted` that a body is written in, `None` when nothing writes any.

    Args:
        accepted: media types and ranges as declared, in order.
        has_file: whether the body under an entry has a file among its fields.
        is_file: whether the body under an entry is itself a file.

    Example:
        >>> choose_media_type(["text/plain", "application/json; v=1"],
        ...                   has_file=lambda entry: False, is_file=lambda entry: False)
        'application/json; v=1'
    """
    entries = list(accepted)
    plain = {entry: bare_media_type(entry) for entry in entries}
    ranked: tuple[Callable[[str], bool], ...] = (
        lambda entry: plain[entry] == JSON,
        lambda entry: plain[entry] in _JSON_RANGES,
        lambda entry: is_json(plain[entry]) and normal_media_type(entry) is not None,
        lambda entry: plain[entry] == URLENCODED and not has_file(entry),
        lambda entry: plain[entry] == MULTIPART,
        lambda entry: plain[entry] == TEXT,
        lambda entry: plain[entry] == _OCTET_STREAM and is_file(entry),
        lambda entry: _is_raw(entry) and is_file(entry),
    )
    for fits in ranked:
        for entry in entries:
            if fits(entry):
                return entry
    return None


def written_media_type(entry: str) -> str:
    """Return the concrete media type that is written for a chosen `entry`."""
    bare = bare_media_type(entry)
    return JSON if bare in _JSON_RANGES else bare


def is_accepted(media_type: str, accepted: Iterable[str]) -> bool:
    """Whether a backend that accepts these types and ranges accepts `media_type`."""
    wanted = bare_media_type(media_type)
    family = wanted.partition("/")[0] + "/*"
    return any(bare_media_type(entry) in (wanted, family, "*/*") for entry in accepted)


def _is_raw(entry: str) -> bool:
    concrete = normal_media_type(entry)
    return concrete is not None and media_family(concrete) is MediaFamily.RAW
