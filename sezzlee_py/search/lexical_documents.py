"""Documents as the default ranker reads them: postings, word forms, names and opening words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sezzlee_py.model.text import runs
from sezzlee_py.search.analysis import SAID_FOR, Analyzer, RunTerms, first_sentence, word_form
from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.inverted import InvertedIndex

_LEAD_TERMS: Final = 12
_LEAD_CHARACTERS: Final = 2000
_REMEMBERED_RUNS: Final = 50_000


class LexicalDocuments:
    """What of the documents does not depend on who may see them.

    `names` and `leads` hold the distinct content terms of each name, and of the beginning of each
    description's first sentence, in order; `pairs` which of them stand side by side.
    """

    def __init__(self, documents: Sequence[ToolDocument], analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        # Tools are described in few words: each is taken apart once per catalog.
        read = lru_cache(_REMEMBERED_RUNS)(analyzer.read_run)
        self.names = tuple(_terms(d.name, read) for d in documents)
        self.leads = tuple(
            _terms(_first_words(d.description), read)[:_LEAD_TERMS] for d in documents
        )
        self.index = InvertedIndex(documents, read, (self.names, self.leads))
        self.pairs = _Pairs(self.names, self.leads)
        forms: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
        for term in self.index.terms:
            forms[word_form(term)] += (term,)
        self._forms: Mapping[str, tuple[str, ...]] = dict(forms)

    def akin(self, term: str) -> tuple[str, ...]:
        """Return the index terms that are other forms of `term` or verbs said for it."""
        others = (*SAID_FOR.get(term, ()), *self._forms.get(word_form(term), ()))
        return tuple(t for t in dict.fromkeys(others) if t != term and t in self.index)


class _Pairs(dict[int, frozenset[tuple[str, str]]]):
    """The terms that stand side by side in a document's name or lead, by document."""

    def __init__(self, names: Sequence[tuple[str, ...]], leads: Sequence[tuple[str, ...]]) -> None:
        super().__init__()
        self._names = names
        self._leads = leads

    def __missing__(self, document: int) -> frozenset[tuple[str, str]]:
        name, lead = self._names[document], self._leads[document]
        pairs = self[document] = frozenset((*pairwise(name), *pairwise(lead)))
        return pairs


def _terms(text: str, read: Callable[[str], RunTerms]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for run in runs(text) for term in read(run).terms))


def _first_words(description: str) -> str:
    """The first sentence, or as much of it as certainly holds the terms of a lead."""
    return description[: first_sentence(description)][:_LEAD_CHARACTERS]
