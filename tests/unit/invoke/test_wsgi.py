"""Dispatch into WSGI applications, held against the standard library's own checker."""

import io
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any
from wsgiref.validate import validator

import pytest

from sezzlee_py import is_sezzlee_probe, is_sezzlee_request
from sezzlee_py.background.workers import Workers
from sezzlee_py.invoke import wsgi
from sezzlee_py.invoke.dispatch import DeadlineExpired, NeverStarted, fresh_context
from sezzlee_py.invoke.settle import drive
from sezzlee_py.invoke.wsgi import CANCELLED, WSGIApp, WSGIDispatcher
from sezzlee_py.model import BackendRequest, BackendResponse, Headers, OuterRequest

OUTER = {
    "REQUEST_METHOD": "POST",
    "SCRIPT_NAME": "/outer",
    "PATH_INFO": "/mcp",
    "QUERY_STRING": "outer=1",
    "wsgi.input": io.BytesIO(b"outer"),
    "SERVER_NAME": "shop.example",
    "SERVER_PORT": "8443",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "REMOTE_ADDR": "203.0.113.9",
    "REMOTE_PORT": "50123",
    "REMOTE_USER": "ada",
    "AUTH_TYPE": "Basic",
    "SSL_CLIENT_S_DN": "CN=ada",
    "HTTP_X_FORWARDED_FOR": "198.51.100.7",
    "CONTENT_LENGTH": "99",
    "wsgi.url_scheme": "https",
    "wsgi.multiprocess": True,
    "werkzeug.request": object(),
    "flask.app": object(),
    "gunicorn.socket": object(),
}


def request_for(
    method: str = "GET",
    path: str = "/a",
    *,
    query: str = "",
    headers: Headers = (),
    body: bytes | None = None,
    root_path: str = "",
) -> BackendRequest:
    return BackendRequest(
        method=method,
        path=path,
        query=query,
        headers=headers,
        body=body,
        outer=OuterRequest(native=OUTER, scheme="https", root_path=root_path),
    )


def send(
    app: WSGIApp,
    request: BackendRequest | None = None,
    *,
    deadline_s: float | None = None,
    max_bytes: int = 1_000,
    dispatcher: WSGIDispatcher | None = None,
    probe: bool = False,
) -> BackendResponse:
    return drive(
        (dispatcher or WSGIDispatcher(app)).send(
            request or request_for(),
            max_bytes=max_bytes,
            deadline=None if deadline_s is None else time.monotonic() + deadline_s,
            context=fresh_context(),
            probe=probe,
        )
    )


def seen(request: BackendRequest, **settings: Any) -> dict[str, Any]:
    """The environ that a correct application is called with."""
    found: dict[str, Any] = {}

    def app(environ: Any, start_response: Any) -> list[bytes]:
        found.update(environ)
        found["body"] = environ["wsgi.input"].read(10_000)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"ok"]

    checked = validator(app)
    dispatcher = WSGIDispatcher(checked, **settings)
    assert send(checked, request, dispatcher=dispatcher).status == 200
    return found


