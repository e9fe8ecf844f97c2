"""Findings about one operation while its tools are built."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from sezzlee_py.model import Diagnostic, EndpointDescriptor, Severity
from sezzlee_py.model.codes import default_severity
from sezzlee_py.model.ways_out import with_way_out

Finding: TypeAlias = tuple[str, str]
"""A code and a message, not yet tied to an operation."""


class OperationError(Exception):
    """The operation cannot become a tool; never leaves this package.

    Attributes:
        code: the diagnostic's code.
        message: what is wrong and the way out.
        severity: `None` for the code's own.
    """

    def __init__(self, code: str, message: str, *, severity: Severity | None = None) -> None:
        self.code = code
        self.message = message
        self.severity = severity
        super().__init__(f"{code}: {message}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a diagnostic is about: an operation and where its handler stands."""

    operation: str
    route: str
    source: str | None = None
    line: int | None = None

    def diagnostic(self, code: str, message: str, severity: Severity | None = None) -> Diagnostic:
        """Return the finding as a diagnostic about this operation."""
        return Diagnostic(
            code=code,
            severity=severity or default_severity(code),
            message=with_way_out(code, message),
            operation=self.operation,
            route=self.route,
            source=self.source,
            line=self.line,
        )

    def diagnostics(self, findings: Iterable[Finding]) -> tuple[Diagnostic, ...]:
        """Return each distinct finding once, in order of appearance."""
        return tuple(self.diagnostic(code, message) for code, message in dict.fromkeys(findings))


def subject_of(descriptor: EndpointDescriptor) -> Subject:
    """Return the operation of `descriptor` as the subject of diagnostics."""
    return Subject(
        operation=descriptor.operation,
        route=descriptor.route,
        source=descriptor.source,
        line=descriptor.line,
    )
