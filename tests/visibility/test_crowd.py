"""Many callers at once, with catalogs, caches and verdicts changing under them.

`SEZZLEE_SOAK_S=30` runs it for that many seconds instead of a moment.
"""

import asyncio
import os
import random
import time
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Header, HTTPException, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, Sezzlee, mcp_tool
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope

IDENTITIES = [f"user{number:02}" for number in range(20)]
CALLERS = 200
SOAK_S = float(os.environ.get("SEZZLEE_SOAK_S", "1.5"))

bearer = HTTPBearer()


async def require(
    scopes: SecurityScopes, credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]
) -> str:
    await asyncio.sleep(0)
    if scopes.scopes and scopes.scopes != [credentials.credentials]:
        raise HTTPException(403)
    return credentials.credentials


def crowd_app(*, policies: bool) -> Sezzlee:
    app = FastAPI()

    def own_tools(name: str) -> None:
        scopes = [name] if policies else []
        guard = Security(require, scopes=scopes) if policies else Depends(only(name))

        @app.get(f"/{name}/ledger", tags=[f"of {name}"], dependencies=[guard])
        @mcp_tool(name=f"ledger_{name}", search_terms=["ledger"])
        async def ledger() -> str:
            return name

        @app.post(f"/{name}/close", tags=[f"of {name}"], dependencies=[guard])
        @mcp_tool(name=f"close_{name}", search_terms=["ledger"])
        async def close() -> str:
            return name

    for name in IDENTITIES:
        own_tools(name)

    @app.get("/me", tags=["shared"])
    @mcp_tool(name="who_am_i", search_terms=["ledger"])
    async def who_am_i(user: Annotated[str, Security(require)]) -> str:
        return user

    options = Options(cache={"max_callers": 8, "lifetime_ms": 50})
    options.cache.scope_resolver = lambda caller: CallerScope(
        caller.scope_key, (f"user:{token_of(caller)}",)
    )
    if policies:
        options.visibility.identity = identity
        options.visibility.evaluate_policy = evaluate
    else:
        options.visibility.probe = True
        options.visibility.probe_top_k = 100
        options.visibility.probe_concurrency = 4
    return mount_mcp(app, options=options)


def only(name: str) -> Any:
    async def guard(authorization: Annotated[str, Header()]) -> None:
        await asyncio.sleep(0)
        if authorization != f"Bearer {name}":
            raise HTTPException(403)

    return guard


def token_of(caller: McpCaller) -> str:
    return caller.headers.get("authorization", "").removeprefix("Bearer ")


async def identity(caller: McpCaller) -> str:
    await asyncio.sleep(0)
    return "present" if token_of(caller) in IDENTITIES else "absent"


async def evaluate(policy: str, caller: McpCaller) -> str:
    await asyncio.sleep(0)
    return "allow" if policy == f"scope:{token_of(caller)}" else "deny"


async def call_forever(sezzlee: Sezzlee, name: str, until: float, faults: list[str]) -> int:
    headers = {"authorization": f"Bearer {name}"}
    own = {"who_am_i", f"ledger_{name}", f"close_{name}"}
    chance = random.Random(name)
    answers = 0
    while not answers or (time.monotonic() < until and not faults):
        other = chance.choice(IDENTITIES)
        match chance.randrange(4):
            case 0:
                answer = await sezzlee.search("ledger", limit=50, headers=headers)
                wrong = {card["name"] for card in answer["results"]} != own
            case 1:
                answer = await sezzlee.search("", limit=50, headers=headers, tags=[f"of {other}"])
                found = {card["name"] for card in answer["results"]}
                wrong = found != (own - {"who_am_i"} if other == name else set())
            case 2:
                answer = await sezzlee.load(f"ledger_{other}", headers=headers)
                wrong = (answer.get("error") == "unknown_tool") is (other == name)
            case _:
                answer = await sezzlee.invoke("who_am_i", headers=headers)
                wrong = answer != {"status": 200, "body": name}
        if wrong:
            faults.append(f"{name}: {answer}")
        answers += 1
        await asyncio.sleep(0)
    return answers


async def disturb(sezzlee: Sezzlee, until: float) -> int:
    chance = random.Random(7)
    turns = 0
    while turns < 5 or time.monotonic() < until:
        match turns % 4:
            case 0:
                await asyncio.to_thread(sezzlee.reload)
            case 1:
                sezzlee.invalidate_all()
            case 2:
                sezzlee.invalidate_tag(f"user:{chance.choice(IDENTITIES)}")
            case _:
                sezzlee.invalidate_caller("0" * 64)
        turns += 1
        # A pause of the loop's, not of the test's: the crowd runs on in it.
        await asyncio.sleep(0.02)
    return turns


@pytest.mark.parametrize("policies", [True, False], ids=["policies", "probe"])
async def test_nobody_in_a_crowd_is_ever_answered_for_another(policies: bool) -> None:
    sezzlee = crowd_app(policies=policies)
    sezzlee.build()
    until = time.monotonic() + SOAK_S
    faults: list[str] = []
    crowd = [
        call_forever(sezzlee, IDENTITIES[number % len(IDENTITIES)], until, faults)
        for number in range(CALLERS)
    ]
    turns, *answers = await asyncio.gather(disturb(sezzlee, until), *crowd)
    assert faults == []
    assert min(answers) > 0
    assert turns > 4
    assert sezzlee.catalog.generation > 1
