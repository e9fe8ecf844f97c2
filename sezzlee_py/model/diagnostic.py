"""A finding about the app being walked (spec: diagnostics 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How far a finding reaches."""

    FATAL = "fatal"
    ENDPOINT_DROPPED = "endpointDropped"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for info up to 3 for fatal, so that severities can be compared."""
        return _RANKS[self]


_RANKS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ENDPOINT_DROPPED: 2, Severity.FATAL: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding: what is wrong and the way out.

    `operation` is `METHOD /route` or a tool name, `source` the `module:qualname` of the endpoint
    and `line` its first line, `pointer` an RFC 6901 pointer into an ingested document.
    """

    code: str
    severity: Severity
    message: str
    operation: str | None = None
    route: str | None = None
    source: str | None = None
    line: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        place = f" [{self.source}:{self.line}]" if self.source and self.line else ""
        subject = f"{self.operation}: " if self.operation else ""
        return f"{self.severity} {self.code}: {subject}{self.message}{place}"
