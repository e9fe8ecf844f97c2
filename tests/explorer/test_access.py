"""Who may use the explorer, for every kind of request."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sezzlee_py.explorer.access import Access
from sezzlee_py.model import OuterRequest


def sent(client: tuple[str, int] | None = ("127.0.0.1", 1), **headers: str) -> OuterRequest:
    pairs = {"host": "localhost", **{n.replace("_", "-"): v for n, v in headers.items()}}
    return OuterRequest(client=client, headers=tuple(pairs.items()))


@pytest.mark.parametrize(
    ("host", "is_served"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("LOCALHOST:1", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("localhost.evil.example", False),
        ("evil.example", False),
        ("127.0.0.2", False),
        ("", False),
    ],
)
def test_without_hosts_only_loopback_names_are_served(host: str, is_served: bool) -> None:
    assert (Access().refuse(sent(host=host)) is None) is is_served


def test_a_peer_without_an_address_is_refused() -> None:
    assert Access().refuse(sent(None)) is not None
    assert Access(["localhost"]).refuse(sent(None)) is None


def test_a_request_without_a_host_is_refused() -> None:
    assert Access().refuse(OuterRequest(client=("127.0.0.1", 1))) is not None


@pytest.mark.parametrize(
    ("allowed", "host", "origin", "is_served"),
    [
        ("shop.example", "shop.example", "https://shop.example", True),
        ("shop.example", "shop.example:8443", "https://shop.example:8443", True),
        ("shop.example:8443", "shop.example:8443", "https://shop.example:8443", True),
        ("shop.example:8443", "shop.example:8443", "https://shop.example:9", False),
        ("shop.example:8443", "shop.example", "https://shop.example", False),
        ("[::1]", "[::1]:80", "http://[::1]:80", True),
        ("[::1]:80", "[::1]:80", "http://[::1]:81", False),
        ("shop.example", "shop.example", "https://shop.example.evil.example", False),
        ("shop.example", "shop.example", "null", False),
    ],
)
def test_named_hosts_are_served_to_their_own_pages(
    allowed: str, host: str, origin: str, is_served: bool
) -> None:
    access = Access([allowed])
    request = sent(host=host, origin=origin, x_sezzlee_explorer="1")
    refused = access.refuse(request) or access.refuse_call(request)
    assert (refused is None) is is_served


@given(address=st.ip_addresses(), zone=st.sampled_from(["", "%lo"]))
def test_an_address_is_local_as_the_standard_library_says(address: Any, zone: str) -> None:
    text = str(address) + (zone if ":" in str(address) else "")
    mapped = getattr(address, "ipv4_mapped", None) or address
    assert (Access().refuse(sent((text, 1))) is None) is mapped.is_loopback


@given(headers=st.dictionaries(st.text(), st.text(), max_size=4), client=st.text())
def test_no_request_breaks_the_guard(headers: dict[str, str], client: str) -> None:
    access = Access()
    request = OuterRequest(headers=tuple(headers.items()), client=(client, 1))
    assert access.refuse(request) is not None
    access.refuse_call(request)


@pytest.mark.parametrize(
    "header",
    [
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-forwarded-port",
        "cf-connecting-ip",
        "via",
        "true-client-ip",
        "x-client-ip",
        "x-real-ip",
        "forwarded",
    ],
)
def test_a_header_that_tells_of_a_proxy_is_no_local_request(header: str) -> None:
    direct = OuterRequest(headers=(("host", "localhost"),), client=("127.0.0.1", 1))
    proxied = OuterRequest(headers=(*direct.headers, (header, "x")), client=direct.client)
    assert Access().refuse(direct) is None
    assert Access().refuse(proxied) is not None
