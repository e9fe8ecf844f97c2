"""The embedding example with the real model, which a package carries (`make embedding-test`)."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from benchmarks.search.quality import DATA, DataSet, read_sets
from examples import embedding_ranker
from examples.embedding_ranker import EmbeddingRanker, Model
from sezzlee_py.invoke.settle import drive, settle_in_thread
from sezzlee_py.search import LexicalRanker, RankCatalog, RankFusion, RankRequest
from sezzlee_py.search.evaluation import Metrics, QueryCase, measure, run
from sezzlee_py.testing import AgentClient

CALLER = {"authorization": "Bearer root-token"}


@pytest.fixture(scope="module")
def model() -> Model:
    return embedding_ranker.packaged_model()


@pytest.fixture(scope="module")
def agent(model: Model) -> Iterator[AgentClient]:
    with AgentClient(embedding_ranker.create_app(lambda: model), headers=CALLER) as agent:
        yield agent


def names(answer: dict[str, Any]) -> list[str]:
    return [card["name"] for card in answer["results"]]


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("show me all the paperbacks", "list_books"),
        ("I changed my mind about what I bought", "cancel_order"),
    ],
)
def test_meaning_finds_what_words_do_not(agent: AgentClient, query: str, tool: str) -> None:
    assert tool in names(agent.search(query))[:3]


def test_words_still_find_what_they_name(agent: AgentClient) -> None:
    for name in ("list_books", "place_order", "cancel_order"):
        assert names(agent.search(name))[0] == name


def test_no_search_fell_back(agent: AgentClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "sezzlee_py.search"):
        agent.search("anything at all")
    assert not caplog.records


# --- on the development sets --------------------------------------------------------------------


def ask(ranker: Any, request: RankRequest) -> Sequence[str]:
    answer: Sequence[str] = drive(settle_in_thread(ranker.rank(request)))
    return answer


def searched(data: DataSet, ranker: Any) -> Callable[[QueryCase], list[str]]:
    index = data.index(LexicalRanker())
    catalog = RankCatalog(version=data.name, documents=index.documents)

    def search(case: QueryCase) -> list[str]:
        ranking = ask(ranker, RankRequest(query=case.query, catalog=catalog))
        return list(index.arrange(ranking, visible=case.visible))

    return search


def figures(data: DataSet, ranker: Any) -> Metrics:
    return measure(run(searched(data, ranker), data.cases[:200]))


def test_the_fusion_is_better_than_either(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    sets = [data for data in read_sets(DATA) if len(data.tools) < 500]
    rows = []
    for data in sets:
        meaning, words = EmbeddingRanker(model, least=0.0), RankFusion([LexicalRanker()])
        both = RankFusion([LexicalRanker(), meaning])
        rows.append([data.name, *(figures(data, ranker) for ranker in (words, meaning, both))])
    with capsys.disabled():
        print("\n\n| set | words | meaning | fused | (NDCG@10; recall@5)")
        for name, *each in rows:
            cells = (f"{m.ndcg_at_10:.3f}; {m.recall_at_5:.3f}" for m in each)
            print(f"| {name} | {' | '.join(cells)} |")
    words, meaning, both = (
        sum(row[place].recall_at_5 for row in rows) / len(rows) for place in (1, 2, 3)
    )
    assert both > max(words, meaning)
