"""A marker that says nothing is refused; what is no marker is let be."""

from __future__ import annotations

from typing import Any

import pytest

from sezzlee_py.catalog.auth_marker import AuthMarker, read_marker
from sezzlee_py.errors import DeclarationError
from sezzlee_py.model import Anonymous


def view() -> None: ...


class Application:
    name = "shop"


class Obliging:
    """Answers to any name."""

    def __getattr__(self, name: str) -> Any:
        return lambda: name


def marked(target: Any, marker: object) -> Any:
    target.__mcp_auth__ = marker
    return target


@pytest.mark.parametrize(
    ("marker", "reason"),
    [
        ({"anonymus": "no"}, "unknown key 'anonymus'; did you mean 'anonymous'?"),
        ({"anonymous": "no", 7: 1}, "unknown key 7"),
        ({"anonymous": "No"}, "'anonymous' is 'yes' or 'no', got 'No'"),
        ({"anonymous": False}, "'anonymous' is 'yes' or 'no', got False"),
        ({"anonymous": ["no"]}, "'anonymous' is 'yes' or 'no', got ['no']"),
        ({"policies": "clerk"}, "'policies' is a list of names, got 'clerk'"),
        ({"policies": ["clerk", 1]}, "'policies' is a list of names, got ['clerk', 1]"),
        ({"imperative": 1}, "'imperative' is True or False, got 1"),
        ("no", "expected a mapping such as {'anonymous': 'no'}, got 'no'"),
        (False, "expected a mapping such as {'anonymous': 'no'}, got False"),
        (["clerk"], "expected a mapping such as {'anonymous': 'no'}, got ['clerk']"),
    ],
)
def test_a_marker_that_says_nothing_is_refused(marker: object, reason: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        read_marker(marked(Application(), marker))
    assert str(caught.value) == f"__mcp_auth__ of Application 'shop': {reason}"


def test_a_refusal_names_the_view() -> None:
    def close_year() -> None: ...

    with pytest.raises(DeclarationError, match=rf"{__name__}:.*close_year: unknown key 'policy'"):
        read_marker(marked(close_year, {"policy": ["clerk"]}))


@pytest.mark.parametrize("target", [view, Obliging(), None])
def test_what_is_no_marker_is_let_be(target: object) -> None:
    assert read_marker(target) is None


def test_a_marker_may_be_silent_on_a_key() -> None:
    whole = {"anonymous": "no", "policies": ("clerk",), "imperative": False}
    silent = {"anonymous": None, "policies": None, "imperative": None}
    assert [read_marker(marked(Application(), marker)) for marker in (whole, silent, {})] == [
        AuthMarker(anonymous=Anonymous.NO, policies=("clerk",), imperative=False),
        AuthMarker(),
        AuthMarker(),
    ]
