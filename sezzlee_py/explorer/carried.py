"""Headers that somebody gives for a caller and that no call of theirs will carry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sezzlee_py.catalog.credentials import carriers_line
from sezzlee_py.invoke.request_headers import TRACE_HEADERS
from sezzlee_py.options import IdentityOptions

_ALWAYS: Final = TRACE_HEADERS | {"host"}


def left_behind(names: Iterable[str], identity: IdentityOptions) -> str | None:
    """Return what to tell of the headers that stay behind, `None` where each is carried.

    Args:
        names: of the headers given, in lower case.
        identity: the host's.
    """
    # A projection may read any header of the outer request and put it into a carrier.
    if identity.project is not None:
        return None
    left = sorted(set(names) - _ALWAYS - set(identity.carriers))
    if not left:
        return None
    are, them = ("is no carrier", "it") if len(left) == 1 else ("are no carriers", "them")
    return (
        f"{', '.join(left)} {are}, so calls go without {them}; name {them} in "
        f"{carriers_line(identity.carriers, left)} to have {them} carried"
    )
