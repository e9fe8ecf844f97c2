"""Dispatch into ASGI applications: the scope, the two channels, and every way a call may end."""

import asyncio
import logging
import threading
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import pytest
from starlette.background import BackgroundTask
from starlette.responses import PlainTextResponse, StreamingResponse

from sezzlee_py import is_sezzlee_probe, is_sezzlee_request
from sezzlee_py.invoke.asgi import ASGIDispatcher, Receive, Scope, Send, _Exchange
from sezzlee_py.invoke.dispatch import (
    PROBE_MARK,
    REQUEST_MARK,
    DeadlineExpired,
    fresh_context,
    is_inside_dispatch,
)
from sezzlee_py.model import BackendRequest, BackendResponse, Headers, OuterRequest

App = Callable[[Scope, Receive, Send], Awaitable[None]]

OUTER = OuterRequest(
    headers=(("host", "shop.example"), ("x-forwarded-for", "198.51.100.7")),
    client=("203.0.113.9", 50_123),
    scheme="https",
    server=("shop.example", 8443),
    http_version="2",
    root_path="/shop",
    native={
        "user": "ada",
        "state": {"user": "ada"},
        "session": {},
        "auth": 1,
        "extensions": {"http.response.pathsend": {}},
    },
)
GONE = BackendResponse(status=500)


def request_for(
    method: str = "GET",
    path: str = "/a",
    *,
    query: str = "",
    headers: Headers = (),
    body: bytes | None = None,
    outer: OuterRequest = OUTER,
) -> BackendRequest:
    return BackendRequest(
        method=method, path=path, query=query, headers=headers, body=body, outer=outer
    )


async def send(
    app: App,
    request: BackendRequest | None = None,
    *,
    max_bytes: int = 1_000_000,
    timeout_s: float | None = 30,
    carried: tuple[ContextVar[Any], ...] = (),
    probe: bool = False,
    **options: Any,
) -> BackendResponse:
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    return await ASGIDispatcher(app, **options).send(
        request or request_for(),
        max_bytes=max_bytes,
        deadline=deadline,
        context=fresh_context(carried),
        probe=probe,
    )


