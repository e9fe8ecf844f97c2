"""Families end to end: members in code and from host data, their bodies, their keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI, Request
from flask import Flask
from flask import request as flask_request
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_flask
import sezzlee_starlette
from sezzlee_py import Arg, Constant, Member, Options, mcp_family, mcp_tool, mcp_variant
from sezzlee_py.testing import AgentClient


class CloseMonth(BaseModel):
    """A month to close."""

    year: int
    month: int


class Line(BaseModel):
    account: str


class Booking(BaseModel):
    debit: Line
    credit: Line


CLOSE = Member(
    key="close-month",
    name="close_month",
    description="Close a month.",
    body=CloseMonth,
    destructive=True,
)
BOOK = Member(key="book", name="book_amount", description="Book an amount.", body=Booking)
PING = Member(key="ping", name="ping_ledger", description="Ask whether the ledger answers.")
BALANCE = Member(
    key="balance",
    name="read_balance",
    description="Read the balance of an account.",
    body={"type": "object", "properties": {"account": {"type": "string"}}},
    body_required=False,
    body_description="Which account.",
    read_only=True,
)


def fastapi_ledger(*members: Member, source: str | None = None) -> FastAPI:
    app = FastAPI()

    @app.post("/rpc/{method_id}")
    @mcp_family("method_id", members=None if source else members, source=source)
    async def rpc(method_id: str, request: Request) -> Any:
        return {"method": method_id, "got": (await request.body()).decode()}

    return app


def starlette_ledger(*members: Member, source: str | None = None) -> Starlette:
    @mcp_family("method_id", members=None if source else members, source=source)
    async def rpc(request: StarletteRequest) -> JSONResponse:
        method = request.path_params["method_id"]
        return JSONResponse({"method": method, "got": (await request.body()).decode()})

    return Starlette(routes=[Route("/rpc/{method_id}", rpc, methods=["POST"])])


def flask_ledger(*members: Member, source: str | None = None) -> Flask:
    app = Flask(__name__)

    @app.post("/rpc/<method_id>")
    @mcp_family("method_id", members=None if source else members, source=source)
    def rpc(method_id: str) -> Any:
        return {"method": method_id, "got": flask_request.get_data(as_text=True)}

    return app


FRAMEWORKS: Any = [
    pytest.param(fastapi_ledger, sezzlee_fastapi.mount_mcp, id="fastapi"),
    pytest.param(starlette_ledger, sezzlee_starlette.mount_mcp, id="starlette"),
    pytest.param(flask_ledger, sezzlee_flask.mount_mcp, id="flask"),
]


@pytest.mark.parametrize(("ledger", "mount"), FRAMEWORKS)
def test_each_member_is_a_tool_with_its_own_body_and_sends_its_key(ledger: Any, mount: Any) -> None:
    app = ledger(CLOSE, BOOK, BALANCE)
    catalog = mount(app).build()
    assert [tool.name for tool in catalog] == ["book_amount", "close_month", "read_balance"]
    assert set(catalog["close_month"].input_schema["properties"]) == {"year", "month"}
    assert catalog["close_month"].annotations == {"destructiveHint": True}
    assert set(catalog["book_amount"].input_schema["$defs"]) == {"Line"}
    balance = catalog["read_balance"]
    assert balance.input_schema["required"] == []
    assert balance.input_schema["properties"]["body"]["description"] == "Which account."
    assert balance.annotations == {"destructiveHint": False, "readOnlyHint": True}
    with AgentClient(app) as agent:
        assert agent.invoke("close_month", {"year": 2026, "month": 1})["body"] == {
            "method": "close-month",
            "got": '{"year":2026,"month":1}',
        }
        refused = agent.invoke("close_month", {"year": 1, "month": 1, "method_id": "book"})
    assert refused["error"] == "unknown_argument"


@pytest.mark.parametrize(("ledger", "mount"), FRAMEWORKS)
def test_members_of_host_data_come_and_go_with_reloads(ledger: Any, mount: Any) -> None:
    rows = [CLOSE]
    app = ledger(source="ledger")
    sezzlee = mount(app, options=Options(families={"ledger": lambda: list(rows)}))
    with AgentClient(app) as agent:
        assert [card["name"] for card in agent.search()["results"]] == ["close_month"]
        rows.append(PING)
        sezzlee.reload()
        assert [c["name"] for c in agent.search()["results"]] == ["close_month", "ping_ledger"]
        assert agent.invoke("ping_ledger")["body"] == {"method": "ping", "got": ""}
        rows.pop(0)
        sezzlee.reload()
        assert agent.invoke("close_month")["error"] == "unknown_tool"


def codes(app: Any, **families: Any) -> list[str]:
    catalog = sezzlee_fastapi.mount_mcp(app, options=Options(families=families)).build()
    return [found.code for found in catalog.diagnostics]


def test_a_family_whose_members_all_have_bodies_asks_for_no_other_declaration() -> None:
    assert codes(fastapi_ledger(CLOSE, BOOK)) == []
    assert "undeclared_body" in codes(fastapi_ledger(CLOSE, PING))


def test_a_members_body_replaces_a_declared_one_and_keeps_its_media_type() -> None:
    app = FastAPI()

    @app.post("/rpc/{method_id}")
    @mcp_family("method_id", members=[CLOSE, PING])
    @mcp_tool(body=Line, consumes="application/x-www-form-urlencoded")
    async def rpc(method_id: str, request: Request) -> None: ...

    catalog = sezzlee_fastapi.mount_mcp(app).build()
    close, ping = catalog["close_month"], catalog["ping_ledger"]
    assert set(close.input_schema["properties"]) == {"year", "month"}
    assert set(ping.input_schema["properties"]) == {"account"}
    for tool in (close, ping):
        assert tool.template is not None
        assert tool.template.body is not None
        assert tool.template.body.content_type == "application/x-www-form-urlencoded"


def test_a_variant_with_its_own_key_is_a_member_too() -> None:
    app = FastAPI()

    @app.post("/rpc/{method_id}")
    @mcp_family("method_id", members=[CLOSE])
    @mcp_variant(
        "open_month",
        description="Open a month.",
        arguments={"method_id": Arg(hidden=Constant("open"))},
    )
    async def rpc(method_id: str, request: Request) -> None: ...

    catalog = sezzlee_fastapi.mount_mcp(app).build()
    assert [tool.name for tool in catalog] == ["close_month", "open_month"]


def test_a_body_that_nothing_can_be_read_from_is_told_once() -> None:
    class Opaque:
        pass

    members = [replace(CLOSE, body=Opaque), replace(BOOK, body=Opaque)]
    assert codes(fastapi_ledger(*members)).count("unreadable_shape") == 1


def test_bad_rows_are_left_out_one_by_one() -> None:
    rows: list[Any] = [
        CLOSE,
        replace(BOOK, name="Book Amount"),
        replace(PING, description=" "),
        replace(PING, key=CLOSE.key),
        replace(PING, name=CLOSE.name),
        replace(PING, body={"$ref": "#/$defs/Gone"}),
        "close_month",
        BALANCE,
    ]
    app = fastapi_ledger(source="ledger")
    options = Options(families={"ledger": lambda: rows})
    catalog = sezzlee_fastapi.mount_mcp(app, options=options).build()
    assert [tool.name for tool in catalog] == ["close_month", "read_balance"]
    rejected = [f.message for f in catalog.diagnostics if f.code == "family_member_rejected"]
    assert len(rejected) == 6


def test_members_written_in_code_are_not_left_out_but_told_of() -> None:
    assert codes(fastapi_ledger(CLOSE, replace(BOOK, key=CLOSE.key))) == ["family_key_duplicate"]


def test_keys_differ_by_json_equality() -> None:
    app = FastAPI()
    members = [
        Member(key=1, name="one", description="One."),
        Member(key="1", name="text", description="Text."),
        Member(key=True, name="yes", description="Yes."),
    ]

    @app.get("/pick/{key}")
    @mcp_family("key", source="picks")
    async def pick(key: str) -> str:
        return key

    options = Options(
        families={"picks": lambda: [*members, replace(members[0], key=1.0, name="x")]}
    )
    catalog = sezzlee_fastapi.mount_mcp(app, options=options).build()
    # The parameter takes text, so that only the text fits; `1.0` repeats `1`.
    assert [found.code for found in catalog.diagnostics] == [
        "family_member_rejected",
        "invalid_fill_constant",
    ]


def test_no_trace_of_the_key_or_the_parameter_reaches_the_agent() -> None:
    app = fastapi_ledger(replace(CLOSE, key="k9-secret"))
    sezzlee_fastapi.mount_mcp(app)
    with AgentClient(app) as agent:
        shown = str(agent.search("", detail="schema")) + str(agent.load("close_month"))
        assert "k9-secret" not in shown
        assert "method_id" not in shown
        assert agent.search("k9-secret")["results"] == []
