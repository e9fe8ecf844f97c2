"""`search` and `invoke`: what an agent gets, with what it is not told."""

from collections.abc import Mapping
from math import isclose

import click
import pytest
from click.testing import CliRunner
from starlette.applications import Starlette

import sezzlee_starlette
from sezzlee_py.cli.command import headers_option
from sezzlee_py.testing import AgentClient, FakeRanker
from tests.cli import shop
from tests.cli.running import APP, SHOP, run, run_json

HEADER = ("--header", f"Authorization: {shop.TOKEN}")


def test_results_are_those_an_agent_gets_with_ranks_and_scores() -> None:
    document = run_json("search", APP, "cancel order", *HEADER)
    with AgentClient(shop.make_fastapi(), headers={"authorization": shop.TOKEN}) as agent:
        answer = agent.search("cancel order")
    results = document["results"]
    extra = ("rank", "score")
    cards = [{k: v for k, v in found.items() if k not in extra} for found in results]
    assert cards == answer["results"]
    assert [found["rank"] for found in results] == [*range(1, len(results) + 1)]
    scores = [found["score"] for found in results]
    assert scores == sorted(scores, reverse=True)
    assert (document["total"], document["hidden"], document["ranker"]) == (4, 0, "LexicalRanker")


def test_a_caller_without_identity_is_told_what_it_does_not_see() -> None:
    document = run_json("search", APP, "cancel order")
    assert "cancel_order" not in [found["name"] for found in document["results"]]
    assert document["hidden"] == 1
    told = run("search", APP, "cancel order").stdout
    assert "hidden from this caller: 1 more; try --header 'Authorization: ...', or" in told
    with_header = run("search", APP, "cancel order", "--header", "x-tenant: 7").stdout
    assert "hidden from this caller: 1 more; --everything shows them\n" in with_header


def test_the_owner_may_search_everything() -> None:
    document = run_json("search", APP, "cancel order", "--everything")
    assert document["results"][0]["name"] == "cancel_order"
    assert (document["total"], document["hidden"]) == (4, 0)


def test_an_explanation_adds_up_to_the_score() -> None:
    document = run_json("search", APP, "refund order", "--explain", *HEADER)
    for found in document["results"]:
        why = found["explanation"]
        score = sum(share["share"] for share in why["shares"])
        for factor in why["factors"].values():
            score *= factor
        assert isclose(score, why["score"])
        assert isclose(score, found["score"])
    fields = {share["field"] for share in document["results"][0]["explanation"]["shares"]}
    assert "search_terms" in fields


def test_people_get_the_explanation_as_tables() -> None:
    shown = run("search", APP, "cancel order stock", "--explain", "--everything").stdout
    assert "matched  field" in shown
    assert "times coverage x " in shown
    assert "not matched here: cancel" in shown


def test_an_empty_answer_says_what_nobody_knows_and_what_came_near() -> None:
    document = run_json("search", APP, "translate the order into klingon poems", "--everything")
    assert document["results"] == []
    assert document["unmatched"] == ["translate", "klingon", "poems"]
    assert "get_order" in [found["name"] for found in document["below_floor"]]
    shown = run("search", APP, "translate the order into klingon poems", "--everything").stdout
    assert "no visible tool knows: translate, klingon, poems" in shown
    assert "Left out by the floor: words that nobody knows weigh too much in the query" in shown
    assert shown.splitlines()[-1] == (
        "  Where one of them is the answer: declare the missing words as its search_terms, ask in "
        "fewer words, or lower options.search.floor."
    )


def test_a_listing_has_nothing_to_explain() -> None:
    explained = run("search", APP, "", "--explain", "--everything")
    assert explained.output == run("search", APP, "", "--everything").output


def test_tags_and_limit_narrow_the_answer() -> None:
    document = run_json("search", APP, "", "--tags", " orders ,", "--limit", "1", "--everything")
    assert [found["name"] for found in document["results"]] == ["cancel_order"]


def test_a_flask_application_is_searched_in_its_context() -> None:
    document = run_json("search", f"{SHOP}:flask_app", "fetch order")
    assert [found["name"] for found in document["results"]] == ["get_order"]
    document = run_json("search", f"{SHOP}:bare_flask", "fetch order", "--factory")
    assert [found["name"] for found in document["results"]] == ["get_order"]


def test_the_hosts_own_ranker_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> object:
        app = Starlette(routes=shop.make_starlette().routes[1:])
        sezzlee_starlette.mount_mcp(app, ranker=FakeRanker(default=["get_order"]))
        return app

    monkeypatch.setattr(shop, "ranked", make, raising=False)
    document = run_json("search", f"{SHOP}:ranked", "whatever", "--explain", "--factory")
    assert document["ranker"] == "host"
    assert [(r["name"], r["score"]) for r in document["results"]] == [("get_order", None)]


def test_a_fatal_catalog_is_not_searched() -> None:
    document = run_json("search", f"{SHOP}:make_fatal", "export", "--factory", exit_code=1)
    assert document["error"] == "catalog_not_served"
    assert any("name_collision" in found for found in document["diagnostics"])


