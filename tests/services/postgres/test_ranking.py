from __future__ import annotations

from time import perf_counter

import pytest

from benchmarks.search.quality import DATA, read_sets
from sezzlee_postgres import PostgresRanker
from sezzlee_py.search import BM25Ranker, SearchIndex, ToolDocument
from sezzlee_py.search.evaluation import QueryCase, document_from_row, measure, run
from tests.services.postgres.server import Server
from tests.services.postgres.shop import DOCUMENTS, ask, catalog, embed, many


async def test_words_find_tools_and_those_in_names_come_first(
    server: Server, namespace: str
) -> None:
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        assert await ask(ranker, "cancel an order") == ["cancel_order", "create_order"]


async def test_other_forms_beginnings_and_verbs_of_a_word_find_it(
    server: Server, namespace: str
) -> None:
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        assert [await ask(ranker, query) for query in ("refunding", "refu", "remittance")] == [
            ["refund_payment"],
            ["refund_payment"],
            [],
        ]
        assert (await ask(ranker, "abort order"))[0] == "cancel_order"


async def test_a_query_without_words_or_of_unknown_ones_finds_nothing(
    server: Server, namespace: str
) -> None:
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        assert [await ask(ranker, query) for query in ("", "!?", "zzzz")] == [[], [], []]


async def test_meaning_finds_what_shares_no_word(server: Server, namespace: str) -> None:
    plain = PostgresRanker(server.conninfo, namespace=namespace)
    given = {"embed": embed, "model": "meanings", "least": 0.9}
    hybrid = PostgresRanker(server.conninfo, namespace=namespace, **given)
    async with plain, hybrid:
        assert await ask(plain, "reimburse") == []
        assert await ask(hybrid, "reimburse") == ["refund_payment"]
        assert (await ask(hybrid, "revoke purchase"))[0] == "cancel_order"


async def test_an_async_embedding_function_is_awaited(server: Server, namespace: str) -> None:
    async def slowly(texts: list[str]) -> list[list[float]]:
        return embed(texts)

    given = {"embed": slowly, "model": "meanings", "least": 0.9}
    async with PostgresRanker(server.conninfo, namespace=namespace, **given) as ranker:
        assert await ask(ranker, "reimburse") == ["refund_payment"]


async def test_a_query_that_cannot_be_embedded_is_answered_by_its_words(
    server: Server, namespace: str
) -> None:
    def moody(texts: list[str]) -> list[list[float]]:
        if "book" in texts[0] and len(texts) == 1:
            raise RuntimeError("the model is away")
        return embed(texts)

    given = {"embed": moody, "model": "meanings"}
    async with PostgresRanker(server.conninfo, namespace=namespace, **given) as ranker:
        assert set(await ask(ranker, "get book")) >= {"get_book", "list_books"}


@pytest.mark.parametrize(
    "query",
    [
        "book' | !order & (:* <-> \\",
        'books" OR -order :A* websearch',
        "book\0order",
        "\ud800book\udfff",
        "book " * 20_000,
        "'; DROP SCHEMA public CASCADE; --book",
        "%s %(edition)s book {tools}",
        " ".join(f"w{at}" for at in range(10_000)),
        "é" * 5_000 + " book",
        "=book",
        "book" * 5_000,
    ],
    ids=range(11),
)
async def test_hostile_queries_are_answered_soon(
    server: Server, namespace: str, query: str
) -> None:
    given = {"embed": embed, "model": "meanings"}
    async with PostgresRanker(server.conninfo, namespace=namespace, **given) as ranker:
        await ask(ranker, "book")
        started = perf_counter()
        await ask(ranker, query)
        assert perf_counter() - started < 1


