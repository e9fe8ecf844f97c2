"""The media types a request can be written in (spec: bodies 1)."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

JSON: Final = "application/json"
URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
TEXT: Final = "text/plain"

_CONCRETE: Final = re.compile(r"[!#$%&'+\-.^_`|~0-9a-z]+/[!#$%&'+\-.^_`|~0-9a-z]+")


class MediaFamily(StrEnum):
    """How a body of some media type is written."""

    JSON = "json"
    FORM = "form"
    MULTIPART = "multipart"
    TEXT = "text"
    RAW = "raw"


def normal_media_type(text: str | None) -> str | None:
    """Return `text` in lower case without parameters, `None` when it is no concrete type."""
    bare = (text or "").partition(";")[0].strip().lower()
    return bare if _CONCRETE.fullmatch(bare) else None


def is_json(media_type: str) -> bool:
    """Whether a normal media type is of the JSON family."""
    return media_type in (JSON, "text/json") or media_type.endswith("+json")


def media_family(media_type: str) -> MediaFamily:
    """Return how a body of a normal media type is written."""
    if is_json(media_type):
        return MediaFamily.JSON
    return _FAMILIES.get(media_type, MediaFamily.RAW)


_FAMILIES: Final = {
    URLENCODED: MediaFamily.FORM,
    MULTIPART: MediaFamily.MULTIPART,
    TEXT: MediaFamily.TEXT,
}
