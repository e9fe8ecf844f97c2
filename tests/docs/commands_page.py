"""Writes docs/reference/commands.md from the commands: `python -m tests.docs.commands_page`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from sezzlee_py.cli.root import sezzlee

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"

_INTRODUCTION = """\
# Commands

Every command of `sezzlee` with what it takes. The page is written from the code
(`python -m tests.docs.commands_page`); [the guide](../guides/command-line.md) shows them at work.

```
pip install "path/to/the/clone[fastapi,cli]"      # or [starlette,cli], [flask,cli]
```

`APP` is `module:attribute`, such as `shop.main:app`. Exit codes: 0 fine,
warnings included; 1 findings; 2 usage.
"""


def page() -> str:
    """Return the whole page."""
    context = click.Context(sezzlee, info_name="sezzlee", help_option_names=["-h", "--help"])
    sections = [_section(name, context) for name in sezzlee.list_commands(context)]
    return "\n".join([_INTRODUCTION, *sections])


def _section(name: str, parent: click.Context) -> str:
    command = sezzlee.get_command(parent, name)
    assert command is not None
    with click.Context(command, info_name=name, parent=parent) as context:
        usage = f"sezzlee {name} {' '.join(command.collect_usage_pieces(context))}"
        rows = list(_options(command, context))
    help_text = inspect.cleandoc(command.help or "")
    return "\n".join(
        [
            f"## {name}\n\n{help_text}\n\n```\n{usage}\n```\n",
            "| Option | What it does |\n| --- | --- |",
            *rows,
            "",
        ]
    )


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            spelled, told = (part.replace("|", "\\|") for part in record)
            yield f"| `{spelled}` | {told} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
