from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("psycopg")

from psycopg import conninfo as libpq

from sezzlee_postgres import PostgresRanker
from sezzlee_postgres.ranker import _completed
from sezzlee_postgres.statements import Statements, term_parameters
from sezzlee_py.search import ToolRanker


def test_the_ranker_is_one_a_host_could_have_written() -> None:
    assert isinstance(PostgresRanker(), ToolRanker)


def test_names_are_quoted_and_values_are_parameters() -> None:
    text = Statements('a"b').rank(terms=1, dimensions=3).as_string(None)
    assert 'FROM "a""b"."tools" AS found' in text
    assert 'FROM "a""b"."vectors" AS near' in text
    for name in ("candidates", "term0", "named0", "weight0", "vector", "edition", "near"):
        assert f"%({name})s" in text


@pytest.mark.parametrize(
    ("terms", "dimensions", "lists"),
    [
        (2, None, 'SELECT name, place FROM "words"'),
        (0, 3, 'SELECT name, place FROM "meaning"'),
        (1, 3, 'SELECT name, place FROM "words" UNION ALL SELECT name, place FROM "meaning"'),
    ],
)
def test_only_what_is_asked_is_ranked(terms: int, dimensions: int | None, lists: str) -> None:
    text = Statements("n").rank(terms=terms, dimensions=dimensions).as_string(None)
    assert f"FROM ({lists}) AS lists" in text
    assert text.count("ts_rank") == terms


def test_each_term_has_its_parameters() -> None:
    assert term_parameters([("'a'", "'=a'", 1.5), ("'b'", "'=b'", 2.0)]) == {
        "term0": "'a'",
        "named0": "'=a'",
        "weight0": 1.5,
        "term1": "'b'",
        "named1": "'=b'",
        "weight1": 2.0,
    }


def test_what_the_host_says_of_the_connection_stands() -> None:
    given = libpq.conninfo_to_dict(_completed("postgresql://u@h/d?connect_timeout=9"))
    assert {name: given[name] for name in ("host", "user", "dbname", "connect_timeout")} == {
        "host": "h",
        "user": "u",
        "dbname": "d",
        "connect_timeout": "9",
    }
    assert given["tcp_user_timeout"] == "15000"


@pytest.mark.parametrize(
    "conninfo", ["postgresql//u:s3cr3t@h/d", "host=h s3cr3t", "postgresql://u:s3cr3t@h:p/d?x=1"]
)
def test_a_conninfo_that_cannot_be_read_is_not_repeated(conninfo: str) -> None:
    with pytest.raises(ValueError, match="conninfo") as refused:
        PostgresRanker(conninfo)
    assert "s3cr3t" not in f"{refused.value!r} {refused.value.__cause__!r}"
    assert refused.value.__suppress_context__


def test_a_ranker_shows_its_namespace_and_not_its_password() -> None:
    assert repr(PostgresRanker("password=s3cr3t", namespace="shop")) == (
        "PostgresRanker(namespace='shop')"
    )


async def test_what_a_loop_keeps_shows_no_password() -> None:
    shown = repr(PostgresRanker("password=s3cr3t", namespace="shop")._home())
    assert shown.startswith("Home(settings=Settings(")
    assert "s3cr3t" not in shown


@pytest.mark.parametrize(
    "make",
    [
        lambda: PostgresRanker(namespace=""),
        lambda: PostgresRanker(namespace="a\0"),
        lambda: PostgresRanker(namespace="é" * 32),
        lambda: PostgresRanker(namespace="shop_%s"),
        lambda: PostgresRanker(namespace="%(edition)s"),
        lambda: PostgresRanker(namespace="pg_catalog"),
        lambda: PostgresRanker(namespace="information_schema"),
        lambda: PostgresRanker(least=float("nan")),
        lambda: PostgresRanker(least=1.5),
        lambda: PostgresRanker(embed=len),
        lambda: PostgresRanker(model="m"),
        lambda: PostgresRanker(connections=0),
        lambda: PostgresRanker(candidates=0),
        lambda: PostgresRanker(keep=0),
        lambda: PostgresRanker(wait_ms=-1),
    ],
    ids=range(15),
)
def test_what_makes_no_sense_is_refused_at_once(make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        make()
