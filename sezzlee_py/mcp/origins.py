"""Which pages and host names may reach the endpoint (spec: transport 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from sezzlee_py.errors import OptionsError

OriginRule: TypeAlias = Callable[[str, str | None], bool]
HostRule: TypeAlias = Callable[[str | None], bool]
# Scheme (empty for a host), host, port.
_Place: TypeAlias = tuple[str, str, str]

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_HOST: Final = r"(?P<host>\[[0-9a-f:.]+\]|[^\s:/?#@\[\],]+)(?::(?P<port>\d{1,5}|\*))?"
_ORIGIN_PATTERN: Final = re.compile(rf"(?P<scheme>[a-z][a-z0-9+.\-]*)://{_HOST}")
_HOST_PATTERN: Final = re.compile(_HOST)


def origin_rule(allowed: tuple[str, ...] | None) -> OriginRule:
    """Return whether an `Origin` may call, given the request's `Host`.

    Args:
        allowed: origins, `*` as port for any, `*` alone for all; `None` for loopback pages only.

    Raises:
        OptionsError: an entry is no origin.
    """
    if allowed is None:
        return _is_local_page
    if "*" in allowed:
        return lambda origin, host: True
    exact, any_port = _compile(allowed, _read_origin, "allowed_origins", "scheme://host:port")

    def admits(origin: str, host: str | None) -> bool:
        place = _read_origin(origin)
        return place is not None and (place in exact or place[:2] in any_port)

    return admits


def _is_local_page(origin: str, host: str | None) -> bool:
    # A rebound name reaches this server as Host; a local page alone proves nothing.
    page, served = _read_origin(origin), _read_host(host or "")
    return page is not None and page[1] in _LOOPBACK and _is_loopback(served)


def _is_loopback(place: _Place | None) -> bool:
    return place is not None and place[1] in _LOOPBACK


def host_rule(allowed: tuple[str, ...] | None) -> HostRule:
    """Return whether a `Host` is served here.

    Args:
        allowed: hosts, without a port for every port; `None` for any host.

    Raises:
        OptionsError: an entry is no host.
    """
    if allowed is None:
        return lambda host: True
    exact, any_port = _compile(allowed, _read_host, "allowed_hosts", "host:port")
    # An entry without a port names the host on every port: the port is the server's own.
    any_port |= {place[:2] for place in exact if not place[2]}

    def admits(host: str | None) -> bool:
        place = _read_host(host or "")
        return place is not None and (place in exact or place[:2] in any_port)

    return admits


def _compile(
    entries: Iterable[str], read: Callable[[str], _Place | None], option: str, form: str
) -> tuple[frozenset[_Place], set[tuple[str, str]]]:
    places = set()
    for entry in entries:
        place = read(entry)
        if place is None:
            raise OptionsError(f"options.transport.{option}: expected {form!r}, got {entry!r}")
        places.add(place)
    any_port = {place[:2] for place in places if place[2] == "*"}
    return frozenset(place for place in places if place[2] != "*"), any_port


def _read_origin(text: str) -> _Place | None:
    match = _ORIGIN_PATTERN.fullmatch(text.lower())
    if match is None:
        return None
    scheme = match["scheme"]
    return scheme, match["host"], match["port"] or _DEFAULT_PORTS.get(scheme, "")


def _read_host(text: str) -> _Place | None:
    match = _HOST_PATTERN.fullmatch(text.lower())
    return None if match is None else ("", match["host"], match["port"] or "")
