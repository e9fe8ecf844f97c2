"""Words and tokens: how names, tags and queries are read alike (spec: search 1)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

_ASCII_RUN: Final = re.compile(r"[A-Za-z0-9]+")
# An upper-case run gives its last letter to the lower-case one that follows (`QRDetails`).
_ASCII_WORD: Final = re.compile(r"[A-Z]+(?![a-z])[a-z0-9]*|[A-Z]?[a-z0-9]+")

_UPPER, _LOWER, _DIGIT, _LETTER, _MARK, _SEPARATOR = "Uldom "
_RUN: Final = re.compile(r"(?:[Ulo]m*|d)+")
_KINDS: Final = {"Lu": _UPPER, "Ll": _LOWER, "Nd": _DIGIT, "Mn": _MARK}
_REMEMBERED_CHARACTERS: Final = 4096

# The most marks on one letter in the Stream-Safe Text Format of UAX #15.
MOST_MARKS: Final = 30
# Only these can be marks; most texts, and most words of any script, are settled by this alone.
_LONG_FOREIGN: Final = re.compile(rf"[^\0-\u02ff]{{{MOST_MARKS + 1},}}")
_LONG_MARKS: Final = re.compile(rf"{_MARK}{{{MOST_MARKS + 1},}}")


class _Kinds(dict[int, str]):
    """What each character is to the tokenizer; bounded, because queries choose the characters."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        kind = _KINDS.get(category) or (_LETTER if category[0] == "L" else _SEPARATOR)
        if len(self) < _REMEMBERED_CHARACTERS:
            self[code] = kind
        return kind


class _Stacked(dict[int, str]):
    """Whether normalising may sort a character among its neighbours; bounded like `_Kinds`."""

    def __missing__(self, code: int) -> str:
        # Some signs are no marks themselves and come apart into marks, such as U+0F73 and U+FF9E.
        first = unicodedata.normalize("NFKD", chr(code))[0]
        kind = _MARK if unicodedata.combining(first) else _SEPARATOR
        if len(self) < _REMEMBERED_CHARACTERS:
            self[code] = kind
        return kind


_kinds: Final = _Kinds()
_stacked: Final = _Stacked()


def stream_safe(text: str) -> str:
    """Return `text` with at most 30 marks in a row, the first ones, at a cost linear in its length.

    Normalising sorts the marks of a letter by insertion: unbounded, a text of marks alone costs
    the square of its length. No word of any language has near so many.
    """
    if len(text) <= MOST_MARKS or text.isascii():
        return text
    return _LONG_FOREIGN.sub(_with_few_marks, text)


def normalized(form: Literal["NFC", "NFD", "NFKD"], text: str) -> str:
    """Return `text` in a normal form of Unicode, long runs of marks cut: see `stream_safe`."""
    return unicodedata.normalize(form, stream_safe(text))


def _with_few_marks(foreign: re.Match[str]) -> str:
    text = foreign.group()
    kept = []
    at = 0
    for marks in _LONG_MARKS.finditer(text.translate(_stacked)):
        kept.append(text[at : marks.start() + MOST_MARKS])
        at = marks.end()
    return "".join([*kept, text[at:]])


def fold(text: str) -> str:
    """Return `text` without marks and case, so that two spellings of one word are equal.

    Nothing is trimmed or expanded: `İSTANBUL` is `istanbul`, `ı` is not `i`, `ß` stays.
    """
    if text.isascii():
        return text.lower()
    bare = "".join(c for c in normalized("NFD", text) if _kinds[ord(c)] != _MARK)
    # str.lower applies Final_Sigma, which would make two words of one.
    return unicodedata.normalize("NFC", bare.lower().replace("ς", "σ"))


def strip_plural(token: str) -> str:
    """Return `token` less one trailing `s` when it has more than three characters."""
    return token[:-1] if len(token) > 3 and token[-1] == "s" else token


def runs(text: str) -> tuple[str, ...]:
    """Return the runs of letters and digits in `text`, unfolded and not split at case."""
    if text.isascii():
        return tuple(_ASCII_RUN.findall(text))
    composed = normalized("NFC", text)
    return tuple(composed[m.start() : m.end()] for m in _RUN.finditer(composed.translate(_kinds)))


def split_run(run: str) -> tuple[str, ...]:
    """Return the words of one run: `getQRDetails` gives `get`, `QR`, `Details`."""
    if run.isascii():
        return tuple(_ASCII_WORD.findall(run))
    starts = _word_starts(run)
    return tuple(run[a:b] for a, b in zip(starts, [*starts[1:], len(run)], strict=True))


def words(text: str) -> tuple[str, ...]:
    """Return the words of `text` in order, unfolded: separated, then split at case boundaries."""
    if text.isascii():
        return tuple(_ASCII_WORD.findall(text))
    return tuple(word for run in runs(text) for word in split_run(run))


def tokenize(text: str) -> tuple[str, ...]:
    """Return the tokens of `text` in order, repeats kept (search 1, steps 1 to 5)."""
    if text.isascii():
        # One `lower` for all words: no word holds a space.
        folded = " ".join(_ASCII_WORD.findall(text)).lower().split()
    else:
        folded = [fold(word) for word in words(text)]
    return tuple([strip_plural(token) for token in folded if len(token) > 1])


def _word_starts(run: str) -> list[int]:
    """Where words begin in a composed run.

    A letter counts with its marks: `é` breaks alike whether or not Unicode has it as one character.
    """
    kinds = [(i, k) for i, k in enumerate(run.translate(_kinds)) if k != _MARK]
    starts = [0]
    for at in range(1, len(kinds)):
        position, kind = kinds[at]
        if kind != _UPPER:
            continue
        before = kinds[at - 1][1]
        after = kinds[at + 1][1] if at + 1 < len(kinds) else _SEPARATOR
        if before in (_LOWER, _DIGIT) or (before == _UPPER and after == _LOWER):
            starts.append(position)
    return starts
