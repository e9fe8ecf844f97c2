"""The whole header list of a replayed call (spec: identity 4)."""

import pytest

from sezzlee_py._version import __version__
from sezzlee_py.invoke.request_headers import request_headers
from sezzlee_py.model import Headers, OuterRequest

OWN = (("accept", "application/json"), ("user-agent", f"sezzlee_py/{__version__}"))
HOST = ("host", "shop.example:8443")


def headers(
    *outer: tuple[str, str],
    carriers: Headers = (),
    data: Headers = (),
    content_type: str | None = None,
    body: bytes | None = None,
) -> Headers:
    return request_headers(OuterRequest(headers=outer), carriers, data, content_type, body)


def test_every_header_of_a_call_stands_in_its_place() -> None:
    assert headers(
        ("accept", "text/event-stream"),
        ("x-request-id", "r-1"),
        HOST,
        ("traceparent", "00-a-b-01"),
        ("tracestate", "v=1"),
        ("tracestate", "w=2"),
        ("baggage", "k=v"),
        carriers=(("authorization", "Bearer t"), ("cookie", "sid=1")),
        data=(("x-note", "hello"), ("x-tag", "a,b")),
        content_type="application/json; charset=utf-8",
        body="ä".encode(),
    ) == (
        HOST,
        ("authorization", "Bearer t"),
        ("cookie", "sid=1"),
        *OWN,
        ("content-type", "application/json; charset=utf-8"),
        ("content-length", "2"),
        ("x-request-id", "r-1"),
        ("traceparent", "00-a-b-01"),
        ("tracestate", "v=1"),
        ("tracestate", "w=2"),
        ("baggage", "k=v"),
        ("x-note", "hello"),
        ("x-tag", "a,b"),
    )


@pytest.mark.parametrize(
    "name",
    [
        *("authorization", "cookie", "x-api-key", "content-length", "content-type"),
        *("transfer-encoding", "accept-encoding", "if-none-match", "if-modified-since", "range"),
        *("origin", "referer", "connection", "keep-alive", "te", "trailer", "upgrade", "expect"),
        *("mcp-method", "mcp-session-id", "mcp-protocol-version", "x-forwarded-for", "forwarded"),
        *("x-forwarded-host", "x-forwarded-proto", "x-real-ip", "remote-user", "x-remote-user"),
        *("proxy-authorization", "sezzlee.request", "user-agent", "last-event-id"),
    ],
)
def test_nothing_else_of_the_outer_request_is_sent(name: str) -> None:
    assert headers(HOST, (name, "v")) == (HOST, *OWN)


def test_without_a_body_there_is_neither_type_nor_length() -> None:
    assert headers(HOST, content_type="application/json") == (HOST, *OWN)


def test_an_empty_body_has_both() -> None:
    assert headers(content_type="application/x-www-form-urlencoded", body=b"") == (
        *OWN,
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-length", "0"),
    )


def test_a_trace_header_that_is_a_carrier_travels_once() -> None:
    traced = ("x-request-id", "r-1")
    assert headers(traced, carriers=(traced,)) == (traced, *OWN)


def test_repeated_carriers_stay_repeated_in_order() -> None:
    carriers = (("x-role", "a"), ("authorization", "t"), ("x-role", "b"))
    assert headers(carriers=carriers) == (*carriers, *OWN)


def test_a_data_cookie_holds_the_carried_one_already() -> None:
    assert headers(carriers=(("cookie", "sid=1"),), data=(("cookie", "sid=1; theme=dark"),)) == (
        *OWN,
        ("cookie", "sid=1; theme=dark"),
    )


def test_a_data_header_replaces_a_trace_header_of_its_name() -> None:
    assert headers(("x-request-id", "r-1"), data=(("x-request-id", "mine"),)) == (
        *OWN,
        ("x-request-id", "mine"),
    )


def test_the_first_host_counts() -> None:
    assert headers(HOST, ("host", "other.example")) == (HOST, *OWN)


def test_a_user_agent_of_the_agent_or_the_caller_replaces_the_own_one() -> None:
    theirs = ("user-agent", "theirs")
    assert headers(data=(theirs,)) == (OWN[0], theirs)
    assert headers(carriers=(theirs,)) == (theirs, OWN[0])
    accepted = ("accept", "text/csv")
    assert headers(carriers=(accepted,)) == (accepted, OWN[1])
