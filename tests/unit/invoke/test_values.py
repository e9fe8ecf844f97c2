"""Scalars, JSON and path values as text."""

import enum
import json
import math
import sys

import pytest

from sezzlee_py.errors import ErrorCode
from sezzlee_py.model import ScalarKind
from sezzlee_py.model.values import (
    MAX_JSON_DEPTH,
    canonical_number,
    path_value_fault,
    without_lone_surrogates,
    write_json,
    write_scalar,
)

STRING, INTEGER = ScalarKind.STRING, ScalarKind.INTEGER
NUMBER, BOOLEAN = ScalarKind.NUMBER, ScalarKind.BOOLEAN


class Colour(str, enum.Enum):  # noqa: UP042 - whose `str()` is not its value
    RED = "red"


class Size(enum.IntEnum):
    BIG = 3


class Ratio(float):
    def __repr__(self) -> str:
        return "a ratio"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        (10.0, "10"),
        (-0.0, "0"),
        (-2.0, "-2"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (1.5e-5, "0.000015"),
        (9.99e-7, "9.99e-7"),
        (1e-7, "1e-7"),
        (1e16, "10000000000000000"),
        (1.5e20, "150000000000000000000"),
        (1e21, "1e+21"),
        (-1.25e300, "-1.25e+300"),
        (5e-324, "5e-324"),
        (2**64 + 1, "18446744073709551617"),
        (-(10**600), "-1" + "0" * 600),
        (Size.BIG, "3"),
        (Ratio(2.5), "2.5"),
    ],
)
def test_a_number_is_laid_out_as_ecmascript_does(value: float, text: str) -> None:
    assert canonical_number(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_no_number(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        canonical_number(value)


def test_an_integer_of_a_thousand_digits_is_exact_under_the_tightest_digit_limit() -> None:
    value = int("7" * 600) * 10**400 + 123
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        text = write_scalar(-value, (INTEGER,))
    finally:
        sys.set_int_max_str_digits(before)
    assert text == str(-value)


@pytest.mark.parametrize(
    ("value", "kinds", "text"),
    [
        ("x", (STRING,), "x"),
        ("", (STRING,), ""),
        (Colour.RED, (STRING,), "red"),
        (5, (STRING,), None),
        (True, (STRING,), None),
        (5, (INTEGER,), "5"),
        (5.0, (INTEGER,), "5"),
        (float(2**53 - 1), (INTEGER,), "9007199254740991"),
        (float(2**53), (INTEGER,), None),
        (5.5, (INTEGER,), None),
        (math.nan, (INTEGER,), None),
        (math.inf, (INTEGER,), None),
        ("5", (INTEGER,), None),
        (True, (INTEGER,), None),
        (10**999, (INTEGER,), "1" + "0" * 999),
        (10**1000, (INTEGER,), None),
        (-(10**1000), (INTEGER,), None),
        (5, (NUMBER,), "5"),
        (2**53 + 1, (NUMBER,), "9007199254740992"),
        (1.50, (NUMBER,), "1.5"),
        (True, (NUMBER,), None),
        ("1", (NUMBER,), None),
        (math.nan, (NUMBER,), None),
        (10**400, (NUMBER,), None),
        (True, (BOOLEAN,), "true"),
        (False, (BOOLEAN,), "false"),
        (1, (BOOLEAN,), None),
        ("true", (BOOLEAN,), None),
        (None, (STRING, INTEGER, NUMBER, BOOLEAN), None),
        ([1], (), None),
        ({}, (), None),
        (None, (), None),
        (Colour.RED, (), "red"),
        (True, (), "true"),
        (2**70, (), str(2**70)),
        (1e21, (), "1e+21"),
        (math.inf, (), None),
        (5, (STRING, INTEGER), "5"),
        (5.0, (INTEGER, NUMBER), "5"),
        (5.5, (INTEGER, NUMBER), "5.5"),
        (True, (NUMBER, BOOLEAN), "true"),
    ],
)
def test_a_slot_takes_its_own_json_types_only(
    value: object, kinds: tuple[ScalarKind, ...], text: str | None
) -> None:
    assert write_scalar(value, kinds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "1.0"), (1.5, "1.5"), (1e21, "1" + "0" * 21 + ".0"), (1e-7, "0.0000001"), ("1", None)],
)
def test_a_converter_that_demands_a_fraction_gets_one(value: object, text: str | None) -> None:
    assert write_scalar(value, (NUMBER,), fractional=True) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ({}, "{}"),
        ([], "[]"),
        ((1, 2), "[1,2]"),
        ([1.0, 1.5, -0.0, 1e-7, 1e21, 1e16], "[1,1.5,0,1e-7,1e+21,10000000000000000]"),
        ([1e16], "[10000000000000000]"),
        ([1e-7], "[1e-7]"),
        ({"b": 1, "a": [{"c": None}, []]}, '{"b":1,"a":[{"c":null},[]]}'),
        ({"b": 1.0, "a": [{"c": None}, [], {}]}, '{"b":1,"a":[{"c":null},[],{}]}'),
        ('é"\\\n\x00\x7f/<', '"é\\"\\\\\\n\\u0000\x7f/<"'),
        ("\ud800", '"\ufffd"'),
        (["\ud83d\ude00", "\udc00x"], '["😀","\ufffdx"]'),
        ({"\ud800": 1.0}, '{"\ufffd":1}'),
        (2**100, str(2**100)),
        ([2**100, "e-x"], f'[{2**100},"e-x"]'),
        ([Colour.RED, Size.BIG, Ratio(2.0)], '["red",3,2]'),
        (Size.BIG, "3"),
        ({1: "a", None: 2.0, False: 3}, '{"1":"a","null":2,"false":3}'),
    ],
)
def test_json_is_compact_and_canonical(value: object, text: str) -> None:
    assert write_json(value) == text


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        [math.inf],
        {"a": object()},
        b"bytes",
        {(1, 2): 1},
        {"a": {1, 2}},
        [10**5000],
    ],
)
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the wording is the standard library's at times
        write_json(value)


