"""Kind `ranked_search`: a host ranker's answer, normalised, filtered and cut."""

from typing import Any

from sezzlee_py.model.text import tokenize
from sezzlee_py.search import RankCatalog, RankerGuard, RankRequest
from tests.conformance.runners import search


class Answering:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def rank(self, request: RankRequest) -> Any:
        return self.answer


def check(data: dict[str, Any], expected: dict[str, Any]) -> None:
    index = search.index(data)
    limit, tags = data.get("limit", 20), data.get("tags", ())
    catalog = RankCatalog(version="1", documents=index.documents)
    known = {document.name for document in index.documents}
    found: dict[str, Any] = {}
    ranking = None
    if tokenize(data["query"]):
        ranking = RankerGuard(Answering(data["answer"])).rank(data["query"], catalog, known)
        if ranking is None:
            found["rejected"] = True
    if ranking is None:
        found["names"] = list(index.search(data["query"], limit=limit, tags=tags).names)
    else:
        found["names"] = list(index.arrange(ranking.names, limit=limit, tags=tags))
        if ranking.dropped_unknown:
            found["dropped_unknown"] = list(ranking.dropped_unknown)
        if ranking.dropped_repeated:
            found["dropped_repeated"] = list(ranking.dropped_repeated)
    assert found == expected
