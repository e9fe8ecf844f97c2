"""The seam every dispatcher shares."""

import logging
from contextvars import ContextVar

import pytest

from sezzlee_py.invoke.dispatch import (
    backend_response,
    fresh_context,
    is_inside_dispatch,
    is_sezzlee_probe,
    is_sezzlee_request,
    marks,
)
from sezzlee_py.model import BackendRequest, BackendResponse, OuterRequest

USER: ContextVar[str] = ContextVar("user")
TRACE: ContextVar[str] = ContextVar("trace")


def request_for(method: str = "GET") -> BackendRequest:
    return BackendRequest(
        method=method, path="/a", query="", headers=(), body=None, outer=OuterRequest()
    )


def test_a_fresh_context_holds_what_is_carried_and_nothing_else() -> None:
    USER.set("ada")
    TRACE.set("t-1")
    context = fresh_context((TRACE,))
    assert context.run(is_inside_dispatch)
    assert (context.get(USER), context.get(TRACE)) == (None, "t-1")
    assert not is_inside_dispatch()


def test_a_variable_without_a_value_is_not_carried() -> None:
    unset: ContextVar[str] = ContextVar("unset")
    assert unset not in fresh_context((unset,))


def test_a_carried_variable_is_copied_and_not_shared() -> None:
    TRACE.set("outer")
    fresh_context((TRACE,)).run(TRACE.set, "inner")
    assert TRACE.get() == "outer"


@pytest.mark.parametrize("probe", [False, True])
def test_marks_tell_a_request_and_a_probe(probe: bool) -> None:
    scope = marks(probe=probe)
    assert (is_sezzlee_request(scope), is_sezzlee_probe(scope)) == (True, probe)
    assert not is_sezzlee_request({})
    assert not is_sezzlee_request(dict.fromkeys(scope, "1"))


def test_cookies_are_dropped_and_repeated_headers_kept_in_order() -> None:
    headers = [("a", "1"), ("set-cookie", "s=1"), ("a", "2"), ("content-length", "1")]
    assert backend_response(request_for(), 200, headers, b"x") == BackendResponse(
        status=200, headers=(("a", "1"), ("a", "2"), ("content-length", "1")), body=b"x"
    )


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_what_cannot_have_a_body_was_not_cut_off_either(method: str, status: int) -> None:
    answer = backend_response(request_for(method), status, [], b"x", cut_off_at=7)
    assert answer == BackendResponse(status=status)


def test_the_length_of_a_body_that_was_cut_off_is_not_compared(
    caplog: pytest.LogCaptureFixture,
) -> None:
    headers = [("content-length", "1000")]
    answer = backend_response(request_for(), 200, headers, b"x", cut_off_at=7)
    assert (answer.body, answer.oversized, caplog.records) == (b"x", 7, [])


def test_a_wrong_length_is_logged_with_what_was_asked(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="sezzlee_py"):
        backend_response(request_for(), 200, [("content-length", "9")], b"x")
    assert caplog.messages == [
        "GET /a declared a content-length of 9 and sent 1 bytes; the bytes win"
    ]
