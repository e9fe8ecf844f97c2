"""Request slots that hold identity or belong to the connection (spec: identity 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from sezzlee_py.catalog.faults import OperationError
from sezzlee_py.model import Auth, Parameter, ParameterLocation

Carriers: TypeAlias = frozenset[tuple[str, str]]
"""Location and name of each slot; header names in lower case."""

# An agent must not choose its own address, user or framing; `cookie` and `authorization` are
# identity whatever a host declares.
CONNECTION_HEADERS: Final = frozenset(
    {
        "accept", "connection", "content-length", "content-type", "expect", "forwarded", "host",
        "remote-user", "te", "transfer-encoding", "upgrade", "x-real-ip", "x-remote-user",
        # Of the same kind: what proxies and gateways say about the client and its certificate.
        "fastly-client-ip", "keep-alive", "proxy-authorization", "trailer", "true-client-ip",
        "x-client-ip", "x-cluster-client-ip",
    }
)  # fmt: skip
_TRUST_PREFIXES: Final = ("x-forwarded-", "cf-", "ssl-client-", "x-ssl-client-", "mcp-")
IDENTITY_HEADERS: Final = frozenset({"authorization", "cookie"})


def carrier_slots(auth: Auth, carriers: Iterable[tuple[str, str]]) -> Carriers:
    """Return the slots that the operation or the host declares as identity."""
    declared = [(str(carrier.location), carrier.name) for carrier in auth.carriers]
    return frozenset(_slot(location, name) for location, name in (*declared, *carriers))


def refuse_identity(parameters: Iterable[Parameter], carriers: Carriers) -> None:
    """Check that no parameter lets an agent write identity.

    Raises:
        OperationError: for the first that does.
    """
    for parameter in parameters:
        location, name = slot = _slot(parameter.location, parameter.name)
        reserved = location == ParameterLocation.HEADER and is_reserved_header(name)
        if reserved or slot in carriers:
            raise OperationError(
                "identity_carrier_parameter",
                f"the {location} '{parameter.name}' holds identity and cannot be an argument; "
                "remove it from the parameters",
            )


def is_reserved_header(name: str) -> bool:
    """Whether the lower-case header `name` is identity or belongs to the connection."""
    # To a WSGI application both signs are one.
    name = name.replace("_", "-")
    return (
        name in IDENTITY_HEADERS or name in CONNECTION_HEADERS or name.startswith(_TRUST_PREFIXES)
    )


def _slot(location: str, name: str) -> tuple[str, str]:
    return str(location), name.lower() if location == ParameterLocation.HEADER else name
