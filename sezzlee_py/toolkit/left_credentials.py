"""A warning where a refused call may lack a credential that its request had."""

from __future__ import annotations

import logging
from typing import Final

from sezzlee_py.catalog.credentials import carriers_line, sounds_like_credential
from sezzlee_py.errors import BackendCode
from sezzlee_py.model import Emission, OuterRequest
from sezzlee_py.options import IdentityOptions
from sezzlee_py.telemetry import Event, log_event

# Clients choose the names of headers: what is told, and remembered as told, is bounded.
_MOST_NAMES: Final = 8
_LONGEST_NAME: Final = 64


class LeftCredentials:
    """Tells, once for each header, which credential of a caller the application never saw."""

    def __init__(self, identity: IdentityOptions) -> None:
        self._identity = identity
        self._told: set[str] = set()

    def answered(self, emission: Emission, outer: OuterRequest) -> None:
        """Look at the request where the application did not know its caller."""
        if not emission.is_error or emission.payload.get("error") != BackendCode.UNAUTHENTICATED:
            return
        # A projection may read any header of the request and put it into a carrier.
        if self._identity.project is None:
            for name, _ in outer.headers:
                if self._is_left(name) and len(self._told) < _MOST_NAMES:
                    self._tell(name)

    def _is_left(self, name: str) -> bool:
        return (
            name not in self._identity.carriers
            and name not in self._told
            and len(name) <= _LONGEST_NAME
            and (name == "cookie" or sounds_like_credential(name))
        )

    def _tell(self, name: str) -> None:
        self._told.add(name)
        log_event(
            Event.OVERSIGHT,
            "a call was answered with 401: its request had %s, which is no carrier, so the call "
            "went without it; name it in %s to have it carried",
            name,
            carriers_line(self._identity.carriers, [name]),
            level=logging.WARNING,
            about="credential_left",
        )
