"""`eval`: metrics, bounds and the files it reads."""

import json
from pathlib import Path
from typing import Any

import pytest

import sezzlee_fastapi
import sezzlee_flask
from sezzlee_py import Options
from sezzlee_py.testing import FakeRanker
from tests.cli import shop
from tests.cli.running import APP, SHOP, run, run_json


def write(path: Path, *rows: Any) -> str:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    return str(path)


@pytest.fixture
def tools(tmp_path: Path) -> str:
    folder = tmp_path / "mail"
    folder.mkdir()
    return write(
        folder / "tools.jsonl",
        {"name": "send_mail", "description": "Send an electronic letter.", "app": "mail"},
        {"name": "list_mails", "description": "List letters.", "app": "mail", "tags": ["box"]},
        {
            "name": "play_song",
            "description": "Play music.",
            "app": "music",
            "route": "POST /songs/{id}/play",
            "parameters": [{"name": "volume", "description": "How loud."}, {"no": "name"}],
        },
    )


@pytest.fixture
def queries(tmp_path: Path) -> str:
    return write(
        tmp_path / "queries.jsonl",
        {"query": "send a letter", "relevant": ["send_mail"], "app": "mail"},
        {"query": "play a song", "relevant": ["play_song"]},
        {"query": "transmit post", "relevant": ["list_mails", "no_such_tool"]},
    )


def test_metrics_are_means_over_the_queries(tools: str, queries: str) -> None:
    document = run_json("eval", "--tools", tools, "--queries", queries)
    assert document["metrics"]["hit@1"] == pytest.approx(2 / 3)
    assert document["metrics"]["recall@5"] == pytest.approx(2 / 3)
    assert document["metrics"]["mrr"] == pytest.approx(2 / 3)
    assert document["metrics"]["false_return_rate"] is None
    assert document["failing"] == [
        {"query": "transmit post", "relevant": ["list_mails", "no_such_tool"], "returned": []}
    ]
    assert document["never_found"] == ["list_mails", "no_such_tool"]
    assert document["unknown_tools"] == ["no_such_tool"]
    assert (document["tools"], document["queries"], document["negatives"]) == (3, 3, 0)
    assert (document["ranker"], document["floor"]) == ("LexicalRanker", 0.5)


def test_negatives_of_other_catalogs_are_left_out(tools: str, queries: str, tmp_path: Path) -> None:
    negatives = write(
        tmp_path / "negatives.jsonl",
        {"query": "play a song", "relevant": [], "catalog": "mail", "app": "mail"},
        {"query": "send a letter", "relevant": [], "catalog": "mail", "app": "mail"},
        {"query": "send a letter", "relevant": [], "catalog": "elsewhere"},
        {"query": "bake bread"},
    )
    arguments = ("eval", "--tools", tools, "--queries", queries, "--negatives", negatives)
    document = run_json(*arguments)
    assert document["negatives"] == 3
    assert document["metrics"]["false_return_rate"] == pytest.approx(1 / 3)
    assert [found["query"] for found in document["false_returns"]] == ["send a letter"]
    assert "Answered although nothing answers them" in run(*arguments).stdout


@pytest.mark.parametrize(
    ("bound", "exit_code"),
    [
        (["--min-hit1", "0.6"], 0),
        (["--min-recall5", "0.8"], 1),
        (["--min-ndcg10", "0.1", "--min-mrr", "0.9"], 1),
    ],
)
def test_a_bound_that_is_not_met_exits_with_1(
    tools: str, queries: str, bound: list[str], exit_code: int
) -> None:
    document = run_json("eval", "--tools", tools, "--queries", queries, *bound, exit_code=exit_code)
    assert all(found["ok"] for found in document["thresholds"]) is (exit_code == 0)


def test_false_returns_are_bounded_from_above(tools: str, queries: str, tmp_path: Path) -> None:
    negatives = write(tmp_path / "negatives.jsonl", {"query": "send a letter"})
    arguments = ("eval", "--tools", tools, "--queries", queries, "--max-false-return", "0.5")
    result = run(*arguments, "--negatives", negatives)
    assert (result.exit_code, "at most 0.5: MISSED" in result.stdout) == (1, True)
    assert run_json(*arguments, exit_code=2)["error"] == "no_negatives"


@pytest.mark.parametrize(
    ("ranker", "name"),
    [("lexical", "LexicalRanker"), ("bm25", "BM25Ranker"), ("weighted", "WeightedTokenRanker")],
)
def test_rankers_and_floor_are_chosen(tools: str, queries: str, ranker: str, name: str) -> None:
    arguments = ("eval", "--tools", tools, "--queries", queries, "--ranker", ranker)
    document = run_json(*arguments, "--floor", "0.25")
    assert (document["ranker"], document["floor"]) == (name, 0.25)


