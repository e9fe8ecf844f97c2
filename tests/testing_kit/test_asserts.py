"""Assertions, fakes and the fixtures, as a host's own tests use them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, UploadFile

import sezzlee_fastapi
import sezzlee_flask
from sezzlee_py import Options, mcp_tool
from sezzlee_py.invoke.refs import FileRefusal, ResolvedFile
from sezzlee_py.testing import (
    AgentClient,
    FakeFileResolver,
    FakeRanker,
    LockError,
    assert_found,
    assert_locked,
    assert_not_found,
)
from sezzlee_py.testing.pytest_plugin import UPDATE_OPTION
from tests.cli import shop

HEADERS = {"authorization": shop.TOKEN}


@pytest.fixture(scope="module")
def agent_of_the_shop() -> Iterator[AgentClient]:
    with AgentClient(shop.make_fastapi(), headers=HEADERS) as agent:
        yield agent


def test_a_tool_that_is_found_passes(agent_of_the_shop: AgentClient) -> None:
    assert_found(agent_of_the_shop, "cancel an order", "cancel_order", within=3)
    assert_found(agent_of_the_shop, "cancel an order", "cancel_order", within=1, tags=["orders"])
    assert_found(agent_of_the_shop, "refund", "cancel_order", headers=HEADERS)


@pytest.mark.parametrize(
    ("query", "name", "within", "message"),
    [
        (
            "cancel order",
            "get_order",
            1,
            "'cancel order' does not find 'get_order' within the first 1: it is number 2; found "
            "cancel_order, get_order",
        ),
        (
            "say hello",
            "get_order",
            3,
            "'say hello' does not find 'get_order' within the first 3: it is not among the "
            "results; found greet; where agents ask so, declare their words as its search_terms",
        ),
        (
            "translate the order into klingon poems",
            "get_order",
            3,
            "'translate the order into klingon poems' does not find 'get_order' within the first "
            "3: it is not among the results; found nothing; no tool knows translate, klingon, "
            "poems; where agents ask so, declare their words as its search_terms, or lower "
            "options.search.floor",
        ),
        (
            "klingon poems",
            "cancel_ordr",
            3,
            "'klingon poems' does not find 'cancel_ordr' within the first 3: no tool of that name "
            "is visible; found nothing; no tool knows klingon, poems",
        ),
        (
            "cancel",
            "cancel_ordr",
            3,
            "'cancel' does not find 'cancel_ordr' within the first 3: no tool of that name is "
            "visible, did you mean 'cancel_order'?; found cancel_order",
        ),
    ],
)
def test_a_tool_that_is_not_found_is_told_with_its_place(
    agent_of_the_shop: AgentClient, query: str, name: str, within: int, message: str
) -> None:
    with pytest.raises(AssertionError) as failed:
        assert_found(agent_of_the_shop, query, name, within=within)
    assert str(failed.value) == message


def test_what_must_not_be_found_is_held_too(agent_of_the_shop: AgentClient) -> None:
    assert_not_found(agent_of_the_shop, "klingon poems")
    assert_not_found(agent_of_the_shop, "say hello", "cancel_order")
    with pytest.raises(AssertionError, match="should find nothing; found greet"):
        assert_not_found(agent_of_the_shop, "say hello")
    with pytest.raises(AssertionError, match="should not find 'greet'; it is number 1"):
        assert_not_found(agent_of_the_shop, "say hello", "greet")


def test_a_search_that_is_refused_fails_with_its_message(agent_of_the_shop: AgentClient) -> None:
    with pytest.raises(AssertionError, match="the search was refused"):
        assert_found(agent_of_the_shop, 7, "greet")  # type: ignore[arg-type]  # the mistake


def test_a_lock_is_written_held_and_broken(tmp_path: Path) -> None:
    app = shop.bare_flask()
    sezzlee = sezzlee_flask.mount_mcp(app)
    path = tmp_path / "tools.json"
    with pytest.raises(LockError) as missing:
        assert_locked(sezzlee, path)
    assert str(missing.value).endswith(f"run pytest with {UPDATE_OPTION}, or pass update=True")
    written = assert_locked(sezzlee, path, update=True)
    assert assert_locked(sezzlee.catalog, path) == written
    path.write_text(path.read_text().replace("order_id", "id"))
    with pytest.raises(AssertionError) as failed:
        assert_locked(sezzlee, path)
    assert "get_order: argument id is gone (breaking)" in str(failed.value)
    assert UPDATE_OPTION in str(failed.value)


def test_a_fake_ranker_answers_and_remembers() -> None:
    app = shop.bare_fastapi()
    ranker = FakeRanker({"first": ["greet", "get_order"]}, default=["get_order"])
    sezzlee_fastapi.mount_mcp(app, options=shop.options(), ranker=ranker)
    with AgentClient(app) as agent:
        first = [found["name"] for found in agent.search("first")["results"]]
        other = [found["name"] for found in agent.search("other")["results"]]
    assert (first, other) == (["greet", "get_order"], ["get_order"])
    assert ranker.queries == ["first", "other"]


def test_a_failing_ranker_shows_what_the_host_does_without_it() -> None:
    app = shop.bare_fastapi()
    options = shop.options()
    options.search.on_ranker_failure = "error"
    ranker = FakeRanker(fault=RuntimeError("away"))
    sezzlee_fastapi.mount_mcp(app, options=options, ranker=ranker)
    with AgentClient(app) as agent:
        assert agent.search("order")["error"] == "search_ranker_unavailable"
    assert len(ranker.requests) == 1


def test_a_fake_resolver_gives_files_and_remembers() -> None:
    files = FakeFileResolver(
        {
            "text": "hällo",
            "bytes": b"\0",
            "named": ResolvedFile(data=b"x", name="n.txt"),
            "no": FileRefusal.FORBIDDEN,
        }
    )
    app = FastAPI()

    @app.post("/upload")
    @mcp_tool(name="upload")
    async def upload(file: UploadFile) -> dict[str, Any]:
        return {"name": file.filename, "size": len(await file.read())}

    sezzlee_fastapi.mount_mcp(app, options=Options(files={"resolver": files}))
    with AgentClient(app) as agent:
        answers = [agent.invoke("upload", {"file": {"ref": r}}) for r in ("text", "bytes", "named")]
        refused = [agent.invoke("upload", {"file": {"ref": r}})["error"] for r in ("no", "none")]
    assert [answer["body"]["size"] for answer in answers] == [6, 1, 1]
    assert answers[2]["body"]["name"] == "n.txt"
    assert refused == ["file_unresolved", "file_unresolved"]
    assert files.refs == ["text", "bytes", "named", "no", "none"]
