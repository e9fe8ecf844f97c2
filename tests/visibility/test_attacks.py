"""What a hostile caller may try to learn, or to become."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, mcp_tool
from sezzlee_py.callers.identity import McpCaller, carried, identify
from sezzlee_py.invoke.settle import drive, settle_on_loop
from sezzlee_py.model import OuterRequest
from sezzlee_py.testing import AgentClient

MALLORY = {"authorization": "Bearer mallory"}
BOSS = {"authorization": "Bearer boss"}

bearer = HTTPBearer()


def require(
    scopes: SecurityScopes, credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]
) -> str:
    if scopes.scopes and credentials.credentials != "boss":
        raise HTTPException(403, "bosses only")
    return credentials.credentials


def shop(**more: Any) -> FastAPI:
    app = FastAPI()

    @app.get("/echo")
    @mcp_tool(name="echo_request")
    def echo(
        request: Request,
        note: str = "",
        x_note: Annotated[str, Header()] = "",
    ) -> dict[str, Any]:
        """Echo what arrived."""
        return {"headers": sorted(request.headers.items()), "client": request.client}

    @app.get("/me")
    @mcp_tool(name="who_am_i")
    def me(user: Annotated[str, Security(require)]) -> str:
        """Tell who calls."""
        return user

    @app.post("/payroll", tags=["payroll"])
    @mcp_tool(name="run_payroll", search_terms=["salaries"])
    def payroll(user: Annotated[str, Security(require, scopes=["boss"])]) -> str:
        """Pay everybody's wages."""
        return user

    options = Options(**more)
    options.visibility.identity = lambda caller: "present" if caller.fields else "absent"
    options.visibility.evaluate_policy = lambda policy, caller: (
        "allow" if caller.headers["authorization"] == "Bearer boss" else "deny"
    )
    mount_mcp(app, options=options)
    return app


@pytest.fixture(scope="module")
def agent() -> Iterator[AgentClient]:
    with AgentClient(shop(), headers=MALLORY) as agent:
        # The boss was here first: nothing of that may show.
        agent.search("payroll wages", headers=BOSS)
        agent.load("run_payroll", headers=BOSS)
        yield agent


# --- looking for hidden tools -------------------------------------------------------------------

HIDDEN, MISSING = "run_payroll", "zzz_zzzzzzz"


def test_by_name(agent: AgentClient) -> None:
    def told(name: str) -> str:
        return json.dumps(agent.load(name)).replace(name, "?")

    assert told(HIDDEN) == told(MISSING)
    assert len(json.dumps(agent.load(HIDDEN))) == len(json.dumps(agent.load(MISSING)))


@pytest.mark.parametrize("query", ["run_payroll", "payroll", "wages", "salaries", "run payroll"])
def test_by_search_words(agent: AgentClient, query: str) -> None:
    nonsense = " ".join("q" * len(word) for word in query.split())
    hidden = agent.search(query)
    missing = agent.search(nonsense)
    assert hidden.pop("unmatched") == query.replace("_", " ").split()
    assert missing.pop("unmatched")
    assert hidden == missing


def test_by_tag(agent: AgentClient) -> None:
    for query in ("", "echo"):
        assert agent.search(query, tags=["payroll"]) == agent.search(query, tags=["nobody's"])
    assert "payroll" not in json.dumps(agent.search(""))


def test_by_total_and_size(agent: AgentClient) -> None:
    alone = FastAPI()
    whole = shop()
    alone.router.routes = [
        route
        for route in whole.router.routes
        if getattr(route, "path", "") not in ("/payroll", "/mcp")
    ]
    options = Options()
    options.visibility.identity = lambda _: "present"
    mount_mcp(alone, options=options)
    with AgentClient(alone, headers=MALLORY) as without:
        for query in ("", "echo", "who calls", "payroll"):
            assert agent.search(query) == without.search(query)


def test_by_what_an_argument_error_says(agent: AgentClient) -> None:
    answer = agent.invoke("echo_request", {"user": HIDDEN, "payroll": 1})
    assert answer["error"] == "unknown_argument"
    assert "boss" not in json.dumps(answer)


