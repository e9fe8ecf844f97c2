"""Compare the catalog of Flask-MonitoringDashboard with what was counted and tried by hand.

Run by any Python: it makes an environment, installs what it needs and runs itself there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import monitoring_app
from environment import check, wrong_inputs

if TYPE_CHECKING:
    from sezzlee_py import ToolDefinition


def differences() -> Iterator[str]:
    """Yield what is not as expected."""
    from sezzlee_flask import mount_mcp
    from sezzlee_py import Options

    options = Options()
    options.selection.default = "include"
    app = monitoring_app.make_app()
    catalog = mount_mcp(app, options=options).build()
    tools = {(tool.method, tool.route): tool for tool in catalog.tools}
    for counted in (catalog.discovered, len(tools)):
        if counted != monitoring_app.OPERATIONS:
            yield f"{counted} operations or tools, expected {monitoring_app.OPERATIONS}"
    yield from wrong_inputs(tools, monitoring_app.INPUTS)
    yield from wrong_answers(app, tools)


def wrong_answers(app: Any, tools: dict[tuple[str, str], ToolDefinition]) -> Iterator[str]:
    """Yield the calls, through the endpoint as an agent makes them, that answer otherwise."""
    from sezzlee_py.testing import AgentClient

    with AgentClient(app) as agent:
        for (method, route, arguments), (status, part) in monitoring_app.ANSWERS.items():
            answer = agent.invoke(tools[method, route].name, dict(arguments))
            text = json.dumps(answer)
            if answer.get("status") != status or part not in text:
                yield f"{method} {route} {dict(arguments)}: {text[:300]}"


if __name__ == "__main__":
    status = check(
        "Flask-MonitoringDashboard",
        differences,
        requirements=monitoring_app.REQUIREMENTS,
        extra="flask",
        tools=monitoring_app.OPERATIONS,
    )
    sys.stdout.flush()
    # The application leaves threads behind that nobody ends.
    os._exit(status)
