"""Compare the catalog of a marimo server with what was counted and tried by hand.

Run by any Python: it makes an environment, installs what it needs and runs itself there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import marimo_app
from environment import check, wrong_inputs

if TYPE_CHECKING:
    from sezzlee_py import ToolDefinition

# What a call needs that the answer does not depend on.
_FILLED = {"/n/api/kernel/status": {"Marimo-Session-Id": "none"}}


def differences() -> Iterator[str]:
    """Yield what is not as expected."""
    from sezzlee_py import Options
    from sezzlee_starlette import mount_mcp

    options = Options()
    options.selection.default = "include"
    app = marimo_app.make_app()
    catalog = mount_mcp(app, options=options).build()
    tools = {(tool.method, tool.route): tool for tool in catalog.tools}
    if catalog.discovered != marimo_app.OPERATIONS:
        yield f"{catalog.discovered} operations, expected {marimo_app.OPERATIONS}"
    if len(tools) != marimo_app.TOOLS:
        yield f"{len(tools)} tools, expected {marimo_app.TOOLS}"
    code = "streaming_response_unsupported"
    dropped = [found.operation for found in catalog.diagnostics if found.code == code]
    if dropped != [marimo_app.STREAMING]:
        yield f"only streams: {dropped}"
    yield from wrong_inputs(tools, marimo_app.INPUTS)
    yield from wrong_answers(app, tools)


def wrong_answers(app: Any, tools: dict[tuple[str, str], ToolDefinition]) -> Iterator[str]:
    """Yield the calls, through the endpoint as an agent makes them, that answer otherwise."""
    from sezzlee_py.testing import AgentClient

    with AgentClient(app) as agent:
        for route, (status, part) in marimo_app.ANSWERS.items():
            answer = agent.invoke(tools["GET", route].name, _FILLED.get(route, {}))
            text = json.dumps(answer)
            if answer.get("status") != status or part not in text:
                yield f"GET {route}: {text[:300]}"


if __name__ == "__main__":
    status = check(
        "marimo",
        differences,
        requirements=marimo_app.REQUIREMENTS,
        extra="starlette",
        tools=marimo_app.TOOLS,
    )
    sys.stdout.flush()
    # The application leaves threads behind that nobody ends.
    os._exit(status)
