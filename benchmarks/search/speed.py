"""Search speed beside tantivy, bm25s and rank_bm25 on one synthetic catalog.

    python -m benchmarks.search.speed [SIZE ...]

Every engine ranks the same text: three-token names, descriptions of 15 words, a route, a tag, six
parameters; queries of five words. Words are drawn from a vocabulary in which, as in real text,
few words are frequent. Of each query the best of three rounds counts, each on an index made anew,
so that what else the machine does counts little and what an index remembers not at all.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sezzlee_py.model.text import tokenize
from sezzlee_py.search import BM25Ranker, LexicalRanker, SearchIndex, ToolDocument

VERBS = ("get", "list", "create", "update", "delete", "search", "send", "export", "start", "stop")
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so")
QUERIES = 200
TOP = 20
ROUNDS = 3


class Catalog:
    """A synthetic catalog, the same for the same seed."""

    def __init__(self, size: int, vocabulary: int = 2000, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = [self._invent() for _ in range(vocabulary)]
        # Zipf with a flattened head: no word stands in more than about a third of the tools.
        self._weights = [1 / (rank + 30) for rank in range(vocabulary)]
        self.documents = tuple(self._document(number) for number in range(size))
        self.queries = tuple(self._query() for _ in range(QUERIES))

    def _invent(self) -> str:
        return "".join(self._random.choices(SYLLABLES, k=self._random.randint(2, 4)))

    def _some(self, count: int) -> list[str]:
        return self._random.choices(self._words, self._weights, k=count)

    def _document(self, number: int) -> ToolDocument:
        verb, (noun, other) = self._random.choice(VERBS), self._some(2)
        parameters = tuple((f"{a}_{b}", " ".join(self._some(3))) for a, b in self._pairs(6))
        return ToolDocument(
            f"{verb}_{noun}_{other}{number}",
            f"{verb.capitalize()} " + " ".join(self._some(14)) + ".",
            route=f"/{noun}/{{{noun}_id}}/{other}",
            tags=(noun,),
            parameters=parameters,
        )

    def _pairs(self, count: int) -> Iterator[tuple[str, str]]:
        words = iter(self._some(2 * count))
        return zip(words, words, strict=True)

    def _query(self) -> str:
        return " ".join([self._random.choice(VERBS), *self._some(4)])


def as_text(document: ToolDocument) -> str:
    return " ".join(text for texts in document.texts() for text in texts)


def ours(ranker: Any) -> Callable[[Catalog], Callable[[str], Any]]:
    def build(catalog: Catalog) -> Callable[[str], Any]:
        index = SearchIndex(catalog.documents, ranker)
        return lambda query: index.search(query, limit=TOP)

    return build


def tantivy(catalog: Catalog) -> Callable[[str], Any]:
    import tantivy as engine

    builder = engine.SchemaBuilder()
    builder.add_text_field("name", stored=True)
    builder.add_text_field("text")
    index = engine.Index(builder.build())
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for document in catalog.documents:
        spaced = document.name.replace("_", " ")
        writer.add_document(engine.Document(name=spaced, text=as_text(document)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> Any:
        parsed = index.parse_query(query, ["name", "text"], field_boosts={"name": 3.0})
        return searcher.search(parsed, TOP).hits

    return search


def bm25s(catalog: Catalog) -> Callable[[str], Any]:
    import bm25s as engine

    retriever = engine.BM25()
    corpus = [list(tokenize(as_text(document))) for document in catalog.documents]
    retriever.index(corpus, show_progress=False)

    def search(query: str) -> Any:
        return retriever.retrieve([list(tokenize(query))], k=TOP, show_progress=False)

    return search


def rank_bm25(catalog: Catalog) -> Callable[[str], Any]:
    import rank_bm25 as engine

    ranker = engine.BM25Okapi([tokenize(as_text(document)) for document in catalog.documents])
    indices = range(len(catalog.documents))
    return lambda query: ranker.get_top_n(tokenize(query), indices, n=TOP)


ENGINES: dict[str, Callable[[Catalog], Callable[[str], Any]]] = {
    "sezzlee lexical": ours(LexicalRanker()),
    "sezzlee bm25": ours(BM25Ranker()),
    "tantivy": tantivy,
    "bm25s": bm25s,
    "rank_bm25": rank_bm25,
}
LARGEST = {"rank_bm25": 10_000}


def time_queries(search: Callable[[str], Any], queries: Sequence[str]) -> list[float]:
    """Milliseconds per query; each engine first answers queries of its own, as a server has."""
    for query in queries[: len(queries) // 4]:
        search(query)
    times = []
    for query in queries[len(queries) // 4 :]:
        started = time.perf_counter()
        search(query)
        times.append((time.perf_counter() - started) * 1000)
    return times


def best_times(make: Callable[[Catalog], Callable[[str], Any]], catalog: Catalog) -> list[float]:
    """Milliseconds per query, the best of the rounds."""
    rounds = (time_queries(make(catalog), catalog.queries) for _ in range(ROUNDS))
    return [min(times) for times in zip(*rounds, strict=True)]


def seconds(work: Callable[[], Any]) -> float:
    gc.collect()
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def tokenize_all(catalog: Catalog) -> None:
    for document in catalog.documents:
        for texts in document.texts():
            for text in texts:
                tokenize(text)


def build_cost(catalog: Catalog) -> tuple[float, float, float]:
    """Microseconds a tool to build, to tokenise once, and kilobytes a tool held."""
    size = len(catalog.documents)
    tokenising = min(seconds(lambda: tokenize_all(catalog)) for _ in range(ROUNDS))
    building = min(seconds(lambda: SearchIndex(catalog.documents)) for _ in range(ROUNDS))
    tracemalloc.start()
    index = SearchIndex(catalog.documents)
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(index) == size
    return building / size * 1e6, tokenising / size * 1e6, held / size / 1024


def main(sizes: Sequence[int]) -> None:
    print("| tools | engine | median ms | p95 ms | p95 / median |")
    print("| ---: | --- | ---: | ---: | ---: |")
    for size in sizes:
        catalog = Catalog(size)
        for name, make in ENGINES.items():
            if size > LARGEST.get(name, size):
                continue
            times = best_times(make, catalog)
            median, p95 = statistics.median(times), statistics.quantiles(times, n=20)[18]
            row = f"| {size:,} | {name} | {median:.3f} | {p95:.3f} | {p95 / median:.1f} |"
            print(row, flush=True)
    build, tokens, kilobytes = build_cost(Catalog(10_000))
    print(
        f"\nBuild at 10,000 tools: {build:.0f} µs a tool, {tokens:.0f} µs of them to tokenise once;"
        f" {kilobytes:.1f} KB a tool held."
    )


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000, 10_000, 100_000])