async def test_hostile_documents_are_stored_and_found(server: Server, namespace: str) -> None:
    documents = (
        ToolDocument("nul", "before\0after \ud800 half", tags=("a'b\\c",)),
        ToolDocument("bad\0name", "lost"),
        ToolDocument("bad\ud800name", "lost"),
        ToolDocument("long", "x" * 100_000 + " " + "word " * 50_000),
        ToolDocument("", "nameless"),
    )
    given = {"embed": lambda texts: [[1.0, 0.5]] * len(texts), "model": "same"}
    of = catalog(documents)
    async with PostgresRanker(server.conninfo, namespace=namespace, **given) as ranker:
        assert (await ask(ranker, "after", of))[0] == "nul"
        assert (await ask(ranker, "word", of))[0] == "long"
        assert (await ask(ranker, "nameless", of))[0] == ""
        assert "lost" not in (await ask(ranker, "lost", of))


async def test_an_empty_catalog_is_stored_and_finds_nothing(server: Server, namespace: str) -> None:
    given = {"embed": embed, "model": "meanings"}
    async with PostgresRanker(server.conninfo, namespace=namespace, **given) as ranker:
        assert await ask(ranker, "book", catalog(())) == []
        assert (await ask(ranker, "get book", catalog(version="2")))[0] == "get_book"


async def test_a_word_of_more_tools_than_are_ranked_finds_those_it_names_first(
    server: Server, namespace: str
) -> None:
    documents = (*many(500), ToolDocument("shop_hours", "When it is open."))
    async with PostgresRanker(server.conninfo, namespace=namespace, candidates=50) as ranker:
        assert await ask(ranker, "shop", catalog(documents)) == ["shop_hours"]
        rare = await ask(ranker, "item 499 of the shop", catalog(documents))
        assert rare[0] == "tool_499"


async def test_the_answer_names_every_match_of_a_small_catalog(
    server: Server, namespace: str
) -> None:
    # The host's visibility and tag filter come after: a caller of few tools must find them there.
    documents = many(1_000)
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        names = await ask(ranker, "things of the shop", catalog(documents))
        index = SearchIndex(documents)
        seen = frozenset({"tool_7", "tool_970"})
        assert set(names) == {each.name for each in documents}
        assert set(index.arrange(names, visible=seen)) == seen


async def test_two_namespaces_of_one_database_know_nothing_of_each_other(
    server: Server, namespace: str
) -> None:
    here = PostgresRanker(server.conninfo, namespace=namespace)
    there = PostgresRanker(server.conninfo, namespace=f'{namespace} "quoted"; -- ü')
    async with here, there:
        await ask(here, "order", catalog(DOCUMENTS[:3]))
        assert await ask(there, "order", catalog(DOCUMENTS[3:])) == ["cancel_order"]
        assert await ask(here, "order", catalog(DOCUMENTS[:3])) == ["create_order"]


# The development sets, without a floor. Measured NDCG@10: .775, .594, .506, .784; below them by
# what a newer PostgreSQL may round differently. `BM25Ranker` has .766, .523, .379, .751.
@pytest.mark.parametrize(
    ("name", "least"),
    [("bfcl_live", 0.77), ("metatool", 0.585), ("restbench_tmdb", 0.5), ("slack_notion", 0.775)],
)
async def test_words_rank_development_sets_better_than_plain_bm25(
    server: Server, namespace: str, name: str, least: float
) -> None:
    (data,) = (each for each in read_sets(DATA) if each.name == name)
    documents = tuple(map(document_from_row, data.tools))
    async with PostgresRanker(server.conninfo, namespace=namespace) as ranker:
        found = {
            case.query: await ask(ranker, case.query, catalog(documents)) for case in data.cases
        }

    def seen(case: QueryCase) -> tuple[str, ...]:
        names = found[case.query]
        return tuple(n for n in names if case.visible is None or n in case.visible)

    bm25 = data.index(BM25Ranker())

    def plain(case: QueryCase) -> tuple[str, ...]:
        return bm25.search(case.query, visible=case.visible, floor=0).names

    ours = measure(run(seen, data.cases)).ndcg_at_10
    assert ours > least
    assert ours > measure(run(plain, data.cases)).ndcg_at_10
