"""Runs a check inside an environment that has the application it is about."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sezzlee_py import ToolDefinition

CHECKOUT = Path(__file__).resolve().parents[2]

# Wire name and where it travels.
Input: TypeAlias = tuple[str, str]


def check(
    name: str,
    differences: Callable[[], Iterable[str]],
    *,
    requirements: Sequence[str],
    extra: str,
    tools: int,
) -> int:
    """Make an environment, install what is needed, run the calling script there; the exit status.

    Inside, print one line about what is not as expected.

    Args:
        name: of the application.
        differences: yields what is not as expected; called inside.
        requirements: what the application is installed by.
        extra: the extra of this checkout that it needs.
        tools: how many there are when nothing differs.
    """
    parser = argparse.ArgumentParser(description=f"Check the catalog of {name}.")
    parser.add_argument("--venv", type=Path, help="an environment to keep and use again")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        found = list(differences())
        print(f"{name}:", "; ".join(found) if found else f"{tools} tools, as expected")
        return 1 if found else 0
    needed = [*requirements, f"{CHECKOUT}[{extra}]"]
    if given.venv is not None:
        return _run_in(given.venv, needed)
    with tempfile.TemporaryDirectory(prefix="realapps-") as folder:
        return _run_in(Path(folder), needed)


def _run_in(folder: Path, needed: Sequence[str]) -> int:
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
    return subprocess.run([python, sys.argv[0], "--inside"], check=False).returncode


def wrong_inputs(
    tools: Mapping[tuple[str, str], ToolDefinition],
    expected: Mapping[tuple[str, str], Mapping[Input, bool]],
) -> Iterator[str]:
    """Yield the operations whose inputs differ, or of which an agent cannot write one."""
    for operation, inputs in expected.items():
        tool = tools.get(operation)
        if tool is None:
            yield f"no tool for {' '.join(operation)}"
            continue
        found = {(slot.name, str(slot.location)): slot.required for slot in tool.slots}
        if found != inputs:
            yield f"{tool.name}: inputs {found}"
        unpublished = {slot.argument for slot in tool.slots} - set(tool.input_schema["properties"])
        if unpublished:
            yield f"{tool.name}: {unpublished} cannot be written by an agent"
