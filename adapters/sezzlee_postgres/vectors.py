"""The host's function that turns texts into vectors, and what it gives made sure of."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias

from sezzlee_py.search import RankerFailure

# What turns texts into vectors of one length, as `async def` or as a plain function.
Embed: TypeAlias = Callable[[Sequence[str]], Any]

# HNSW holds no more of the type `vector`.
MOST_DIMENSIONS: Final = 2_000
# It holds single precision; a number that is none is no smaller either.
_LARGEST: Final = 3.4e38


async def embedded(embed: Embed, texts: Sequence[str]) -> list[str]:
    """Return a vector for each text, as PostgreSQL reads it.

    Raises:
        RankerFailure: what `embed` gave are no such vectors.
    """
    try:
        given = await _called(embed, texts)
    except SystemExit as fault:
        # Raised through a task it would end the host's event loop.
        raise RankerFailure("embed called for the process to exit") from fault
    try:
        vectors = [[float(value) for value in vector] for vector in given]
    except (TypeError, ValueError, OverflowError) as fault:
        raise RankerFailure(f"embed gave a {type(given).__name__}, not vectors") from fault
    if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
        raise RankerFailure(f"embed gave {len(vectors)} vectors for {len(texts)} texts")
    if not 0 < len(vectors[0]) <= MOST_DIMENSIONS:
        raise RankerFailure(f"embed gave vectors of {len(vectors[0])} dimensions")
    if not all(abs(value) <= _LARGEST for vector in vectors for value in vector):
        raise RankerFailure("embed gave a vector with a number that is none")
    return [f"[{','.join(map(repr, vector))}]" for vector in vectors]


def dimensions_of(vector: str) -> int:
    """Return how many numbers a vector has."""
    return vector.count(",") + 1


async def _called(embed: Embed, texts: Sequence[str]) -> Any:
    if inspect.iscoroutinefunction(embed):
        return await embed(texts)
    given = await asyncio.to_thread(embed, texts)
    return await given if isinstance(given, Awaitable) else given
