"""What is remembered about callers, seen from outside: invocation, reload, invalidation, stores."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, HTTPException, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options, Sezzlee, mcp_tool
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.store import MemoryStore

ADA = {"authorization": "Bearer ada"}
GRACE = {"authorization": "Bearer grace"}

bearer = HTTPBearer()


class Host:
    """An application whose roles change, and that counts what it is asked."""

    def __init__(self, **more: Any) -> None:
        self.bosses = {"grace"}
        self.asked: list[str] = []
        self.app = FastAPI()
        self._routes()
        options = Options(**more)
        options.visibility.identity = self.identity
        options.visibility.evaluate_policy = self.evaluate
        self.sezzlee: Sezzlee = mount_mcp(self.app, options=options)

    def _routes(self) -> None:
        def require(
            scopes: SecurityScopes,
            credentials: Annotated[HTTPAuthorizationCredentials, Depends(bearer)],
        ) -> str:
            if scopes.scopes and credentials.credentials not in self.bosses:
                raise HTTPException(403)
            return credentials.credentials

        @self.app.get("/own")
        @mcp_tool(name="own")
        def own(user: Annotated[str, Security(require)]) -> str:
            return user

        @self.app.post("/fire")
        @mcp_tool(name="fire")
        def fire(user: Annotated[str, Security(require, scopes=["boss"])]) -> str:
            return user

    def identity(self, caller: McpCaller) -> str:
        self.asked.append(f"identity {user_of(caller)}")
        return "present"

    async def evaluate(self, policy: str, caller: McpCaller) -> str:
        self.asked.append(f"{policy} {user_of(caller)}")
        return "allow" if user_of(caller) in self.bosses else "deny"

    async def found_by(self, headers: dict[str, str]) -> list[str]:
        answer = await self.sezzlee.search("", headers=headers)
        return [card["name"] for card in answer["results"]]


def user_of(caller: McpCaller) -> str:
    return caller.headers.get("authorization", "").removeprefix("Bearer ")


def tagged(caller: McpCaller) -> CallerScope:
    return CallerScope(caller.scope_key, (f"user:{user_of(caller)}",))


async def test_searching_loading_and_listing_ask_once_per_caller() -> None:
    host = Host()
    for _ in range(3):
        assert await host.found_by(ADA) == ["own"]
        assert await host.found_by(GRACE) == ["fire", "own"]
        await host.sezzlee.load("own", headers=ADA)
    assert host.asked == ["identity ada", "scope:boss ada", "identity grace", "scope:boss grace"]


async def test_invoking_asks_nobody_and_reads_no_store() -> None:
    class Forbidden:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            raise AssertionError(name)

        get = set = drop_scope = drop_tag = clear = property(
            lambda self: self.__getattr__("store")  # type: ignore[misc]  # any use is a failure
        )

    host = Host(cache={"store": MemoryStore()})
    await host.found_by(ADA)
    host.asked.clear()
    host.sezzlee._engine._cache._store = Forbidden()  # type: ignore[assignment]  # read by nobody
    assert (await host.sezzlee.invoke("fire", headers=ADA))["error"] == "forbidden"
    assert (await host.sezzlee.invoke("fire", headers=GRACE))["body"] == "grace"
    host.bosses.add("ada")
    # The application's own pipeline decides, at once, whatever is remembered.
    assert (await host.sezzlee.invoke("fire", headers=ADA))["body"] == "ada"
    assert host.asked == []


FORGET: dict[str, Callable[[Sezzlee], Any]] = {
    "caller": lambda sezzlee: sezzlee.invalidate_caller(
        McpCaller(fields=(("authorization", "Bearer ada"),)).scope_key
    ),
    "scope": lambda sezzlee: sezzlee.invalidate_caller(
        CallerScope(McpCaller(fields=(("authorization", "Bearer ada"),)).scope_key)
    ),
    "tag": lambda sezzlee: sezzlee.invalidate_tag("user:ada"),
    "all": lambda sezzlee: sezzlee.invalidate_all(),
    "reload": lambda sezzlee: sezzlee.reload(),
}


@pytest.mark.parametrize("forget", FORGET.values(), ids=FORGET)
async def test_a_new_role_shows_as_soon_as_the_host_says_so(
    forget: Callable[[Sezzlee], Any],
) -> None:
    host = Host(cache={"scope_resolver": tagged})
    assert await host.found_by(ADA) == ["own"]
    host.bosses.add("ada")
    assert await host.found_by(ADA) == ["own"]
    forget(host.sezzlee)
    assert await host.found_by(ADA) == ["fire", "own"]
    host.bosses.clear()
    forget(host.sezzlee)
    assert await host.found_by(ADA) == ["own"]


async def test_without_a_lifetime_a_new_role_shows_at_once() -> None:
    host = Host(cache={"lifetime_ms": 0})
    assert await host.found_by(ADA) == ["own"]
    host.bosses.add("ada")
    assert await host.found_by(ADA) == ["fire", "own"]


async def test_a_crowd_of_one_caller_asks_once() -> None:
    host = Host()
    host.sezzlee.build()
    found = await asyncio.gather(*[host.found_by(ADA) for _ in range(50)])
    assert found == [["own"]] * 50
    assert host.asked == ["identity ada", "scope:boss ada"]


async def test_a_catalog_with_new_policies_asks_for_them() -> None:
    host = Host()
    assert await host.found_by(GRACE) == ["fire", "own"]

    def audit(user: Annotated[str, Security(bearer, scopes=["auditor"])]) -> str:
        return "audit"

    host.app.get("/audit")(mcp_tool(name="audit")(audit))
    host.sezzlee.reload()
    assert await host.found_by(ADA) == ["own"]
    assert await host.found_by(GRACE) == ["audit", "fire", "own"]
    assert "scope:auditor grace" in host.asked


async def test_facts_that_a_shared_store_has_from_another_catalog_are_asked_anew() -> None:
    store = MemoryStore()
    host = Host(cache={"store": store})
    scope = CallerScope(McpCaller(fields=(("authorization", "Bearer grace"),)).scope_key)
    for text in ("P|scope:other=A", "nonsense", "P|"):
        store.set(scope, f"sezzlee:v1:{scope.key}:facts", text, 60_000)
        assert await host.found_by(GRACE) == ["fire", "own"]
    store.set(scope, f"sezzlee:v1:{scope.key}:facts", "P|scope:boss=D", 60_000)
    assert await host.found_by(GRACE) == ["own"]


async def test_facts_that_leave_a_policy_out_do_not_show_what_it_hides() -> None:
    store = MemoryStore()
    host = Host(cache={"store": store})
    scope = CallerScope(McpCaller(fields=(("authorization", "Bearer ada"),)).scope_key)
    store.set(scope, f"sezzlee:v1:{scope.key}:facts", "P|scope:other=A", 60_000)
    assert await host.found_by(ADA) == ["own"]
    assert host.asked == ["identity ada", "scope:boss ada"]


async def test_a_store_holds_no_credential() -> None:
    kept: list[tuple[CallerScope, str, str]] = []

    class Spy(MemoryStore):
        def set(self, scope: CallerScope, name: str, value: str, lifetime_ms: int) -> None:
            kept.append((scope, name, value))
            assert 54_000 <= lifetime_ms <= 60_000
            super().set(scope, name, value, lifetime_ms)

    host = Host(cache={"store": Spy()})
    await host.found_by({"authorization": "Bearer s3cret"})
    ((scope, name, value),) = kept
    assert (name, value) == (f"sezzlee:v1:{scope.key}:facts", "P|scope:boss=D")
    assert "s3cret" not in repr(kept)


async def test_a_failing_callback_shows_rather_than_hides_and_logs_no_credential(
    caplog: pytest.LogCaptureFixture,
) -> None:
    host = Host(cache={"lifetime_ms": 0})

    def broken(policy: str, caller: McpCaller) -> str:
        raise ConnectionError("directory is down")

    host.sezzlee.options.visibility.evaluate_policy = broken
    answer = await host.sezzlee.search("", headers={"authorization": "Bearer s3cret"})
    assert {card["name"]: card["authUncertain"] for card in answer["results"]} == {
        "fire": True,
        "own": True,
    }
    assert "directory is down" in caplog.text
    assert "s3cret" not in caplog.text


async def test_unknown_tools_are_hidden_where_a_host_wants_that() -> None:
    host = Host(visibility={"unknown": "hide"})
    # Both are guarded by code, which no declaration settles.
    assert await host.found_by(GRACE) == []
    assert (await host.sezzlee.search("", headers=GRACE))["total"] == 0
    assert (await host.sezzlee.load("own", headers=GRACE))["error"] == "unknown_tool"
    assert (await host.sezzlee.invoke("own", headers=GRACE))["body"] == "grace"


@pytest.mark.parametrize(
    ("headers", "carriers", "found"),
    [
        ({}, ("authorization",), ["open"]),
        (ADA, ("authorization",), ["guarded", "open"]),
        ({"x-api-key": "k"}, ("authorization",), ["open"]),
        ({"x-api-key": "k"}, ("authorization", "x-api-key"), ["guarded", "open"]),
        ({}, ("x-api-key",), ["guarded", "open"]),
    ],
)
async def test_without_callbacks_who_brings_nothing_is_nobody(
    headers: dict[str, str], carriers: tuple[str, ...], found: list[str]
) -> None:
    app = FastAPI()
    app.get("/open")(mcp_tool(name="open")(lambda: None))
    app.get("/guarded", dependencies=[Depends(bearer)])(mcp_tool(name="guarded")(lambda: None))
    sezzlee = mount_mcp(app, options=Options(identity={"carriers": carriers}))
    answer = await sezzlee.search("", headers=headers)
    assert [card["name"] for card in answer["results"]] == found
    assert answer["total"] == len(found)


async def test_a_callback_that_does_not_know_is_not_second_guessed() -> None:
    app = FastAPI()
    app.get("/guarded", dependencies=[Depends(bearer)])(mcp_tool(name="guarded")(lambda: None))
    sezzlee = mount_mcp(app, options=Options(visibility={"identity": lambda _: "unknown"}))
    answer = await sezzlee.search("")
    assert [card.get("authUncertain") for card in answer["results"]] == [True]
