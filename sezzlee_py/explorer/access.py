"""Who may use the explorer: loopback alone, unless a host names where else it is served."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv6Address, ip_address
from typing import Final

from sezzlee_py.mcp.head import header_fields
from sezzlee_py.mcp.origins import HostRule, OriginRule, host_rule, origin_rule
from sezzlee_py.model import OuterRequest

CALL_HEADER: Final = "x-sezzlee-explorer"

_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
# A proxy on this machine is a loopback peer that speaks for somebody else.
_PROXY_HEADERS: Final = ("forwarded", "via", "x-real-ip", "true-client-ip", "x-client-ip")
_PROXY_PREFIXES: Final = ("x-forwarded-", "cf-")
_OWN_PAGES: Final = frozenset({"same-origin", "none"})


class Access:
    """Decides from peer and headers who is answered.

    Args:
        allowed_hosts: the `Host` names under which everybody who reaches the application may use
            the explorer; `None` for this machine alone.

    Raises:
        OptionsError: an entry is no host.
    """

    def __init__(self, allowed_hosts: Iterable[str] | None = None) -> None:
        hosts = None if allowed_hosts is None else tuple(allowed_hosts)
        self._is_local_only = hosts is None
        self._admits_host: HostRule = host_rule(_LOOPBACK_NAMES if hosts is None else hosts)
        self._admits_origin: OriginRule = origin_rule(None if hosts is None else _pages_of(hosts))

    def refuse(self, request: OuterRequest) -> str | None:
        """Return why a request is not answered at all, or `None`."""
        fields = header_fields(request.headers)
        if self._is_local_only and not (_is_local(request) and _came_directly(fields)):
            return "The explorer answers this machine alone, unless allowed_hosts says otherwise."
        if not self._admits_host(fields.get("host")):
            return "The explorer is not served under this host name."
        return None

    def refuse_call(self, request: OuterRequest) -> str | None:
        """Return why a request that is no look at a page is not answered, or `None`.

        A page of another site can send such a request from the owner's browser; it can neither
        write the header that is asked for here nor choose its own `Origin`.
        """
        fields = header_fields(request.headers)
        host, origin = fields.get("host"), fields.get("origin")
        if origin is not None and not self._admits_origin(origin, host):
            return "Requests from this origin are not admitted."
        if fields.get("sec-fetch-site", "none") not in _OWN_PAGES:
            return "Requests from other sites are not admitted."
        if CALL_HEADER not in fields:
            return f"The header {CALL_HEADER} is missing."
        return None


def _pages_of(hosts: tuple[str, ...]) -> tuple[str, ...]:
    # A host without a port is served on any, as in the rule for hosts.
    named = [host if host.rpartition("]")[2].count(":") else f"{host}:*" for host in hosts]
    return tuple(f"{scheme}://{host}" for scheme in ("http", "https") for host in named)


def _is_local(request: OuterRequest) -> bool:
    # No address is no proof: a Unix socket has a proxy behind it.
    if request.client is None:
        return False
    try:
        address = ip_address(request.client[0].partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _came_directly(fields: Mapping[str, str]) -> bool:
    return not any(name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES) for name in fields)
