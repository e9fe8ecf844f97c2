"""Origin and Host rules (spec: transport 4)."""

import time
from typing import Any

import pytest

from sezzlee_py.errors import OptionsError
from sezzlee_py.mcp.head import HeadPolicy, header_fields
from sezzlee_py.options import TransportOptions

CONTENT = ("content-type", "application/json")


def status(
    *headers: tuple[str, str],
    origins: tuple[str, ...] | None = None,
    hosts: tuple[str, ...] | None = None,
    method: str = "POST",
) -> int:
    policy = HeadPolicy(TransportOptions(allowed_origins=origins, allowed_hosts=hosts))
    refused = policy.check(method, (CONTENT, *headers))
    return 200 if refused is None else refused.status


def origin(value: str, host: str = "localhost:8000") -> tuple[tuple[str, str], ...]:
    return ("host", host), ("origin", value)


def test_agents_send_no_origin_and_pass() -> None:
    assert status() == 200
    assert status(("host", "shop.example")) == 200
    assert status(("host", "shop.example"), origins=()) == 200


@pytest.mark.parametrize(
    "page",
    [
        "http://localhost",
        "http://localhost:3000",
        "https://127.0.0.1:8443",
        "http://[::1]:3000",
        "HTTP://LOCALHOST:3000",
    ],
)
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_by_default_a_local_page_may_call_a_local_server(page: str, host: str) -> None:
    assert status(*origin(page, host)) == 200


@pytest.mark.parametrize(
    "page",
    [
        "null",
        "",
        "localhost",
        "http://",
        "http://evil.example",
        "http://localhost.evil.example",
        "http://evil.example#localhost",
        "http://localhost@evil.example",
        "http://user@localhost",
        "http://localhost:3000/path",
        "http://localhost:3000, http://localhost:3000",
        "http://localhost:port",
        "http://127.0.0.1.evil.example",
        "http://0.0.0.0:3000",
        "http://127.0.0.2",
        "http://[::1",
        "file://",
    ],
)
def test_by_default_no_other_page_may(page: str) -> None:
    assert status(*origin(page)) == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:80", "0.0.0.0:8000", "", "a b", "[::1"]
)
def test_a_rebound_name_in_host_is_refused_whatever_the_page(host: str) -> None:
    assert status(*origin("http://localhost:3000", host)) == 403
    assert status(*origin(f"http://{host}", host)) == 403


def test_a_page_needs_a_host_to_be_compared_with() -> None:
    assert status(("origin", "http://localhost")) == 403
    assert status(("host", "localhost"), *origin("http://localhost")) == 403


def test_every_origin_field_must_pass() -> None:
    assert status(*origin("http://localhost"), ("origin", "http://evil.example")) == 403


@pytest.mark.parametrize(
    ("allowed", "page", "expected"),
    [
        ("https://app.example", "https://app.example", 200),
        ("https://app.example", "https://app.example:443", 200),
        ("https://app.example:443", "https://APP.example", 200),
        ("https://app.example", "http://app.example", 403),
        ("https://app.example", "https://app.example:8443", 403),
        ("https://app.example:*", "https://app.example:8443", 200),
        ("https://app.example:*", "https://app.example", 200),
        ("https://app.example:*", "http://app.example", 403),
        ("https://app.example", "https://evil.example", 403),
        ("https://app.example", "https://www.app.example", 403),
        ("https://app.example", "null", 403),
        ("vscode-webview://abc", "vscode-webview://abc", 200),
        ("https://app.example", "http://localhost:3000", 403),
    ],
)
def test_an_allow_list_compares_scheme_host_and_port(
    allowed: str, page: str, expected: int
) -> None:
    assert status(*origin(page, "evil.example"), origins=(allowed,)) == expected


def test_an_empty_list_admits_no_page_and_a_star_any() -> None:
    assert status(*origin("http://localhost"), origins=()) == 403
    assert status(*origin("null", "evil.example"), origins=("*",)) == 200


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("api.example", 200),
        ("API.example:8000", 200),
        ("other.example:8443", 200),
        ("other.example", 421),
        ("any.example:1", 200),
        ("any.example", 200),
        ("evil.example", 421),
        ("api.example.evil.example", 421),
        ("api.example@evil.example", 421),
        ("", 421),
    ],
)
def test_a_host_list_serves_only_its_names(host: str, expected: int) -> None:
    hosts = ("api.example", "other.example:8443", "any.example:*")
    assert status(("host", host), hosts=hosts) == expected


def test_an_empty_host_list_serves_no_name() -> None:
    assert status(("host", "localhost"), hosts=()) == 421


def test_a_missing_or_doubled_host_is_outside_a_list() -> None:
    assert status(hosts=("api.example",)) == 421
    assert status(("host", "api.example"), ("host", "b"), hosts=("api.example",)) == 421


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "DELETE"])
def test_origin_and_host_come_before_everything_else(method: str) -> None:
    assert status(*origin("http://evil.example"), method=method) == 403
    assert status(("host", "x"), hosts=("api.example",), method=method) == 421


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"allowed_origins": ("app.example",)}, "allowed_origins"),
        ({"allowed_origins": ("null",)}, "allowed_origins"),
        ({"allowed_origins": ("https://app.example/",)}, "allowed_origins"),
        ({"allowed_hosts": ("https://app.example",)}, "allowed_hosts"),
    ],
)
def test_an_entry_that_could_never_match_fails_at_once(options: dict[str, Any], place: str) -> None:
    with pytest.raises(OptionsError, match=rf"options\.transport\.{place}: "):
        HeadPolicy(TransportOptions(**options))


def test_repeated_fields_are_one_value_in_their_order() -> None:
    fields = header_fields((("accept", " a "), ("x", "1"), ("accept", "b\t"), ("accept", "")))
    assert fields == {"accept": "a, b, ", "x": "1"}


def test_a_field_that_is_repeated_without_end_costs_no_more_than_its_length() -> None:
    began = time.process_time()
    fields = header_fields((("x", "a" * 20),) * 150_000)
    # Growing a text by every repetition would take half a minute.
    assert time.process_time() - began < 3
    assert len(fields["x"]) == 150_000 * 22 - 2
