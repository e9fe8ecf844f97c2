"""Fusion by the places that several rankers give."""

import asyncio

import pytest

from sezzlee_py.search import (
    BM25Ranker,
    LexicalRanker,
    RankCatalog,
    RankerFailure,
    RankFusion,
    RankRequest,
)
from tests.unit.search.catalogs import SHOP
from tests.unit.search.test_guard import Async, Plain

REQUEST = RankRequest(query="cancel order", catalog=RankCatalog(version="1", documents=SHOP))


async def test_places_add_up_and_ties_go_by_name() -> None:
    fusion = RankFusion([Plain(["ping", "get_order"]), Async(["get_order", "ping"])])
    assert await fusion.rank(REQUEST) == ["get_order", "ping"]
    once = RankFusion([Plain(["ping", "get_order"]), Plain(["get_order"])])
    assert await once.rank(REQUEST) == ["get_order", "ping"]


async def test_a_list_is_read_to_its_depth() -> None:
    fusion = RankFusion([Plain(["ping", "get_order"]), Plain(["get_order"])], depth=1)
    assert await fusion.rank(REQUEST) == ["get_order", "ping"]


async def test_a_small_k_favours_the_first_places() -> None:
    lists = [
        Plain(["ping", "get_order"]),
        Plain(["list_orders", "get_order"]),
    ]
    assert (await RankFusion(lists, k=10).rank(REQUEST))[0] == "get_order"
    three = [Plain(["ping"]), Plain(["a", "b", "c", "get_order", "ping"]), Plain([])]
    assert (await RankFusion(three, k=1).rank(REQUEST))[0] == "ping"


async def test_built_in_rankers_rank_the_whole_catalog() -> None:
    fusion = RankFusion([LexicalRanker(), BM25Ranker()])
    assert (await fusion.rank(REQUEST))[0] == "cancel_order"


async def test_a_catalog_is_indexed_once_and_again_when_it_changes() -> None:
    fusion = RankFusion([LexicalRanker()])
    await fusion.rank(REQUEST)
    first = fusion._rankers[0]._indexed  # type: ignore[union-attr]
    await fusion.rank(REQUEST)
    assert fusion._rankers[0]._indexed is first  # type: ignore[union-attr]
    changed = RankCatalog(version="2", documents=SHOP[:1])
    found = await fusion.rank(RankRequest(query="order", catalog=changed))
    assert found == ["list_orders"]


@pytest.mark.parametrize("fault", [ValueError("broken"), asyncio.CancelledError()])
async def test_a_ranker_that_fails_is_left_out(
    fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    fusion = RankFusion([Async(fault), Plain(["ping"])])
    assert await fusion.rank(REQUEST) == ["ping"]
    assert "ranker of the fusion" in caplog.text


async def test_all_failing_is_a_failure() -> None:
    with pytest.raises(RankerFailure):
        await RankFusion([Async(None), Plain(7)]).rank(REQUEST)


async def test_cancelling_the_search_cancels_the_rankers() -> None:
    started = asyncio.Event()

    class Waits:
        async def rank(self, request: RankRequest) -> list[str]:
            started.set()
            await asyncio.Event().wait()
            return []

    search = asyncio.create_task(RankFusion([Waits()]).rank(REQUEST))
    await started.wait()
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search


async def test_a_plain_ranker_may_hand_out_a_coroutine() -> None:
    class Decorated:
        def rank(self, request: RankRequest) -> object:
            return Async(["ping"]).rank(request)

    assert await RankFusion([Decorated()]).rank(REQUEST) == ["ping"]  # type: ignore[list-item]


@pytest.mark.parametrize("options", [{"k": 0}, {"depth": 0}])
def test_a_fusion_of_nothing_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="RankFusion"):
        RankFusion([])
    with pytest.raises(ValueError, match="RankFusion"):
        RankFusion([LexicalRanker()], **options)
