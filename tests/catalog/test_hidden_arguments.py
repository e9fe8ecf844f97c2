"""A hidden argument leaves no trace that an agent could read; what fills it reaches the handler."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Header, HTTPException, Query
from pydantic import BaseModel, Field

from sezzlee_fastapi import mount_mcp
from sezzlee_py import OMIT, Arg, Constant, CurationRule, Options, Provider, mcp_tool, mcp_variant
from sezzlee_py.testing import AgentClient

HIDDEN = ("qhidden", "hhidden", "bhidden", "ohidden", "nhidden")


class Nested(BaseModel):
    nhidden: int = Field(description="The nhidden.")


class Body(BaseModel):
    shown: int
    bhidden: str
    owner: Nested


def app_of(arguments: dict[str, Arg]) -> FastAPI:
    app = FastAPI()

    @app.post("/things")
    @mcp_tool("save_thing", description="Save a thing.", arguments=arguments)
    def save(
        body: Body,
        qhidden: int,
        hhidden: Annotated[str, Header()],
        ohidden: Annotated[int, Query()] = 7,
    ) -> Any:
        if body.shown == 404:
            raise HTTPException(404, "qhidden is gone")
        return [qhidden, hhidden, body.bhidden, ohidden, body.shown, body.owner.nhidden]

    return app


ARGUMENTS = {
    "qhidden": Arg(hidden=Constant(3)),
    "hhidden": Arg(hidden=Provider("tenant")),
    "bhidden": Arg(hidden=Constant("b")),
    "ohidden": Arg(hidden=OMIT),
    "owner": Arg(hidden=Provider("owner")),
}
FILLS = {"tenant": lambda context: "t1", "owner": lambda context: {"nhidden": 1}}


def test_what_is_hidden_is_filled_and_seen_nowhere() -> None:
    app = app_of(ARGUMENTS)
    mount_mcp(app, options=Options(fills=FILLS))
    with AgentClient(app) as agent:
        shown = [
            agent.tools(),
            agent.search(),
            agent.search("save thing", detail="schema"),
            agent.load("save_thing"),
            agent.invoke("save_thing", {"shown": "not a number"}),
            agent.invoke("save_thing", {}),
            *(agent.invoke("save_thing", {"shown": 1, "guess": 2}) for _ in HIDDEN),
        ]
        assert agent.invoke("save_thing", {"shown": 5})["body"] == [3, "t1", "b", 7, 5, 1]
        for name in HIDDEN:
            assert agent.search(name)["results"] == []
    text = json.dumps(shown)
    assert [name for name in HIDDEN if name in text] == []


@pytest.mark.parametrize("name", ["qhidden", "hhidden", "bhidden", "ohidden", "owner"])
def test_a_hidden_name_is_refused_like_one_that_never_was(name: str) -> None:
    app = app_of(ARGUMENTS)
    mount_mcp(app, options=Options(fills=FILLS))
    with AgentClient(app) as agent:
        hidden = agent.invoke("save_thing", {"shown": 1, name: 1})
        unknown = agent.invoke("save_thing", {"shown": 1, "x" * len(name): 1})
    assert json.dumps(hidden).replace(name, "x" * len(name)) == json.dumps(unknown)


def test_errors_about_hidden_arguments_lose_their_names() -> None:
    app = app_of({**ARGUMENTS, "owner": Arg(hidden=Constant({"wrong": 1}))})
    mount_mcp(app, options=Options(fills=FILLS))
    with AgentClient(app) as agent:
        answer = agent.invoke("save_thing", {"shown": 1})
    assert answer["error"] == "validation_failed"
    fields = json.dumps(answer.get("errors", []))
    assert [name for name in HIDDEN if f'"{name}"' in fields] == []


def test_a_rename_is_what_an_agent_reads_writes_and_is_told_about() -> None:
    app = app_of({**ARGUMENTS, "shown": Arg("amount", description="How many.")})
    mount_mcp(app, options=Options(fills=FILLS))
    with AgentClient(app) as agent:
        properties = agent.load("save_thing")["inputSchema"]["properties"]
        assert properties == {"amount": {"type": "integer", "description": "How many."}}
        assert agent.invoke("save_thing", {"amount": 5})["body"][4] == 5
        refused = agent.invoke("save_thing", {"amount": "many"})
    assert "amount" in json.dumps(refused)
    assert "shown" not in json.dumps(refused)


def test_a_sealed_rule_holds_for_variants_and_container_words_stay_where_they_fit() -> None:
    app = FastAPI()

    @app.get("/a")
    @mcp_variant("read_mine", description="Mine.")
    @mcp_variant("read_any", description="Any.", arguments={"tenant": Arg()})
    def read(tenant: str) -> str:
        return tenant

    @app.get("/b")
    @mcp_tool("ping")
    def ping() -> None: ...

    sealed = CurationRule(arguments={"tenant": Arg(hidden=Provider("tenant"))}, seal=True)
    options = Options(curation={"rules": [sealed]}, fills=FILLS)
    mount_mcp(app, options=options)
    with AgentClient(app) as agent:
        for name in ("read_mine", "read_any"):
            assert agent.load(name)["inputSchema"]["properties"] == {}
            assert agent.invoke(name)["body"] == "t1"
        assert agent.invoke("ping")["status"] == 200
