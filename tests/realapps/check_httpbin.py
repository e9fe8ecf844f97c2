"""Compare the catalog of httpbin with what was counted and tried by hand.

Run by any Python: it makes an environment, installs what it needs and runs itself there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpbin_app
from environment import check, wrong_inputs

if TYPE_CHECKING:
    from sezzlee_py import ToolDefinition


def differences() -> Iterator[str]:
    """Yield what is not as expected."""
    from sezzlee_flask import mount_mcp
    from sezzlee_py import Options

    options = Options()
    options.selection.default = "include"
    app = httpbin_app.make_app()
    catalog = mount_mcp(app, options=options).build()
    tools = {(tool.method, tool.route): tool for tool in catalog.tools}
    if catalog.discovered != httpbin_app.OPERATIONS:
        yield f"{catalog.discovered} operations, expected {httpbin_app.OPERATIONS}"
    unsupported = sorted(
        str(found.operation) for found in catalog.diagnostics if found.code == "unsupported_method"
    )
    if unsupported != sorted(httpbin_app.UNSUPPORTED):
        yield f"without a counterpart: {unsupported}"
    if len(tools) + len(unsupported) != httpbin_app.OPERATIONS:
        yield f"{len(tools)} tools and {len(unsupported)} findings"
    yield from wrong_inputs(tools, httpbin_app.INPUTS)
    yield from wrong_answers(app, tools)


def wrong_answers(app: Any, tools: dict[tuple[str, str], ToolDefinition]) -> Iterator[str]:
    """Yield the calls, through the endpoint as an agent makes them, that answer otherwise."""
    from sezzlee_py.testing import AgentClient

    with AgentClient(app, headers={"authorization": "Bearer of-the-caller"}) as agent:
        for (route, arguments), (status, part) in httpbin_app.ANSWERS.items():
            answer = agent.invoke(tools["GET", route].name, dict(arguments))
            text = json.dumps(answer, ensure_ascii=False)
            if answer.get("status") != status or part not in text:
                yield f"GET {route} {dict(arguments)}: {text[:300]}"


if __name__ == "__main__":
    sys.exit(
        check(
            "httpbin",
            differences,
            requirements=httpbin_app.REQUIREMENTS,
            extra="flask",
            tools=httpbin_app.OPERATIONS - len(httpbin_app.UNSUPPORTED),
        )
    )
