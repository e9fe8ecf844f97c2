"""Search quality on the development sets never falls below what was reached."""

import pytest

from benchmarks.search.quality import DATA, DataSet, evaluate, false_returns, read_sets
from sezzlee_py.search import BM25Ranker, LexicalRanker
from sezzlee_py.search.evaluation import macro_mean


@pytest.fixture(scope="module")
def sets() -> dict[str, DataSet]:
    return {data.name: data for data in read_sets(DATA)}


def test_the_default_ranker_finds_the_right_tools(sets: dict[str, DataSet]) -> None:
    mean = macro_mean([evaluate(data, LexicalRanker(), 0.0) for data in sets.values()])
    assert mean.queries == 1468
    assert mean.ndcg_at_10 >= 0.73
    assert mean.recall_at_5 >= 0.78
    assert mean.hit_at_1 >= 0.64


def test_it_is_better_than_the_plain_ranking_on_every_set(sets: dict[str, DataSet]) -> None:
    for data in sets.values():
        ours, plain = evaluate(data, LexicalRanker(), 0.0), evaluate(data, BM25Ranker(), 0.0)
        assert ours.ndcg_at_10 > plain.ndcg_at_10, data.name


def test_the_default_floor_keeps_short_queries_and_refuses_unanswerable_ones(
    sets: dict[str, DataSet],
) -> None:
    short = [evaluate(sets[name], LexicalRanker(), None) for name in ("github_mcp", "slack_notion")]
    assert macro_mean(short).recall_at_5 >= 0.88
    rate = false_returns(DATA, sets, LexicalRanker())
    assert rate is not None
    assert rate <= 0.05
