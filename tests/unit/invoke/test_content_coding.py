import gzip
import zlib
from functools import partial

import pytest

from sezzlee_py.invoke.content_coding import (
    OversizedContent,
    UndecodableContent,
    undo_content_coding,
)

# With a time inside, the bytes would differ in every process.
squeeze = partial(gzip.compress, mtime=0)
BODY = b'{"id": 7}' * 100


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("header", "coded"),
    [
        ("gzip", squeeze(BODY)),
        ("x-gzip", squeeze(BODY)),
        (" GZIP ", squeeze(BODY)),
        ("deflate", zlib.compress(BODY)),
        ("deflate", raw_deflate(BODY)),
        ("identity", BODY),
        ("", BODY),
        ("deflate, gzip", squeeze(zlib.compress(BODY))),
        ("gzip,identity", squeeze(BODY)),
        ("gzip", squeeze(BODY[:100]) + squeeze(BODY[100:])),
        ("gzip", squeeze(BODY) + b"\0" * 8),
    ],
)
def test_a_coding_is_undone(header: str, coded: bytes) -> None:
    assert undo_content_coding(coded, header, max_bytes=len(BODY)) == BODY


@pytest.mark.parametrize(
    ("header", "coded"),
    [
        ("br", BODY),
        ("gzip, br", squeeze(BODY)),
        ("gzip", BODY),
        ("gzip", squeeze(BODY)[:-9]),
        ("gzip", squeeze(BODY[:9]) + squeeze(BODY)[:20]),
        ("deflate", b"\xff" * 20),
        ("gzip,gzip,gzip,gzip,gzip", BODY),
        ("gzip", squeeze(b"") * 100),
    ],
)
def test_what_is_not_what_it_says_is_refused(header: str, coded: bytes) -> None:
    with pytest.raises(UndecodableContent):
        undo_content_coding(coded, header, max_bytes=len(BODY))


@pytest.mark.parametrize("pack", [squeeze, zlib.compress, raw_deflate])
def test_a_bomb_stops_one_byte_over_the_cap(pack: object) -> None:
    header = "gzip" if pack is squeeze else "deflate"
    bomb = pack(b"\0" * 5_000_000)  # type: ignore[operator]
    with pytest.raises(OversizedContent) as caught:
        undo_content_coding(bomb, header, max_bytes=1000)
    assert caught.value.produced == 1001


def test_members_share_one_cap() -> None:
    with pytest.raises(OversizedContent) as caught:
        undo_content_coding(squeeze(b"a" * 600) * 2, "gzip", max_bytes=1000)
    assert caught.value.produced == 1001
