"""Compare the catalog of apache-burr with what was counted and tried by hand.

Run by any Python: it makes an environment, installs what it needs and runs itself there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import burr_app

if TYPE_CHECKING:
    from sezzlee_py import ToolDefinition

CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Check inside an environment, made first where it is not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venv", type=Path, help="an environment to keep and use again")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return report(list(differences()))
    if given.venv is not None:
        return run_in(given.venv)
    with tempfile.TemporaryDirectory(prefix="realapps-") as folder:
        return run_in(Path(folder))


def run_in(folder: Path) -> int:
    """Install the application and this checkout in an environment and check there."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    needed = [*burr_app.REQUIREMENTS, f"{CHECKOUT}[fastapi]"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
    return subprocess.run([python, __file__, "--inside"], check=False).returncode


def report(found: list[str]) -> int:
    """Print one line and return the exit status."""
    print("burr:", "; ".join(found) if found else f"{burr_app.TOOLS} tools, as expected")
    return 1 if found else 0


def differences() -> Iterator[str]:
    """Yield what is not as expected."""
    from sezzlee_fastapi import mount_mcp
    from sezzlee_py import Options

    options = Options()
    options.selection.default = "include"
    app = burr_app.make_app()
    catalog = mount_mcp(app, options=options).build()
    tools = {(tool.method, tool.route): tool for tool in catalog.tools}
    if catalog.discovered != burr_app.OPERATIONS:
        yield f"{catalog.discovered} operations, expected {burr_app.OPERATIONS}"
    if len(catalog.tools) != burr_app.TOOLS:
        yield f"{len(catalog.tools)} tools, expected {burr_app.TOOLS}"
    if burr_app.CATCH_ALL in tools:
        yield "the catch-all at the root is a tool"
    yield from wrong_inputs(tools)
    yield from wrong_answers(app, tools)


def wrong_inputs(tools: dict[tuple[str, str], ToolDefinition]) -> Iterator[str]:
    """Yield the operations whose inputs differ."""
    for operation, expected in burr_app.INPUTS.items():
        tool = tools.get(operation)
        if tool is None:
            yield f"no tool for {' '.join(operation)}"
            continue
        inputs = {(slot.name, str(slot.location)): slot.required for slot in tool.slots}
        if inputs != expected:
            yield f"{tool.name}: inputs {inputs}"
        unpublished = {slot.argument for slot in tool.slots} - set(tool.input_schema["properties"])
        if unpublished:
            yield f"{tool.name}: {unpublished} cannot be written by an agent"


def wrong_answers(app: Any, tools: dict[tuple[str, str], ToolDefinition]) -> Iterator[str]:
    """Yield the calls, through the endpoint as an agent makes them, that answer otherwise."""
    from sezzlee_py.testing import AgentClient

    with AgentClient(app) as agent:
        for route, expected in burr_app.ANSWERS.items():
            answer = agent.invoke(tools["GET", route].name, {})
            body = answer.get("body")
            as_expected = body == expected or (
                isinstance(expected, str) and expected in json.dumps(body)
            )
            if answer.get("status") != 200 or not as_expected:
                yield f"GET {route}: {answer}"


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # The application leaves threads behind that nobody ends.
    os._exit(status)
