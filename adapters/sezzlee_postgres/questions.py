"""From a query to what PostgreSQL is asked: weighted terms, and which documents are candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sezzlee_postgres.documents import NAMED, cut, quoted
from sezzlee_py.search.analysis import SAID_FOR, strip_s, word_form
from sezzlee_py.search.query import QueryWord, read_query
from sezzlee_py.search.vocabulary import STOP_WORDS

# What another form of a word, or a verb said for it, counts beside the word itself.
_SOFT: Final = 0.3
_SHORTEST_PREFIX: Final = 3
# Of a longer question the terms that weigh most are scored: each costs a little per candidate.
_MOST_SCORED: Final = 24


class Known(NamedTuple):
    """A term that is stored, and how many documents hold it."""

    term: str
    form: str
    documents: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """The terms of a query, before anything is known about them."""

    terms: tuple[str, ...]

    @property
    def lookup(self) -> list[str]:
        """Every term whose frequency may matter."""
        terms = (t for term in self.terms for t in (term, NAMED + term, *SAID_FOR.get(term, ())))
        return list(dict.fromkeys(terms))

    @property
    def forms(self) -> list[str]:
        """What the inflected forms of the terms have in common."""
        return list(dict.fromkeys(map(word_form, self.terms)))

    def beginnings(self, known: Iterable[Known]) -> list[str]:
        """Return the terms that nothing holds as they are, so that they may begin others."""
        held = {each.term for each in known}
        return [t for t in self.terms if t not in held and len(t) >= _SHORTEST_PREFIX]


class Asked(NamedTuple):
    """A term that scores, as a `tsquery` for anywhere and one for names, and what it is worth."""

    term: str
    named: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What PostgreSQL is asked.

    Attributes:
        candidates: a `tsquery`; what it matches is ranked.
        asked: the terms that score.
    """

    candidates: str
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    anywhere: str
    named: str
    documents: int


def read_terms(query: str) -> Wanted:
    """Return the distinct terms of `query`, stop words only where it has no others."""
    words = read_query(query)
    content = [word for word in words if word.folded not in STOP_WORDS] or words
    terms = (strip_s(word.folded) for word in content)
    return Wanted(tuple(dict.fromkeys(cut(t) for t in (*terms, *_unsplit(content)))))


def _unsplit(words: Sequence[QueryWord]) -> Iterable[str]:
    """Yield the words that were written without a break as the one word they may be stored as."""
    parts: dict[int, list[str]] = {}
    for word in words:
        parts.setdefault(word.run, []).append(word.folded)
    return (strip_s("".join(folded)) for folded in parts.values() if len(folded) > 1)


def ask(
    wanted: Wanted,
    known: Sequence[Known],
    beginnings: Mapping[str, int],
    *,
    size: int,
    most: int,
) -> Question | None:
    """Return what to ask for `wanted`, or `None` when no document holds any of it.

    Ranking costs a little for each candidate, and frequent words make nearly every document one.
    So the candidates are what holds the rarest terms, about `most` documents together; of terms
    more frequent than that, what holds them in its name.

    Args:
        wanted: the terms of the query.
        known: which terms are stored, of those looked up.
        beginnings: how many documents hold a term that begins like this one.
        size: how many documents there are.
        most: how many candidates there may be, about.
    """
    held = {each.term: each.documents for each in known}
    hard: list[_Piece] = []
    soft: list[_Piece] = []
    names: list[_Piece] = []
    asked: list[Asked] = []
    for term in wanted.terms:
        count = held.get(term, 0)
        piece = _Piece(quoted(term), quoted(NAMED + term), count)
        if not count:
            count = beginnings.get(term, 0)
            piece = _Piece(piece.anywhere + ":*", piece.named + ":*", count)
        if count:
            hard.append(piece)
            names.append(_Piece(piece.named, "", held.get(NAMED + term, 0)))
            asked.append(Asked(piece.anywhere, piece.named, idf(size, count)))
        akin = [_Piece(quoted(t), quoted(NAMED + t), held[t]) for t in _akin(term, known)]
        if akin:
            soft += akin
            weight = idf(size, count or sum(each.documents for each in akin))
            named = " | ".join(each.named for each in akin)
            asked.append(Asked(_any(akin), named, _SOFT * weight))
    if not asked:
        return None
    candidates = _candidates(hard, [each for each in names if each.documents], soft, size, most)
    heaviest = sorted(asked, key=lambda each: -each.weight)[:_MOST_SCORED]
    return Question(candidates=candidates, asked=tuple(heaviest))


def idf(size: int, documents: int) -> float:
    """Return the weight of a term that so many of `size` documents hold."""
    documents = min(size, documents)
    return math.log(1 + (size - documents + 0.5) / (documents + 0.5))


def _akin(term: str, known: Iterable[Known]) -> Iterable[str]:
    form, said = word_form(term), SAID_FOR.get(term, ())
    return (
        each.term
        for each in known
        if each.term != term and not each.term.startswith(NAMED)
        if each.form == form or each.term in said
    )


def _candidates(
    hard: Sequence[_Piece],
    names: Sequence[_Piece],
    soft: Sequence[_Piece],
    size: int,
    most: int,
) -> str:
    if size <= most:
        return _any((*hard, *soft))
    chosen: list[_Piece] = []
    left = most
    for pieces in (hard, names, soft):
        for piece in sorted(pieces, key=lambda piece: (piece.documents, piece.anywhere)):
            if piece.documents <= left:
                chosen.append(piece)
                left -= piece.documents
    if chosen:
        return _any(chosen)
    # Nothing but frequent words: what holds all of them.
    return " & ".join(dict.fromkeys(piece.anywhere for piece in hard)) or _any(soft)


def _any(pieces: Iterable[_Piece]) -> str:
    return " | ".join(dict.fromkeys(piece.anywhere for piece in pieces))
