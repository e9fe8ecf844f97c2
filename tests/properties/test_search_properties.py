"""What holds for every catalog and every query."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.model.text import fold, runs, split_run, strip_plural, tokenize, words
from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    SearchIndex,
    ToolDocument,
    WeightedTokenRanker,
)

RANKERS = [LexicalRanker(), BM25Ranker(), WeightedTokenRanker()]
_WORDS = """
    get fetch list order orders Order ordering orderBook GitHub git hub customer cust archive
    archived the what i in Zoom 42 süß İzmir 注文一覧 a aa aaa aaaa create new
"""
WORDS = st.sampled_from(_WORDS.split())
TEXT = st.lists(WORDS, max_size=8).map(" ".join)
TAGS = st.lists(st.sampled_from(["Orders", "orders", "Sipariş", "x"]), max_size=2).map(tuple)
QUERIES = st.one_of(TEXT, st.text(max_size=30), st.lists(WORDS, max_size=4).map("_".join))


@st.composite
def documents(draw: st.DrawFn) -> list[ToolDocument]:
    names = draw(
        st.lists(st.lists(WORDS, min_size=1, max_size=3).map("_".join), unique=True, max_size=8)
    )
    return [
        ToolDocument(
            name,
            draw(TEXT),
            search_terms=tuple(draw(st.lists(WORDS, max_size=1))),
            tags=draw(TAGS),
            route=draw(TEXT),
            alternate_routes=tuple(draw(st.lists(TEXT, max_size=1))),
            parameters=tuple(draw(st.lists(st.tuples(WORDS, TEXT), max_size=2))),
        )
        for name in names
    ]


def naive_bm25(catalog: Sequence[ToolDocument], query: str) -> list[tuple[str, float]]:
    """The formula of the specification, written down without an index."""
    weights = (3.0, 1.5, 1.5, 1.0, 1.0, 1.0, 1.0)
    bags = []
    for document in catalog:
        bag: Counter[str] = Counter()
        for weight, texts in zip(weights, document.texts(), strict=True):
            for text in texts:
                for token in tokenize(text):
                    bag[token] += weight  # type: ignore[assignment]
        bags.append(bag)
    lengths = [sum(bag.values()) for bag in bags]
    average = sum(lengths) / len(lengths) if lengths else 0
    scores = dict.fromkeys(range(len(bags)), 0.0)
    for token in dict.fromkeys(tokenize(query)):
        tf = [
            sum(
                count
                for word, count in bag.items()
                if word == token or (len(token) >= 3 and word.startswith(token))
            )
            for bag in bags
        ]
        df = sum(1 for value in tf if value)
        for number, value in enumerate(tf):
            if value:
                idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
                length = 1 - 0.75 + 0.75 * lengths[number] / average
                scores[number] += idf * value * 2.2 / (value + 1.2 * length)
    found = [(catalog[number].name, score) for number, score in scores.items() if score > 0]
    return sorted(found, key=lambda row: (-row[1], row[0]))


@given(documents(), QUERIES)
def test_the_plain_ranking_is_the_formula(catalog: list[ToolDocument], query: str) -> None:
    if not tokenize(query):
        return
    expected = naive_bm25(catalog, query)
    index = SearchIndex(catalog, BM25Ranker(), exact_name_first=False)
    hits = index.search(query, limit=None).hits
    assert {hit.name: hit.score for hit in hits} == pytest.approx(dict(expected))
    order = [score for _, score in expected]
    assert [hit.score for hit in hits] == pytest.approx(order)


@pytest.mark.parametrize("ranker", RANKERS)
@given(catalog=documents(), query=QUERIES, data=st.data())
def test_the_order_of_documents_changes_nothing(
    ranker: LexicalRanker, catalog: list[ToolDocument], query: str, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(catalog))
    one, other = SearchIndex(catalog, ranker), SearchIndex(shuffled, ranker)
    assert one.search(query) == other.search(query)
    assert one.tag_vocabulary() == other.tag_vocabulary()


@pytest.mark.parametrize("ranker", RANKERS)
@given(catalog=documents(), query=QUERIES, tags=TAGS)
def test_the_first_hits_are_the_first_of_more(
    ranker: LexicalRanker, catalog: list[ToolDocument], query: str, tags: tuple[str, ...]
) -> None:
    index = SearchIndex(catalog, ranker)
    everything = index.search(query, limit=None, tags=tags).hits
    for limit in range(len(catalog) + 1):
        assert index.search(query, limit=limit, tags=tags).hits == everything[:limit]


@pytest.mark.parametrize("ranker", RANKERS)
@given(catalog=documents(), query=QUERIES, tags=TAGS)
def test_a_tag_filter_only_leaves_out(
    ranker: LexicalRanker, catalog: list[ToolDocument], query: str, tags: tuple[str, ...]
) -> None:
    index = SearchIndex(catalog, ranker)
    wanted = {fold(tag) for tag in tags}
    tagged = {d.name for d in catalog if wanted <= {fold(tag) for tag in d.tags}}
    everything = index.search(query, limit=None).hits
    kept = index.search(query, limit=None, tags=tags).hits
    assert kept == tuple(hit for hit in everything if hit.name in tagged)


@given(catalog=documents(), query=QUERIES, data=st.data())
def test_hidden_tools_change_nothing_of_what_is_visible(
    catalog: list[ToolDocument], query: str, data: st.DataObject
) -> None:
    shown = data.draw(st.lists(st.sampled_from(catalog), unique=True)) if catalog else []
    visible = frozenset(document.name for document in shown)
    alone, among = SearchIndex(shown), SearchIndex(catalog)
    for floor in (None, 0):
        assert among.search(query, visible=visible, floor=floor) == alone.search(query, floor=floor)
    assert among.tag_vocabulary(visible) == alone.tag_vocabulary()
    assert among.unmatched(query, visible) == alone.unmatched(query)


@pytest.mark.parametrize("ranker", RANKERS)
@given(catalog=documents(), query=QUERIES)
def test_every_hit_matches_some_term_and_is_explained(
    ranker: LexicalRanker, catalog: list[ToolDocument], query: str
) -> None:
    index = SearchIndex(catalog, ranker, exact_name_first=False)
    if not tokenize(query):
        return
    for hit in index.search(query, floor=0).hits:
        explanation = index.explain(query, hit.name)
        assert explanation.shares
        assert explanation.score == pytest.approx(hit.score)


@pytest.mark.parametrize("ranker", RANKERS)
@given(catalog=documents(), query=QUERIES)
def test_scores_fall_and_ties_go_by_name(
    ranker: LexicalRanker, catalog: list[ToolDocument], query: str
) -> None:
    index = SearchIndex(catalog, ranker, exact_name_first=False)
    hits = index.search(query, limit=None).hits
    assert list(hits) == sorted(hits, key=lambda hit: (-hit.score, hit.name))
    assert all(math.isfinite(hit.score) for hit in hits)


@given(catalog=documents(), query=QUERIES)
def test_a_higher_floor_never_answers_more(catalog: list[ToolDocument], query: str) -> None:
    index = SearchIndex(catalog, exact_name_first=False)
    for scope in ("query", "tool"):
        before = None
        for floor in (0.0, 0.3, 0.6, 1.0):
            names = set(index.search(query, limit=None, floor=floor, floor_scope=scope).names)  # type: ignore[arg-type]
            assert before is None or names <= before
            before = names


@given(st.text())
def test_tokens_come_from_words_and_words_from_runs(text: str) -> None:
    folded = [fold(word) for word in words(text)]
    assert tokenize(text) == tuple(strip_plural(word) for word in folded if len(word) > 1)
    assert words(text) == tuple(word for run in runs(text) for word in split_run(run))
    assert all(fold(fold(token)) == fold(token) for token in tokenize(text))