def test_after_the_boss_was_demoted_nothing_of_it_remains(agent: AgentClient) -> None:
    found = agent.search("run payroll", headers=BOSS)
    assert [card["name"] for card in found["results"]] == [HIDDEN]
    assert agent.search("run payroll")["results"] == []


# --- becoming somebody else ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["authorization", "Authorization", "headers", "_headers", "cookie", "x-user", "user"]
)
def test_credentials_are_no_arguments(agent: AgentClient, name: str) -> None:
    answer = agent.invoke("who_am_i", {name: "Bearer boss"})
    assert answer["error"] == "unknown_argument"


@pytest.mark.parametrize("name", ["authorization", "headers", "caller", "identity"])
def test_credentials_are_no_arguments_of_a_meta_tool(agent: AgentClient, name: str) -> None:
    for tool in ("search_tools", "load_tool", "invoke_tool"):
        required = {"query": ""} if tool == "search_tools" else {"name": "who_am_i"}
        answer = agent.call(tool, {**required, name: "Bearer boss"})
        assert answer["error"] == "unknown_argument"


def test_credentials_in_the_protocol_s_metadata_count_for_nothing(agent: AgentClient) -> None:
    params = {
        "name": "invoke_tool",
        "arguments": {"name": "who_am_i"},
        "_meta": {"authorization": "Bearer boss", "headers": BOSS},
    }
    result = agent.request("tools/call", params)
    assert json.loads(result["content"][0]["text"]) == {"status": 200, "body": "mallory"}


@pytest.mark.parametrize("value", ["a\r\nauthorization: Bearer boss", "a\nb", "a\0b", "☃"])
def test_a_header_argument_cannot_bring_another_header(agent: AgentClient, value: str) -> None:
    answer = agent.invoke("echo_request", {"x-note": value})
    assert answer["error"] == "header_injection"


def test_what_is_no_carrier_does_not_travel(agent: AgentClient) -> None:
    smuggled = {
        "x-forwarded-for": "127.0.0.1",
        "forwarded": "for=127.0.0.1",
        "x-real-ip": "127.0.0.1",
        "x-remote-user": "boss",
        "cookie": "session=boss",
        "x-api-key": "boss",
        "x-http-method-override": "DELETE",
        "origin": "http://127.0.0.1",
    }
    answer = agent.invoke("echo_request", {"note": "x"}, headers=smuggled)
    travelled = {name for name, _ in answer["body"]["headers"]}
    assert travelled == {"host", "authorization", "accept", "user-agent"}


# --- poisoning what is remembered ---------------------------------------------------------------

values = st.text(st.characters(min_codepoint=33, max_codepoint=255, exclude_characters=","))


@given(
    st.lists(st.tuples(st.sampled_from(["authorization", "x-api-key"]), values), max_size=3),
    st.lists(st.tuples(st.sampled_from(["authorization", "x-api-key"]), values), max_size=3),
)
def test_two_callers_share_a_key_only_where_they_bring_the_same(one: Any, two: Any) -> None:
    carriers = ("authorization", "x-api-key")

    def brought(headers: Any) -> dict[str, list[str]]:
        kept = carried(OuterRequest(headers=tuple(headers)), carriers)
        found = {name: [v for n, v in kept if n == name] for name in carriers}
        # A field without a value says as little as none.
        return {name: own for name, own in found.items() if any(own)}

    def key(headers: Any) -> str:
        outer = OuterRequest(headers=tuple(headers))
        caller: McpCaller = drive(identify(outer, carriers, None, settle_on_loop))
        return caller.scope_key

    if brought(one) != brought(two):
        assert key(one) != key(two)


@pytest.mark.parametrize(
    "value",
    [
        "bearer boss",
        "Bearer  boss",
        "Bearer boss,",
        "Bearer mallory,Bearer boss",
        "",
        "Bearer Boss",
    ],
)
def test_looking_like_the_boss_is_not_enough(agent: AgentClient, value: str) -> None:
    assert agent.load(HIDDEN, headers=BOSS)["name"] == HIDDEN
    assert agent.load(HIDDEN, headers={"authorization": value})["error"] == "unknown_tool"


