"""A query as words, each with what its place and spelling say about it (spec: ranking 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import repeat
from typing import Final, NamedTuple

from sezzlee_py.model.text import fold, runs, split_run
from sezzlee_py.search.analysis import SAID_FOR, strip_s
from sezzlee_py.search.vocabulary import APP_PREPOSITIONS, ASKING_VERBS, TIME_WORDS

# Of a longer query the rest is not read: nobody asks so much, and every word costs a look-up.
MOST_CHARACTERS: Final = 2_000
MOST_WORDS: Final = 64

# Quoted spans are short; the bound keeps a query of opening quotes from being read again and again.
_QUOTED: Final = re.compile(
    r'"[^"]{1,200}"|“[^“”]{1,200}”|`[^`]{1,200}`'
    r"|(?<!\w)'[^']{1,200}'(?!\w)|(?<!\w)‘[^‘’]{1,200}’(?!\w)"
)
_VALUE: Final = re.compile(r"\d|://|\w@\w")
_CHUNK: Final = re.compile(r"\S+")
_SENTENCE_WORDS: Final = 7
_APP_WORDS: Final = 2
_REMEMBERED_LETTERS: Final = 32


class Role(Enum):
    """What a word is, if no visible tool knows it."""

    PLAIN = "plain"
    ASKING = "asking"
    APP = "app"
    VALUE = "value"


class QueryWord(NamedTuple):
    """One word of a query as sent, and folded; `run` tells which were written without a break."""

    text: str
    folded: str
    run: int
    role: Role = Role.PLAIN


class _Run(NamedTuple):
    """What a run of letters and digits says wherever it stands; `words` as sent and folded."""

    words: tuple[tuple[str, str], ...]
    is_value: bool
    is_asking: bool
    is_verb: bool
    is_capital: bool
    leads_to_app: bool


class _Chunk(NamedTuple):
    """What a query holds between two spaces."""

    runs: tuple[_Run, ...]
    ends_sentence: bool


class _Found(NamedTuple):
    run: _Run
    opens_sentence: bool
    quoted: bool


def _read_run(text: str, *, is_value: bool) -> _Run:
    folded = fold(text)
    term = strip_s(folded)
    words = ((word, fold(word)) for word in split_run(text))
    return _Run(
        words=tuple((word, folded) for word, folded in words if len(folded) > 1),
        is_value=is_value or folded in TIME_WORDS,
        is_asking=term in ASKING_VERBS,
        is_verb=term in SAID_FOR,
        is_capital=text[0].isupper(),
        leads_to_app=text.lower() in APP_PREPOSITIONS,
    )


def _read_chunk(chunk: str) -> _Chunk:
    is_value = _VALUE.search(chunk) is not None
    found = tuple(_read_run(run, is_value=is_value) for run in runs(chunk))
    return _Chunk(found, chunk[-1] in ".?!:")


_remembered_chunk = lru_cache(4096)(_read_chunk)


def _chunk(text: str) -> _Chunk:
    # Longer ones are no words that come again; kept, they would fill the memory.
    return _remembered_chunk(text) if len(text) <= _REMEMBERED_LETTERS else _read_chunk(text)


def readable(query: str) -> str:
    """Return what is read of `query`: its first 2,000 characters."""
    return query[:MOST_CHARACTERS]


def read_query(query: str) -> tuple[QueryWord, ...]:
    """Return the words of `query` in order, single characters left out.

    Of a longer query only the first 2,000 characters are read, and up to 64 distinct words.
    """
    found, chunks = _found(readable(query))
    first_of_app, addressed = _after_final_preposition(found), _is_addressed(found)
    words: list[QueryWord] = []
    for number, each in enumerate(found):
        at_app = number >= first_of_app or (addressed and not number)
        role = _role(each, chunks, at_app=at_app)
        words += [QueryWord(text, folded, number, role) for text, folded in each.run.words]
    # As many words have at most as many distinct ones.
    if len(words) > MOST_WORDS:
        words = _first_distinct(words)
    if chunks == 1 and len(words) > 1:
        # A guessed tool name: no sentence, so every unknown part may be the name of an app.
        return tuple(word._replace(role=Role.APP) for word in words)
    return tuple(words)


def _first_distinct(words: Iterable[QueryWord]) -> list[QueryWord]:
    """The words before the first that would be one distinct word too many."""
    seen: set[str] = set()
    kept: list[QueryWord] = []
    for word in words:
        seen.add(word.folded)
        if len(seen) > MOST_WORDS:
            break
        kept.append(word)
    return kept


def _found(query: str) -> tuple[list[_Found], int]:
    """Return the runs of `query` in order, and how many chunks they stand in."""
    found: list[_Found] = []
    chunks = 0
    opens = True
    for text, quoted in _chunks(query):
        chunk = _chunk(text)
        if chunk.runs:
            chunks += 1
            found += [_Found(run, opens, quoted) for run in chunk.runs]
        opens = chunk.ends_sentence
    return found, chunks


def _chunks(query: str) -> Iterable[tuple[str, bool]]:
    """Return what `query` holds between spaces, and whether it touches a quotation."""
    quoted = [match.span() for match in _QUOTED.finditer(query)]
    if not quoted:
        return zip(query.split(), repeat(False))
    return _touching(quoted, query)


def _touching(quoted: list[tuple[int, int]], query: str) -> Iterator[tuple[str, bool]]:
    at = 0
    for match in _CHUNK.finditer(query):
        while at < len(quoted) and quoted[at][1] <= match.start():
            at += 1
        yield match.group(), at < len(quoted) and quoted[at][0] < match.end()


def _after_final_preposition(found: Sequence[_Found]) -> int:
    """Where the name of an app may begin: it has a word or two, a longer tail is a sentence."""
    for number in range(len(found) - 2, max(0, len(found) - 2 - _APP_WORDS), -1):
        if found[number].run.leads_to_app:
            return number + 1
    return len(found)


def _is_addressed(found: Sequence[_Found]) -> bool:
    """Whether a verb follows the first word: `Notion add a comment` is said to Notion."""
    return len(found) > 2 and found[1].run.is_verb


def _role(found: _Found, chunks: int, *, at_app: bool) -> Role:
    run = found.run
    if run.is_value or found.quoted:
        return Role.VALUE
    if run.is_asking:
        return Role.ASKING
    capital = run.is_capital and not found.opens_sentence
    if capital and chunks >= _SENTENCE_WORDS:
        return Role.APP if at_app else Role.VALUE
    return Role.APP if capital or at_app else Role.PLAIN
