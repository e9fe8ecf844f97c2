"""Credentials that tools read and that no call carries, with the line that has them carried."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from sezzlee_py.model import Carrier, ParameterLocation, ToolDefinition

_MOST_NAMES: Final = 5
# `x-api-key`, `x-token`, `auth`; not `idempotency-key`, whose value an agent may well choose.
_CREDENTIAL: Final = re.compile(
    r"(?:.*[-_])?(?:token|secret|password|jwt|auth|api[-_]?key|access[-_]key|auth[-_]key)"
)


def sounds_like_credential(header: str) -> bool:
    """Whether a header of this lower-case name likely holds a caller's credential."""
    return _CREDENTIAL.fullmatch(header) is not None


def carriers_line(carriers: Sequence[str], more: Iterable[str]) -> str:
    """Return the option to paste that carries `more` beside `carriers`."""
    whole = tuple(dict.fromkeys((*carriers, *more)))
    return f"Options(identity={{'carriers': {whole!r}}})"


def credentials_left(
    tools: Iterable[ToolDefinition], carriers: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield each credential that calls go without, and what to tell of it.

    Args:
        tools: whose credentials are meant.
        carriers: `options.identity.carriers`.
    """
    left: dict[Carrier, list[str]] = {}
    for tool in tools:
        for slot in tool.auth.carriers:
            if _header_of(slot) not in carriers:
                left.setdefault(slot, []).append(tool.name)
    found = sorted(left, key=lambda slot: (slot.name, slot.location))
    line = carriers_line(carriers, (header for slot in found if (header := _header_of(slot))))
    for slot in found:
        without = f"so calls of {_listed(left[slot])} go without it"
        yield slot.name, _told(slot, without, line)


def _header_of(slot: Carrier) -> str | None:
    """The header that brings a credential; a query brings it in none."""
    if slot.location is ParameterLocation.HEADER:
        return slot.name.lower()
    return "cookie" if slot.location is ParameterLocation.COOKIE else None


def _told(slot: Carrier, without: str, line: str) -> str:
    header = _header_of(slot)
    if header is None:
        return (
            f"{slot.name} is read from the query, which no call carries, {without}; "
            "let its guard take a header as well"
        )
    if header == slot.name.lower():
        return f"{header} is no carrier, {without}; name it in {line} to have it carried"
    return (
        f"the cookie {slot.name} is not carried, {without}; "
        f"name its header in {line} to have it carried"
    )


def _listed(names: Collection[str]) -> str:
    shown = sorted(names)
    more = len(shown) - _MOST_NAMES
    return ", ".join(shown if more < 1 else [*shown[:_MOST_NAMES], f"{more} more tools"])
