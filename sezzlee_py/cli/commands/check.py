"""`sezzlee check`: findings and tools against what was agreed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from sezzlee_py.cli.command import Source, app_command
from sezzlee_py.cli.console import Console
from sezzlee_py.cli.failure import FINDINGS, Failure

if TYPE_CHECKING:
    from sezzlee_py.catalog.snapshot import Catalog
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.model import Diagnostic
    from sezzlee_py.testing.lock import Change

_SEVERITIES: Final = ("info", "warning", "endpointDropped", "fatal")


@app_command(
    click.option(
        "--fail-on",
        type=click.Choice(_SEVERITIES, case_sensitive=False),
        default="endpointDropped",
        show_default=True,
        help="Fail on findings of this severity and above.",
    ),
    click.option("--lock", metavar="FILE", help="Fail when tools differ from this lock file."),
    click.option("--update-lock", is_flag=True, help="Write the lock file instead of comparing."),
)
def command(
    console: Console, source: Source, fail_on: str, lock: str | None, update_lock: bool
) -> None:
    """Check the findings about APP, and its tools against a lock file.

    Exits with 1 on a finding at or above --fail-on, and on any difference from the lock. What was
    likely not meant, such as a tool whose credential no call carries, is told and fails nothing.
    """
    if update_lock and lock is None:
        raise click.UsageError("--update-lock needs --lock FILE")
    from sezzlee_py.explorer.documents import finding_document

    with source.opened(console, tells=["oversight"]) as host:
        catalog: Catalog = host.catalog
        failing = _failing(catalog.diagnostics, fail_on)
        changes = _against_lock(catalog, lock, source, update=update_lock)
        is_fine = not failing and (update_lock or not changes)
        document = {
            "ok": is_fine,
            "fail_on": fail_on,
            "tools": len(catalog),
            "findings": [finding_document(found) for found in failing],
            "below": len(catalog.diagnostics) - len(failing),
            "oversights": [asdict(found) for found in host.oversights()],
            "lock": lock,
            "updated": update_lock,
            "changes": [asdict(change) for change in changes],
        }
        console.result(document, _sheet(document, failing, changes))
    if not is_fine:
        sys.exit(FINDINGS)


def _failing(diagnostics: Sequence[Diagnostic], fail_on: str) -> list[Diagnostic]:
    from sezzlee_py.model import Severity

    least = Severity(fail_on).rank
    return [found for found in diagnostics if found.severity.rank >= least]


def _against_lock(
    catalog: Catalog, path: str | None, source: Source, *, update: bool
) -> Sequence[Change]:
    from sezzlee_py.testing.lock import LockError, compare_locks, lock_of, read_lock, write_lock

    # A fatal catalog is not served: what it would hold is nothing to agree on.
    if path is None or catalog.fatal:
        return ()
    new = lock_of(catalog)
    try:
        old = read_lock(path)
    except LockError as fault:
        if not update:
            raise Failure("no_lock", f"{fault}: {_updating(source, path)}") from None
        old = None
    if update:
        try:
            write_lock(new, path)
        except OSError as fault:
            raise Failure("lock_not_written", f"{path} cannot be written: {fault}") from None
    return compare_locks(old, new) if old is not None else ()


def _updating(source: Source, path: str) -> str:
    flags = ["--factory"] * source.factory + ["--no-start"] * (not source.start)
    words = ["sezzlee", "check", source.spec, "--lock", path, "--update-lock", *flags]
    return shlex.join(words)


def _sheet(
    document: Mapping[str, Any], failing: Sequence[Diagnostic], changes: Sequence[Change]
) -> Sheet:
    from sezzlee_py.cli.documents import write_findings
    from sezzlee_py.cli.sheet import Sheet
    from sezzlee_py.model.counts import counted

    sheet = Sheet()
    tools = counted(document["tools"], "tool")
    milder = (
        f", {document['below']} milder (sezzlee catalog lists them)" if document["below"] else ""
    )
    sheet.line(f"{tools}, {counted(len(failing), 'failing finding')}{milder}")
    write_findings(sheet, failing)
    if document["oversights"]:
        sheet.heading("Likely not meant; fails nothing")
        for found in document["oversights"]:
            sheet.line(f"  {found['text']}")
        sheet.line()
    if changes:
        _write_changes(sheet, changes)
    elif document["lock"] and not document["updated"]:
        sheet.line(f"agents are offered what {document['lock']} says")
    if document["updated"]:
        sheet.line(f"wrote {document['lock']}")
    elif changes:
        sheet.line()
        sheet.line("If this is meant, run the same command with --update-lock.")
    return sheet


def _write_changes(sheet: Sheet, changes: Sequence[Change]) -> None:
    from sezzlee_py.model.counts import counted

    signs = {"tool_added": "+", "tool_removed": "-"}
    sheet.heading(f"{counted(len(changes), 'difference')} from the lock, as agents meet them")
    named = None
    for change in changes:
        if change.tool != named:
            named = change.tool
            sheet.line(f"{signs.get(change.kind, '~')} {named}")
        sheet.line(f"    {change.text}{'  (breaking)' if change.breaking else ''}")
