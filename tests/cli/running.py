"""Runs commands in process."""

import json
from typing import Any

from click.testing import CliRunner, Result

from sezzlee_py.cli.root import sezzlee

SHOP = "tests.cli.shop"
APP = f"{SHOP}:app"


def run(*arguments: str, stdin: str | None = None) -> Result:
    """Return the outcome of one command; what is not an exit is raised."""
    result = CliRunner().invoke(sezzlee, list(arguments), input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run_json(*arguments: str, exit_code: int = 0) -> dict[str, Any]:
    """Return the one JSON document of a command."""
    result = run(*arguments, "--json")
    assert result.exit_code == exit_code, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document