def test_an_application_is_measured_by_its_tool_names(tmp_path: Path) -> None:
    queries = write(
        tmp_path / "q.jsonl", {"query": "refund an order", "relevant": ["cancel_order"]}
    )
    document = run_json("eval", APP, "--queries", queries, "--min-hit1", "1")
    assert document["metrics"]["hit@1"] == 1
    shown = run("eval", APP, "--queries", queries, "--min-hit1", "1").stdout
    assert "hit@1" in shown
    assert "at least 1: met" in shown


def test_the_applications_own_floor_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = write(tmp_path / "q.jsonl", {"query": "fetch", "relevant": ["get_order"]})

    def make() -> Any:
        app = shop.bare_flask()
        sezzlee_flask.mount_mcp(app, options=Options(search={"floor": 0.125}))
        return app

    monkeypatch.setattr(shop, "tuned", make, raising=False)
    arguments = ("eval", f"{SHOP}:tuned", "--factory", "--queries", queries)
    assert run_json(*arguments)["floor"] == 0.125
    assert run_json(*arguments, "--ranker", "bm25")["floor"] == 0


@pytest.mark.parametrize("framework", ["flask", "fastapi"])
def test_the_applications_own_ranker_is_measured(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = write(
        tmp_path / "q.jsonl",
        {"query": "brew it", "relevant": ["get_order"]},
        {"query": "else", "relevant": ["get_order"]},
    )
    ranker = FakeRanker({"brew it": ["get_order"]})

    def make() -> Any:
        if framework == "flask":
            app: Any = shop.bare_flask()
            sezzlee_flask.mount_mcp(app, ranker=ranker)
        else:
            app = shop.bare_fastapi()
            sezzlee_fastapi.mount_mcp(app, ranker=ranker, options=shop.options())
        return app

    monkeypatch.setattr(shop, "ranking", make, raising=False)
    arguments = ("eval", f"{SHOP}:ranking", "--factory", "--queries", queries)
    document = run_json(*arguments)
    assert (document["ranker"], document["metrics"]["hit@1"]) == ("host", 0.5)
    assert ranker.queries == ["brew it", "else"]
    assert run_json(*arguments, "--ranker", "lexical")["ranker"] == "LexicalRanker"
    assert len(ranker.queries) == 2


def test_twins_are_listed(tmp_path: Path) -> None:
    same = "Export the monthly report."
    tools = write(
        tmp_path / "tools.jsonl",
        {"name": "export_report_a", "description": same},
        {"name": "export_report_b", "description": same},
        {"name": "play", "description": "Play a song."},
    )
    queries = write(tmp_path / "q.jsonl", {"query": "play", "relevant": ["play"]})
    document = run_json("eval", "--tools", tools, "--queries", queries)
    assert [(t["first"], t["second"]) for t in document["twins"]] == [
        ("export_report_a", "export_report_b")
    ]
    assert "Twins" in run("eval", "--tools", tools, "--queries", queries).stdout


def test_the_worst_are_as_many_as_asked(tools: str, queries: str) -> None:
    document = run_json("eval", "--tools", tools, "--queries", queries, "--worst", "0")
    assert document["failing"] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1 is no JSON"),
        ("[]", "line 1: expected an object with query, relevant"),
        ('{"query": "x"}', "line 1: expected an object with query, relevant"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(
    tools: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(text)
    document = run_json("eval", "--tools", tools, "--queries", str(path), exit_code=2)
    assert (document["error"], message in document["message"]) == ("wrong_row", True)


def test_files_that_are_not_there_and_doubled_names_are_usage_errors(
    queries: str, tmp_path: Path
) -> None:
    missing = str(tmp_path / "none.jsonl")
    document = run_json("eval", "--tools", missing, "--queries", queries, exit_code=2)
    assert document["error"] == "unreadable_file"
    doubled = write(tmp_path / "tools.jsonl", {"name": "a"}, {"name": "a"})
    document = run_json("eval", "--tools", doubled, "--queries", queries, exit_code=2)
    assert document["error"] == "wrong_tools"


def test_app_and_tools_exclude_each_other(tools: str, queries: str) -> None:
    assert run("eval", "--queries", queries).exit_code == 2
    assert run("eval", APP, "--tools", tools, "--queries", queries).exit_code == 2


def test_a_fatal_catalog_is_not_measured(queries: str) -> None:
    arguments = ("eval", f"{SHOP}:make_fatal", "--factory", "--queries", queries)
    assert run_json(*arguments, exit_code=1)["error"] == "catalog_not_served"
