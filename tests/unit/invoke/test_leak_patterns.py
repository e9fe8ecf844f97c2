"""The cost of a hostile text, counted from the expressions themselves rather than timed."""

import math
import re
from re import _constants, _parser  # private, and the only reader of expressions there is
from typing import Any

import pytest

from sezzlee_py.invoke.leak_filter import is_forwardable, leak_pattern
from sezzlee_py.invoke.leak_patterns import PATTERNS, SPLIT_SECRETS

EXPRESSIONS = sorted(
    {p.pattern for rows in (PATTERNS, SPLIT_SECRETS) for row in rows.values() for p in row}
)


def cost(parsed: Any) -> tuple[float, float]:
    """Most steps an attempt at one position takes, and in how many ways it can succeed."""
    total, ways = 0.0, 1.0
    for operation, argument in parsed:
        steps, more = step_cost(operation, argument)
        total += ways * steps
        ways *= more
    return total, ways


def step_cost(operation: Any, argument: Any) -> tuple[float, float]:
    name = str(operation)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, item = argument
        if most == _constants.MAXREPEAT:
            return math.inf, math.inf
        steps, ways = cost(item)
        if name == "POSSESSIVE_REPEAT":
            return most * steps, 1
        if ways == 1:
            return most * steps, most - least + 1
        return most * steps * ways**most, ways ** (most + 1)
    if name == "SUBPATTERN":
        return cost(argument[-1])
    if name == "ATOMIC_GROUP":
        return cost(argument)[0], 1
    if name in ("ASSERT", "ASSERT_NOT"):
        return cost(argument[1])[0], 1
    if name == "BRANCH":
        branches = [cost(branch) for branch in argument[1]]
        return sum(b[0] for b in branches), sum(b[1] for b in branches)
    return 1, 1


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_attempt_at_one_position_has_a_bound(expression: str) -> None:
    assert cost(_parser.parse(expression))[0] < 20_000


def test_the_count_finds_what_it_is_for() -> None:
    assert cost(_parser.parse(r"(?:a|ab)+c"))[0] == math.inf
    assert cost(_parser.parse(r"(?:a?a?){20}b"))[0] > 20_000
    assert cost(_parser.parse(r"a{0,100}b{0,100}c{0,100}d"))[0] > 20_000
    assert cost(_parser.parse(r"a{0,100}+b{0,100}+c")) == (201, 1)


def test_expressions_are_read_with_the_flags_they_carry() -> None:
    assert all(not p.flags & re.DOTALL for row in PATTERNS.values() for p in row)


@pytest.mark.parametrize(
    "unit",
    [
        *("at ", "at a.", "at a(", "a.A", "\n ", "\n~", "\n^", "//", "//:", "//a:", '<" at '),
        *("password ", "token: ", "token:", "server=", ";server", '"', "eyJ", "\\\\", "C:/a"),
        *("Bearer ", "%25", "&amp;", "\\\\n", "<", " ", "\t\n", "Basic aA", 'relation "', "File '"),
    ],
)
def test_a_million_hostile_characters_come_back(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert leak_pattern(text) is not None
    assert not is_forwardable(text)
