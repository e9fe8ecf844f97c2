"""Findings that several operations share, so that all of them can be dropped together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.model import Diagnostic, EndpointDescriptor


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFinding:
    """A diagnostic and the indices, ascending, of the operations it is about."""

    diagnostic: Diagnostic
    involved: tuple[int, ...]


def shared_finding(
    code: str, message: str, descriptors: Sequence[EndpointDescriptor], involved: Sequence[int]
) -> SharedFinding:
    """Return the finding about `involved`, told of the first of them in the published order."""
    first = min((descriptors[index] for index in involved), key=place)
    return SharedFinding(
        diagnostic=subject_of(first).diagnostic(code, message),
        involved=tuple(sorted(set(involved))),
    )


def place(descriptor: EndpointDescriptor) -> tuple[str, str, str, int]:
    """Return a sort key that does not depend on the order of discovery."""
    return descriptor.route, descriptor.method, descriptor.source or "", descriptor.line or 0


def described(descriptor: EndpointDescriptor) -> str:
    """Return an operation with where its handler stands: `GET /a (app.orders:list, line 3)`."""
    if descriptor.source is None:
        return descriptor.operation
    line = f", line {descriptor.line}" if descriptor.line is not None else ""
    return f"{descriptor.operation} ({descriptor.source}{line})"
