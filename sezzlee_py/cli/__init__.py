"""The command line: what agents see of an application, why, and whether it still holds."""

from __future__ import annotations

import sys

__all__ = ["main"]

_MISSING = """\
sezzlee: the command line needs the package 'click', which is not installed.

    pip install "sezzlee-py[cli]"
"""


def main() -> None:
    """Run the command line with the arguments of the process, and exit."""
    try:
        import click  # noqa: F401 - only to tell its absence from another import error
    except ModuleNotFoundError:
        sys.stderr.write(_MISSING)
        sys.exit(2)
    from sezzlee_py.cli.root import sezzlee

    sezzlee(prog_name="sezzlee")
