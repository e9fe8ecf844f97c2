"""Findings as a host sees them: severities it changed, order, and the log (spec: diagnostics 1)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.model import Diagnostic, Severity
from sezzlee_py.model.counts import counted
from sezzlee_py.options import DiagnosticOptions
from sezzlee_py.telemetry import Event, log_event

_LOG_LEVELS: Final = {
    Severity.FATAL: logging.ERROR,
    Severity.ENDPOINT_DROPPED: logging.WARNING,
    Severity.WARNING: logging.WARNING,
    Severity.INFO: logging.INFO,
}
_PLACES_PER_CODE: Final = 5


class Severities:
    """The severities a host changed: some only raised, the others only lowered.

    One code can have findings of two severities, and neither change may turn one the other way.
    """

    def __init__(self, options: DiagnosticOptions) -> None:
        self._raised, self._lowered = options.escalate, options.downgrade

    def of(self, found: Diagnostic) -> Severity:
        """Return how a finding counts."""
        severity, code = found.severity, found.code
        if code in self._lowered:
            severity = min(severity, self._lowered[code], key=_rank)
        if code in self._raised:
            severity = max(severity, self._raised[code], key=_rank)
        return severity


def judge(diagnostics: Iterable[Diagnostic], severities: Severities) -> tuple[Diagnostic, ...]:
    """Return the findings with the host's severities, unique, by route, method and code."""
    judged = dict.fromkeys(
        found if severity is found.severity else replace(found, severity=severity)
        for found in diagnostics
        for severity in (severities.of(found),)
    )
    return tuple(sorted(judged, key=_order))


def _rank(severity: Severity) -> int:
    return severity.rank


def _order(found: Diagnostic) -> tuple[str, ...]:
    return (found.route or "", found.operation or "", found.code, found.message)


def log_catalog(logger: logging.Logger, catalog: Catalog, silenced: Iterable[str]) -> None:
    """Write what a build found: one line per code, then one with the counts."""
    log_diagnostics(logger, catalog.diagnostics, silenced)
    is_refused = bool(catalog.fatal)
    log_event(
        Event.CATALOG_REFUSED if is_refused else Event.CATALOG_BUILT,
        "catalog %s: %s discovered, %d selected, %s; findings: %s",
        catalog.version,
        counted(catalog.discovered, "operation"),
        catalog.selected,
        counted(len(catalog), "tool"),
        _counted(catalog.diagnostics),
        level=logging.ERROR if is_refused else logging.INFO,
        version=catalog.version,
        generation=catalog.generation,
        discovered=catalog.discovered,
        selected=catalog.selected,
        tools=len(catalog),
        findings=len(catalog.diagnostics),
    )


def log_offered_around(operations: Sequence[str]) -> None:
    """Tell which operations a declaration on a router, mount or class offers, if there are any.

    One that was only meant to give a prefix or tags offers everything below it as well.
    """
    if operations:
        log_event(
            Event.OFFERED_AROUND,
            "%d operations are offered by a declaration on what is around them: %s%s; "
            "@mcp_ignore keeps one out",
            len(operations),
            ", ".join(operations[:_PLACES_PER_CODE]),
            _more(operations),
            operations=len(operations),
        )


def _counted(diagnostics: Iterable[Diagnostic]) -> str:
    counts = Counter(found.severity for found in diagnostics)
    return ", ".join(f"{counts[severity]} {severity}" for severity in Severity)


def log_diagnostics(
    logger: logging.Logger, diagnostics: Iterable[Diagnostic], silenced: Iterable[str]
) -> None:
    """Write one log line per code, with a count and the first places."""
    hidden = set(silenced)
    by_code: dict[tuple[Severity, str], list[Diagnostic]] = {}
    for found in diagnostics:
        if found.code not in hidden:
            by_code.setdefault((found.severity, found.code), []).append(found)
    for (severity, code), group in sorted(by_code.items(), key=lambda item: -item[0][0].rank):
        places = [_place(found) for found in group[:_PLACES_PER_CODE]]
        logger.log(
            _LOG_LEVELS[severity],
            "%s %s (%d): %s%s",
            severity,
            code,
            len(group),
            "; ".join(places),
            _more(group),
            extra={"sezzlee_event": Event.DIAGNOSTIC.value, "sezzlee_code": code},
        )


def _more(listed: Sequence[object]) -> str:
    left = len(listed) - _PLACES_PER_CODE
    return f" and {left} more" if left > 0 else ""


def _place(found: Diagnostic) -> str:
    # A diagnostic as text begins with severity and code, which stand before the places.
    return str(found).partition(f"{found.severity} {found.code}: ")[2]
