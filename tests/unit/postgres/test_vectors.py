from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("psycopg")

from sezzlee_postgres.vectors import MOST_DIMENSIONS, dimensions_of, embedded
from sezzlee_py.search import RankerFailure

TEXTS = ["get order", "cancel order"]


def plain(texts: Sequence[str]) -> list[list[float]]:
    return [[len(text), 0.5] for text in texts]


async def awaited(texts: Sequence[str]) -> list[list[float]]:
    return plain(texts)


def promising(texts: Sequence[str]) -> Any:
    return awaited(texts)


@pytest.mark.parametrize("embed", [plain, awaited, promising])
async def test_vectors_are_written_as_postgresql_reads_them(embed: Any) -> None:
    vectors = await embedded(embed, TEXTS)
    assert vectors == ["[9.0,0.5]", "[12.0,0.5]"]
    assert dimensions_of(vectors[0]) == 2


@pytest.mark.parametrize(
    "given",
    [
        *(None, 7, "text", [None, None], [["a"], ["b"]]),
        *([], [[1.0]], [[1.0]] * 3, [[1.0], [1.0, 2.0]]),
        *([[], []], [[0.0] * (MOST_DIMENSIONS + 1)] * 2),
        *(
            [[1.0], [float("nan")]],
            [[float("inf")], [1.0]],
            [[1e300], [1.0]],
            [[1.0], [-(10**400)]],
        ),
    ],
    ids=range(15),
)
async def test_what_is_no_vector_for_each_text_is_a_failure_of_the_ranker(given: Any) -> None:
    with pytest.raises(RankerFailure, match=r"^embed gave "):
        await embedded(lambda texts: given, TEXTS)


async def test_what_embed_raises_is_raised() -> None:
    def broken(texts: Sequence[str]) -> Any:
        raise ConnectionError("the model is away")

    with pytest.raises(ConnectionError):
        await embedded(broken, TEXTS)


async def aleaving(texts: Sequence[str]) -> Any:
    raise SystemExit(3)


def leaving(texts: Sequence[str]) -> Any:
    raise SystemExit(3)


@pytest.mark.parametrize("embed", [leaving, aleaving])
async def test_an_embed_that_calls_for_an_exit_ends_no_event_loop(embed: Any) -> None:
    with pytest.raises(RankerFailure, match="embed called for the process to exit"):
        await embedded(embed, TEXTS)
