"""Where a command writes: its result on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

from sezzlee_py.cli.sheet import Sheet


@contextmanager
def claimed_stdout() -> Iterator[TextIO]:
    """Give standard output to one writer; whatever else is written there goes to standard error.

    An application prints what it likes when it is imported and called, and so do the processes
    that it starts: the descriptor itself is moved, not only `sys.stdout`.
    """
    original = sys.stdout
    if not _is_descriptor(original):
        with redirect_stdout(sys.stderr):
            yield original
            sys.stderr.flush()
        return
    original.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with (
            os.fdopen(os.dup(kept), "w", encoding="utf-8", errors="replace") as stream,
            redirect_stdout(sys.stderr),
        ):
            yield stream
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _is_descriptor(stream: TextIO) -> bool:
    try:
        return stream.fileno() == 1
    except (AttributeError, OSError, ValueError):
        return False


class Console:
    """Writes the one result of a command.

    Args:
        stream: standard output.
        as_json: whether the result is a JSON document.
    """

    def __init__(self, stream: TextIO, *, as_json: bool) -> None:
        self.as_json = as_json
        self._stream = stream

    def result(self, document: Mapping[str, Any], sheet: Sheet) -> None:
        """Write a result: the document for machines, or the sheet for people."""
        if self.as_json:
            self.document(document)
        else:
            self._stream.write(self._written(sheet))
            self._stream.flush()

    def document(self, document: Mapping[str, Any]) -> None:
        """Write a JSON document."""
        self._stream.write(json_text(document) + "\n")
        self._stream.flush()

    def note(self, text: str) -> None:
        """Tell somebody who watches what is going on."""
        if sys.stderr.isatty():
            sys.stderr.write(f"{text}\n")

    def warn(self, text: str) -> None:
        """Tell everybody, scripts included, what would mislead in the result."""
        sys.stderr.write(f"{text}\n")

    def _written(self, sheet: Sheet) -> str:
        if self._stream.isatty() and _has_rich():
            from sezzlee_py.cli.rich_sheet import render

            return render(sheet)
        return sheet.plain()


def json_text(value: Any, *, ascii_only: bool = True) -> str:
    """Return `value` as indented JSON; what JSON cannot hold is text in it."""
    text = json.dumps(value, default=_plain)
    return json.dumps(json.loads(text, parse_constant=str), indent=2, ensure_ascii=ascii_only)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Sequence | set | frozenset) else str(value)


def _has_rich() -> bool:
    try:
        import rich  # noqa: F401 - asked for, not used here
    except ModuleNotFoundError:
        return False
    return True
