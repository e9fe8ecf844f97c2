"""Listen streams, and clients that leave (spec: transport 5, results 7)."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from mcp.client.client import Client
from mcp_types import JSONRPCNotification, JSONRPCResponse
from mcp_types.methods import parse_server_notification, validate_server_result

from sezzlee_py.mcp import MetaCall, Subscriptions
from sezzlee_py.mcp.revisions import LATEST
from sezzlee_py.mcp.subscriptions import PING_S, server_is_leaving
from sezzlee_py.model import Emission, OuterRequest
from tests.endpoint.drive import modern_request
from tests.endpoint.stub import StubService, asgi_app
from tests.serving import served

WANTS = {"notifications": {"toolsListChanged": True}}


@dataclass
class Connection:
    """One open ASGI request, its messages as they come."""

    task: asyncio.Task[None]
    messages: asyncio.Queue[Any]
    left: asyncio.Event
    disconnect: Callable[[], None] = field(init=False)

    def __post_init__(self) -> None:
        self.disconnect = self.left.set

    async def message(self) -> Any:
        return await asyncio.wait_for(self.messages.get(), 5)

    async def end(self) -> None:
        """Wait until the request is over by itself; `wait_for` would end it, and look the same."""
        over, _ = await asyncio.wait({self.task}, timeout=5)
        assert over

    async def frame(self) -> Any:
        """The document of the next event; `None` for a comment."""
        text = (await self.message())["body"].decode()
        if text.startswith(":"):
            return None
        event, data, end = text.split("\n", 2)
        assert (event, end) == ("event: message", "\n")
        return json.loads(data.removeprefix("data: "))


@asynccontextmanager
async def opened(
    app: Any, method: str, params: Any, accept: str = "application/json, text/event-stream"
) -> AsyncIterator[Connection]:
    body, headers = modern_request(method, params)
    headers["accept"] = accept
    messages: asyncio.Queue[Any] = asyncio.Queue()
    left = asyncio.Event()
    incoming = [{"type": "http.request", "body": json.dumps(body).encode()}]

    async def receive() -> Any:
        if incoming:
            return incoming.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    connection = Connection(asyncio.create_task(app(scope, receive, messages.put)), messages, left)
    try:
        yield connection
    finally:
        connection.task.cancel()
        await asyncio.gather(connection.task, return_exceptions=True)


def checked(document: Any) -> Any:
    notification = JSONRPCNotification.model_validate(document)
    return parse_server_notification(notification.method, LATEST, notification.params)


async def test_a_stream_opens_acknowledged_and_tells_each_change_once() -> None:
    subscriptions = Subscriptions()
    app = asgi_app(subscriptions=subscriptions)
    identity = {"_meta": {"io.modelcontextprotocol/subscriptionId": 1}}
    async with opened(app, "subscriptions/listen", WANTS) as stream:
        start = await stream.message()
        assert (start["status"], dict(start["headers"])) == (
            200,
            {
                b"content-type": b"text/event-stream",
                b"cache-control": b"no-cache, no-transform",
                b"x-accel-buffering": b"no",
            },
        )
        acknowledged = await stream.frame()
        assert acknowledged == {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {**identity, "notifications": {"toolsListChanged": True}},
        }
        checked(acknowledged)
        for _ in range(2):
            subscriptions.notify_list_changed()
            changed = await stream.frame()
            assert changed == {
                "jsonrpc": "2.0",
                "method": "notifications/tools/list_changed",
                "params": identity,
            }
            checked(changed)
        assert stream.messages.empty()


async def test_a_change_reaches_every_stream_that_asked_and_no_other() -> None:
    subscriptions = Subscriptions()
    app = asgi_app(subscriptions=subscriptions)
    quiet_wish = {"notifications": {"promptsListChanged": True, "toolsListChanged": "yes"}}
    async with (
        opened(app, "subscriptions/listen", WANTS) as one,
        opened(app, "subscriptions/listen", WANTS) as two,
        opened(app, "subscriptions/listen", quiet_wish) as quiet,
    ):
        for stream in (one, two, quiet):
            await stream.message()
            honoured = (await stream.frame())["params"]["notifications"]
            assert honoured == ({} if stream is quiet else {"toolsListChanged": True})
        subscriptions.notify_list_changed()
        assert (await one.frame())["method"] == "notifications/tools/list_changed"
        assert (await two.frame())["method"] == "notifications/tools/list_changed"
        subscriptions.close()
        assert (await quiet.frame())["id"] == 1


async def test_changes_that_a_client_is_behind_with_coalesce() -> None:
    subscriptions = Subscriptions()
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        # No turn of the loop in between: the stream cannot write meanwhile.
        for _ in range(160):
            subscriptions.notify_list_changed()
        subscriptions.close()
        frames = [await stream.frame() for _ in range(17)]
        methods = [frame.get("method") for frame in frames]
        assert methods == ["notifications/tools/list_changed"] * 16 + [None]


async def test_closing_ends_the_stream_with_its_result() -> None:
    subscriptions = Subscriptions()
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        subscriptions.close()
        end = await stream.frame()
        result = JSONRPCResponse.model_validate(end).result
        validate_server_result("subscriptions/listen", LATEST, result)
        assert await stream.message() == {
            "type": "http.response.body",
            "body": b"",
            "more_body": False,
        }
        await stream.end()
        subscriptions.notify_list_changed()


async def test_a_silent_stream_is_pinged() -> None:
    assert PING_S == 15
    subscriptions = Subscriptions(ping_s=0.001)
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        assert await stream.frame() is None
        assert await stream.frame() is None


async def test_each_ping_comes_after_a_whole_silence_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sezzlee_py.mcp.subscriptions._LEAVING_CHECK_S", 2**-10)
    checks = 0

    def is_leaving() -> bool:
        nonlocal checks
        checks += 1
        return checks == 7

    # A ping takes the place of every fourth check.
    subscriptions = Subscriptions(ping_s=4 * 2**-10, is_leaving=is_leaving)
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        assert [await stream.frame() for _ in range(2)] == [None, None]
        assert (await stream.frame())["id"] == 1


async def test_a_stream_ends_when_its_server_was_told_to_exit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sezzlee_py.mcp.subscriptions._LEAVING_CHECK_S", 0.001)
    leaving = iter([False, False, True])
    subscriptions = Subscriptions(is_leaving=lambda: next(leaving))
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        assert (await stream.frame())["id"] == 1
        await stream.end()


def test_a_server_is_leaving_when_its_signal_handler_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = uvicorn.Server(uvicorn.Config(asgi_app()))
    assert not server_is_leaving()
    monkeypatch.setattr("signal.getsignal", lambda number: server.handle_exit)
    assert not server_is_leaving()
    server.should_exit = True
    assert server_is_leaving()


async def test_a_stream_ends_when_its_client_leaves() -> None:
    subscriptions = Subscriptions()
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        stream.disconnect()
        await stream.end()
        assert subscriptions._open == set()


async def test_a_change_may_be_told_from_any_thread() -> None:
    subscriptions = Subscriptions()
    async with opened(
        asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS
    ) as stream:
        await stream.message()
        await stream.frame()
        await asyncio.to_thread(subscriptions.notify_list_changed)
        assert (await stream.frame())["method"] == "notifications/tools/list_changed"


def test_telling_a_stream_whose_loop_has_closed_does_nothing() -> None:
    subscriptions = Subscriptions()

    async def open_and_abandon() -> Any:
        body, _ = modern_request("subscriptions/listen", WANTS)
        listen = asgi_app()._protocol.receive(None, json.dumps(body).encode())
        frames = subscriptions.frames(listen)  # type: ignore[arg-type]  # it is a listen request
        await anext(frames)
        return frames

    loop = asyncio.new_event_loop()
    frames = loop.run_until_complete(open_and_abandon())
    loop.close()
    subscriptions.notify_list_changed()
    with pytest.raises(StopIteration):
        frames.aclose().send(None)


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream;q=0"])
async def test_a_client_that_takes_no_stream_gets_none(accept: str) -> None:
    async with opened(asgi_app(), "subscriptions/listen", WANTS, accept) as stream:
        assert (await stream.message())["status"] == 406


@pytest.mark.parametrize("params", [{}, {"notifications": None}, {"notifications": []}])
async def test_a_listen_request_without_a_filter_is_invalid(params: Any) -> None:
    async with opened(asgi_app(), "subscriptions/listen", params) as stream:
        assert (await stream.message())["status"] == 400
        assert json.loads((await stream.message())["body"])["error"]["code"] == -32602


# --- clients that leave ------------------------------------------------------------------------


class Hanging(StubService):
    """A service whose calls last until they are cancelled."""

    def __init__(self, *, stubborn: bool = False) -> None:
        super().__init__()
        self.stubborn = stubborn
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def call(self, call: MetaCall, outer: OuterRequest) -> Emission:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            if not self.stubborn:
                raise
        return Emission(text="{}", payload={})


LOAD = {"name": "load_tool", "arguments": {"name": "x"}}


async def test_a_call_is_cancelled_and_unanswered_when_its_client_leaves() -> None:
    service = Hanging()
    async with opened(asgi_app(service), "tools/call", LOAD) as call:
        await asyncio.wait_for(service.started.wait(), 5)
        call.disconnect()
        await call.end()
        assert service.cancelled.is_set()
        assert call.messages.empty()


async def test_a_call_that_answers_its_cancellation_harms_nobody() -> None:
    service = Hanging(stubborn=True)
    async with opened(asgi_app(service), "tools/call", LOAD) as call:
        await asyncio.wait_for(service.started.wait(), 5)
        call.disconnect()
        await call.end()
        assert (await call.message())["status"] == 200


async def test_the_servers_own_cancellation_passes_through() -> None:
    service = Hanging()
    async with opened(asgi_app(service), "tools/call", LOAD) as call:
        await asyncio.wait_for(service.started.wait(), 5)
        call.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call.task
        assert service.cancelled.is_set()


async def exchange(app: Any, incoming: Any, scope: Any = None) -> list[Any]:
    """What the application sends for messages that come one after the other."""
    sent: list[Any] = []

    async def receive() -> Any:
        if not incoming:
            await asyncio.Event().wait()
        message = incoming.pop(0)
        if isinstance(message, Exception):
            raise message
        return message

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    await app(scope or {"type": "http", "method": "POST", "headers": headers}, receive, send)
    return sent


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([(b"origin", b"http://evil.example")], 403),
        ([(b"content-type", b"text/plain")], 415),
        ([(b"content-type", b"application/json"), (b"content-length", b"99999999")], 413),
    ],
)
async def test_a_refused_head_is_answered_without_reading(
    headers: list[tuple[bytes, bytes]], status: int
) -> None:
    unread = [AssertionError("the body was read")]
    scope = {"type": "http", "method": "POST", "headers": headers}
    start, _ = await exchange(asgi_app(), unread, scope)
    assert (start["status"], len(unread)) == (status, 1)


async def test_a_client_that_leaves_while_it_sends_is_not_answered() -> None:
    incoming = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]
    assert await exchange(asgi_app(), incoming) == []


async def test_a_broken_receive_is_a_server_error_and_no_exception() -> None:
    start, _ = await exchange(asgi_app(), [OSError("gone")])
    assert start["status"] == 500


async def test_a_watch_that_breaks_does_not_touch_the_call() -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    for late in (OSError("gone"), {"type": "http.request", "body": b"more"}):
        start, _ = await exchange(asgi_app(), [{"type": "http.request", "body": body}, late])
        assert start["status"] == 200


async def test_a_broken_send_does_not_reach_the_server() -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": b"{"}

    async def send(message: Any) -> None:
        raise OSError("gone")

    await asgi_app()({"type": "http", "method": "POST", "headers": []}, receive, send)


async def test_other_connections_than_http_are_declined() -> None:
    assert await exchange(asgi_app(), [], {"type": "websocket"}) == [
        {"type": "websocket.close", "code": 1000}
    ]
    assert await exchange(asgi_app(), [], {"type": "lifespan"}) == []


# --- the official client on a real connection --------------------------------------------------


async def test_the_official_client_hears_of_changes_and_of_the_end() -> None:
    subscriptions = Subscriptions()
    async with (
        served(lambda _: asgi_app(subscriptions=subscriptions)) as base,
        Client(f"{base}/mcp") as client,
        client.listen(tools_list_changed=True) as stream,
    ):
        assert stream.honored.tools_list_changed is True
        subscriptions.notify_list_changed()
        assert type(await asyncio.wait_for(anext(stream), 5)).__name__ == "ToolsListChanged"
        subscriptions.close()
        assert [event async for event in stream] == []


async def test_what_must_hear_of_changes_is_called_before_a_stream_opens() -> None:
    opened_streams: list[int] = []
    subscriptions = Subscriptions(opening=lambda: opened_streams.append(len(subscriptions._open)))
    async with opened(asgi_app(subscriptions=subscriptions), "subscriptions/listen", WANTS) as one:
        await one.message()
        await one.frame()
        assert (opened_streams, len(subscriptions._open)) == ([0], 1)
