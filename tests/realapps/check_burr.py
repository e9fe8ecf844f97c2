"""Compare the catalog of apache-burr with what was counted and tried by hand.

Run by any Python: it makes an environment, installs what it needs and runs itself there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import burr_app
from environment import check, wrong_inputs

if TYPE_CHECKING:
    from sezzlee_py import ToolDefinition


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
    yield from wrong_inputs(tools, burr_app.INPUTS)
    yield from wrong_answers(app, tools)


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
    status = check(
        "burr",
        differences,
        requirements=burr_app.REQUIREMENTS,
        extra="fastapi",
        tools=burr_app.TOOLS,
    )
    sys.stdout.flush()
    # The application leaves threads behind that nobody ends.
    os._exit(status)