# --- rebinding ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "http://evil.test"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.test", "origin": "http://evil.test"}, 403),
        ({"host": "evil.test", "origin": "http://127.0.0.1"}, 403),
        ({"host": "evil.test"}, 200),
    ],
)
def test_a_page_of_another_origin_is_turned_away(
    agent: AgentClient, headers: dict[str, str], status: int
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert agent.post(message, headers=headers).status == status


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("shop.test", "https://shop.test", 200),
        ("shop.test", None, 200),
        ("evil.test", None, 421),
        ("evil.test", "https://shop.test", 421),
        ("shop.test", "https://evil.test", 403),
        ("shop.test", "http://shop.test", 403),
    ],
)
def test_allow_lists_decide_and_not_what_the_request_says_of_itself(
    host: str, origin: str | None, status: int
) -> None:
    app = shop(
        transport={"allowed_hosts": ("shop.test",), "allowed_origins": ("https://shop.test",)}
    )
    with AgentClient(app, headers=MALLORY) as agent:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {"host": host} | ({} if origin is None else {"origin": origin})
        assert agent.post(message, headers=headers).status == status


# --- naming what is restricted ------------------------------------------------------------------


def test_a_host_may_name_what_is_restricted_and_nothing_more() -> None:
    app = shop(visibility={"restricted": "name"})
    with AgentClient(app, headers=MALLORY) as agent:
        answer = agent.search("run payroll")
        assert answer["results"] == []
        assert answer["restricted"] == {"count": 1, "names": [HIDDEN]}
        assert agent.load(HIDDEN)["error"] == "unknown_tool"
        assert "restricted" not in agent.search("")
        assert "restricted" not in agent.search("echo request")
        assert "restricted" not in agent.search("run payroll", headers=BOSS)


class Everything:
    """A host's own ranker: all that there is, hidden or not, and some that is not."""

    async def rank(self, request: Any) -> list[str]:
        return ["nobody", *reversed([document.name for document in request.catalog.documents])]


@pytest.mark.parametrize("restricted", ["hide", "name"])
def test_a_host_s_ranker_shows_nothing_that_is_hidden(restricted: str) -> None:
    app = shop(visibility={"restricted": restricted}, search={"ranker": Everything()})
    with AgentClient(app, headers=MALLORY) as agent:
        answer = agent.search("anything")
        assert [card["name"] for card in answer["results"]] == ["who_am_i", "echo_request"]
        assert answer.get("restricted") == (
            {"count": 1, "names": [HIDDEN]} if restricted == "name" else None
        )
        assert answer["total"] == 2
        assert agent.search("anything", tags=["payroll"]).get("restricted") == (
            {"count": 1, "names": [HIDDEN]} if restricted == "name" else None
        )


def test_of_a_host_s_ranking_no_more_than_five_restricted_names_are_told() -> None:
    app = shop(visibility={"restricted": "name"}, search={"ranker": Everything()})
    for number in range(5):
        raised = mcp_tool(name=f"raise_{number}")(lambda: None)
        app.post(f"/raise/{number}", dependencies=[Security(require, scopes=["boss"])])(raised)
    with AgentClient(app, headers=MALLORY) as agent:
        restricted = agent.search("anything")["restricted"]
    assert (restricted["count"], len(restricted["names"])) == (6, 5)


class OnlyHidden:
    """A host's own ranker that finds what this caller may not see."""

    async def rank(self, request: Any) -> list[str]:
        return [HIDDEN]


def test_a_word_that_only_a_hidden_tool_knows_is_unmatched_beside_a_host_s_ranker_too() -> None:
    with AgentClient(shop(search={"ranker": OnlyHidden()}), headers=MALLORY) as agent:
        answer = agent.search("payroll xyzzy")
        assert (answer["results"], answer["unmatched"]) == ([], ["payroll", "xyzzy"])


def test_a_probe_cuts_a_host_s_ranking_after_what_it_denies() -> None:
    app = shop(visibility={"probe": True}, search={"ranker": Everything()})
    with AgentClient(app, headers=MALLORY) as agent:
        answer = agent.search("anything", limit=1)
        assert [card["name"] for card in answer["results"]] == ["who_am_i"]
        assert "authUncertain" not in answer["results"][0]
