"""What reading a schema found, before it is known which operation asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sezzlee_py.model import Diagnostic
from sezzlee_py.model.codes import default_severity
from sezzlee_py.model.ways_out import with_way_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One remark about a schema; `about` tells remarks of one code apart, `pointer` where it is."""

    code: str
    message: str
    about: str = ""
    pointer: str | None = None


def to_diagnostics(
    findings: Iterable[Finding],
    *,
    operation: str | None = None,
    route: str | None = None,
    source: str | None = None,
    line: int | None = None,
) -> tuple[Diagnostic, ...]:
    """Return each distinct remark once, as a diagnostic about `operation`.

    A type is read in two directions and from several slots; the developer hears of it once.
    """
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.code, finding.about), finding)
    return tuple(
        Diagnostic(
            code=finding.code,
            severity=default_severity(finding.code),
            message=with_way_out(finding.code, finding.message),
            operation=operation,
            route=route,
            source=source,
            line=line,
            pointer=finding.pointer,
        )
        for finding in first.values()
    )
