"""A tool's document as it is stored: its digest, its terms as a `tsvector`, its text to embed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from sezzlee_py.model.text import runs
from sezzlee_py.search import ToolDocument
from sezzlee_py.search.analysis import Analyzer, RunTerms

# Goes into every digest: a change of what is stored for a document writes all of them anew.
_FORMAT: Final = "1"
# The label of each field, in the order of `ToolDocument.texts`; A weighs most.
_LABELS: Final = "ABBCCCB"
_NAME: Final = 0
# A term that stands in a name is also stored with this sign, which no term has in it.
NAMED: Final = "="
LONGEST_TERM: Final = 64
# More occurrences of a term add next to nothing to `ts_rank`, and PostgreSQL holds 255.
_MOST_OCCURRENCES: Final = 8
# The last position that a `tsvector` tells apart.
_LAST_POSITION: Final = 16_383
# Of more text than this PostgreSQL could not make a `tsvector`, which holds a megabyte.
_MOST_TERMS: Final = 5_000
_REMEMBERED_RUNS: Final = 8_192


class Indexed(NamedTuple):
    """What is written of one document; `named` counts the terms of its name."""

    digest: bytes
    name: str
    terms: str
    named: int


def storable(text: str) -> bool:
    """Whether PostgreSQL can hold `text`: no NUL and no half of a surrogate pair."""
    return ("\0" not in text and text.isascii()) or _encodes(text)


def _encodes(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def digest(document: ToolDocument, model: str) -> bytes:
    """Return what changes with anything that is stored of `document` under an embedding model."""
    texts = (_FORMAT, model, *("\x1e".join(texts) for texts in document.texts()))
    joined = "\x1d".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()


def catalog_digest(digests: Iterable[bytes]) -> bytes:
    """Return what tells one set of documents from another, in whatever order."""
    return hashlib.blake2b(b"".join(sorted(digests)), digest_size=16).digest()


def text_to_embed(document: ToolDocument) -> str:
    """Return what a model reads of `document`: the name in words, the description, the terms."""
    words = document.name.replace("_", " ").replace("-", " ")
    text = f"{words}. {document.description} {' '.join(document.search_terms)}"
    return clean(text).strip()


def clean(text: str) -> str:
    """Return `text` as a host's function can take it: encodable, without NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


class DocumentReader:
    """Reads documents into what is stored, each word taken apart once."""

    def __init__(self) -> None:
        self._read: Callable[[str], RunTerms] = lru_cache(_REMEMBERED_RUNS)(Analyzer().read_run)

    def read(self, document: ToolDocument, digest: bytes) -> Indexed:
        """Return what is stored of `document`."""
        places = self._places(document)
        named = sum(term.startswith(NAMED) for term in places)
        # A name of many terms is no name any more, and one of none has no share to give.
        named = min(max(1, named), _MOST_TERMS)
        return Indexed(digest, document.name, _joined(places), named)

    def _places(self, document: ToolDocument) -> dict[str, list[str]]:
        places: defaultdict[str, list[str]] = defaultdict(list)
        at = 0
        for field, texts in enumerate(document.texts()):
            for text in texts:
                for term in self._terms(text):
                    at += 1
                    if at > _MOST_TERMS:
                        return places
                    places[term].append(f"{min(at, _LAST_POSITION)}{_LABELS[field]}")
                    if field == _NAME:
                        places.setdefault(NAMED + term, [])
        return places

    def _terms(self, text: str) -> Iterable[str]:
        for run in runs(text):
            read = self._read(run)
            yield from (cut(term) for term in read.terms)
            yield from (cut(term) for term in read.extras)


def cut(term: str) -> str:
    """Return `term` no longer than a stored one."""
    return term[:LONGEST_TERM]


def quoted(lexeme: str) -> str:
    """Return a lexeme as `tsvector` and `tsquery` read it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _joined(places: dict[str, list[str]]) -> str:
    return " ".join(
        f"{quoted(term)}:{','.join(at[:_MOST_OCCURRENCES])}" if at else quoted(term)
        for term, at in places.items()
    )
