"""What ends a command early."""

from __future__ import annotations

from typing import Any, Final

import click

FINDINGS: Final = 1
USAGE: Final = 2


class Failure(click.ClickException):
    """A command that cannot do what it was asked; the message says why and the way out.

    Args:
        code: a stable word for machines.
        message: for people.
        data: what else a JSON result tells.
    """

    exit_code = USAGE

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def document(self) -> dict[str, Any]:
        """Return the JSON result."""
        return {"error": self.code, "message": self.message, **self.data}


class NotServed(Failure):
    """The application's catalog has fatal findings, which is a finding and no misuse."""

    exit_code = FINDINGS