def answering(
    chunks: Iterable[bytes], status: str = "200 OK", headers: Headers = ()
) -> Callable[..., Iterable[bytes]]:
    def app(environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response(status, list(headers))
        return chunks

    return app


# --- the request --------------------------------------------------------------------------------


def test_the_environ_holds_the_outer_connection_and_the_inner_request_and_nothing_else() -> None:
    environ = seen(
        request_for(
            "POST",
            "/caf%C3%A9/a%20b",
            query="q=%C3%A9&x=1",
            headers=(
                ("host", "shop.example"),
                ("authorization", "Bearer t"),
                ("content-type", "application/json; charset=utf-8"),
                ("content-length", "2"),
                ("x-two", "a"),
                ("x-two", "b"),
                ("cookie", "a=1"),
                ("cookie", "b=2"),
            ),
            body=b"{}",
            root_path="/shop",
        )
    )
    for name in ("wsgi.input", "wsgi.errors", "sezzlee.request", CANCELLED):
        environ.pop(name)
    assert environ == {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "/shop",
        "PATH_INFO": "/caf\xc3\xa9/a b",
        "QUERY_STRING": "q=%C3%A9&x=1",
        "SERVER_NAME": "shop.example",
        "SERVER_PORT": "8443",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "203.0.113.9",
        "REMOTE_PORT": "50123",
        "HTTP_HOST": "shop.example",
        "HTTP_AUTHORIZATION": "Bearer t",
        "HTTP_X_TWO": "a,b",
        "HTTP_COOKIE": "a=1; b=2",
        "CONTENT_TYPE": "application/json; charset=utf-8",
        "CONTENT_LENGTH": "2",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "https",
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        "body": b"{}",
    }


def test_a_request_without_a_body_says_nothing_of_one() -> None:
    environ = seen(request_for("DELETE"))
    assert environ["body"] == b""
    assert not {"CONTENT_LENGTH", "CONTENT_TYPE"} & environ.keys()


def test_identity_of_the_server_is_copied_only_where_the_host_names_it() -> None:
    environ = seen(request_for(), environ_names=("REMOTE_USER", "MISSING"))
    assert environ["REMOTE_USER"] == "ada"
    assert not {"AUTH_TYPE", "SSL_CLIENT_S_DN", "MISSING"} & environ.keys()


def test_no_name_of_the_host_s_puts_the_outer_request_in_the_inner_one_s_place() -> None:
    names = ("REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "wsgi.input")
    request = request_for("PUT", "/inner", query="x=1")
    own = seen(request)
    named = seen(request, environ_names=names)
    assert [named[name] for name in (*names[:-1], "body")] == ["PUT", "", "/inner", "x=1", b""]
    assert named.keys() == own.keys()


def test_a_call_that_no_server_handed_in_has_a_connection_of_its_own() -> None:
    bare = BackendRequest(
        method="GET", path="/", query="", headers=(), body=None, outer=OuterRequest()
    )
    environ = seen(bare)
    kept = ("SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "wsgi.url_scheme")
    assert [environ[name] for name in kept] == ["localhost", "80", "HTTP/1.1", "http"]
    assert "REMOTE_ADDR" not in environ


def test_the_marks_are_objects_that_no_client_can_write() -> None:
    marked: list[bool] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        marked.extend([is_sezzlee_request(environ), is_sezzlee_probe(environ)])
        start_response("204 No Content", [])
        return []

    send(app)
    send(app, probe=True)
    assert marked == [True, False, True, True]


# --- the answer ---------------------------------------------------------------------------------


def test_chunks_written_and_yielded_make_one_body_and_cookies_go_nowhere() -> None:
    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        write = start_response("201 Created", [("X-A", "1"), ("Set-Cookie", "s=1"), ("x-a", "2")])
        write(b"one ")
        yield b""
        yield b"two"

    assert send(app) == BackendResponse(
        status=201, headers=(("x-a", "1"), ("x-a", "2")), body=b"one two"
    )


@pytest.mark.parametrize(
    ("method", "status"),
    [("HEAD", "200 OK"), ("GET", "204 No Content"), ("GET", "304 Not Modified")],
)
def test_an_answer_that_has_no_body_has_none_whatever_was_sent(method: str, status: str) -> None:
    answer = send(answering([b"x" * 5_000], status), request_for(method))
    assert (answer.status, answer.body, answer.oversized) == (int(status[:3]), b"", None)


def test_an_error_after_the_start_replaces_what_was_started() -> None:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("x-a", "1")])(b"half")
        start_response("503 Busy", [("x-b", "2")], (ValueError, ValueError(), None))
        return [b"busy"]

    assert send(app) == BackendResponse(status=503, headers=(("x-b", "2"),), body=b"busy")


class Chunks:
    """An iterable that knows whether it was closed."""

    def __init__(self, chunks: Iterable[bytes], *, fails_to_close: bool = False) -> None:
        self._chunks = chunks
        self._fails = fails_to_close
        self.closed = 0

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks

    def close(self) -> None:
        self.closed += 1
        if self._fails:
            raise RuntimeError("the session is gone: postgresql://u:p@db/x")


def broken() -> Iterator[bytes]:
    yield b"half"
    raise RuntimeError("no more")


@pytest.mark.parametrize(
    ("chunks", "status"),
    [(Chunks([b"a"]), 200), (Chunks(broken()), 500), (Chunks(iter([b"x" * 400] * 99)), 200)],
    ids=["whole", "broken", "too long"],
)
def test_the_iterable_is_closed_once_whatever_it_gives(chunks: Chunks, status: int) -> None:
    assert send(answering(chunks)).status == status
    assert chunks.closed == 1


def test_a_finished_answer_stands_when_closing_it_raises(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = send(answering(Chunks([b"done"], fails_to_close=True)))
    assert answer == BackendResponse(status=200, body=b"done")
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def raising(fault: BaseException) -> WSGIApp:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        raise fault

    return app


def twice(environ: Any, start_response: Any) -> list[bytes]:
    start_response("200 OK", [])
    start_response("200 OK", [])
    return [b"x"]


@pytest.mark.parametrize(
    "app",
    [
        raising(ValueError("x")),
        raising(SystemExit(1)),
        raising(KeyboardInterrupt()),
        raising(TimeoutError()),
        answering([b"x"], "no status"),
        twice,
        lambda environ, start_response: [b"never started"],
    ],
)
def test_an_application_that_fails_is_a_bodiless_500_and_is_logged(
    app: WSGIApp, caplog: pytest.LogCaptureFixture
) -> None:
    assert send(app) == BackendResponse(status=500)
    assert caplog.records[-1].levelno == logging.ERROR


def test_a_body_of_exactly_the_limit_is_whole() -> None:
    answer = send(answering([b"x" * 600, b"y" * 400]), max_bytes=1_000)
    assert answer == BackendResponse(status=200, body=b"x" * 600 + b"y" * 400)


def test_a_body_over_the_limit_is_read_no_further() -> None:
    given = 0

    def endless() -> Iterator[bytes]:
        nonlocal given
        while True:
            given += 1
            yield b"x" * 600

    answer = send(answering(endless()), max_bytes=1_000)
    assert (answer.oversized, given) == (1_200, 2)
    assert len(answer.body) <= 2_048


# --- threads, deadlines, contexts ---------------------------------------------------------------


def test_a_deadline_frees_the_caller_and_tells_the_view() -> None:
    told, ended = threading.Event(), threading.Event()

    def app(environ: Any, start_response: Any) -> list[bytes]:
        assert environ[CANCELLED].wait(5)
        told.set()
        start_response("200 OK", [])
        ended.set()
        return [b"late"]

    dispatcher = WSGIDispatcher(app)
    # Long enough for the view to begin on a machine that is busy; here and below.
    with pytest.raises(DeadlineExpired):
        send(app, deadline_s=0.3, dispatcher=dispatcher)
    assert told.wait(5)
    assert ended.wait(5)


def test_an_endless_stream_ends_and_is_closed_after_the_deadline() -> None:
    closed = threading.Event()

    def ticking() -> Iterator[bytes]:
        try:
            while True:
                yield b""
        finally:
            closed.set()

    with pytest.raises(DeadlineExpired):
        send(answering(ticking()), deadline_s=0.3)
    assert closed.wait(5)


def test_an_answer_nobody_waits_for_is_not_reported_as_too_short(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/slow":
            assert environ[CANCELLED].wait(5)
        start_response("200 OK", [("content-length", "4")])
        return [b"late"]

    # The one thread answers the second call when it is done with the first.
    monkeypatch.setattr(wsgi, "Workers", lambda name: Workers(name, limit=1))
    dispatcher = WSGIDispatcher(app)
    with pytest.raises(DeadlineExpired):
        send(app, request_for(path="/slow"), deadline_s=0.3, dispatcher=dispatcher)
    assert send(app, dispatcher=dispatcher).body == b"late"
    assert caplog.records == []


def test_a_call_that_found_no_thread_in_time_never_starts() -> None:
    go = threading.Event()
    started: list[str] = []
    full = threading.Semaphore(0)

    def app(environ: Any, start_response: Any) -> list[bytes]:
        started.append(environ["PATH_INFO"])
        full.release()
        go.wait(10)
        start_response("200 OK", [])
        return [b""]

    dispatcher = WSGIDispatcher(app)
    callers = [threading.Thread(target=lambda: send(app, dispatcher=dispatcher)) for _ in range(32)]
    for caller in callers:
        caller.start()
    for _ in callers:
        assert full.acquire(timeout=10)
    with pytest.raises(NeverStarted):
        send(app, request_for(path="/late"), deadline_s=0.01, dispatcher=dispatcher)
    go.set()
    for caller in callers:
        caller.join(10)
    assert send(app, request_for(path="/next"), dispatcher=dispatcher).status == 200
    assert sorted(set(started)) == ["/a", "/next"]


def test_nothing_of_the_caller_s_context_is_visible_and_nothing_leaks_out() -> None:
    user: ContextVar[str] = ContextVar("user", default="nobody")

    def app(environ: Any, start_response: Any) -> list[bytes]:
        before = user.get()
        user.set("inner")
        start_response("200 OK", [])
        return [before.encode()]

    user.set("outer")
    dispatcher = WSGIDispatcher(app)
    answers = [send(app, dispatcher=dispatcher).body for _ in range(3)]
    assert (answers, user.get()) == ([b"nobody"] * 3, "outer")


def test_a_hundred_calls_at_once_are_never_mixed_up() -> None:
    turn = threading.Barrier(4)

    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [("x-caller", environ["HTTP_AUTHORIZATION"])])
        turn.wait(10)
        yield environ["HTTP_AUTHORIZATION"].encode()
        yield environ["PATH_INFO"].encode()

    dispatcher = WSGIDispatcher(app)
    wrong: list[object] = []

    def call(number: int) -> None:
        request = request_for(path=f"/{number}", headers=(("authorization", f"t{number}"),))
        answer = send(app, request, dispatcher=dispatcher)
        expected = (("x-caller", f"t{number}"),), f"t{number}/{number}".encode()
        if (answer.headers, answer.body) != expected:
            wrong.append(answer)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(100)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(20)
    assert wrong == []
    assert not any(caller.is_alive() for caller in callers)
