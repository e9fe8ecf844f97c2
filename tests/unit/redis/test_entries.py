"""An entry holds while every mark it was computed under is there, and no longer than its time."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.callers import CallerScope
from sezzlee_py.callers.scope import entry_name
from sezzlee_redis.entries import Look, Place, complete, field_of, keep, look, looked

ADA = CallerScope("ada", ("user:ada", "org:9"))
KEY = ADA.key


def test_no_key_says_who_a_caller_is() -> None:
    place = Place.of("shop", ADA)
    assert place.caller == f"shop:caller:{KEY}"
    assert [key.rpartition(":")[0] for key in place.marks] == ["shop", "shop:tag", "shop:tag"]
    assert "ada" not in repr(place)


def test_tags_have_one_order_and_count_once() -> None:
    other = CallerScope("ada", ("org:9", "user:ada", "org:9"))
    assert Place.of("shop", other) == Place.of("shop", ADA)


def test_an_entry_s_field_leaves_out_what_the_hash_is_named_by() -> None:
    names = [entry_name(KEY, "facts"), entry_name(KEY, "probe:get_order"), "other"]
    assert [field_of(ADA, name) for name in names] == ["facts", "probe:get_order", "other"]


def entry_of(seen: Look, value: str, run: str = "run", deadline_ms: int = 2_000) -> str:
    place = Place.of("shop", ADA)
    commands = keep(
        place, "facts", value, stamp=seen.stamp(run), deadline_ms=deadline_ms, lifetime_ms=1_000
    )
    return str(commands[0][3])


SEEN = Look(now_ms=1_000, entry=None, marks=("a", "b", "c", "d"))


@given(st.text())
def test_an_entry_comes_back_as_it_was_kept(value: str) -> None:
    assert replace(SEEN, entry=entry_of(SEEN, value)).value("run") == value


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("mark", [None, "other"])
def test_an_entry_ends_with_any_of_its_marks(at: int, mark: str | None) -> None:
    marks = list(SEEN.marks)
    marks[at] = mark
    assert replace(SEEN, entry=entry_of(SEEN, "P|"), marks=tuple(marks)).value("run") is None


def test_an_entry_ends_at_its_deadline_and_with_the_server_s_run() -> None:
    entry = entry_of(SEEN, "P|")
    assert replace(SEEN, entry=entry, now_ms=1_999).value("run") == "P|"
    assert replace(SEEN, entry=entry, now_ms=2_000).value("run") is None
    assert replace(SEEN, entry=entry).value("next run") is None


@pytest.mark.parametrize("entry", [None, "", " ", "x", "9999 ", "9999 stamp P|", "-1 a b", "٣ a b"])
def test_what_is_no_entry_is_a_miss(entry: str | None) -> None:
    assert replace(SEEN, entry=entry).value("run") is None


def test_no_mark_is_made_that_is_there() -> None:
    place = Place.of("shop", ADA)
    assert complete(place, SEEN, "facts") == look(place, "facts")
    made = complete(place, replace(SEEN, marks=(None, "b", None, "d")), "facts")
    assert [command[:2] for command in made[:3]] == [
        ("HSETNX", place.caller),
        ("PEXPIRE", place.caller),
        ("SET", place.marks[1]),
    ]
    assert made[3:] == look(place, "facts")


def test_a_look_reads_the_last_replies() -> None:
    replies = [1, ("7", "250000"), ["a", "entry"], ["b", None, "d"]]
    assert looked(Place.of("shop", ADA), replies) == Look(
        now_ms=7_250, entry="entry", marks=("a", "b", None, "d")
    )


TIME, ENTRY, MARKS = ["7", "0"], ["a", "entry"], ["b", "c", "d"]


@pytest.mark.parametrize(
    "replies",
    [
        [],
        [5, 5, 5],
        [None, None, None],
        ["OK", "OK", "OK"],
        [["7"], ENTRY, MARKS],
        [["7", "x"], ENTRY, MARKS],
        [TIME, ["a", 5], MARKS],
        [TIME, [["a"], "entry"], MARKS],
        [TIME, ENTRY, MARKS[:-1]],
        [TIME, ENTRY, [*MARKS, "e"]],
        [TIME, ENTRY, ["b", "c", 5]],
    ],
)
def test_replies_of_another_shape_are_no_answer(replies: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"unpack|int|answers"):
        looked(Place.of("shop", ADA), replies)


@pytest.mark.parametrize("deadline", ["9" * 5_000, "-1", "2e3", "\u0662" * 4, ""])
def test_an_entry_without_a_deadline_does_not_hold(deadline: str) -> None:
    entry = f"{deadline} {SEEN.stamp('run')} P|"
    assert replace(SEEN, entry=entry).value("run") is None
