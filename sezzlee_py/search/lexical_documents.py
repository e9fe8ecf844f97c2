"""Documents as the default ranker reads them: postings, word forms, names and opening words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from sezzlee_py.model.text import runs
from sezzlee_py.search.analysis import SAID_FOR, Analyzer, first_sentence, word_form
from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.inverted import InvertedIndex

_LEAD_TERMS: Final = 12


class LexicalDocuments:
    """What of the documents does not depend on who may see them.

    `names` and `leads` hold the distinct content terms of each name, and of the beginning of each
    description's first sentence, in order.
    """

    def __init__(self, documents: Sequence[ToolDocument], analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self.index = InvertedIndex(documents, analyzer.read_run)
        self.names = tuple(_terms(d.name, analyzer) for d in documents)
        self.leads = tuple(
            _terms(d.description[: first_sentence(d.description)], analyzer, _LEAD_TERMS)
            for d in documents
        )
        forms: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
        for term in self.index.terms:
            forms[word_form(term)] += (term,)
        self._forms: Mapping[str, tuple[str, ...]] = dict(forms)

    def akin(self, term: str) -> tuple[str, ...]:
        """Return the index terms that are other forms of `term` or verbs said for it."""
        others = (*SAID_FOR.get(term, ()), *self._forms.get(word_form(term), ()))
        return tuple(t for t in dict.fromkeys(others) if t != term and t in self.index)


def _terms(text: str, analyzer: Analyzer, limit: int | None = None) -> tuple[str, ...]:
    terms: dict[str, None] = {}
    for run in runs(text):
        terms.update(dict.fromkeys(analyzer.read_run(run).terms))
        if limit is not None and len(terms) >= limit:
            break
    return tuple(terms)[:limit]