def start(status: int = 200, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def body(content: bytes = b"", *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": more}


def sending(*messages: dict[str, Any]) -> App:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    return app


class Seen:
    """An application that keeps what it was called with."""

    def __init__(self) -> None:
        self.scope: Scope = {}
        self.messages: list[Any] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.messages.append(await receive())
        await send(start(204))
        await send(body())


# --- the scope -------------------------------------------------------------------------------


async def test_every_key_of_the_scope_is_the_outer_requests_or_the_composed() -> None:
    seen = Seen()
    request = request_for(
        "POST",
        "/a%20b/%C3%A4%2Fc",
        query="q=1%202&r=%26",
        headers=(("host", "shop.example"), ("x-note", "é")),
        body=b"{}",
    )
    await send(seen, request, state=lambda: MappingProxyType({"pool": 7}))
    assert seen.scope.pop(REQUEST_MARK) is not None
    assert seen.scope == {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "2",
        "scheme": "https",
        "server": ("shop.example", 8443),
        "client": ("203.0.113.9", 50_123),
        "method": "POST",
        "root_path": "/shop",
        "path": "/shop/a b/ä/c",
        "raw_path": b"/shop/a%20b/%C3%A4%2Fc",
        "query_string": b"q=1%202&r=%26",
        "headers": [(b"host", b"shop.example"), (b"x-note", b"\xe9")],
        "state": {"pool": 7},
        "extensions": {},
    }


async def test_without_a_client_or_a_server_none_is_made_up() -> None:
    seen = Seen()
    await send(seen, request_for(outer=OuterRequest()))
    assert (seen.scope["client"], seen.scope["server"]) == (None, None)
    assert (seen.scope["path"], seen.scope["raw_path"], seen.scope["root_path"]) == (
        "/a",
        b"/a",
        "",
    )


async def test_a_root_path_is_encoded_for_the_raw_path() -> None:
    seen = Seen()
    await send(seen, request_for(outer=OuterRequest(root_path="/größe")))
    assert seen.scope["raw_path"] == b"/gr%C3%B6%C3%9Fe/a"
    assert seen.scope["path"] == "/größe/a"


async def test_each_request_has_its_own_copy_of_the_lifespan_state() -> None:
    lifespan: dict[str, Any] = {"pool": []}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert set(scope["state"]) == {"pool"}
        assert scope["state"]["pool"] is lifespan["pool"]
        scope["state"]["user"] = "ada"
        scope["asgi"]["version"] = "9"
        scope["extensions"]["x"] = {}
        await sending(start(), body())(scope, receive, send)

    for _ in range(2):
        assert (await send(app, state=lambda: lifespan)).status == 200
    assert set(lifespan) == {"pool"}


@pytest.mark.parametrize("probe", [False, True])
async def test_a_request_of_the_sdk_is_told_by_objects_no_client_can_send(probe: bool) -> None:
    seen = Seen()
    await send(seen, probe=probe)
    assert is_sezzlee_request(seen.scope)
    assert is_sezzlee_probe(seen.scope) is probe
    for spoofed in (True, "1", object(), {REQUEST_MARK: True}):
        assert not is_sezzlee_request({REQUEST_MARK: spoofed})
        assert not is_sezzlee_probe({PROBE_MARK: spoofed})


# --- receive ---------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [None, b"", b"{}"])
async def test_the_whole_body_arrives_in_one_message(content: bytes | None) -> None:
    seen = Seen()
    await send(seen, request_for("POST", body=content))
    assert seen.messages == [{"type": "http.request", "body": content or b"", "more_body": False}]


async def test_a_disconnect_comes_after_the_response_and_not_before() -> None:
    order: list[str] = []
    finished = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async def listen() -> None:
            order.append((await receive())["type"])

        await receive()
        listening = asyncio.create_task(listen())
        for _ in range(3):
            await asyncio.sleep(0)
        order.append("answered")
        await send(start())
        await send(body(b"x"))
        await listening
        order.append((await receive())["type"])
        finished.set()

    assert (await send(app)).body == b"x"
    await finished.wait()
    assert order == ["answered", "http.disconnect", "http.disconnect"]


# --- send ------------------------------------------------------------------------------------


async def test_status_headers_and_bytes_are_collected_and_cookies_discarded() -> None:
    app = sending(
        {"type": "http.response.early_hint", "links": []},
        start(
            201,
            (b"Content-Type", b"text/plain"),
            (b"set-cookie", b"sid=1"),
            (b"X-Note", b"\xe9"),
            (b"Set-Cookie", b"b=2"),
            (b"x-note", b"b"),
        ),
        body(b"one", more=True),
        body(b"", more=True),
        body(b" two", more=True),
        body(b" three"),
    )
    assert await send(app) == BackendResponse(
        status=201,
        headers=(("content-type", "text/plain"), ("x-note", "é"), ("x-note", "b")),
        body=b"one two three",
    )


@pytest.mark.parametrize("chunk", [bytearray(b"ab"), memoryview(b"ab")])
async def test_other_kinds_of_bytes_are_bytes_in_the_end(chunk: Any) -> None:
    for messages in ((body(chunk),), (body(chunk, more=True), body(chunk))):
        answer = await send(sending(start(), *messages))
        assert (type(answer.body), answer.body) == (bytes, b"ab" * len(messages))


async def test_a_message_without_a_body_ends_the_response() -> None:
    assert await send(sending(start(), {"type": "http.response.body"})) == BackendResponse(
        status=200
    )


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
async def test_an_answer_that_has_no_body_has_none(
    method: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    app = sending(start(status, (b"content-length", b"9")), body(b"x" * 50))
    answer = await send(app, request_for(method), max_bytes=10)
    assert answer == BackendResponse(status=status, headers=(("content-length", "9"),))
    assert caplog.records == []


@pytest.mark.parametrize(("declared", "logged"), [("2", 0), (" 2 ", 0), ("3", 1), ("x", 1)])
async def test_a_declared_length_that_is_wrong_is_logged_and_the_bytes_win(
    declared: str, logged: int, caplog: pytest.LogCaptureFixture
) -> None:
    app = sending(start(200, (b"content-length", declared.encode())), body(b"{}"))
    assert (await send(app)).body == b"{}"
    assert len(caplog.records) == logged


# --- what is bounded -------------------------------------------------------------------------


@pytest.mark.parametrize("more", [False, True])
async def test_a_body_over_the_cap_is_cut_off(more: bool) -> None:
    app = sending(
        start(200, (b"a", b"b")), body(b"[" + b"1" * 60, more=True), body(b"2", more=more)
    )
    assert await send(app, max_bytes=61) == BackendResponse(
        status=200, headers=(("a", "b"),), body=b"[" + b"1" * 60 + b"2", oversized=62
    )


async def test_a_body_of_exactly_the_cap_is_whole() -> None:
    assert await send(sending(start(), body(b"1" * 61)), max_bytes=61) == BackendResponse(
        status=200, body=b"1" * 61
    )


@pytest.mark.parametrize("chunk", [b"x" * 100_000, b"data: tick\n\n"])
async def test_memory_does_not_grow_with_a_response_that_never_ends(
    chunk: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    budget, closed = 65_536, asyncio.Event()

    async def chunks() -> Any:
        try:
            for _ in range(10**9 // len(chunk)):
                yield chunk
        finally:
            closed.set()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await StreamingResponse(chunks())(scope, receive, send)

    dispatcher = ASGIDispatcher(app)
    tracemalloc.start()
    try:
        answer = await dispatcher.send(
            request_for(), max_bytes=4 * budget, deadline=None, context=fresh_context()
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.oversized is not None
    assert answer.oversized <= 4 * budget + len(chunk)
    assert len(answer.body) <= 2_048
    assert peak < 8 * budget
    await _ended(dispatcher)
    await asyncio.wait_for(closed.wait(), 2)
    assert caplog.records == []


async def test_an_endless_stream_of_nothing_ends_at_the_deadline() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send(start())
        while True:
            await send(body(more=True))

    with pytest.raises(DeadlineExpired):
        await send(app, timeout_s=0.02)


async def test_a_stream_that_was_cut_off_and_waits_is_cancelled_after_the_grace() -> None:
    ended: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send(start())
        with suppress(OSError):
            await send(body(b"x" * 50, more=True))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    dispatcher = ASGIDispatcher(app, cancel_grace_ms=0)
    answer = await dispatcher.send(
        request_for(), max_bytes=10, deadline=None, context=fresh_context()
    )
    assert answer.oversized == 50
    await _ended(dispatcher)
    assert ended == ["cancelled"]


async def test_the_background_task_of_an_answer_over_the_cap_runs_on() -> None:
    done = asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0)
        done.set()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("x" * 50, background=BackgroundTask(work))(scope, receive, send)

    assert (await send(app, max_bytes=10, cancel_grace_ms=0)).oversized == 50
    await asyncio.wait_for(done.wait(), 1)


# --- faults ----------------------------------------------------------------------------------


def raising(*messages: dict[str, Any], fault: BaseException) -> App:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await sending(*messages)(scope, receive, send)
        raise fault

    return app


FAULTS = [RuntimeError("postgresql://a:b@c"), SystemExit(1), asyncio.CancelledError()]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    "messages",
    [(), (start(),), (start(), body(b"{", more=True))],
    ids=["before", "begun", "midway"],
)
async def test_an_exception_before_the_end_is_a_bodiless_500(
    messages: tuple[dict[str, Any], ...], fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    assert await send(raising(*messages, fault=fault)) == GONE
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(logged) == (not isinstance(fault, asyncio.CancelledError))


async def test_an_exception_after_the_end_leaves_the_answer_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = raising(start(500), body(b"oops"), fault=RuntimeError("why"))
    assert await send(app) == BackendResponse(status=500, body=b"oops")
    assert [record.exc_info is not None for record in caplog.records] == [True]


@pytest.mark.parametrize("messages", [(), (start(),), (start(), body(b"{", more=True))])
async def test_an_application_that_returns_too_early_answers_nothing(
    messages: tuple[dict[str, Any], ...],
) -> None:
    assert await send(sending(*messages)) == GONE


@pytest.mark.parametrize(
    "messages",
    [
        (body(b"x"),),
        (start(), start(201), body(b"x")),
        ({"status": 200},),
        (start(), {"type": "http.response.body", "body": 7}),
        ({"type": "http.response.start"}, body(b"x")),
        ({"type": "http.response.start", "status": 200, "headers": [1]}, body(b"x")),
    ],
)
async def test_messages_no_server_would_take_are_the_applications_fault(
    messages: tuple[dict[str, Any], ...], caplog: pytest.LogCaptureFixture
) -> None:
    assert await send(sending(*messages)) == GONE
    assert len(caplog.records) == 1


async def test_what_is_sent_after_the_end_is_refused_and_changes_nothing() -> None:
    refused: list[BaseException] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await sending(start(), body(b"x"))(scope, receive, send)
        for message in (start(500), body(b"y")):
            with pytest.raises(OSError, match="no longer reads") as caught:
                await send(message)
            refused.append(caught.value)

    assert await send(app) == BackendResponse(status=200, body=b"x")
    assert len(refused) == 2


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), GeneratorExit()])
async def test_what_ends_a_process_is_passed_on(fault: BaseException) -> None:
    # Driven by hand: a loop would end the test run with it.
    exchange = _Exchange(request_for(), 10)
    with pytest.raises(type(fault)):
        await exchange.run(raising(fault=fault), {})
    assert exchange.answer == GONE


# --- deadline and cancellation ---------------------------------------------------------------


async def _ended(dispatcher: ASGIDispatcher) -> None:
    """Wait for the tasks that a dispatcher left to themselves."""
    if dispatcher._running:
        await asyncio.wait(dispatcher._running, timeout=2)
    assert not dispatcher._running


def waiting(log: list[str], *, stubborn: bool = False) -> App:
    """An application that waits for the disconnect, then for its cancellation."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        log.append((await receive())["type"])
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            log.append("cancelled")
            if not stubborn:
                raise
            log.append("went on")

    return app


@pytest.mark.parametrize("stubborn", [False, True])
async def test_at_the_deadline_comes_the_disconnect_and_after_the_grace_the_cancellation(
    stubborn: bool, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []
    dispatcher = ASGIDispatcher(waiting(log, stubborn=stubborn), cancel_grace_ms=10)
    with pytest.raises(DeadlineExpired):
        await dispatcher.send(
            request_for(), max_bytes=10, deadline=time.monotonic() + 0.01, context=fresh_context()
        )
    assert log == []
    await _ended(dispatcher)
    assert log == ["http.disconnect", "cancelled", *(["went on"] if stubborn else [])]
    assert caplog.records == []


async def test_without_a_grace_nothing_is_cancelled() -> None:
    log: list[str] = []
    dispatcher = ASGIDispatcher(waiting(log), cancel_grace_ms=None)
    with pytest.raises(DeadlineExpired):
        await dispatcher.send(request_for(), max_bytes=10, deadline=0, context=fresh_context())
    for _ in range(5):
        await asyncio.sleep(0)
    assert log == ["http.disconnect"]
    [task] = dispatcher._running
    task.cancel()
    await _ended(dispatcher)


async def test_an_application_that_stops_at_the_disconnect_is_not_cancelled() -> None:
    log: list[str] = []

    async def polite(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        # The grace is what there is to leave things tidy.
        for _ in range(5):
            await asyncio.sleep(0)
        log.append("tidy")
        raise OSError("the client left")

    dispatcher = ASGIDispatcher(polite, cancel_grace_ms=60_000)
    with pytest.raises(DeadlineExpired):
        await dispatcher.send(request_for(), max_bytes=10, deadline=0, context=fresh_context())
    await _ended(dispatcher)
    assert log == ["tidy"]


async def test_a_late_answer_is_dropped() -> None:
    late = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await late.wait()
        await sending(start(), body(b"x"))(scope, receive, send)

    dispatcher = ASGIDispatcher(app)
    with pytest.raises(DeadlineExpired):
        await dispatcher.send(request_for(), max_bytes=10, deadline=0, context=fresh_context())
    late.set()
    await _ended(dispatcher)


async def test_a_handler_that_sleeps_in_a_thread_frees_the_caller() -> None:
    release = threading.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.to_thread(release.wait, 5)

    dispatcher = ASGIDispatcher(app, cancel_grace_ms=None)
    begun = time.monotonic()
    with pytest.raises(DeadlineExpired):
        await dispatcher.send(
            request_for(), max_bytes=10, deadline=begun + 0.01, context=fresh_context()
        )
    assert time.monotonic() - begun < 2
    release.set()
    await _ended(dispatcher)


@pytest.mark.parametrize("turns", [0, 3])
async def test_a_caller_that_leaves_tells_the_application(turns: int) -> None:
    log: list[str] = []
    dispatcher = ASGIDispatcher(waiting(log), cancel_grace_ms=0)
    call = asyncio.create_task(
        dispatcher.send(request_for(), max_bytes=10, deadline=None, context=fresh_context())
    )
    for _ in range(turns + 1):
        await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await _ended(dispatcher)
    assert log == ["http.disconnect", "cancelled"]


async def test_a_caller_that_leaves_as_the_answer_comes_costs_the_application_nothing() -> None:
    ended: list[str] = []
    rest = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0)
        await sending(start(), body(b"x"))(scope, receive, send)
        call.cancel()
        await rest.wait()
        ended.append("whole")

    dispatcher = ASGIDispatcher(app, cancel_grace_ms=0)
    call = asyncio.create_task(
        dispatcher.send(request_for(), max_bytes=10, deadline=None, context=fresh_context())
    )
    with pytest.raises(asyncio.CancelledError):
        await call
    rest.set()
    await _ended(dispatcher)
    assert ended == ["whole"]


# --- context ---------------------------------------------------------------------------------

USER: ContextVar[str] = ContextVar("user", default="nobody")
TRACE: ContextVar[str] = ContextVar("trace")


async def test_nothing_of_the_callers_context_is_seen_inside_and_nothing_leaks_out() -> None:
    USER.set("ada")
    TRACE.set("t-1")
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append((USER.get(), TRACE.get("none"), is_inside_dispatch()))
        USER.set("inner")
        await sending(start(), body())(scope, receive, send)

    outer_task = asyncio.current_task()

    async def own_task(scope: Scope, receive: Receive, send: Send) -> None:
        assert asyncio.current_task() is not outer_task
        await app(scope, receive, send)

    await send(own_task)
    await send(own_task, carried=(TRACE, ContextVar("unset")))
    assert seen == [("nobody", "none", True), ("nobody", "t-1", True)]
    assert (USER.get(), is_inside_dispatch()) == ("ada", False)


async def test_each_call_is_a_task_of_its_own() -> None:
    tasks = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        tasks.append(asyncio.current_task())
        await send(start())
        await asyncio.sleep(0)
        tasks.append(asyncio.current_task())
        await send(body())

    await send(app)
    await send(app)
    first, then, second, _ = tasks
    assert first is then
    assert len({first, second, asyncio.current_task()}) == 3


async def test_the_tasks_of_calls_come_from_the_hosts_factory() -> None:
    made = []

    def factory(loop: Any, work: Any, **more: Any) -> Any:
        made.append(work.__name__)
        return asyncio.Task(work, loop=loop, **more)

    loop = asyncio.get_running_loop()
    loop.set_task_factory(factory)
    try:
        assert (await send(sending(start(), body(b"a")))).body == b"a"
    finally:
        loop.set_task_factory(None)
    assert made == ["run"]


async def test_two_hundred_parallel_calls_never_mix() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        number = scope["path"][1:]
        USER.set(number)
        scope["state"]["number"] = number
        for _ in range(int(number) % 7):
            await asyncio.sleep(0)
        content = (await receive())["body"]
        assert (USER.get(), scope["state"]["number"], content.decode()) == (number,) * 3
        await send(start(200, (b"x-number", number.encode())))
        await send(body(number.encode(), more=True))
        await asyncio.sleep(0)
        await send(body(b"!"))

    dispatcher = ASGIDispatcher(app, state=dict)

    async def call(number: str) -> BackendResponse:
        return await dispatcher.send(
            request_for("POST", f"/{number}", body=number.encode(), outer=OuterRequest()),
            max_bytes=100,
            deadline=time.monotonic() + 30,
            context=fresh_context(),
        )

    numbers = [str(n) for n in range(200)]
    assert await asyncio.gather(*map(call, numbers)) == [
        BackendResponse(status=200, headers=(("x-number", n),), body=n.encode() + b"!")
        for n in numbers
    ]
    assert not dispatcher._running


async def test_a_hundred_slow_calls_wait_together() -> None:
    arrived, release = 0, asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal arrived
        arrived += 1
        if arrived == 100:
            release.set()
        await release.wait()
        await sending(start(), body())(scope, receive, send)

    answers = await asyncio.gather(*[send(app) for _ in range(100)])
    assert {answer.status for answer in answers} == {200}
