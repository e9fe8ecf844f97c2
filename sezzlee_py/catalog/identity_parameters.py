"""Discovered parameters that hold identity or belong to the connection (spec: identity 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from sezzlee_py.catalog.identity_slots import IDENTITY_HEADERS, is_reserved_header
from sezzlee_py.model import Carrier, ParameterLocation

IGNORED_HEADERS: Final = frozenset({"accept", "content-type"})
_COOKIES: Final = frozenset({"session", "sid", "token", "auth", "jwt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityTreatment:
    """What becomes of a parameter that no agent may write.

    `code` names the finding; `carrier` is the slot that joins `auth.carriers`, if it is identity;
    `uncovered` tells that no security scheme names the cookie.
    """

    code: str
    message: str
    carrier: Carrier | None = None
    uncovered: bool = False


@dataclass(frozen=True, slots=True)
class IdentityRules:
    """What counts as identity for one operation.

    Args:
        carriers: request headers that the host copies from the caller (`identity.carriers`).
        cookies: further cookie names that the host knows to be identity (`identity.cookies`).
        schemes: the slots of the operation's security schemes.
        reserved: headers that are ignored without being identity.
    """

    carriers: Collection[str] = ("authorization",)
    cookies: Collection[str] = ()
    schemes: tuple[Carrier, ...] = ()
    reserved: frozenset[str] = IGNORED_HEADERS

    def treat(
        self, name: str, location: ParameterLocation, *, required: bool
    ) -> IdentityTreatment | None:
        """Return what becomes of a parameter, `None` when it is an ordinary argument."""
        if location is ParameterLocation.HEADER:
            return self._header(name.lower(), required)
        if location is ParameterLocation.COOKIE:
            return self._cookie(name)
        if _names(self.schemes, location, name):
            return _credential(Carrier(location=location, name=name))
        return None

    def _header(self, name: str, required: bool) -> IdentityTreatment | None:
        if name in self.reserved:
            return _reserved(name)
        carried = name in {carrier.lower() for carrier in self.carriers}
        if carried or name in IDENTITY_HEADERS or _names(self.schemes, "header", name):
            return _credential(Carrier(location=ParameterLocation.HEADER, name=name))
        if not is_reserved_header(name):
            return None
        if not required:
            return _reserved(name)
        return IdentityTreatment(
            code="identity_carrier_parameter",
            message=f"the required header '{name}' belongs to the connection, an agent must not "
            "choose it; make it optional or read it from the request",
        )

    def _cookie(self, name: str) -> IdentityTreatment | None:
        covered = _names(self.schemes, "cookie", name)
        if not covered and name not in self.cookies and not is_identity_cookie(name):
            return None
        return IdentityTreatment(
            code="identity_cookie_parameter",
            message=f"the cookie '{name}' is the caller's identity and not an argument; "
            "add 'cookie' to options.identity.carriers to have it carried",
            carrier=Carrier(location=ParameterLocation.COOKIE, name=name),
            uncovered=not covered,
        )


def is_identity_cookie(name: str) -> bool:
    """Whether a cookie's name alone says that it is identity."""
    folded = name.lower()
    return folded in _COOKIES or "sess" in folded


def _names(schemes: Iterable[Carrier], location: str, name: str) -> bool:
    for scheme in schemes:
        if scheme.location != location:
            continue
        own = scheme.name.lower() if location == ParameterLocation.HEADER else scheme.name
        if own == name:
            return True
    return False


def _credential(carrier: Carrier) -> IdentityTreatment:
    return IdentityTreatment(
        code="credential_parameter_ignored",
        message=f"the {carrier.location} '{carrier.name}' is a credential and not an argument, "
        "it travels with the caller's identity (options.identity.carriers)",
        carrier=carrier,
    )


def _reserved(name: str) -> IdentityTreatment:
    return IdentityTreatment(
        code="reserved_header_parameter_ignored",
        message=f"the header '{name}' belongs to the connection and is not an argument",
    )
