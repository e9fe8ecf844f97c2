"""What a probe asks, what its answer says, and when it is not asked again."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextvars import Context
from dataclasses import replace
from typing import Any

import pytest

from sezzlee_py.callers.cache import CLEAR, CallerCache
from sezzlee_py.callers.identity import McpCaller
from sezzlee_py.callers.probe import Asker, Prober, Verdict, verdict_of
from sezzlee_py.callers.scope import CallerScope
from sezzlee_py.callers.store import MemoryStore
from sezzlee_py.callers.visibility import Decision
from sezzlee_py.invoke.dispatch import DeadlineExpired, marks
from sezzlee_py.invoke.probing import ProbeRun, reach_cut
from sezzlee_py.invoke.runtime import LoopRuntime
from sezzlee_py.model import (
    Anonymous,
    Auth,
    BackendRequest,
    BackendResponse,
    Constant,
    OuterRequest,
    ParameterLocation,
    ParameterSlot,
    Provider,
    RequestTemplate,
    ScalarKind,
    ToolDefinition,
)
from sezzlee_py.options import Options

ALLOW, DENY, UNKNOWN = Decision.ALLOW, Decision.DENY, Decision.UNKNOWN
GUARDED = Auth(anonymous=Anonymous.NO)
CALLER = McpCaller(fields=(("authorization", "Bearer t"),))
OUTER = OuterRequest(headers=(("host", "shop.test"), ("x-other", "1")))


def tool(
    name: str = "tool",
    *slots: ParameterSlot,
    method: str = "GET",
    route: str = "/things",
    auth: Auth = GUARDED,
    properties: Mapping[str, Any] | None = None,
) -> ToolDefinition:
    return ToolDefinition(
        name=name,
        description="",
        input_schema={"properties": properties or {}},
        annotations={},
        method=method,
        route=route,
        auth=auth,
        endpoint_key=name,
        template=RequestTemplate(method=method, route=route, parameters=slots),
    )


class App:
    """A dispatcher that answers a status, as the cut or as the application."""

    def __init__(self, status: int | Exception = 204, *, reached: bool = True) -> None:
        self.status = status
        self.reached = reached
        self.requests: list[BackendRequest] = []
        self.left_s = 0.0
        self.together = 0
        self.most = 0
        self.keys: set[Any] = set()

    async def send(self, request: BackendRequest, **facts: Any) -> BackendResponse:
        assert facts["probe"] is True
        self.requests.append(request)
        self.left_s = facts["deadline"] - time.monotonic()
        self.together += 1
        self.most = max(self.most, self.together)
        await asyncio.sleep(0)
        self.together -= 1
        if self.reached:
            keys = self.keys or {(name, request.method) for name in NAMES}
            assert facts["context"].run(reach_cut, keys, None)
        if isinstance(self.status, Exception):
            raise self.status
        return BackendResponse(status=self.status)


NAMES = ["tool", *(f"tool_{number}" for number in range(40))]
ALL_CUT = frozenset((name, method) for name in NAMES for method in ("GET", "POST", "DELETE"))


class Bench:
    """A prober over one app."""

    def __init__(
        self,
        app: App,
        *,
        proven: Any = ALL_CUT,
        resolve: Callable[..., Any] | None = None,
        **visibility: Any,
    ) -> None:
        options = Options(visibility={"probe": True, **visibility})
        self.app = app
        self.cuts = 0
        self.store = options.cache.store = MemoryStore()
        self.cache = CallerCache(options.cache, LoopRuntime())
        self.disabled: set[Any] = set()

        def cut() -> Any:
            self.cuts += 1
            return proven

        self.prober = Prober(
            app,
            LoopRuntime(),
            options,
            self.cache,
            resolve=resolve or (lambda *_, **__: "tool"),
            cut=cut,
        )

    async def ask(self, *tools: ToolDefinition, scope: str = "ada") -> Mapping[str, Decision]:
        asker = Asker(
            caller=CALLER,
            outer=OUTER,
            scope=CallerScope(scope),
            epoch=self.cache.epoch,
            disabled=self.disabled,
        )
        return await self.prober.verdicts(tools or (tool(),), asker)


TABLE = [
    (401, True, DENY, False, False),
    (403, True, DENY, False, False),
    (401, False, DENY, False, False),
    (403, False, DENY, False, False),
    (204, True, ALLOW, False, False),
    (200, True, ALLOW, False, False),
    (302, True, UNKNOWN, False, False),
    (500, True, UNKNOWN, False, False),
    (404, False, UNKNOWN, True, False),
    (422, False, UNKNOWN, True, False),
    (400, False, UNKNOWN, True, False),
    (200, False, UNKNOWN, True, True),
    (204, False, UNKNOWN, True, True),
    (302, False, UNKNOWN, True, True),
    (402, True, UNKNOWN, False, False),
    (402, False, UNKNOWN, True, True),
    (405, False, UNKNOWN, True, True),
    (409, False, UNKNOWN, True, True),
    (429, False, UNKNOWN, True, True),
    (500, False, UNKNOWN, True, True),
]


@pytest.mark.parametrize(("status", "reached", "decision", "ends", "may_have_run"), TABLE)
def test_an_answer_says_what_the_table_says(
    status: int, reached: bool, decision: Decision, ends: bool, may_have_run: bool
) -> None:
    found = verdict_of(BackendResponse(status=status), reached=reached)
    assert (found.decision, found.why is not None, found.may_have_run) == (
        decision,
        ends,
        may_have_run,
    )
    assert isinstance(found, Verdict)


@pytest.mark.parametrize(("status", "reached", "decision", "ends", "may_have_run"), TABLE)
async def test_an_endpoint_is_asked_again_only_where_nothing_was_settled(
    status: int,
    reached: bool,
    decision: Decision,
    ends: bool,
    may_have_run: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench(App(status, reached=reached))
    with caplog.at_level(logging.INFO):
        first = await bench.ask()
        again = await bench.ask(scope="grace")
    expected = {} if decision is UNKNOWN else {"tool": decision}
    assert (first, again) == (expected, expected)
    assert len(bench.app.requests) == (1 if ends else 2)
    levels = [record.levelno for record in caplog.records]
    assert levels == ([logging.WARNING if may_have_run else logging.INFO] if ends else [])


async def test_a_certain_verdict_is_asked_for_once_per_caller() -> None:
    bench = Bench(App(204))
    assert [await bench.ask() for _ in range(3)] == [{"tool": ALLOW}] * 3
    assert (len(bench.app.requests), bench.cuts) == (1, 1)
    bench.cache.invalidate(CLEAR)
    await bench.ask()
    assert len(bench.app.requests) == 2


async def test_a_verdict_is_kept_under_its_tool_s_name() -> None:
    bench = Bench(App(204))
    await bench.ask(replace(tool(), name="variant"))
    kept, key = bench.store, CallerScope("ada").key
    names = [f"sezzlee:v1:{key}:probe:{name}" for name in ("variant", "tool")]
    assert [kept.get(CallerScope("ada"), name) for name in names] == ["A", None]


async def test_an_uncertain_one_is_not_kept() -> None:
    bench = Bench(App(500, reached=True))
    await bench.ask()
    assert len(bench.store) == 0
    bench.app.status = 204
    assert await bench.ask() == {"tool": ALLOW}


async def test_the_request_is_the_caller_s_without_query_and_body() -> None:
    bench = Bench(App(204))
    await bench.ask(tool(method="POST"))
    (request,) = bench.app.requests
    assert (request.method, request.path, request.query, request.body) == (
        "POST",
        "/things",
        "",
        None,
    )
    names = dict(request.headers)
    assert names.pop("user-agent").startswith("sezzlee_py/")
    assert names == {
        "host": "shop.test",
        "authorization": "Bearer t",
        "accept": "application/json",
    }


def in_path(name: str, *kinds: ScalarKind, **more: Any) -> ParameterSlot:
    return ParameterSlot(
        name=name,
        agent_name=more.pop("agent_name", name),
        location=ParameterLocation.PATH,
        required=True,
        kinds=kinds,
        style="simple",
        **more,
    )


VALUES: dict[str, tuple[ParameterSlot, Mapping[str, Any], str]] = {
    "integer": (in_path("v", ScalarKind.INTEGER), {}, "1"),
    "number": (in_path("v", ScalarKind.NUMBER), {}, "1"),
    "boolean": (in_path("v", ScalarKind.BOOLEAN), {}, "true"),
    "string": (in_path("v", ScalarKind.STRING), {}, "probe"),
    "anything": (in_path("v"), {}, "probe"),
    "uuid": (
        in_path("v", ScalarKind.STRING),
        {"v": {"format": "uuid"}},
        "00000000-0000-0000-0000-000000000000",
    ),
    "date": (in_path("v", ScalarKind.STRING), {"v": {"format": "date"}}, "2000-01-01"),
    "datetime": (in_path("v", ScalarKind.STRING), {"v": {"format": "date-time"}}, "probe"),
    "renamed": (
        in_path("v", ScalarKind.STRING, agent_name="day"),
        {"day": {"format": "date"}},
        "2000-01-01",
    ),
    "constant": (in_path("v", ScalarKind.STRING, fill=Constant("eu west")), {}, "eu%20west"),
    "deferred": (in_path("v", ScalarKind.INTEGER, fill=Provider("tenant")), {}, "1"),
    "given": (in_path("given", ScalarKind.INTEGER), {}, "4711"),
    "array": (in_path("v", ScalarKind.INTEGER, array=True), {}, "1"),
    "spanning": (in_path("v", ScalarKind.STRING, spans_segments=True), {}, "probe"),
}


@pytest.mark.parametrize("case", VALUES)
async def test_path_values_come_from_fill_host_or_kind(case: str) -> None:
    slot, properties, written = VALUES[case]
    bench = Bench(App(204), probe_values={"given": 4711})
    route = f"/a b/{{{slot.name}}}/end"
    await bench.ask(tool("tool", slot, route=route, properties=properties))
    assert [request.path for request in bench.app.requests] == [f"/a%20b/{written}/end"]


@pytest.mark.parametrize("value", ["../admin", "", object(), None])
async def test_a_value_that_cannot_stand_in_a_path_is_not_sent(value: Any) -> None:
    bench = Bench(App(204), probe_values={"v": value})
    slot = in_path("v", ScalarKind.STRING)
    assert await bench.ask(tool("tool", slot, route="/x/{v}")) == {}
    assert bench.app.requests == []


async def test_a_tool_without_a_template_is_not_probed() -> None:
    bare = ToolDefinition(
        name="tool", description="", input_schema={}, annotations={}, method="GET", route="/"
    )
    bench = Bench(App(204))
    assert (await bench.ask(bare), bench.app.requests) == ({}, [])


@pytest.mark.parametrize("picked", [None, "neighbour"])
async def test_a_path_that_leads_elsewhere_is_not_sent(picked: Any) -> None:
    bench = Bench(App(204), resolve=lambda *_, **__: picked)
    assert (await bench.ask(), bench.app.requests) == ({}, [])


async def test_a_path_is_looked_up_at_the_caller_s_host() -> None:
    asked: list[Any] = []

    def resolve(*place: Any, host: str | None) -> str:
        asked.append((*place, host))
        return "tool"

    await Bench(App(204), resolve=resolve).ask()
    assert asked == [("GET", "/things", "shop.test")]


async def test_no_more_than_the_budget_is_asked_and_no_more_at_once() -> None:
    bench = Bench(
        App(204),
        resolve=lambda *_, **__: None,
        probe_top_k=5,
        probe_concurrency=2,
    )
    names = iter(NAMES[1:])
    bench.prober._resolve = lambda *_, **__: next(names)
    found = await bench.ask(*[tool(name) for name in NAMES[1:30]])
    assert found == dict.fromkeys(NAMES[1:6], ALLOW)
    assert (len(bench.app.requests), bench.app.most) == (5, 2)


async def test_a_budget_of_nothing_asks_nothing() -> None:
    bench = Bench(App(204), probe_top_k=0)
    assert (await bench.ask(), bench.app.requests, bench.cuts) == ({}, [], 0)


async def test_overlapping_searches_of_one_caller_ask_once() -> None:
    bench = Bench(App(204))
    found = await asyncio.gather(*[bench.ask() for _ in range(10)])
    assert (found, len(bench.app.requests)) == ([{"tool": ALLOW}] * 10, 1)


# --- where the cut is not proven ----------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("auth", [GUARDED, Auth(policies=("scope:a",))])
async def test_an_unproven_read_with_declared_authorization_is_asked(
    method: str, auth: Auth
) -> None:
    bench = Bench(App(403, reached=False), proven=frozenset())
    assert await bench.ask(tool(method=method, auth=auth)) == {"tool": DENY}
    assert len(bench.app.requests) == 1


@pytest.mark.parametrize(
    ("method", "auth"),
    [
        ("POST", GUARDED),
        ("DELETE", GUARDED),
        ("PUT", GUARDED),
        ("PATCH", GUARDED),
        ("OPTIONS", GUARDED),
        ("GET", Auth()),
        ("GET", Auth(anonymous=Anonymous.YES)),
    ],
)
async def test_any_other_unproven_endpoint_is_never_asked(method: str, auth: Auth) -> None:
    bench = Bench(App(403, reached=False), proven=frozenset())
    assert (await bench.ask(tool(method=method, auth=auth)), bench.app.requests) == ({}, [])


async def test_an_unproven_read_runs_at_most_once_whoever_asks_at_once() -> None:
    bench = Bench(App(200, reached=False), proven=frozenset())
    found = await asyncio.gather(*[bench.ask(scope=name) for name in "abcdefgh"])
    assert (found, len(bench.app.requests)) == ([{}] * 8, 1)


async def test_an_unproven_read_that_denied_one_is_asked_for_the_next() -> None:
    bench = Bench(App(401, reached=False), proven=frozenset())
    assert [await bench.ask(scope=name) for name in "ab"] == [{"tool": DENY}] * 2
    assert bench.disabled == set()


@pytest.mark.parametrize("proven", [ALL_CUT, frozenset()])
async def test_a_probe_that_takes_too_long_may_have_run(proven: Any) -> None:
    bench = Bench(App(DeadlineExpired(), reached=False), proven=proven)
    await bench.ask()
    assert (await bench.ask(), len(bench.app.requests)) == ({}, 1)


async def test_a_probe_is_given_two_seconds() -> None:
    bench = Bench(App(204))
    await bench.ask()
    assert 1 < bench.app.left_s <= 2


async def test_a_slow_answer_after_the_cut_settles_nothing() -> None:
    bench = Bench(App(DeadlineExpired(), reached=True))
    await bench.ask()
    assert (await bench.ask(), len(bench.app.requests)) == ({}, 2)


async def test_a_dispatcher_that_breaks_leaves_the_endpoint_alone() -> None:
    bench = Bench(App(RuntimeError("boom"), reached=False), proven=frozenset())
    assert await bench.ask() == {}
    assert bench.disabled == {("tool", "GET")}


# --- the cut ------------------------------------------------------------------------------------


def test_a_cut_knows_a_probe_by_its_key_or_by_its_mark() -> None:
    run = ProbeRun(("view", "GET"))
    context = run.enter(Context())
    own, other = {("view", "GET")}, {("neighbour", "GET")}
    assert not reach_cut(own, None)
    assert not reach_cut(own, {"sezzlee.probe": True})
    # A call that a guard makes into the application is no probe of its target.
    assert not context.run(reach_cut, other, {})
    assert not run.reached
    # A probe that was led astray is stopped, and proves nothing.
    assert context.run(reach_cut, other, marks(probe=True))
    assert not run.reached
    assert reach_cut(own, marks(probe=True))
    assert context.run(reach_cut, own, {})
    assert run.reached
