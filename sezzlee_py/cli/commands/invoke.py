"""`sezzlee invoke`: one call through the application."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from sezzlee_py.cli.command import Source, app_command, headers_option, warn_of_headers_left
from sezzlee_py.cli.console import Console, json_text
from sezzlee_py.cli.failure import FINDINGS, Failure
from sezzlee_py.cli.sheet import Sheet


@app_command(
    click.argument("name"),
    click.argument("args_json", default="{}"),
    headers_option,
)
def command(
    console: Console, source: Source, name: str, args_json: str, headers: Mapping[str, str]
) -> None:
    """Call tool NAME of APP with the arguments ARGS_JSON, in process.

    ARGS_JSON is a JSON object; '-' reads it from standard input. Prints what the agent would get;
    an answer with an error exits with 1.
    """
    from sezzlee_py.cli.documents import find_tool
    from sezzlee_py.toolkit.host_calls import invoke_call, outer_of

    arguments = _arguments(args_json)
    with source.opened(console) as host:
        find_tool(host.catalog, name)
        warn_of_headers_left(console, host, headers)
        call = invoke_call(name, arguments, None)
        answer = dict(host.run(host.engine.call(call, outer_of(headers))).payload)
        sheet = Sheet()
        sheet.line(json_text(answer, ascii_only=False))
        console.result(answer, sheet)
        if "error" in answer:
            sys.exit(FINDINGS)


def _arguments(text: str) -> dict[str, Any]:
    from sezzlee_py.model.json import json_kind, read_json

    text = sys.stdin.read() if text == "-" else text
    try:
        arguments: Any = read_json(text)
    except ValueError as fault:
        raise Failure("wrong_arguments", f"ARGS_JSON is no JSON: {fault}") from None
    if not isinstance(arguments, dict):
        kind = json_kind(arguments)
        raise Failure("wrong_arguments", f"ARGS_JSON must be a JSON object, not {kind}")
    return dict(arguments)
