"""A query as words, each with what its place and spelling say about it (spec: ranking 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
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
    text: str
    chunk: int
    opens_sentence: bool
    value: bool


class _Spelling(NamedTuple):
    """What a run says wherever it stands; `parts` are its words as sent and folded."""

    parts: tuple[tuple[str, str], ...]
    is_time: bool
    is_asking: bool
    is_verb: bool


def _spell(text: str) -> _Spelling:
    folded = fold(text)
    term = strip_s(folded)
    parts = ((part, fold(part)) for part in split_run(text))
    return _Spelling(
        parts=tuple((part, folded) for part, folded in parts if len(folded) > 1),
        is_time=folded in TIME_WORDS,
        is_asking=term in ASKING_VERBS,
        is_verb=term in SAID_FOR,
    )


_spell_remembered = lru_cache(4096)(_spell)


def _spelled(text: str) -> _Spelling:
    # Longer ones are no words that come again; kept, they would fill the memory.
    return _spell_remembered(text) if len(text) <= _REMEMBERED_LETTERS else _spell(text)


def readable(query: str) -> str:
    """Return what is read of `query`: its first 2,000 characters."""
    return query[:MOST_CHARACTERS]


def read_query(query: str) -> tuple[QueryWord, ...]:
    """Return the words of `query` in order, single characters left out.

    Of a longer query only the first 2,000 characters are read, and up to 64 distinct words.
    """
    found = tuple(_runs(readable(query)))
    chunks = len({run.chunk for run in found})
    apps = {*range(_after_final_preposition(found), len(found)), *_addressee(found)}
    words: list[QueryWord] = []
    for number, run in enumerate(found):
        role = _role(run, chunks, at_app=number in apps)
        words += [
            QueryWord(part, folded, number, role) for part, folded in _spelled(run.text).parts
        ]
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


def _runs(query: str) -> Iterator[_Run]:
    quoted = [match.span() for match in _QUOTED.finditer(query)]
    at = 0
    opens = True
    for number, match in enumerate(_CHUNK.finditer(query)):
        chunk = match.group()
        while at < len(quoted) and quoted[at][1] <= match.start():
            at += 1
        value = at < len(quoted) and quoted[at][0] < match.end()
        value = value or _VALUE.search(chunk) is not None
        for run in runs(chunk):
            yield _Run(run, number, opens, value)
        opens = chunk[-1] in ".?!:"


def _after_final_preposition(found: tuple[_Run, ...]) -> int:
    """Where the name of an app may begin: it has a word or two, a longer tail is a sentence."""
    for number in range(len(found) - 2, max(0, len(found) - 2 - _APP_WORDS), -1):
        if found[number].text.lower() in APP_PREPOSITIONS:
            return number + 1
    return len(found)


def _addressee(found: tuple[_Run, ...]) -> range:
    """The first word when a verb follows: `Notion add a comment` is said to Notion."""
    addressed = len(found) > 2 and _spelled(found[1].text).is_verb
    return range(1 if addressed else 0)


def _role(run: _Run, chunks: int, *, at_app: bool) -> Role:
    spelled = _spelled(run.text)
    if run.value or spelled.is_time:
        return Role.VALUE
    if spelled.is_asking:
        return Role.ASKING
    capital = run.text[0].isupper() and not run.opens_sentence
    if capital and chunks >= _SENTENCE_WORDS:
        return Role.APP if at_app else Role.VALUE
    return Role.APP if capital or at_app else Role.PLAIN