def test_json_nests_to_its_limit_and_no_deeper() -> None:
    text = "[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH
    deepest: list[object] = []
    for _ in range(MAX_JSON_DEPTH - 1):
        deepest = [deepest]
    assert write_json(deepest) == text
    with pytest.raises(ValueError, match="deep"):
        write_json([deepest])


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[object] = []
    value += [value, value]
    with pytest.raises(ValueError, match="deep"):
        write_json(value)


def test_many_shallow_lists_are_not_deep() -> None:
    value: list[object] = [[] for _ in range(3 * MAX_JSON_DEPTH)]
    assert json.loads(write_json(value)) == value


def test_only_surrogates_without_a_partner_are_replaced() -> None:
    assert without_lone_surrogates("a\ud83d\ude00\ud800b\udfff") == "a😀\ufffdb\ufffd"
    assert without_lone_surrogates("plain é") == "plain é"


@pytest.mark.parametrize(
    ("text", "single", "spanning"),
    [
        ("a", None, None),
        ("..hidden", None, None),
        ("...", None, None),
        ("%2e%2e", None, None),
        ("", ErrorCode.MISSING_PATH_PARAMETER, ErrorCode.MISSING_PATH_PARAMETER),
        (".", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("..", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a/b", ErrorCode.INVALID_PATH_TYPE, None),
        ("a/b/", ErrorCode.INVALID_PATH_TYPE, None),
        ("a/./b", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a/..", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("/a", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a//b", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a\\b", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a\x00", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a\x7f", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
        ("a\x85", ErrorCode.INVALID_PATH_TYPE, ErrorCode.INVALID_PATH_TYPE),
    ],
)
def test_a_path_value_stays_in_its_segments(
    text: str, single: ErrorCode | None, spanning: ErrorCode | None
) -> None:
    assert path_value_fault(text, spans_segments=False) is single
    assert path_value_fault(text, spans_segments=True) is spanning
