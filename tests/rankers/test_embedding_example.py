"""The embedding example with a model that anybody can follow."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from examples import embedding_ranker
from examples.embedding_ranker import EmbeddingRanker
from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, RankRequest, mcp_tool
from sezzlee_py.search import LexicalRanker, RankCatalog, ToolDocument
from sezzlee_py.testing import AgentClient

CONCEPTS = (
    {"book", "books", "novel", "paperback", "volume"},
    {"order", "orders", "purchase", "buy", "acquire"},
    {"cancel", "abort", "annul"},
    {"report", "revenue", "income", "sales"},
)


class FakeModel:
    """Counts the words of each concept; two texts are near where they share concepts."""

    def __init__(self) -> None:
        self.encoded: list[list[str]] = []

    def encode(self, sentences: list[str], *, normalize_embeddings: bool) -> list[list[float]]:
        assert normalize_embeddings
        self.encoded.append(sentences)
        return [self._vector(sentence) for sentence in sentences]

    def _vector(self, sentence: str) -> list[float]:
        words = sentence.lower().replace(".", " ").split()
        counts = [float(sum(word in concept for word in words)) for concept in CONCEPTS]
        length = sum(count * count for count in counts) ** 0.5
        return [count / length if length else 0.0 for count in counts]


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


@pytest.fixture
def agent(model: FakeModel) -> Iterator[AgentClient]:
    app = embedding_ranker.create_app(lambda: model)
    with AgentClient(app, headers={"authorization": "Bearer ada-token"}) as agent:
        yield agent


def names(answer: dict[str, Any]) -> list[str]:
    return [card["name"] for card in answer["results"]]


def test_a_tool_is_found_by_what_its_words_mean(agent: AgentClient) -> None:
    assert names(agent.search("annul a purchase"))[0] == "cancel_order"


def test_a_tool_is_found_by_its_words_alone(agent: AgentClient) -> None:
    assert names(agent.search("list_books"))[0] == "list_books"


def test_a_query_is_embedded_alone_while_the_catalog_stays(
    agent: AgentClient, model: FakeModel
) -> None:
    for query in ("annul a purchase", "income", "abort"):
        agent.search(query)
    first, *later = model.encoded
    assert len(first) > 5
    assert later == [["annul a purchase"], ["income"], ["abort"]]


def test_the_ranker_can_be_overridden_as_any_dependency(model: FakeModel) -> None:
    app = embedding_ranker.create_app(lambda: model)
    app.dependency_overrides[embedding_ranker.get_ranker] = LexicalRanker
    with AgentClient(app, headers={"authorization": "Bearer ada-token"}) as agent:
        assert names(agent.search("annul a purchase")) == []
    assert model.encoded == []


async def test_a_rebuilt_catalog_is_embedded_again(model: FakeModel) -> None:
    app = FastAPI()
    options = Options(naming={"prefix": lambda container: ""})
    shop = mount_mcp(app, options=options, ranker=EmbeddingRanker(model))

    async def buy() -> None:
        """Buy something."""

    assert names(await shop.search("acquire")) == []
    app.post("/buy")(mcp_tool(buy))
    shop.reload()
    assert names(await shop.search("acquire")) == ["buy"]
    assert [len(texts) for texts in model.encoded] == [1, 1, 1]


def test_equal_nearness_goes_by_name_and_what_is_far_is_left_out(model: FakeModel) -> None:
    documents = tuple(ToolDocument(name) for name in ("cancel_b", "cancel_a", "get_report"))
    request = RankRequest(query="abort", catalog=RankCatalog(version="1", documents=documents))
    assert EmbeddingRanker(model).rank(request) == ["cancel_a", "cancel_b"]
