"""The search index: documents, one ranker, and the pipeline of an answer (spec: search 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import islice, pairwise
from typing import Final

from sezzlee_py.model.text import fold
from sezzlee_py.options import FloorScope
from sezzlee_py.search import floor as floors
from sezzlee_py.search.document import ToolDocument
from sezzlee_py.search.explain import Explanation, explain
from sezzlee_py.search.lexical import LexicalRanker
from sezzlee_py.search.matching import Entry, Reading, Totals, best_of
from sezzlee_py.search.outcome import Hit, RestrictedNames, SearchOutcome
from sezzlee_py.search.pools import Pool, Pools
from sezzlee_py.search.query import read_query, readable
from sezzlee_py.search.ranking import BuiltInRanker

DEFAULT_LIMIT: Final = 20
_UNMATCHED: Final = 10
_RESTRICTED_NAMES: Final = 5
_OTHERS: Final = 4
_LONGEST_TAG: Final = 1_000
_NAME_SIGNS: Final = str.maketrans("", "", "-_.")


def is_listing(query: str) -> bool:
    """Whether `query` has no token, so that it lists tools and asks no ranker."""
    return not read_query(query)


class SearchIndex:
    """Finds tools by words, over whatever part of the catalog a caller sees.

    Args:
        documents: one per tool, in any order; names must differ.
        ranker: how hits are ordered; `LexicalRanker()` unless given.
        exact_name_first: whether a query that equals a tool's name puts that tool first.

    Raises:
        ValueError: two documents have one name.
    """

    def __init__(
        self,
        documents: Iterable[ToolDocument],
        ranker: BuiltInRanker | None = None,
        *,
        exact_name_first: bool = True,
    ) -> None:
        # Names sorted by code point: the order of documents is the order of ties and of listings.
        self.documents: tuple[ToolDocument, ...] = tuple(sorted(documents, key=lambda d: d.name))
        self.ranker: BuiltInRanker = LexicalRanker() if ranker is None else ranker
        self._numbers = {document.name: n for n, document in enumerate(self.documents)}
        if len(self._numbers) < len(self.documents):
            raise ValueError(f"two documents are named {_first_repeated(self.documents)!r}")
        self._prepared = self.ranker.prepare(self.documents)
        self._tags = _documents_by_tag(self.documents)
        self._exact_name_first = exact_name_first
        self._exact = _documents_by_key(self.documents) if exact_name_first else {}
        self._pools = Pools(self._numbers, self._prepared.view, self._tags)
        self._others: dict[BuiltInRanker, SearchIndex] = {}

    def __len__(self) -> int:
        return len(self.documents)

    def search(
        self,
        query: str,
        *,
        limit: int | None = DEFAULT_LIMIT,
        tags: Collection[str] = (),
        visible: Collection[str] | None = None,
        floor: float | None = None,
        floor_scope: FloorScope | None = None,
    ) -> SearchOutcome:
        """Return the tools that answer `query`, best first; without any word, a listing by name.

        Args:
            query: words, or the beginning of them. Of a long one the first 2,000 characters and up
                to 64 distinct words are read, here and in everything else that takes a query.
            limit: how many hits at most; `None` for all.
            tags: only tools with every one of these tags, compared whole and folded.
            visible: names of the tools the caller may see; `None` for all. Pass the same
                frozenset again where you can: it is recognised at once.
            floor: 0 to 1, how much of the query must be met; 0 is off, `None` the ranker's own.
            floor_scope: `"query"` or `"tool"`; `None` is the ranker's own.
        """
        pool = self._pools.of(visible)
        words = read_query(query)
        if not words:
            return SearchOutcome(hits=self._listing(pool, limit, tags))
        reading = pool.view.read(words)
        floor = self.ranker.floor if floor is None else floor
        ranked = self._rank(
            reading, pool, floor, floor_scope or self.ranker.floor_scope, limit, tags
        )
        ranked = self._exact_first(query, reading, pool, ranked, limit, tags)
        documents = self.documents
        return SearchOutcome(
            hits=tuple([Hit(documents[-negated].name, score) for score, negated in ranked]),
            unmatched=reading.unmatched(_UNMATCHED),
        )

    def under(self, ranker: BuiltInRanker) -> SearchIndex:
        """Return the index of the same documents under another ranker, made once for equal ones."""
        if ranker == self.ranker:
            return self
        found = self._others.get(ranker)
        if found is None:
            if len(self._others) >= _OTHERS:
                self._others.clear()
            found = SearchIndex(self.documents, ranker, exact_name_first=self._exact_name_first)
            self._others[ranker] = found
        return found

    def arrange(
        self,
        ranking: Iterable[str],
        *,
        limit: int | None = DEFAULT_LIMIT,
        tags: Collection[str] = (),
        visible: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Return the names of a host's `ranking` that are visible and tagged, cut to `limit`."""
        pool = self._pools.of(visible)
        tagged = self._tagged(tags)
        numbers = ((name, self._numbers.get(name)) for name in ranking)
        kept = (
            name
            for name, number in numbers
            if number is not None and pool.sees(number) and (tagged is None or number in tagged)
        )
        return tuple(islice(kept, _count(limit)))

    def unmatched(self, query: str, visible: Collection[str] | None = None) -> tuple[str, ...]:
        """Return the words of `query`, as sent and at most ten, that no visible tool matches."""
        return self._pools.of(visible).view.read(read_query(query)).unmatched(_UNMATCHED)

    def tag_vocabulary(
        self, visible: Collection[str] | None = None, *, limit: int | None = None
    ) -> tuple[str, ...]:
        """Return the folded tags of the visible tools; none when there are more than `limit`."""
        tags = self._pools.of(visible).tags
        # A shortened list would claim that other tags do not exist.
        return () if limit is not None and len(tags) > limit else tags

    def restricted(
        self,
        query: str,
        denied: Collection[str],
        *,
        tags: Collection[str] = (),
        floor: float | None = None,
        floor_scope: FloorScope | None = None,
    ) -> RestrictedNames:
        """Return which of the `denied` tools match `query`, ranked among themselves (search 9)."""
        if is_listing(query):
            return RestrictedNames()
        found = self.search(
            query, limit=None, tags=tags, visible=denied, floor=floor, floor_scope=floor_scope
        ).names
        return RestrictedNames(count=len(found), names=found[:_RESTRICTED_NAMES])

    def explain(
        self, query: str, name: str, *, visible: Collection[str] | None = None
    ) -> Explanation:
        """Return what each term of `query` matched in tool `name` and what it was worth.

        Raises:
            KeyError: no such tool, or it is not visible.
        """
        pool = self._pools.of(visible)
        number = self._numbers[name]
        if not pool.sees(number):
            raise KeyError(name)
        return explain(self._prepared, pool.view, query, number, name)

    def _rank(
        self,
        reading: Reading,
        pool: Pool,
        floor: float,
        scope: FloorScope,
        limit: int | None,
        tags: Collection[str],
    ) -> list[Entry]:
        totals: Totals = reading.total()
        least = 0.0
        if floor > 0 and scope == "tool":
            least = floors.least_cover(reading, floor)
        elif floor > 0 and not floors.answers(reading, totals, floor, pool.size):
            return []
        return best_of(
            reading,
            totals,
            limit=_count(limit),
            allowed=self._tagged(tags),
            least_cover=least,
        )

    def _exact_first(
        self,
        query: str,
        reading: Reading,
        pool: Pool,
        ranked: list[Entry],
        limit: int | None,
        tags: Collection[str],
    ) -> list[Entry]:
        named = self._exact.get(_name_key(readable(query))) if self._exact else None
        if not named:
            return ranked
        tagged = self._tagged(tags)
        first = [
            document
            for document in sorted(named, key=lambda d: self.documents[d].name != query)
            if pool.sees(document) and (tagged is None or document in tagged)
        ]
        # The cut list may lack a tool that comes first by its name alone.
        named_only = best_of(reading, reading.total(), limit=None, allowed=frozenset(first))
        scores = {-negated: score for score, negated in named_only}
        rest = [entry for entry in ranked if -entry[1] not in first]
        found = [(scores.get(document, 0.0), -document) for document in first]
        return [*found, *rest][: _count(limit)]

    def _listing(self, pool: Pool, limit: int | None, tags: Collection[str]) -> tuple[Hit, ...]:
        tagged = self._tagged(tags)
        numbers = (n for n in pool.documents() if tagged is None or n in tagged)
        return tuple(Hit(self.documents[n].name) for n in islice(numbers, _count(limit)))

    def _tagged(self, tags: Collection[str]) -> frozenset[int] | None:
        if not tags:
            return None
        nobody: frozenset[int] = frozenset()
        # Read once however often it is asked for; what is longer than any tag is none.
        asked = {fold(tag) if len(tag) <= _LONGEST_TAG else None for tag in tags}
        return frozenset.intersection(
            *(nobody if tag is None else self._tags.get(tag, nobody) for tag in asked)
        )


def _count(limit: int | None) -> int | None:
    return None if limit is None else max(0, limit)


def _name_key(text: str) -> str:
    """The name as it is compared: folded, less white space and the signs that part its words."""
    return "".join(fold(text).translate(_NAME_SIGNS).split())


def _documents_by_key(documents: Sequence[ToolDocument]) -> dict[str, tuple[int, ...]]:
    found: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    for number, document in enumerate(documents):
        found[_name_key(document.name)] += (number,)
    return dict(found)


def _documents_by_tag(documents: Sequence[ToolDocument]) -> dict[str, frozenset[int]]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    for number, document in enumerate(documents):
        for tag in document.tags:
            found[fold(tag)].add(number)
    return {tag: frozenset(numbers) for tag, numbers in found.items()}


def _first_repeated(documents: Sequence[ToolDocument]) -> str:
    return next(one.name for one, other in pairwise(documents) if one.name == other.name)
