"""Words and tokens, pinned against the steps of the specification."""

import unicodedata
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.model import text as text_module
from sezzlee_py.model.text import (
    MOST_MARKS,
    fold,
    normalized,
    runs,
    split_run,
    stream_safe,
    strip_plural,
    tokenize,
    words,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("getQRDetails", ("get", "qr", "detail")),
        ("WS_GetTree", ("ws", "get", "tree")),
        ("v2Orders A1B", ("v2", "order", "a1")),
        ("statuses bus gas", ("statuse", "bus", "gas")),
        ("İSTANBUL Sipariş", ("istanbul", "sipari")),
        ("ΟΔΟΣ οδος", ("οδοσ", "οδοσ")),
        ("order📦items a - b", ("order", "item")),
        ("注文一覧を取得 ＯＲ", ("注文一覧を取得", "ｏｒ")),
        ("ẹ̀kọ́Kọ́", ("eko", "ko")),
        ("x² Ⅷ 1̈ab ٢٠", ("ab", "٢٠")),
        ("éÉcole ÀÉcole", ("ecole", "ecole")),
        ("", ()),
    ],
)
def test_text_becomes_its_tokens(text: str, tokens: tuple[str, ...]) -> None:
    assert tokenize(text) == tokens


def test_folding_neither_trims_nor_expands() -> None:
    assert [fold(t) for t in ("Straße", " Aı ", "ŞİŞ", "Σς", "ABC")] == [
        "straße",
        " aı ",
        "sis",
        "σσ",
        "abc",
    ]


def test_only_one_s_of_a_longer_token_goes() -> None:
    assert [strip_plural(t) for t in ("bus", "buss", "orders", "s")] == ["bus", "bus", "order", "s"]


def test_runs_are_not_split_at_case_but_words_are() -> None:
    text = "GitHub pull_request éÉ"
    assert runs(text) == ("GitHub", "pull", "request", "éÉ")
    assert words(text) == ("Git", "Hub", "pull", "request", "é", "É")
    assert runs("GitHub a") == ("GitHub", "a")
    assert words("GitHub a") == ("Git", "Hub", "a")
    assert split_run("注Order") == ("注Order",)


def test_unknown_characters_beyond_what_is_remembered_are_still_read() -> None:
    everything = "".join(map(chr, range(0x4E00, 0x4E00 + 6000)))
    assert tokenize(everything) == (everything,)


# Signs that sort among their neighbours, some only once they came apart, and signs that do not.
SIGNS = "\u0301\u0316\u0344\u0f73\uff9e\u302e\U0001d165"
OTHERS = "aé注\ufe0f\u1ebf "


def marks_of(text: str) -> int:
    """The most signs in a row that insertion sorting would move about."""
    came_apart = unicodedata.normalize("NFKD", text)
    rows = groupby(came_apart, lambda c: unicodedata.combining(c) != 0)
    return max((len(list(row)) for stacked, row in rows if stacked), default=0)


@given(st.lists(st.tuples(st.sampled_from(SIGNS + OTHERS), st.integers(1, 70)), max_size=6))
def test_no_more_than_thirty_marks_in_a_row_are_kept(pieces: list[tuple[str, int]]) -> None:
    text = "".join(sign * count for sign, count in pieces)
    rows = ((is_mark, "".join(row)) for is_mark, row in groupby(text, lambda c: c in SIGNS))
    assert stream_safe(text) == "".join(
        row[:MOST_MARKS] if is_mark else row for is_mark, row in rows
    )


@pytest.mark.parametrize("base", ["a", "", "注", "\u1ebf"])
@pytest.mark.parametrize("first", SIGNS)
@pytest.mark.parametrize("read", [fold, runs, words, tokenize, lambda t: normalized("NFKD", t)])
def test_normalising_never_meets_a_long_row_of_marks(
    monkeypatch: pytest.MonkeyPatch, base: str, first: str, read: Any
) -> None:
    given_texts: list[str] = []
    normalize = unicodedata.normalize

    class Counting:
        category, combining = unicodedata.category, unicodedata.combining

        @staticmethod
        def normalize(form: str, text: str) -> str:
            given_texts.append(text)
            return normalize(form, text)

    monkeypatch.setattr(text_module, "unicodedata", Counting)
    read(base + first * 500 + "\u0316" * 500 + "b")
    # A sign may come apart into two, and a letter bring two of its own.
    assert max(map(marks_of, given_texts)) <= 2 * MOST_MARKS + 2
    # One by one they may have been looked at before.
    assert sum(len(text) for text in given_texts if len(text) > 1) <= 6 * MOST_MARKS + 10


def test_a_word_of_too_many_marks_is_still_that_word() -> None:
    assert tokenize("caf" + "e\u0301" + "\u0301\u0316" * 5_000 + " bar") == ("cafe", "bar")
