"""Words and tokens, pinned against the steps of the specification."""

import pytest

from sezzlee_py.model.text import fold, runs, split_run, strip_plural, tokenize, words


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
