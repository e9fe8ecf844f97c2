"""The MCP request as an ASGI server hands it over (spec: identity 2)."""

import pytest

from sezzlee_py.mcp.asgi import outer_request


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        ([], ()),
        ([(b"Host", b"a"), (b"x", b"")], (("host", "a"), ("x", ""))),
        ([[b"x", b"\xe4"], [b"x", b"2"]], (("x", "\xe4"), ("x", "2"))),
        # No server lets these in.
        ([(b"x", b"a\nb"), (b"y", b"c")], (("x", "a\nb"), ("y", "c"))),
        ([(b"x\ny", b"a"), (b"z", b"c\n")], (("x\ny", "a"), ("z", "c\n"))),
    ],
)
def test_every_header_keeps_its_value(
    raw: list[tuple[bytes, bytes]], headers: tuple[tuple[str, str], ...]
) -> None:
    assert outer_request({"method": "POST", "headers": raw}).headers == headers
    assert outer_request({"method": "POST", "headers": iter(raw)}).headers == headers


def test_a_client_that_the_server_does_not_know_is_nobody_and_never_this_machine() -> None:
    scope = {"method": "POST", "headers": [], "client": ["203.0.113.9", 50123]}
    clients = [outer_request(scope | more).client for more in ({}, {"client": None})]
    assert clients == [("203.0.113.9", 50123), None]
    assert outer_request({"method": "POST", "headers": []}).client is None
