"""Kind `search`: the plain ranking, its tag filter and its listing."""

from typing import Any

from sezzlee_py.model import ToolDefinition
from sezzlee_py.search import BM25Ranker, SearchIndex, documents_from_tools


def tool(data: dict[str, Any]) -> ToolDefinition:
    return ToolDefinition(
        name=data["name"],
        description=data.get("description", ""),
        input_schema=data.get("input_schema", {}),
        annotations={},
        method="GET",
        route=data.get("route", ""),
        tags=tuple(data.get("tags", ())),
        search_terms=tuple(data.get("search_terms", ())),
        alternate_routes=tuple(data.get("alternate_routes", ())),
        grouped_parameters=tuple(data.get("grouped_parameters", ())),
    )


def index(data: dict[str, Any]) -> SearchIndex:
    documents = documents_from_tools(map(tool, data["tools"]))
    return SearchIndex(documents, BM25Ranker(), exact_name_first=False)


def check(data: dict[str, Any], expected: dict[str, Any]) -> None:
    outcome = index(data).search(
        data["query"], limit=data.get("limit", 20), tags=data.get("tags", ())
    )
    assert list(outcome.names) == expected["names"]
    scores = {hit.name: hit.score for hit in outcome.hits}
    for name, score in expected.get("scores", {}).items():
        assert abs(scores[name] - score) <= 1e-6, (name, scores[name], score)