@pytest.mark.parametrize("text", ["Authorization", ": value"])
def test_a_malformed_header_is_refused_without_being_repeated(text: str) -> None:
    result = run("search", APP, "order", "--header", text)
    assert result.exit_code == 2
    assert "expected 'Name: value'" in result.stderr
    assert text not in result.stderr.replace("Name: value", "")


def test_a_header_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", shop.TOKEN)
    document = run_json("search", APP, "cancel order", "--header", "authorization: $SHOP_TOKEN")
    assert document["results"][0]["name"] == "cancel_order"


@click.command()
@headers_option
def show_header(headers: Mapping[str, str]) -> None:
    click.echo(headers["authorization"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("$KEY", "a$NAME b"),
        ("Bearer $KEY", "Bearer a$NAME b"),
        ("key=${KEY};v=1", "key=a$NAME b;v=1"),
        ("$2b$10$KEY", "$2b$10$KEY"),
        ("pa$KEY $ ${} ${1}", "pa$KEY $ ${} ${1}"),
    ],
)
def test_variables_of_the_environment_stand_as_words_of_a_header_value(
    monkeypatch: pytest.MonkeyPatch, given: str, expected: str
) -> None:
    monkeypatch.setenv("KEY", "a$NAME b")
    result = CliRunner().invoke(show_header, ["--header", f"Authorization: {given}"])
    assert result.output == f"{expected}\n"


@pytest.mark.parametrize("value", ["$UNSET_1", "Bearer $UNSET_1", "Bearer ${UNSET_1}"])
def test_a_variable_that_is_not_set_is_refused_and_not_sent_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.delenv("UNSET_1", raising=False)
    result = run("search", APP, "cancel", "--header", f"authorization: {value}")
    assert result.exit_code == 2
    assert "the environment variable UNSET_1 is not set" in result.stderr


def test_a_call_goes_through_the_started_application() -> None:
    assert run_json("invoke", APP, "greet") == {"status": 200, "body": "hello"}
    assert run_json("invoke", APP, "get_order", '{"order_id": 7}') == {
        "status": 200,
        "body": {"id": 7, "verbose": False},
    }


def test_a_call_runs_as_the_caller_of_the_headers() -> None:
    arguments = ("invoke", APP, "cancel_order", '{"order_id": 7}')
    assert run_json(*arguments, *HEADER) == {"status": 200, "body": {"cancelled": 7}}
    # Older FastAPI answers 403 where no credentials came.
    assert run_json(*arguments, exit_code=1)["error"] in ("unauthenticated", "forbidden")


@pytest.mark.parametrize(
    "arguments",
    [("search", APP, "order"), ("why", APP, "GET", "/orders/7"), ("invoke", APP, "greet")],
)
def test_a_header_that_no_call_carries_is_warned_of(arguments: tuple[str, ...]) -> None:
    told = run(*arguments, *HEADER, "--header", "X-API-Key: k-ada", "--json").stderr
    assert (
        "warning: x-api-key is no carrier, so calls go without it; name it in "
        "Options(identity={'carriers': ('authorization', 'x-api-key')}) to have it carried\n"
    ) in told
    assert "k-ada" not in told
    assert "warning: " not in run(*arguments, *HEADER, "--header", "Traceparent: 00").stderr


@pytest.mark.parametrize("app", ["starlette_app", "flask_app", "wrapped_app"])
def test_every_framework_is_called(app: str) -> None:
    answer = run_json("invoke", f"{SHOP}:{app}", "get_order", '{"order_id": 7}')
    assert answer["body"]["id"] == 7


@pytest.mark.parametrize("app", ["bare_flask", "bare_fastapi"])
def test_an_application_without_an_endpoint_is_called(app: str) -> None:
    names = run_json("catalog", f"{SHOP}:{app}", "--factory")["tools"]
    name = next(tool["name"] for tool in names if tool["name"].endswith("get_order"))
    answer = run_json("invoke", f"{SHOP}:{app}", name, '{"order_id": 7}', "--factory")
    assert answer["body"]["id"] == 7


def test_the_state_of_the_lifespan_reaches_an_application_without_an_endpoint() -> None:
    answer = run_json("invoke", f"{SHOP}:bare_fastapi", "greet", "--factory")
    assert answer == {"status": 200, "body": "hello"}


def test_an_answer_with_an_error_exits_with_1() -> None:
    answer = run_json("invoke", APP, "get_order", '{"order_id": 0}', exit_code=1)
    assert answer["error"] == "not_found"
    answer = run_json("invoke", APP, "get_order", '{"orderid": 1}', exit_code=1)
    assert answer["error"] == "unknown_argument"


def test_arguments_may_come_from_standard_input() -> None:
    result = run("invoke", APP, "get_order", "-", stdin='{"order_id": 3}')
    assert '"id": 3' in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "ARGS_JSON is no JSON: "), ("[1]", "ARGS_JSON must be a JSON object, not array")],
)
def test_wrong_arguments_are_a_usage_error(text: str, message: str) -> None:
    document = run_json("invoke", APP, "get_order", text, exit_code=2)
    assert document["error"] == "wrong_arguments"
    assert document["message"].startswith(message)


def test_a_call_of_a_missing_tool_names_near_ones() -> None:
    assert run_json("invoke", APP, "get_ordr", exit_code=2)["near"][0] == "get_order"
