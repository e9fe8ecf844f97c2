"""From text to the terms of the default ranker (spec: ranking 1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from sezzlee_py.model.text import fold, split_run
from sezzlee_py.search.vocabulary import STOP_WORDS, VERB_CLASSES

_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？]")
# Endings that make another form of the same word; what is left must still be a word.
_ENDINGS: Final = (
    ("ies", "y"),
    ("ied", "y"),
    ("ie", "y"),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("e", ""),
)
_SHORTEST_INFLECTED = 5
_SHORTEST_STEM = 3
_LONGEST_INFLECTED = 64


class RunTerms(NamedTuple):
    """The terms of one run: those counted, and those only there to be met.

    `extras` are stop words, met by a query of nothing else, and the unsplit word.
    """

    terms: tuple[str, ...]
    extras: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Reads text with one list of stop words."""

    stop_words: frozenset[str] = STOP_WORDS

    def read_run(self, run: str) -> RunTerms:
        """Return the terms of a run of letters and digits."""
        parts = split_run(run)
        folded = [word for word in map(fold, parts) if len(word) > 1]
        terms = tuple([strip_s(word) for word in folded if word not in self.stop_words])
        extras = tuple([strip_s(word) for word in folded if word in self.stop_words])
        if len(parts) > 1:
            extras += (strip_s(fold(run)),)
        return RunTerms(terms, extras)


def strip_s(word: str) -> str:
    """Return `word` less one trailing `s`, which `ss` keeps (`address`)."""
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word


def word_form(term: str) -> str:
    """Return what the inflected forms of `term` have in common, to compare with another's."""
    if not _SHORTEST_INFLECTED <= len(term) <= _LONGEST_INFLECTED:
        return term
    for ending, instead in _ENDINGS:
        if term.endswith(ending) and len(term) - len(ending) >= _SHORTEST_STEM:
            stem = term[: len(term) - len(ending)] + instead
            # `stopped` is a form of `stop`; `called` of `call`.
            doubled = len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return term


def first_sentence(text: str) -> int:
    """Return where the first sentence of `text` ends."""
    match = _SENTENCE_END.search(text)
    return match.end() if match else len(text)


def verb_classes() -> dict[str, tuple[str, ...]]:
    """Return for each verb the others that are said for it."""
    others: dict[str, tuple[str, ...]] = {}
    for line in VERB_CLASSES:
        terms = [strip_s(word) for word in line]
        for term in terms:
            others[term] = others.get(term, ()) + tuple(t for t in terms if t != term)
    return others


SAID_FOR: Final = verb_classes()
